"""Shared prompt: rubric and evidence of a whole audit as one text, the prefix of all its calls.

Text of a submission stands in it only as submitted_text.py shows it, inside a fence whose mark
cannot be guessed, yet is the same from run to run; files have aliases, named in a legend at the
end. Every call pays for this text, so it keeps to a limit: the outcome of each check always stands
in it; then, one criterion after the other, the location and words of the best evidence; then
reasons and the rest.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.prompt_injection.detection import has_injection
from courtroom.checks.registry import Check
from courtroom.judges.submitted_text import (
    QUOTE_CHARACTERS,
    aliases_of,
    clean_path,
    item_quotation,
    paths_in,
    quotation,
    statement,
)
from courtroom.models.canonical_json import canonical_json
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.rubric import Criterion, Rubric

# Within a small limit: one line of code, and the part of a goal that tells it from its neighbours.
SHORT_QUOTE, SHORT_GOAL = 42, 46
# A passage of the PDF needs more words than a line of code.
PASSAGE_FACTOR = 3
# E- and four digits tell the items of one criterion apart; the report's id begins with them.
SHORT_ID_CHARACTERS = 6
MARK_CHARACTERS = 16
# Tag of evidence that holds a possible prompt injection.
INTEGRITY_TAG = "integrity"
OUTCOME_SIGNS = {True: "+", False: "-", None: "?"}
ARTICLES = ("The ", "A ", "An ")
# Order in which parts fill the limit; parts of equal rank take turns by criterion.
BEST_QUOTE, OPEN_REASON, CRITERION_TEXT, MET_REASON, OTHER_ITEMS = 0, 100, 200, 300, 400
# Part of a small limit that is kept for the legend of files.
LEGEND_SHARE = 6
# Checks on what a text or a prompt says: their strings are the matter itself.
ON_WORDING = frozenset({"text_contains", "persona_overlap"})


@dataclass(slots=True)
class Line:
    """Line of the prompt. `optional` parts (rank, text) are appended while the limit allows."""

    text: str
    optional: list[tuple[int, str]] = field(default_factory=list)


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
    mark, aliases = _mark(evidence, secret), aliases_of(paths_in(evidence))
    left = limit - 2 * MARK_CHARACTERS - 8
    lines = _all_lines(rubric, evidence, outcomes, aliases, is_short=False)
    # Short forms only when needed: a small audit keeps its quotes whole.
    if _full_length(lines) + len("\n".join(_legend(lines, aliases, left))) > left:
        lines = _all_lines(rubric, evidence, outcomes, aliases, is_short=True)
        _fill(lines, left - left // LEGEND_SHARE)
    else:
        _fill(lines, left)

    legend = _legend(lines, aliases, left - sum(len(line.text) + 1 for line in lines))
    body = "\n".join([*(line.text for line in lines), *legend])
    return f"<<<{mark}\n{body}\n{mark}>>>"


def fence_mark(prompt: str) -> str:
    """Return the mark of this prompt's fence, for text that stands in a fence of its own."""
    return prompt.partition("\n")[0].removeprefix("<<<")


def _mark(evidence: Sequence[Evidence], secret: str) -> str:
    rows = canonical_json([item.model_dump(mode="json") for item in evidence])
    return hmac.new(secret.encode(), rows.encode("utf-8", "replace"), "sha256").hexdigest()[
        :MARK_CHARACTERS
    ]


def _all_lines(
    rubric: Rubric,
    evidence: Sequence[Evidence],
    outcomes: Sequence[CheckOutcome],
    aliases: Mapping[str, str],
    *,
    is_short: bool,
) -> list[Line]:
    by_check = {outcome.check: outcome for outcome in outcomes}
    lines = [
        line
        for criterion in rubric.criteria
        for line in _criterion_lines(criterion, evidence, by_check, aliases, is_short=is_short)
    ]
    return lines + _other_lines(rubric, evidence, aliases)


