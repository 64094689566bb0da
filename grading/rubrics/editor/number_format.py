"""Numbers as people type them."""

from __future__ import annotations

import re
from fractions import Fraction

# At most 15 digits: longer numbers would be rounded without notice, and cost time to add.
DECIMAL = re.compile(r"[+-]?\d{1,15}(?:[.,]\d{1,15})?", re.ASCII)


def parse_number(text: str) -> Fraction:
    """Return the number exactly as typed, with a point or a comma; 0 for any other text."""
    typed = text.strip()
    return Fraction(typed.replace(",", ".")) if DECIMAL.fullmatch(typed) else Fraction(0)


def format_number(number: Fraction) -> str:
    """Return the number as a person writes it: 3, not 3.0."""
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"
