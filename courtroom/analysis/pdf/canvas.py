"""Record what a page's content stream draws: pieces of text, painted paths, images.

pypdf's visitors call it. A matrix is the six numbers of PDF 32000-1, 8.3.4. Standard library only.
"""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from courtroom.analysis.pdf.page_text import Piece
from courtroom.analysis.pdf.visibility import Ink

Matrix = Sequence[float]
Point = tuple[float, float]
Bounds = tuple[float, float, float, float]

# Operator to indexes of the operands that start a point of the path (PDF 32000-1, 8.5.2).
_POINTS = {b"m": (0,), b"l": (0,), b"c": (0, 2, 4), b"v": (0, 2), b"y": (0, 2)}
_FILLS = frozenset({b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"})
_STROKES = frozenset({b"S", b"s", b"B", b"B*", b"b", b"b*"})
_SHOW_TEXT = frozenset({b"Tj", b"TJ", b"'", b'"'})
_TINY = 1.5  # points; smaller type cannot be read
_THIN = 1.5  # points
# Spaces in justified text are offsets in thousandths of an em. They can shrink so much that pypdf
# takes them for kerning, which stays under a sixth of an em. pypdf requires half the width of a
# space, and takes a whole em for the space of a font that has none.
_SHRUNK_SPACE, _SURE_SPACE = -180, -520
_REPLACEMENT_TEXT = ("/ActualText", "/Alt")
# A browser draws "fi" as one glyph that its font maps to nothing, and spells it in /ActualText.
_LIGATURE = re.compile(r"[a-z]{2,3}")
_UNMAPPED = re.compile(r"\x00")
_ONE_GLYPH = 2  # bytes at most
_MIN_COVERED_WORDS = 20
_MAX_COVERS = 400  # shapes painted after a piece that are compared with it
_MAX_PATHS = 2000  # a page with more is a chart or a map; its first ones are kept


@dataclass(frozen=True, slots=True)
class Path:
    """Painted path by its corners: enough to tell boxes, lines and arrow heads apart."""

    points: tuple[Point, ...]
    closed: bool
    filled: bool
    stroked: bool
    white: bool = False
    clear: bool = False

    @property
    def is_solid(self) -> bool:
        return self.filled and self.closed and not self.clear

    @property
    def bounds(self) -> Bounds:
        """Return left, bottom, right and top."""
        xs, ys = [x for x, _ in self.points], [y for _, y in self.points]
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(slots=True)
class Canvas:
    """Contents of one page. Positions are in points of the page, or of the form that is drawn.

    `paper` is the page's left, bottom, right and top. `replacement_texts` are those of marked
    content (/ActualText and /Alt).
    """

    ink: Ink = field(default_factory=Ink)
    paper: Bounds | None = None
    replacement_texts: list[str] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    _subpaths: list[list[Point]] = field(default_factory=list)
    _closed: bool = False
    _faint: bool = False
    _gone: bool = False
    _painted: int = 0
    _ligature: str = ""
    _spellings: list[str] = field(default_factory=list)

    def before_operator(self, operator: bytes, operands: Any, cm: Matrix, _tm: Matrix) -> None:
        """Handle pypdf's visitor_operand_before. Operands that do not fit are ignored."""
        self.ink.before_operator(operator, operands)
        if operator in _SHOW_TEXT:
            self._faint = self.ink.is_white or self.ink.is_invisible
            self._gone, self._painted = self.ink.is_gone, len(self.paths)
            self._keep_spelling(operands)
        if operator == b"BDC" and len(operands) == 2 and isinstance(operands[1], Mapping):
            self._replace(operands[1])
        elif operator == b"EMC":
            self._ligature = ""
        elif operator == b"TJ" and operands and isinstance(operands[0], list):
            _widen_spaces(operands[0])
        elif operator == b"Do" and operands:
            self.images.append(str(operands[0]))
        elif operator == b"re" and _are_numbers(operands, 4):
            self._rectangle([float(value) for value in operands[:4]], cm)
        elif operator in _POINTS:
            self._extend(operator, operands, cm)
        elif operator == b"h":
            self._closed = True
        elif operator == b"n" or operator in _FILLS or operator in _STROKES:
            self._paint(operator)

    def text(
        self, text: str, cm: Matrix, tm: Matrix, font: Mapping[str, Any] | None, size: float
    ) -> None:
        """Handle pypdf's visitor_text. Its line breaks are guesses: our positions are better."""
        content = text.strip("\r\n")
        if not content:
            return

        content = self._spelled(content)
        a, b, c, d, x, y = _product(tm, cm)
        scale = math.sqrt(abs(a * d - b * c)) * abs(size)
        name = str(font.get("/BaseFont", "")) if font else ""
        bold = any(word in name.lower() for word in ("bold", "black", "cmbx", "heavy"))
        faint, self._faint = self._faint or scale < _TINY, False
        self.pieces.append(
            Piece(
                content,
                x,
                y,
                scale or 1.0,
                bold,
                faint=faint,
                gone=self._gone,
                painted=self._painted,
            )
        )

    def remove_hidden(self) -> list[Piece]:
        """Remove and return the pieces of text that cannot be seen.

        Such text is tiny, without colour or white on bare paper, without opacity, in a layer that
        is switched off, outside the page, or covered by a shape. Covered text counts from
        _MIN_COVERED_WORDS on, because drawing programs sometimes paint over a label.
        """
        # A scan has its text written invisibly over the image, and positions within a form are not
        # those of the page. So a page that draws images or forms keeps all its text.
        if self.images:
            return []

        backgrounds = [path.bounds for path in self.paths if path.filled and not path.white]
        hidden = [
            piece
            for piece in self.pieces
            if piece.gone
            or (piece.faint and not _lies_on(piece, backgrounds))
            or self._is_outside(piece)
        ]
        solid = [path.bounds if path.is_solid else None for path in self.paths]
        covered = [piece for piece in self.pieces if _is_covered(piece, solid)]
        if sum(len(piece.text.split()) for piece in covered) >= _MIN_COVERED_WORDS:
            hidden += covered

        hidden_ids = set(map(id, hidden))
        self.pieces = [piece for piece in self.pieces if id(piece) not in hidden_ids]
        return hidden

    def _replace(self, properties: Mapping[Any, Any]) -> None:
        """Keep the replacement texts of marked content, but for the spelling of a ligature."""
        spelling = _text_of(properties.get("/ActualText", ""))
        self._ligature = spelling if _LIGATURE.fullmatch(spelling) else ""
        texts = [_text_of(properties[key]) for key in _REPLACEMENT_TEXT if key in properties]
        self.replacement_texts += [text for text in texts if text != self._ligature]

    def _keep_spelling(self, operands: Any) -> None:
        """Keep the spelling for text(), when the marked content shows a single glyph."""
        operand = operands[0] if operands else b""
        strings = operand if isinstance(operand, list) else [operand]
        parts = [part for part in strings if isinstance(part, bytes)]
        if self._ligature and len(parts) == 1 and len(parts[0]) <= _ONE_GLYPH:
            self._spellings.append(self._ligature)

    def _spelled(self, text: str) -> str:
        """Return the text with its unmapped glyphs spelled out, in the order they were shown."""
        spellings, self._spellings = iter(self._spellings), []
        return _UNMAPPED.sub(lambda glyph: next(spellings, glyph[0]), text)

    def _is_outside(self, piece: Piece) -> bool:
        if self.paper is None:
            return False
        left, bottom, right, top = self.paper
        above, below = piece.y > top, piece.y + piece.size < bottom
        return above or below or piece.x > right or piece.end < left

    def _rectangle(self, operands: Sequence[float], cm: Matrix) -> None:
        x, y, width, height = operands
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        self._subpaths.append([_at(corner, cm) for corner in corners])
        self._closed = True

    def _extend(self, operator: bytes, operands: Any, cm: Matrix) -> None:
        starts = _POINTS[operator]
        if not _are_numbers(operands, starts[-1] + 2):
            return
        points = [_at((float(operands[i]), float(operands[i + 1])), cm) for i in starts]
        if operator == b"m" or not self._subpaths:
            self._subpaths.append([])
        self._subpaths[-1] += points

    def _paint(self, operator: bytes) -> None:
        if operator != b"n" and len(self.paths) < _MAX_PATHS:
            closed = self._closed or operator in {b"s", b"b", b"b*"}
            for points in (subpath for subpath in self._subpaths if len(subpath) > 1):
                path = Path(
                    tuple(points),
                    closed,
                    operator in _FILLS,
                    operator in _STROKES,
                    self.ink.is_white,
                    self.ink.is_clear,
                )
                self.paths.append(path)
                self._add_rule(path)
        self._subpaths, self._closed = [], False

    def _add_rule(self, path: Path) -> None:
        # A thin short line may be an underscore: page_text decides by the text around it.
        left, bottom, right, top = path.bounds
        if self.pieces and top - bottom <= _THIN and 1.0 <= right - left <= 12.0:
            rule = Piece(text="_", x=left, y=bottom, size=right - left, rule=True)
            self.pieces.append(rule)


def _text_of(value: Any) -> str:
    """Return a text string of a content stream, which pypdf leaves as bytes."""
    if not isinstance(value, bytes):
        return str(value)
    is_utf16 = value.startswith((BOM_UTF16_BE, BOM_UTF16_LE))
    return value.decode("utf-16" if is_utf16 else "latin-1", "replace")


def _widen_spaces(parts: list[Any]) -> None:
    """Widen shrunk spaces in pypdf's operands so that it recognises them: it has no such option.

    Every addition is subtracted at once, so that the pen's position stays right.
    """
    widened: list[Any] = []
    for part in parts:
        if isinstance(part, (int, float)) and _SURE_SPACE < part <= _SHRUNK_SPACE:
            widened += [_SURE_SPACE, part - _SURE_SPACE]
        else:
            widened.append(part)
    parts[:] = widened


def _is_covered(piece: Piece, solid: Sequence[Bounds | None]) -> bool:
    """Return whether an opaque shape was painted over the piece's start and middle.

    `solid` are the bounds of all paths, None of those that cover nothing.
    """
    after = solid[piece.painted : piece.painted + _MAX_COVERS]
    covers = [bounds for bounds in after if bounds is not None]
    if not covers:
        return False
    middle = replace(piece, x=(piece.x + piece.end) / 2)
    return _lies_on(middle, covers) and _lies_on(piece, covers)


def _lies_on(piece: Piece, shapes: Sequence[Bounds]) -> bool:
    """Return whether the piece starts within one of the shapes, as in the head of a table."""
    x, y = piece.x + 0.1 * piece.size, piece.y + 0.3 * piece.size
    return any(left <= x <= right and bottom <= y <= top for left, bottom, right, top in shapes)


def _are_numbers(operands: Any, count: int) -> bool:
    return len(operands) >= count and all(
        isinstance(value, (int, float)) for value in operands[:count]
    )


def _at(point: Point, matrix: Matrix) -> Point:
    x, y = point
    return matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]


def _product(first: Matrix, then: Matrix) -> tuple[float, float, float, float, float, float]:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )
