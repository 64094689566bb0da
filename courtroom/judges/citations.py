"""Citations of a judge: ids of evidence, and lines of exhibits, which become evidence.

A judge cites `E-1a2b`, `f1:120-133`, `src/graph.py:120-133`, `p3:4-6` or `commits:7`. Lines are
clipped to what was shown; a citation of which nothing was shown is counted, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from courtroom.judges.material import Sheet, short_id
from courtroom.judges.opinion import Question
from courtroom.models.evidence import CITED_TAG, DetectiveName, Evidence, Location, evidence

# An argument turns on few places; longer ones would only repeat the exhibits in the report.
MOST_CITATIONS, MOST_LINES, MOST_CHARACTERS = 12, 40, 2400
RATIONALE = "A judge cites these lines from what it was shown."
_CITED_LINES = re.compile(
    r"(?P<name>.{1,1024}?)(?:\s{0,2}[:#,]\s{0,2}(?:lines?\s{0,2})?[lL]?(?P<first>\d{1,6})"
    r"(?:\s{0,2}[-–—]\s{0,2}[lL]?(?P<last>\d{1,6}))?)?",  # noqa: RUF001 -- dashes as models write them
    re.DOTALL,
)
_PAGE = re.compile(r"(?:pages?|pp?)\.?\s*(?P<page>[1-9]\d{0,3})", re.IGNORECASE)
_BRACKETS = " \t\n`'\"()[]<>"


@dataclass(frozen=True, slots=True)
class Citations:
    """Ids that hold, the evidence made from lines among them, and the number that do not."""

    ids: tuple[str, ...]
    lines: tuple[Evidence, ...]
    invented: int


def resolve(cited: Sequence[str], question: Question) -> Citations:
    """Return what these citations of an answer come to."""
    own = {item.id: item for item in question.evidence}
    by_name = {name: item.id for item in question.evidence for name in (short_id(item), item.id)}
    ids: list[str] = []
    lines: list[Evidence] = []
    invented = 0
    for citation in dict.fromkeys(text.strip(_BRACKETS) for text in cited):
        if citation in by_name:
            ids.append(by_name[citation])
            continue
        items = list(_cited_lines(citation, question))
        invented += not items
        ids += [item.id for item in items]
        # Lines that a detective recorded just so are that evidence already.
        lines += [item for item in items if item.id not in own]

    kept = tuple(dict.fromkeys(ids))[:MOST_CITATIONS]
    unique = {item.id: item for item in lines if item.id in kept}
    return Citations(kept, tuple(unique.values()), invented)


def can_cite(question: Question) -> bool:
    return bool(question.material.sheets) or any(citable_ids(question))


def citable_ids(question: Question) -> list[str]:
    """Return the short ids of the evidence that stands in the prompt."""
    names = sorted({short_id(item) for item in question.evidence})
    text = question.material.text
    return [name for name in names if name in text] if text else names


def _cited_lines(citation: str, question: Question) -> Iterator[Evidence]:
    match = _CITED_LINES.fullmatch(citation)
    if match is None:
        return
    sheets = _sheets_named(match["name"].strip(_BRACKETS), question)
    if not sheets:
        return
    first = int(match["first"] or 1)
    last = int(match["last"] or match["first"] or 10**6)
    spans = [(sheet, _clipped(sheet, first, last)) for sheet in sheets]
    # A range may touch two exhibits of a file: most of it lies in one.
    sheet, (start, end) = max(spans, key=lambda span: span[1][1] - span[1][0])
    if start <= end:
        yield from _written(sheet, start, end, question)


def _sheets_named(name: str, question: Question) -> list[Sheet]:
    """Return the exhibits of an alias, of a path or its unambiguous end, of a page or a table."""
    sheets = question.material.sheets
    page = _PAGE.fullmatch(name)
    wanted = f"p{page['page']}" if page else name
    exact = [s for s in sheets if wanted in (s.name, s.exhibit.location.path)]
    if exact:
        return exact
    paths = {
        path for s in sheets if (path := s.exhibit.location.path) and path.endswith(f"/{name}")
    }
    return [s for s in sheets if s.exhibit.location.path in paths] if len(paths) == 1 else []


def _clipped(sheet: Sheet, first: int, last: int) -> tuple[int, int]:
    """Return the first run of shown lines in the range; its end lies before its start if none."""
    end = min(last, sheet.first + sheet.exhibit.text.count("\n"))
    start = max(first, sheet.first)
    while start <= end and start in sheet.withheld:
        start += 1
    stop = next((n for n in range(start, end + 1) if n in sheet.withheld), end + 1)
    return start, min(stop - 1, start + MOST_LINES - 1)


def _written(sheet: Sheet, start: int, end: int, question: Question) -> Iterator[Evidence]:
    lines = sheet.exhibit.text.split("\n")[start - sheet.first : end - sheet.first + 1]
    while len(lines) > 1 and sum(map(len, lines)) > MOST_CHARACTERS:
        lines.pop()
    if not any(line.strip() for line in lines):
        return

    place = sheet.exhibit.location
    if sheet.exhibit.commit_ids:
        yield from _commits(sheet, start, lines, question)
    elif place.path:
        span = {"line_start": start, "line_end": start + len(lines) - 1}
        yield _evidence(lines, place.model_copy(update=span), question)
    else:
        # Numbers of lines belong to files; a page or a table is named as a whole.
        whole = place.model_copy(update={"line_start": None, "line_end": None})
        yield _evidence(lines, whole, question)


def _commits(
    sheet: Sheet, start: int, lines: Sequence[str], question: Question
) -> Iterator[Evidence]:
    """Yield evidence for each commit of these rows."""
    for row, text in enumerate(lines[:MOST_CITATIONS], start=start):
        commit = sheet.exhibit.commit_ids[row - sheet.first]
        # The head of the table is no commit.
        if commit:
            yield _evidence([text], Location(commit=commit), question)


def _evidence(lines: Iterable[str], place: Location, question: Question) -> Evidence:
    detective: DetectiveName = "DocAnalyst" if place.page else "RepoInvestigator"
    check = _check_at(place, question)
    goals = {check_.id: check_.goal for check_ in question.criterion.checks}
    return evidence(
        detective=detective,
        check=check,
        goal=goals.get(check, question.criterion.name),
        found=True,
        content="\n".join(lines),
        location=place,
        rationale=RATIONALE,
        tags=(CITED_TAG,),
    )


def _check_at(place: Location, question: Question) -> str:
    """Return the check of the criterion whose evidence lies in these lines, else the criterion."""
    check_ids = {check.id for check in question.criterion.checks}
    for item in question.evidence:
        own = item.location
        if item.check in check_ids and _overlap(own, place):
            return item.check
    return question.criterion.id


def _overlap(one: Location, other: Location) -> bool:
    if not (one.path and one.path == other.path and one.line_start and other.line_start):
        return False
    return one.line_start <= (other.line_end or other.line_start) and other.line_start <= (
        one.line_end or one.line_start
    )
