"""What a report that was brought along says is to be mended, recognised among what is known by criterion and path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from grading.findings.identity import Draft, Known, key_of, merged, normalised_place, words_of

Json = Mapping[str, Any]
# Of the words of the shorter of two texts: above it they speak of the same thing. Function words and labels tell nothing.
MOSTLY_THE_SAME = 0.5
TELLS_NOTHING = frozenset(
    {
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "for",
        "from",
        "has",
        "have",
        "in",
        "is",
        "it",
        "its",
        "no",
        "not",
        "of",
        "on",
        "or",
        "that",
        "the",
        "this",
        "to",
        "was",
        "with",
        "action",
        "finding",
        "fix",
        "gap",
        "issue",
        "problem",
        "recommendation",
        "remediation",
    }
)
REPEATED = 0.8  # of a text's telling words
LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Named:
    """A criterion of the rubric, or one as the report calls it (then `id` is made of its name)."""

    id: str
    name: str


def findings_of_reading(
    reading: Json, criteria: Mapping[int, Named], known: Sequence[Known]
) -> tuple[Draft, ...]:
    """`reading` is an ImportedReport as JSON, `criteria` says which criterion of the rubric each of its own is.

    A finding about a criterion and a file is the known one there; of several the one whose words it shares most. About
    a criterion alone it is the known one that it mostly shares its words with. Everything else is a finding of its own,
    in which what is said of the same criterion and file is one.
    """
    own = [criteria.get(place, _as_written(row)) for place, row in enumerate(reading["criteria"])]
    return merged(_drafts(_to_mend(reading["findings"]), own, known))


def _as_written(row: Json) -> Named:
    return Named(id=words_of(row["id"] or row["name"]), name=row["name"][:300])


def _to_mend(rows: Sequence[Json]) -> Iterable[Json]:
    """What somebody can act on: about a criterion, or with a file or a change. Summaries and plans repeat without its
    criterion what was said about one: that is left out."""
    said = [_telling_words(row["text"]) for row in rows if row["criterion"] is not None]
    for row in rows:
        words = _telling_words(row["text"])
        repeats = any(len(words & other) >= REPEATED * len(words) for other in said)
        if row["criterion"] is not None or ((row["path"] or row["action"]) and not repeats):
            yield row


def _drafts(rows: Iterable[Json], own: Sequence[Named], known: Sequence[Known]) -> Iterable[Draft]:
    for row in rows:
        criterion = own[row["criterion"]] if row["criterion"] is not None else Named("", "")
        path = normalised_place(row["path"] or "")
        same = _same(criterion, path, f"{row['text']} {row['action'] or ''}", known)
        yield Draft(
            key=same.key if same else key_of(criterion.id, "", path or words_of(row["text"])),
            criterion_id=criterion.id,
            criterion_name=criterion.name,
            check_id=same.check_id if same else "",
            place=path,
            title=shorten(row["text"], LONGEST_TITLE, placeholder="…"),
            text=row["text"],
            action=row["action"] or "",
            priority=row["priority"] or "",
            lines=(row["line"],) if row["line"] else (),
        )


def _same(criterion: Named, path: str, text: str, known: Sequence[Known]) -> Known | None:
    """Whoever names no criterion is understood by the file alone, if only one finding stands there."""
    there = [each for each in known if _is_there(path, normalised_place(each.place))]
    if not criterion.id:
        return there[0] if path and len(there) == 1 else None
    there = [each for each in there if each.criterion_id == criterion.id]
    if path and len(there) == 1:
        return there[0]
    least = 0.0 if path else MOSTLY_THE_SAME
    close = [each for each in there if likeness(text, each.title) > least]
    return max(close, key=lambda each: likeness(text, each.title), default=None)


def _is_there(path: str, place: str) -> bool:
    """Without a path anywhere in the criterion; with one in this file, which reports may name by its end."""
    if not path or path == place:
        return True
    return bool(place) and (f"/{path}".endswith(f"/{place}") or f"/{place}".endswith(f"/{path}"))


def likeness(one: str, other: str) -> float:
    """The share of the shorter text's telling words that the other has too, 0..1."""
    words = _telling_words(one), _telling_words(other)
    shorter = min(map(len, words))
    return len(words[0] & words[1]) / shorter if shorter else 0.0


def _telling_words(text: str) -> frozenset[str]:
    words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
    return frozenset(words) - TELLS_NOTHING
