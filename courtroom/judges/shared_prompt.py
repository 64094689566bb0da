"""The docket: rubric and evidence of a whole audit as one text, the prefix that every call of it shares.

What students wrote stands in it only as short, normalised quotations inside a fence whose mark cannot be
guessed but is the same from run to run. Every call pays for the docket, so it fits a given room: what each
check came to always stands there, in few words where the room is small; then, criterion by criterion in turn, the place
and words of what shows it best; then reasons and all the rest.
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.prompt_injection.detection import speaks_to_graders
from courtroom.models.record import CheckOutcome, Evidence, canonical_json
from courtroom.models.rubric import Check, Criterion, Rubric

QUOTE_CHARACTERS = 200
# Where the room is small: a line of code, and of a goal what tells it from its neighbours.
SHORT_QUOTE, SHORT_GOAL = 42, 46
# A passage of the report needs more words than a line of code.
PASSAGE_QUOTES = 3
# E- and four digits: enough to be told apart among one criterion's items, and a prefix of the report's own id.
LABEL_CHARACTERS = 6
MARK_CHARACTERS = 16
# Format, surrogate, private-use and unassigned characters can hide text from a person (DESIGN 8).
INVISIBLE = {"Cf", "Cs", "Co", "Cn"}
# On evidence that addresses the graders, or shows what does (detectives/suspicion.py).
TAG = "integrity"
OUTCOMES = {True: "+", False: "-", None: "?"}
ARTICLES = ("The ", "A ", "An ")
# The order in which the room is filled; among equals each criterion has its turn.
BEST, OPEN_REASONS, WORDS, REASONS, REST = 0, 100, 200, 300, 400


@dataclass(slots=True)
class Entry:
    """A line of the docket; `wishes` are appended to it while there is room, the lowest number first."""

    text: str
    wishes: list[tuple[int, str]] = field(default_factory=list)


def quotation(text: str, characters: int = QUOTE_CHARACTERS) -> str:
    """Text of a submission as a judge may see it: normalised, without invisible characters, short."""
    visible = "".join(
        c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) not in INVISIBLE
    )
    flat = " ".join(visible.split())
    return flat if len(flat) <= characters else flat[: characters - 1].rstrip() + "…"


def label(item: Evidence) -> str:
    """How an item is called in prompts."""
    return item.id[:LABEL_CHARACTERS]


def docket(
    rubric: Rubric,
    evidence: Sequence[Evidence],
    secret: str,
    *,
    outcomes: Sequence[CheckOutcome] = (),
    room: int = 100_000,
) -> str:
    """The docket of a case, at most `room` characters unless the outcomes alone take more."""
    mark = _mark(evidence, secret)
    left = room - 2 * MARK_CHARACTERS - 8
    entries = _all_entries(rubric, evidence, outcomes, is_short=False)
    if _whole(entries) > left:
        entries = _all_entries(rubric, evidence, outcomes, is_short=True)
    _fill(entries, left)
    body = "\n".join(entry.text for entry in entries)
    return f"<<<{mark}\n{body}\n{mark}>>>"


def _mark(evidence: Sequence[Evidence], secret: str) -> str:
    rows = canonical_json([item.model_dump(mode="json") for item in evidence])
    return hmac.new(secret.encode(), rows.encode("utf-8", "replace"), "sha256").hexdigest()[
        :MARK_CHARACTERS
    ]


def _all_entries(
    rubric: Rubric,
    evidence: Sequence[Evidence],
    outcomes: Sequence[CheckOutcome],
    *,
    is_short: bool,
) -> list[Entry]:
    known = {outcome.check: outcome for outcome in outcomes}
    entries = [e for c in rubric.criteria for e in _entries(c, evidence, known, is_short=is_short)]
    return entries + _others(rubric, evidence)


def _entries(
    criterion: Criterion,
    evidence: Sequence[Evidence],
    known: dict[str, CheckOutcome],
    *,
    is_short: bool,
) -> Iterable[Entry]:
    """What success means stands in each question: it is not said here again."""
    words = (criterion.failure_pattern, criterion.instruction)
    characters = PASSAGE_QUOTES * (SHORT_QUOTE if is_short else QUOTE_CHARACTERS)
    told = [item for item in evidence if item.check == criterion.passages]
    heading = Entry(f"# {criterion.id}", [(WORDS, f" {text}") for text in words if text])
    first = BEST + bool(criterion.checks)
    heading.wishes += [
        (first + n, f" {label(i)}{_shown(i, characters)}") for n, i in enumerate(told)
    ]
    yield heading
    items = {
        check.id: [item for item in evidence if item.check == check.id]
        for check in criterion.checks
    }
    met = {
        check.id: known[check.id].met if check.id in known else None for check in criterion.checks
    }
    ranked = sorted(
        criterion.checks, key=lambda c: (not _shows(items[c.id]), met[c.id] is True, -c.weight)
    )
    ranks = {check.id: rank for rank, check in enumerate(ranked)}
    for check in criterion.checks:
        yield _entry(
            check, items[check.id], known.get(check.id), ranks[check.id], is_short=is_short
        )


def _shows(items: Sequence[Evidence]) -> bool:
    """Something of the submission can be quoted, not only what was looked for."""
    return bool(items) and bool(items[0].location.path or items[0].location.page)


def _entry(
    check: Check,
    items: Sequence[Evidence],
    outcome: CheckOutcome | None,
    rank: int,
    *,
    is_short: bool,
) -> Entry:
    """What a check came to, with its first item; then the item's place and words, why, and the rest."""
    met = outcome.met if outcome else None
    name = f" {label(items[0])}" if items else ""
    characters = SHORT_QUOTE if is_short else QUOTE_CHARACTERS
    wishes = [(BEST + rank, _shown(items[0], characters))] if items else []
    if outcome and outcome.reason:
        wishes.append(((REASONS if met else OPEN_REASONS) + rank, f" ({_reason(outcome.reason)})"))
    wishes += [(REST + rank, f"; {label(item)}{_shown(item, characters)}") for item in items[1:]]
    return Entry(
        f"{OUTCOMES[met]} {_goal(check.goal, is_short=is_short and met is True)}{name}", wishes
    )


