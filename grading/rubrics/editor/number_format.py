"""Numbers as they are typed."""

from __future__ import annotations

import re
from fractions import Fraction

DECIMAL = re.compile(r"[+-]?\d{1,15}(?:[.,]\d{1,15})?", re.ASCII)


def parse_number(text: str) -> Fraction:
    """The number exactly as typed, with a point or a comma; nothing for what is none."""
    typed = text.strip()
    return Fraction(typed.replace(",", ".")) if DECIMAL.fullmatch(typed) else Fraction(0)


def format_number(number: Fraction) -> str:
    """As a person writes it."""
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"
