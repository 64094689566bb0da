"""Room of one criterion: requests fill it in their order, no line is shown twice.

A span that does not fit is shown in part, its head and windows around the lines that matter, or is
named as an omission with its size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from courtroom.exhibits.sheets import Sheet
from courtroom.models.exhibit import (
    Exhibit,
    Omission,
    characters_of_head,
    characters_of_lines,
)

# Lines of a head, and of the windows around a line that matters, the widest first.
HEAD_LINES = 3
WINDOWS = (12, 6, 3)
NARROW, MOST_WINDOWS = 3, 40
# A shorter rest of an exhibit is not worth its head.
FEWEST_LINES = 3
# Lines of one request that are looked at: more would not fit into any room.
LONGEST_SPAN = 5000
# Lines between two exhibits of one file that are shown rather than cut out.
LONGEST_GAP = 4
MOST_OMISSIONS = 30
IN_PART = ", in part"


@dataclass(frozen=True, slots=True)
class Request:
    """Lines of a sheet that should be shown, 1-based and inclusive.

    `focus` are the lines that matter where not all of them fit. `most`: more characters than these
    are not spent on it at once. `name`: that of the unit, by which it can be asked for.
    """

    sheet: str
    first: int
    last: int
    title: str
    focus: tuple[int, ...] = ()
    most: int | None = None
    name: str = ""

    def capped(self, most: int) -> Request:
        return replace(self, most=most if self.most is None else min(self.most, most))

    def uncapped(self) -> Request:
        return replace(self, most=None)

    def focused(self, lines: Iterable[int]) -> Request:
        """Return the request with those of the lines that are its own as the focus."""
        own = {line for line in lines if self.first <= line <= self.last}
        return replace(self, focus=tuple(sorted(own)))


def whole_sheet(name: str, title: str) -> Request:
    return Request(name, 1, LONGEST_SPAN, title)


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a sheet that are shown together; `order` counts the pieces as they came."""

    order: int
    sheet: Sheet
    first: int
    last: int
    request: Request


