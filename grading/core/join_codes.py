"""Codes of join links: short enough to read aloud, and too many to guess under the limits."""

from __future__ import annotations

import re
import secrets

# No vowels, so that no words arise, and none of the letters that look like another one or like a
# digit: B8, G6, I1L, O0Q, S5, UV, Z2. 22 letters and digits, 9 of them: more than 10^12 codes.
ALPHABET = "23456789CDFHJKMNPRTWXY"
LENGTH, GROUP = 9, 3
_CODE = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")


def new_code() -> str:
    """Return a new code without hyphens."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def spoken_form(code: str) -> str:
    """Return the code in groups of three, such as C4F-7KM-2XW."""
    return "-".join(code[start : start + GROUP] for start in range(0, len(code), GROUP))


def read_code(typed: str) -> str | None:
    """Return a code as it is stored, or None for a text that is no code.

    Case, hyphens and blanks do not count.
    """
    code = re.sub(r"[-\s]", "", typed).upper()
    return code if _CODE.fullmatch(code) else None
