"""From findings to the record: evidence with verbatim quotes and stable ids, and the outcomes that cite it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from courtroom.analysis.git.snapshot import Snapshot, read_lines
from courtroom.checks.findings import Clue, Finding
from courtroom.checks.registry import Check, detective_for
from courtroom.models.record import CheckOutcome, Evidence, Location, evidence

QUOTED_LINES = 12
# Longer quotes help nobody and cost every judge; a minified file is one line of half a megabyte.
QUOTED_CHARACTERS = 2400

Span = tuple[str, int, int]


def write_down(
    findings: Sequence[tuple[Check, Finding]], snapshot: Snapshot | None = None
) -> tuple[tuple[Evidence, ...], tuple[CheckOutcome, ...]]:
    """Evidence and outcomes of these findings, in their order, each by the detective that owes the check.

    `snapshot` may be null when no clue quotes lines of the repository. Raises ChildFailed when they cannot be read.
    """
    quotes = _read_quotes([clue for _, finding in findings for clue in finding.clues], snapshot)
    collected: list[Evidence] = []
    outcomes = []
    for check, finding in findings:
        found = finding.met == (check.polarity == "positive")
        items = [_written(check, clue, found, quotes, snapshot) for clue in finding.clues]
        ids = tuple(dict.fromkeys(item.id for item in items))
        outcomes.append(
            CheckOutcome(check=check.id, met=finding.met, reason=finding.reason, evidence=ids)
        )
        collected += items
    return tuple({item.id: item for item in collected}.values()), tuple(outcomes)


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
    found: bool,
    quotes: Mapping[Span, str | None],
    snapshot: Snapshot | None,
) -> Evidence:
    """`found`: what the check looks for is there. Only then do the check's tags say something about the place."""
    content, line_end = _content(clue, quotes)
    commit = clue.commit or (snapshot.commit if snapshot and clue.path else None)
    return evidence(
        detective=detective_for(check),
        check=check.id,
        goal=check.goal,
        found=found,
        content=content,
        location=Location(
            path=clue.path,
            line_start=clue.line_start,
            line_end=line_end,
            page=clue.page,
            commit=commit,
        ),
        rationale=clue.rationale,
        confidence=clue.confidence,
        tags=check.tags if found else (),
    )


def _content(clue: Clue, quotes: Mapping[Span, str | None]) -> tuple[str | None, int | None]:
    """What is quoted or stated, and the line it ends on. Lines too long to quote are pointed at, not cut."""
    span = _span(clue)
    if span is None:
        return clue.statement, clue.line_end
    quote = quotes.get(span)
    if quote is None:
        return None, span[2]
    lines = quote.split("\n")
    while len(lines) > 1 and sum(map(len, lines)) > QUOTED_CHARACTERS:
        lines.pop()
    shown = "\n".join(lines)
    return (shown if len(shown) <= QUOTED_CHARACTERS + len(lines) else None), span[1] + len(
        lines
    ) - 1
