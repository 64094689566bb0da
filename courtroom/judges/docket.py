"""The docket: rubric and evidence of a whole audit as one text, the prefix that every call of it shares.

What students wrote stands in it only as short, normalised quotations inside a fence whose mark cannot be
guessed but is the same from run to run. Every call pays for the docket, so it fits a given room: what each
check came to always stands there; reasons, places, the rubric's own words and quotations while there is room.
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from courtroom.forensics.integrity import speaks_to_graders
from courtroom.record import CheckOutcome, Evidence, canonical_json
from courtroom.rubric import Check, Criterion, Rubric

QUOTE_CHARACTERS = 200
# E- and four digits: enough to be told apart among one criterion's items, and a prefix of the report's own id.
LABEL_CHARACTERS = 6
MARK_CHARACTERS = 16
# Format, surrogate, private-use and unassigned characters can hide text from a person (DESIGN 8).
INVISIBLE = {"Cf", "Cs", "Co", "Cn"}
# On evidence that addresses the graders, or shows what does (detectives/suspicion.py).
TAG = "integrity"
OUTCOMES = {True: "Met", False: "Not met", None: "Unknown"}


@dataclass(slots=True)
class Entry:
    """A line of the docket; `more` holds what is appended to it while there is room, most wanted first."""

    text: str
    more: list[str] = field(default_factory=list)


def quotation(text: str) -> str:
    """Text of a submission as a judge may see it: normalised, without invisible characters, short."""
    visible = "".join(
        c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) not in INVISIBLE
    )
    flat = " ".join(visible.split())
    return flat if len(flat) <= QUOTE_CHARACTERS else flat[: QUOTE_CHARACTERS - 1] + "…"


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
    known = {outcome.check: outcome for outcome in outcomes}
    entries = [e for criterion in rubric.criteria for e in _entries(criterion, evidence, known)]
    entries += _others(rubric, evidence)
    _fill(entries, room - 2 * MARK_CHARACTERS - 8)
    body = "\n".join(entry.text for entry in entries)
    return f"<<<{mark}\n{body}\n{mark}>>>"


def _mark(evidence: Sequence[Evidence], secret: str) -> str:
    rows = canonical_json([item.model_dump(mode="json") for item in evidence])
    return hmac.new(secret.encode(), rows.encode("utf-8", "replace"), "sha256").hexdigest()[:MARK_CHARACTERS]


def _entries(
    criterion: Criterion, evidence: Sequence[Evidence], known: dict[str, CheckOutcome]
) -> Iterable[Entry]:
    words = (criterion.success_pattern, criterion.failure_pattern, criterion.instruction)
    yield Entry(f"# {criterion.id}", ["", "", *(f" {text}" for text in words if text)])
    for check in criterion.checks:
        items = [item for item in evidence if item.check == check.id]
        yield _entry(check, items, known.get(check.id))


def _entry(check: Check, items: Sequence[Evidence], outcome: CheckOutcome | None) -> Entry:
    """What a check came to, with its first item; then why (first where it is not met), the place, the rest."""
    met = outcome.met if outcome else None
    name = f" {label(items[0])}" if items else ""
    reason = f" ({_reason(outcome.reason)})" if outcome and outcome.reason else ""
    first, late = ("", reason) if met else (reason, "")
    place = f" {_place(items[0])}" if items else ""
    rest = [f"; {label(item)} {_place(item)}{_quote(item)}" for item in items[1:]]
    quote = _quote(items[0]) if items else ""
    return Entry(f"{OUTCOMES[met]}: {quotation(check.goal)}{name}", [place, first, late, quote, *rest])


def _others(rubric: Rubric, evidence: Sequence[Evidence]) -> list[Entry]:
    """Evidence that no check asked for. Text that addresses the graders is for a person: no judge hears of it."""
    asked = {check.id for check in rubric.checks}
    items = [item for item in evidence if item.check not in asked and TAG not in item.tags]
    head = [Entry("# Other evidence")] if items else []
    return head + [
        Entry(f"{label(i)} {quotation(i.goal)}", [f" {_place(i)}", "", "", _quote(i)]) for i in items
    ]


def _place(item: Evidence) -> str:
    at = item.location
    if at.page:
        return f"p. {at.page}"
    if TAG in item.tags:
        return ""
    path = quotation(at.path or "")
    return f"{path}:{at.line_start}" if path and at.line_start else path


def _quote(item: Evidence) -> str:
    """Text that addresses the graders is cut, and so is its path, which may do the same."""
    if TAG in item.tags:
        return " [cut]"
    return f" “{quotation(item.content)}”" if item.content else ""


def _reason(text: str) -> str:
    """Ours, but it may name what students named."""
    return "[cut]" if speaks_to_graders(text) else quotation(text)


def _fill(entries: Sequence[Entry], room: int) -> None:
    """Append what there is room for: the first wish of every line, then the second of every line, and so on."""
    left = room - sum(len(entry.text) + 1 for entry in entries)
    for turn in range(max((len(entry.more) for entry in entries), default=0)):
        for entry in entries:
            wish = entry.more[turn] if turn < len(entry.more) else ""
            if len(wish) <= left and wish.strip():
                entry.text += wish
                left -= len(wish)
