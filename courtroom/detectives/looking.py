"""What came of looking at pictures, whoever looked."""

from __future__ import annotations

from dataclasses import dataclass

from courtroom.forensics.pdf_reading import SeenPicture
from courtroom.record import Usage


@dataclass(frozen=True, slots=True)
class Look:
    """Every picture as it was read, or why none was; and what it cost in either case."""

    seen: tuple[SeenPicture, ...]
    failure: str | None
    usage: Usage
