"""Evidence with verbatim quotes and stable ids, and the outcomes that cite it, from findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from courtroom.analysis.git.snapshot import Snapshot, read_lines
from courtroom.checks.registry import Check, detective_for
from courtroom.checks.result import Clue, Finding
from courtroom.checks.subjects import Absence
from courtroom.models.evidence import CheckOutcome, Evidence, Location, evidence

QUOTED_LINES = 12
# Longer quotes help nobody and cost every judge; a minified file is one line of half a megabyte.
QUOTED_CHARACTERS = 2400

Span = tuple[str, int, int]


def write_down(
    findings: Sequence[tuple[Check, Finding]], snapshot: Snapshot | None = None
) -> tuple[tuple[Evidence, ...], tuple[CheckOutcome, ...]]:
    """Evidence and outcomes of these findings, in their order, by the detective that owes each.

    `snapshot` may be null when no clue quotes lines of the repository. Raises ChildFailed when they
    cannot be read.
    """
    quotes = _read_quotes([clue for _, finding in findings for clue in finding.clues], snapshot)

    collected: list[Evidence] = []
    outcomes = []
    for check, finding in findings:
        # For a negative check "met" means that the subject is absent.
        is_found = finding.met == check.is_positive
        items = [_written(check, clue, is_found, quotes, snapshot) for clue in finding.clues]
        ids = tuple(dict.fromkeys(item.id for item in items))
        outcomes.append(
            CheckOutcome(
                check=check.id,
                met=finding.met,
                reason=finding.reason,
                evidence=ids,
                has_failed=finding.has_failed,
                fault="" if finding.met else finding.fault,
                has_reservation=finding.met is True and finding.has_reservation,
            )
        )
        collected += items

    return tuple({item.id: item for item in collected}.values()), tuple(outcomes)


def write_absence(absence: Absence, snapshot: Snapshot | None = None) -> Evidence:
    """Evidence of a root cause, which belongs to no single check. Raises ChildFailed."""
    clue = absence.clue
    content, line_end = _content(clue, _read_quotes([clue], snapshot))
    place = Location(path=clue.path, line_start=clue.line_start, line_end=line_end)
    return evidence(
        detective=absence.detective,
        check=absence.cause.code,
        goal=absence.cause.without_place.sentence,
        found=False,
        content=content,
        location=place.model_copy(update={"commit": _commit(clue, snapshot)}),
        rationale=clue.rationale,
        confidence=clue.confidence,
    )


def _commit(clue: Clue, snapshot: Snapshot | None) -> str | None:
    return clue.commit or (snapshot.commit if snapshot and clue.path else None)


def _read_quotes(clues: Sequence[Clue], snapshot: Snapshot | None) -> dict[Span, str | None]:
    spans = list(dict.fromkeys(span for clue in clues if (span := _span(clue))))
    if not spans or snapshot is None:
        return {}
    return dict(zip(spans, read_lines(snapshot, spans), strict=True))


def _span(clue: Clue) -> Span | None:
    """The lines to quote: the first QUOTED_LINES of what the clue points at."""
    if clue.path is None or clue.line_start is None or clue.statement is not None:
        return None
    end = clue.line_end or clue.line_start
    return clue.path, clue.line_start, min(end, clue.line_start + QUOTED_LINES - 1)


def _written(
    check: Check,
    clue: Clue,
    is_found: bool,
    quotes: Mapping[Span, str | None],
    snapshot: Snapshot | None,
) -> Evidence:
    """One piece of evidence. `is_found`: the subject of the check is there."""
    content, line_end = _content(clue, quotes)

    return evidence(
        detective=detective_for(check),
        check=check.id,
        goal=check.goal,
        found=is_found,
        content=content,
        location=Location(
            path=clue.path,
            line_start=clue.line_start,
            line_end=line_end,
            page=clue.page,
            commit=_commit(clue, snapshot),
        ),
        rationale=clue.rationale,
        confidence=clue.confidence,
        # A tag such as `security` says something about a place only where the subject is.
        tags=check.tags if is_found and not clue.is_idle else (),
    )


def _content(clue: Clue, quotes: Mapping[Span, str | None]) -> tuple[str | None, int | None]:
    """The quote or statement, and its last line. Lines too long to quote are left out, not cut."""
    span = _span(clue)
    if span is None:
        return clue.statement, clue.line_end
    quote = quotes.get(span)
    if quote is None:
        return None, span[2]

    lines = quote.split("\n")
    while len(lines) > 1 and sum(map(len, lines)) > QUOTED_CHARACTERS:
        lines.pop()

    text = "\n".join(lines)
    # Line ends do not count towards the limit.
    is_short = len(text) <= QUOTED_CHARACTERS + len(lines)
    return (text if is_short else None), span[1] + len(lines) - 1
