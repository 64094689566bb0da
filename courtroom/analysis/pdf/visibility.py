"""Decide whether a content stream paints visibly: its fill colour, opacity, text mode and layer.

Follows PDF 32000-1, 8.4.2 (the graphics state and its stack), 8.6.8 (colours), 9.3.6 (rendering
modes), 11.6.4.4 (constant opacity), 14.6 (marked content) and 8.11 (optional content).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_INVISIBLE_MODE = 3
_TOLERANCE = 0.04  # share of the full scale
_GREY_OR_RGB = {b"g": 1, b"rg": 3}
_MARKS = frozenset({b"BMC", b"BDC", b"EMC"})
_ANY_SPACE = frozenset({b"sc", b"scn"})


@dataclass(slots=True)
class Ink:
    """Part of the graphics state that decides whether text is visible.

    `clear_states` are the page's names of states without opacity, `hidden_layers` those of layers
    that are switched off.
    """

    clear_states: frozenset[str] = frozenset()
    hidden_layers: frozenset[str] = frozenset()
    is_white: bool = False
    is_invisible: bool = False
    is_clear: bool = False
    _saved: list[tuple[bool, bool, bool]] = field(default_factory=list)
    _marked: list[bool] = field(default_factory=list)

    @property
    def is_gone(self) -> bool:
        """Return whether nothing is painted at all, on any background."""
        return self.is_clear or any(self._marked)

    def before_operator(self, operator: bytes, operands: Any) -> None:
        if operator == b"q":
            self._saved.append((self.is_white, self.is_invisible, self.is_clear))
        elif operator == b"Q" and self._saved:
            self.is_white, self.is_invisible, self.is_clear = self._saved.pop()
        elif operator == b"gs" and operands:
            self.is_clear = str(operands[0]) in self.clear_states
        elif operator in _MARKS:
            self._mark(operator, operands)
        elif operator == b"Tr" and operands:
            self.is_invisible = operands[0] == _INVISIBLE_MODE
        elif operator in _GREY_OR_RGB or operator in _ANY_SPACE or operator == b"k":
            self.is_white = _is_white(operands)

    def _mark(self, operator: bytes, operands: Any) -> None:
        if operator == b"EMC":
            del self._marked[-1:]
            return
        layer = operator == b"BDC" and len(operands) == 2 and operands[0] == "/OC"
        self._marked.append(layer and str(operands[1]) in self.hidden_layers)


def _is_white(operands: Any) -> bool:
    """Return whether the colour is white. Patterns and other colour spaces count as visible."""
    if not all(isinstance(value, (int, float)) for value in operands):
        return False
    # CMYK counts ink, so white is 0; grey and RGB count light, so white is 1.
    if len(operands) == 4:
        return all(value <= _TOLERANCE for value in operands)
    return len(operands) in {1, 3} and all(value >= 1 - _TOLERANCE for value in operands)
