"""Shared prompt: rubric and evidence of a whole audit as one text, the prefix of all its calls.

Text of a submission stands in it only as short, normalised quotations inside a fence whose mark
cannot be guessed, yet is the same from run to run. Every call pays for this text, so it keeps to a
limit: the outcome of each check always stands in it; then, one criterion after the other, the
location and words of the best evidence; then reasons and the rest.
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.prompt_injection.detection import has_injection
from courtroom.checks.registry import Check
from courtroom.models.canonical_json import canonical_json
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.rubric import Criterion, Rubric

QUOTE_CHARACTERS = 200
# Within a small limit: one line of code, and the part of a goal that tells it from its neighbours.
SHORT_QUOTE, SHORT_GOAL = 42, 46
# A passage of the PDF needs more words than a line of code.
PASSAGE_FACTOR = 3
# E- and four digits tell the items of one criterion apart; the report's id begins with them.
SHORT_ID_CHARACTERS = 6
MARK_CHARACTERS = 16
# Format, surrogate, private-use and unassigned characters can hide text from a person (DESIGN 8).
INVISIBLE = {"Cf", "Cs", "Co", "Cn"}
# Tag of evidence that holds a possible prompt injection.
INTEGRITY_TAG = "integrity"
OUTCOME_SIGNS = {True: "+", False: "-", None: "?"}
ARTICLES = ("The ", "A ", "An ")
# Order in which parts fill the limit; parts of equal rank take turns by criterion.
BEST_QUOTE, OPEN_REASON, CRITERION_TEXT, MET_REASON, OTHER_ITEMS = 0, 100, 200, 300, 400


@dataclass(slots=True)
class Line:
    """Line of the prompt. `optional` parts (rank, text) are appended while the limit allows."""

    text: str
    optional: list[tuple[int, str]] = field(default_factory=list)


def quotation(text: str, characters: int = QUOTE_CHARACTERS) -> str:
    """Return text of a submission as a judge may see it: normalised, visible, short."""
    visible = "".join(
        c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) not in INVISIBLE
    )
    flat = " ".join(visible.split())
    return flat if len(flat) <= characters else flat[: characters - 1].rstrip() + "…"


def short_id(item: Evidence) -> str:
    """Return the name that an item of evidence has in prompts."""
    return item.id[:SHORT_ID_CHARACTERS]


def shared_prompt(
    rubric: Rubric,
    evidence: Sequence[Evidence],
    secret: str,
    *,
    outcomes: Sequence[CheckOutcome] = (),
    limit: int = 100_000,
) -> str:
    """Return the prompt of at most `limit` characters, unless the outcomes alone take more."""
    mark = _mark(evidence, secret)
    left = limit - 2 * MARK_CHARACTERS - 8
    lines = _all_lines(rubric, evidence, outcomes, is_short=False)
    # Short forms only when needed: a small audit keeps its quotes whole.
    if _full_length(lines) > left:
        lines = _all_lines(rubric, evidence, outcomes, is_short=True)
    _fill(lines, left)
    body = "\n".join(line.text for line in lines)
    return f"<<<{mark}\n{body}\n{mark}>>>"


def _mark(evidence: Sequence[Evidence], secret: str) -> str:
    rows = canonical_json([item.model_dump(mode="json") for item in evidence])
    return hmac.new(secret.encode(), rows.encode("utf-8", "replace"), "sha256").hexdigest()[
        :MARK_CHARACTERS
    ]


def _all_lines(
    rubric: Rubric,
    evidence: Sequence[Evidence],
    outcomes: Sequence[CheckOutcome],
    *,
    is_short: bool,
) -> list[Line]:
    by_check = {outcome.check: outcome for outcome in outcomes}
    lines = [
        line
        for criterion in rubric.criteria
        for line in _criterion_lines(criterion, evidence, by_check, is_short=is_short)
    ]
    return lines + _other_lines(rubric, evidence)


def _criterion_lines(
    criterion: Criterion,
    evidence: Sequence[Evidence],
    by_check: dict[str, CheckOutcome],
    *,
    is_short: bool,
) -> Iterable[Line]:
    """Yield the heading and the checks. The success pattern stands in each question, not here."""
    texts = (criterion.failure_pattern, criterion.instruction)
    characters = PASSAGE_FACTOR * (SHORT_QUOTE if is_short else QUOTE_CHARACTERS)
    passages = [item for item in evidence if item.check == criterion.passages]
    heading = Line(f"# {criterion.id}", [(CRITERION_TEXT, f" {text}") for text in texts if text])
    first = BEST_QUOTE + bool(criterion.checks)
    heading.optional += [
        (first + n, f" {short_id(i)}{_place_and_quote(i, characters)}")
        for n, i in enumerate(passages)
    ]
    yield heading
    items = {
        check.id: [item for item in evidence if item.check == check.id]
        for check in criterion.checks
    }
    met = {
        check.id: by_check[check.id].met if check.id in by_check else None
        for check in criterion.checks
    }
    # Quotable first, then what is not met, then by weight: this is what judges argue about.
    ranked = sorted(
        criterion.checks,
        key=lambda c: (not _is_quotable(items[c.id]), met[c.id] is True, -c.weight),
    )
    ranks = {check.id: rank for rank, check in enumerate(ranked)}
    for check in criterion.checks:
        yield _check_line(
            check, items[check.id], by_check.get(check.id), ranks[check.id], is_short=is_short
        )


def _is_quotable(items: Sequence[Evidence]) -> bool:
    """Return whether the first item has a location, so that it is more than an absence."""
    return bool(items) and bool(items[0].location.path or items[0].location.page)


def _check_line(
    check: Check,
    items: Sequence[Evidence],
    outcome: CheckOutcome | None,
    rank: int,
    *,
    is_short: bool,
) -> Line:
    """Return outcome, goal and first item; its quote, the reason and other items are optional."""
    met = outcome.met if outcome else None
    name = f" {short_id(items[0])}" if items else ""
    characters = SHORT_QUOTE if is_short else QUOTE_CHARACTERS
    optional = [(BEST_QUOTE + rank, _place_and_quote(items[0], characters))] if items else []
    if outcome and outcome.reason:
        optional.append(
            ((MET_REASON if met else OPEN_REASON) + rank, f" ({_reason(outcome.reason)})")
        )
    optional += [
        (OTHER_ITEMS + rank, f"; {short_id(item)}{_place_and_quote(item, characters)}")
        for item in items[1:]
    ]
    return Line(
        f"{OUTCOME_SIGNS[met]} {_goal(check.goal, is_short=is_short and met is True)}{name}",
        optional,
    )


def _goal(text: str, *, is_short: bool) -> str:
    """Return the goal. A met check is least disputed: a small limit shortens its goal."""
    if not is_short:
        return quotation(text)
    goal = next((text[len(word) :] for word in ARTICLES if text.startswith(word)), text)
    return goal if len(goal) <= SHORT_GOAL else goal[:SHORT_GOAL].rpartition(" ")[0] + "…"


def _other_lines(rubric: Rubric, evidence: Sequence[Evidence]) -> list[Line]:
    """Return evidence of no check. A possible prompt injection is for a person, not for a judge."""
    owned = {check.id for check in rubric.checks} | {c.passages for c in rubric.criteria}
    items = [
        item for item in evidence if item.check not in owned and INTEGRITY_TAG not in item.tags
    ]
    head = [Line("# Other evidence")] if items else []
    return head + [
        Line(
            f"{short_id(i)} {quotation(i.goal)}",
            [(BEST_QUOTE + rank, _place_and_quote(i, QUOTE_CHARACTERS))],
        )
        for rank, i in enumerate(items)
    ]


def _place_and_quote(item: Evidence, characters: int) -> str:
    place = _place(item)
    return f" {place}{_quote(item, characters)}" if place else _quote(item, characters)


def _place(item: Evidence) -> str:
    location = item.location
    if location.page:
        return f"p. {location.page}"
    if INTEGRITY_TAG in item.tags:
        return ""
    path = quotation(location.path or "")
    return f"{path}:{location.line_start}" if path and location.line_start else path


def _quote(item: Evidence, characters: int) -> str:
    """Return the quote. A possible prompt injection is cut, and `_place` cuts its path."""
    if INTEGRITY_TAG in item.tags:
        return " [cut]"
    return f" “{quotation(item.content, characters)}”" if item.content else ""


def _reason(text: str) -> str:
    """Return the reason, cut when a name in it that a student chose addresses the graders."""
    return "[cut]" if has_injection(text) else quotation(text)


def _full_length(lines: Sequence[Line]) -> int:
    return sum(len(line.text) + 1 + sum(len(part) for _, part in line.optional) for line in lines)


def _fill(lines: Sequence[Line], limit: int) -> None:
    """Append optional parts by rank while the limit allows; a part that is too long is left out."""
    left = limit - sum(len(line.text) + 1 for line in lines)
    parts = [(rank, part, line) for line in lines for rank, part in line.optional]

    # The sort is stable: parts of equal rank stay in the order of the rubric.
    for _, part, line in sorted(parts, key=lambda entry: entry[0]):
        if len(part) <= left:
            line.text += part
            left -= len(part)
