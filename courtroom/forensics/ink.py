"""Whether what a content stream paints can be seen on white paper: its fill colour and text rendering mode.

Follows PDF 32000-1, 8.4.2 (the graphics state and its stack), 8.6.8 (colours) and 9.3.6 (rendering modes).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_INVISIBLE_MODE = 3
_NEAR = 0.04  # of full scale
_GREY_OR_RGB = {b"g": 1, b"rg": 3}
_ANY_SPACE = frozenset({b"sc", b"scn"})


@dataclass(slots=True)
class Ink:
    """The part of the graphics state that decides whether text is seen."""

    is_white: bool = False
    is_invisible: bool = False
    _saved: list[tuple[bool, bool]] = field(default_factory=list)

    def before_operator(self, operator: bytes, operands: Any) -> None:
        if operator == b"q":
            self._saved.append((self.is_white, self.is_invisible))
        elif operator == b"Q" and self._saved:
            self.is_white, self.is_invisible = self._saved.pop()
        elif operator == b"Tr" and operands:
            self.is_invisible = operands[0] == _INVISIBLE_MODE
        elif operator in _GREY_OR_RGB or operator in _ANY_SPACE or operator == b"k":
            self.is_white = _is_white(operands)


def _is_white(operands: Any) -> bool:
    """Grey and RGB count light, CMYK counts ink. A pattern or a colour of another space is taken for visible."""
    if not all(isinstance(value, (int, float)) for value in operands):
        return False
    if len(operands) == 4:
        return all(value <= _NEAR for value in operands)
    return len(operands) in {1, 3} and all(value >= 1 - _NEAR for value in operands)