def _goal(text: str, *, is_short: bool) -> str:
    """Of what is met, and so least disputed, only the beginning where the room is small."""
    if not is_short:
        return quotation(text)
    bare = next((text[len(word) :] for word in ARTICLES if text.startswith(word)), text)
    return bare if len(bare) <= SHORT_GOAL else bare[:SHORT_GOAL].rpartition(" ")[0] + "…"


def _others(rubric: Rubric, evidence: Sequence[Evidence]) -> list[Entry]:
    """Evidence that no check asked for. Text that addresses the graders is for a person: no judge hears of it."""
    asked = {check.id for check in rubric.checks} | {c.passages for c in rubric.criteria}
    items = [item for item in evidence if item.check not in asked and TAG not in item.tags]
    head = [Entry("# Other evidence")] if items else []
    return head + [
        Entry(f"{label(i)} {quotation(i.goal)}", [(BEST + rank, _shown(i, QUOTE_CHARACTERS))])
        for rank, i in enumerate(items)
    ]


def _shown(item: Evidence, characters: int) -> str:
    place = _place(item)
    return f" {place}{_quote(item, characters)}" if place else _quote(item, characters)


def _place(item: Evidence) -> str:
    at = item.location
    if at.page:
        return f"p. {at.page}"
    if TAG in item.tags:
        return ""
    path = quotation(at.path or "")
    return f"{path}:{at.line_start}" if path and at.line_start else path


def _quote(item: Evidence, characters: int) -> str:
    """Text that addresses the graders is cut, and so is its path, which may do the same."""
    if TAG in item.tags:
        return " [cut]"
    return f" “{quotation(item.content, characters)}”" if item.content else ""


def _reason(text: str) -> str:
    """Ours, but it may name what students named."""
    return "[cut]" if speaks_to_graders(text) else quotation(text)


def _whole(entries: Sequence[Entry]) -> int:
    return sum(
        len(entry.text) + 1 + sum(len(wish) for _, wish in entry.wishes) for entry in entries
    )


def _fill(entries: Sequence[Entry], room: int) -> None:
    """Append what there is room for: every line's first wishes before any line's second."""
    left = room - sum(len(entry.text) + 1 for entry in entries)
    wishes = [(turn, wish, entry) for entry in entries for turn, wish in entry.wishes]
    for _, wish, entry in sorted(wishes, key=lambda one: one[0]):
        if len(wish) <= left:
            entry.text += wish
            left -= len(wish)