@dataclass
class Room:
    """Exhibits of one criterion, of at most `characters` with their numbers and heads."""

    sheets: Mapping[str, Sheet]
    characters: int
    pieces: list[Piece] = field(default_factory=list)
    _shown: dict[str, set[int]] = field(default_factory=dict)
    _missed: list[Request] = field(default_factory=list)

    def fill(self, requests: Iterable[Request]) -> None:
        for request in requests:
            sheet = self.sheets.get(request.sheet)
            if sheet is not None and request.first <= len(sheet.lines):
                self._place(sheet, request)

    def complete(self) -> None:
        """Show more of the code that is shown in part, as long as there is room.

        A few lines torn out of a function say little.
        """
        missed, self._missed = self._missed, []
        for request in missed:
            sheet = self.sheets[request.sheet]
            if sheet.kind == "code":
                self._place(sheet, request.uncapped())
            else:
                self._missed.append(request)

    def exhibits(self) -> tuple[Exhibit, ...]:
        return tuple(map(self._exhibit, self._joined()))

    def omitted(self) -> tuple[Omission, ...]:
        """Return what was asked for and is not shown, each line once, in the order asked.

        A judge can ask for a unit by its name, which says enough.
        """
        counted: dict[str, set[int]] = {}
        omissions = []
        for request in self._missed:
            sheet = self.sheets[request.sheet]
            lines = self._open_lines(sheet, request)
            lines -= counted.setdefault(sheet.name, set())
            counted[sheet.name] |= lines
            if lines:
                location = sheet.location(min(lines), max(lines))
                size = sum(_size(sheet, line) for line in lines)
                title = request.name or request.title
                omissions.append(Omission(title=title, location=location, characters=size))
        return tuple(omissions[:MOST_OMISSIONS])

    def _place(self, sheet: Sheet, request: Request) -> None:
        wanted = self._open_lines(sheet, request)
        if not wanted:
            return

        left = self.characters if request.most is None else min(self.characters, request.most)
        if self._cost(sheet, request.title, wanted) <= left:
            self._show(sheet, request, wanted)
            return
        self._missed.append(request)
        part = self._part(sheet, request, wanted, left)
        if part:
            self._show(sheet, request, part)

    def _part(self, sheet: Sheet, request: Request, wanted: set[int], left: int) -> set[int]:
        """Return the head and the widest windows around the focus that fit; else nothing."""
        title = request.title + IN_PART
        head = set(range(request.first, request.first + HEAD_LINES))
        focus = [line for line in request.focus if request.first <= line <= request.last]
        if not focus:
            return self._beginning(sheet, title, sorted(wanted), left)

        # The head says what the windows are of: narrower windows with it come before wider ones.
        for first_lines, width in product((head, set[int]()), WINDOWS):
            windows = {n for line in focus for n in range(line - width, line + width + 1)}
            part = (first_lines | windows) & wanted
            if part and self._cost(sheet, title, part) <= left:
                return part
        return self._first_windows(sheet, title, focus, wanted, left)

    def _first_windows(
        self, sheet: Sheet, title: str, focus: list[int], wanted: set[int], left: int
    ) -> set[int]:
        """Return the windows that fit when not all of them do, the first ones first."""
        part: set[int] = set()
        for line in focus[:MOST_WINDOWS]:
            wider = part | (wanted & set(range(line - NARROW, line + NARROW + 1)))
            if self._cost(sheet, title, wider) <= left:
                part = wider
        return part

    def _beginning(self, sheet: Sheet, title: str, wanted: list[int], left: int) -> set[int]:
        """Return the first lines that fit, without a gap between them."""
        part: set[int] = set()
        left -= characters_of_head(title, sheet.place)
        for line in wanted:
            left -= _size(sheet, line)
            if left < 0 or (part and line - 1 not in part):
                break
            part.add(line)
        return part if len(part) >= FEWEST_LINES else set()

    def _open_lines(self, sheet: Sheet, request: Request) -> set[int]:
        """Return the lines asked for that are not shown, without the blank ones at the ends."""
        first = max(1, request.first)
        last = min(request.last, len(sheet.lines), first + LONGEST_SPAN)
        taken = self._shown.get(sheet.name, set())
        lines = [n for n in range(first, last + 1) if n not in taken]
        while lines and not sheet.lines[lines[0] - 1].strip():
            lines.pop(0)
        while lines and not sheet.lines[lines[-1] - 1].strip():
            lines.pop()
        return set(lines)

    def _cost(self, sheet: Sheet, title: str, lines: set[int]) -> int:
        heads = sum(1 for _ in _runs(lines))
        return sum(_size(sheet, line) for line in lines) + heads * characters_of_head(
            title, sheet.place
        )

    def _show(self, sheet: Sheet, request: Request, lines: set[int]) -> None:
        self._shown.setdefault(sheet.name, set()).update(lines)
        self.characters -= self._cost(sheet, self._title(sheet, request), lines)
        for first, last in _runs(lines):
            self.pieces.append(Piece(len(self.pieces), sheet, first, last, request))

    def _title(self, sheet: Sheet, request: Request) -> str:
        return request.title + (IN_PART if self._open_lines(sheet, request) else "")

    def _joined(self) -> list[Piece]:
        """Return the pieces in their order, joined where they touch."""
        joined: list[Piece] = []
        for piece in sorted(self.pieces, key=lambda p: (p.sheet.name, p.first)):
            if joined and _touch(joined[-1], piece):
                earliest = min(joined[-1], piece, key=lambda p: p.order)
                joined[-1] = replace(earliest, first=joined[-1].first, last=piece.last)
            else:
                joined.append(piece)
        return sorted(joined, key=lambda piece: piece.order)

    def _exhibit(self, piece: Piece) -> Exhibit:
        return piece.sheet.exhibit(piece.first, piece.last, self._title(piece.sheet, piece.request))


def _touch(before: Piece, after: Piece) -> bool:
    """Return whether the lines between two pieces take less room than a head of their own."""
    if before.sheet.name != after.sheet.name:
        return False
    gap = range(before.last + 1, after.first)
    saved = min(characters_of_head(p.request.title, p.sheet.place) for p in (before, after))
    return len(gap) <= LONGEST_GAP and saved >= sum(_size(before.sheet, n) for n in gap)


def _size(sheet: Sheet, line: int) -> int:
    return characters_of_lines([sheet.lines[line - 1]], line)


def _runs(lines: set[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last of each run of consecutive lines."""
    for line in sorted(lines):
        if line - 1 in lines:
            continue
        last = line
        while last + 1 in lines:
            last += 1
        yield line, last