def _criterion_lines(
    criterion: Criterion,
    evidence: Sequence[Evidence],
    by_check: dict[str, CheckOutcome],
    aliases: Mapping[str, str],
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
        (first + n, f" {short_id(i)}{_place_and_quote(i, characters, aliases)}")
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
            check,
            items[check.id],
            by_check.get(check.id),
            ranks[check.id],
            aliases,
            is_short=is_short,
        )


def _is_quotable(items: Sequence[Evidence]) -> bool:
    """Return whether the first item has a location, so that it is more than an absence."""
    return bool(items) and bool(items[0].location.path or items[0].location.page)


def _check_line(
    check: Check,
    items: Sequence[Evidence],
    outcome: CheckOutcome | None,
    rank: int,
    aliases: Mapping[str, str],
    *,
    is_short: bool,
) -> Line:
    """Return outcome, goal and first item; its quote, the reason and other items are optional."""
    met = outcome.met if outcome else None
    name = f" {short_id(items[0])}" if items else ""
    characters = SHORT_QUOTE if is_short else QUOTE_CHARACTERS
    on_wording = check.kind in ON_WORDING
    quotes = [
        _place_and_quote(item, characters, aliases, shows_strings=on_wording) for item in items
    ]
    optional = [(BEST_QUOTE + rank, quotes[0])] if items else []
    if outcome and outcome.reason:
        optional.append(
            ((MET_REASON if met else OPEN_REASON) + rank, f" ({_reason(outcome.reason, aliases)})")
        )
    optional += [
        (OTHER_ITEMS + rank, f"; {short_id(item)}{quote}")
        for item, quote in zip(items[1:], quotes[1:], strict=True)
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


def _other_lines(
    rubric: Rubric, evidence: Sequence[Evidence], aliases: Mapping[str, str]
) -> list[Line]:
    """Return evidence of no check. A possible prompt injection is for a person, not for a judge."""
    owned = {check.id for check in rubric.checks} | {c.passages for c in rubric.criteria}
    items = [
        item for item in evidence if item.check not in owned and INTEGRITY_TAG not in item.tags
    ]
    head = [Line("# Other evidence")] if items else []
    return head + [
        Line(
            f"{short_id(i)} {quotation(i.goal)}",
            [(BEST_QUOTE + rank, _place_and_quote(i, QUOTE_CHARACTERS, aliases))],
        )
        for rank, i in enumerate(items)
    ]


def _place_and_quote(
    item: Evidence, characters: int, aliases: Mapping[str, str], *, shows_strings: bool = False
) -> str:
    """Return place and quote. A possible prompt injection is cut, and so is its path."""
    if INTEGRITY_TAG in item.tags:
        return f" p. {item.location.page} [cut]" if item.location.page else " [cut]"
    place = _place(item, aliases)
    # Strings of code may be prompts, which address graders rightly; a judge need not read them.
    if shows_strings and has_injection(item.content or ""):
        return f" {place} [cut]" if place else " [cut]"
    quote = item_quotation(item, characters, aliases, shows_strings=shows_strings)
    return (f" {place}" if place else "") + (f" “{quote}”" if quote else "")


def _place(item: Evidence, aliases: Mapping[str, str]) -> str:
    location = item.location
    if location.page:
        return f"p. {location.page}"
    alias = aliases[location.path] if location.path else ""
    return f"{alias}:{location.line_start}" if alias and location.line_start else alias


def _reason(text: str, aliases: Mapping[str, str]) -> str:
    """Return the reason, cut when a name in it that a student chose addresses the graders."""
    return "[cut]" if has_injection(text) else statement(text, QUOTE_CHARACTERS, aliases)


def _legend(lines: Sequence[Line], aliases: Mapping[str, str], limit: int) -> list[str]:
    """Return the names of the files whose aliases stand in the lines, while the limit allows."""
    text = " ".join(line.text for line in lines)
    used = set(re.findall(r"\bf\d+\b", text))
    legend = ["# Files"]
    left = limit - len(legend[0]) - 1
    for path, alias in aliases.items():
        entry = f"{alias} {clean_path(path)}"
        if alias in used and len(entry) < left:
            legend.append(entry)
            left -= len(entry) + 1
    return legend if len(legend) > 1 else []


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
