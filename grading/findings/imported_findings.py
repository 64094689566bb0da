"""Findings of an uploaded report, matched to recorded findings by criterion and path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from grading.engine.findings import Draft, key_of, merged, normalised_place, words_of
from grading.findings.identity import RecordedFinding

Json = Mapping[str, Any]
# Function words and labels say nothing about the subject of a text.
STOP_WORDS = frozenset(
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
# A summary that shares this part of its content words with a criterion's finding repeats it.
REPEATED_SHARE = 0.8
LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class ReportCriterion:
    """Criterion of the rubric, or one named by the report alone (`id` is then made of its name)."""

    id: str
    name: str


def findings_of_reading(
    reading: Json, criteria: Mapping[int, ReportCriterion], recorded: Sequence[RecordedFinding]
) -> tuple[Draft, ...]:
    """Return the findings of `reading`, an ImportedReport as JSON: the changes that it asks for.

    `criteria` maps the places of its criteria to those of the rubric. A finding about a criterion
    and a file is the recorded one there; of several, the one that shares most words. Everything
    else is new, once for each criterion and file.
    """
    own = [criteria.get(place, _as_written(row)) for place, row in enumerate(reading["criteria"])]
    return merged(_drafts(_actionable_rows(reading["findings"]), own, recorded))


def _as_written(row: Json) -> ReportCriterion:
    return ReportCriterion(id=words_of(row["id"] or row["name"]), name=row["name"][:300])


def _actionable_rows(rows: Sequence[Json]) -> Iterable[Json]:
    """Yield the rows that ask for a change in a file, without repeats: nobody owes anything else.

    Summaries and plans often repeat a criterion's finding without naming its criterion.
    """
    requests = [row for row in rows if row["action"] and normalised_place(row["path"] or "")]
    texts = [_content_words(row["text"]) for row in requests if row["criterion"] is not None]
    for row in requests:
        words = _content_words(row["text"])
        repeats = any(len(words & other) >= REPEATED_SHARE * len(words) for other in texts)
        if row["criterion"] is not None or not repeats:
            yield row


def _drafts(
    rows: Iterable[Json], own: Sequence[ReportCriterion], recorded: Sequence[RecordedFinding]
) -> Iterable[Draft]:
    for row in rows:
        criterion = (
            own[row["criterion"]] if row["criterion"] is not None else ReportCriterion("", "")
        )
        path = normalised_place(row["path"])
        same = _same(criterion, path, f"{row['text']} {row['action']}", recorded)
        yield Draft(
            key=same.key if same else key_of(criterion.id, "", path),
            criterion_id=criterion.id,
            criterion_name=criterion.name,
            check_id=same.check_id if same else "",
            place=path,
            title=shorten(row["text"], LONGEST_TITLE, placeholder="…"),
            text=row["text"],
            action=row["action"],
            priority=row["priority"] or "",
            lines=(row["line"],) if row["line"] else (),
        )


def _same(
    criterion: ReportCriterion, path: str, text: str, recorded: Sequence[RecordedFinding]
) -> RecordedFinding | None:
    """Return the recorded finding that the text is about.

    Without a criterion the file decides, if only one finding is recorded there.
    """
    candidates = [
        row
        for row in recorded
        if _is_at_path(path, normalised_place(row.place)) and criterion.id in ("", row.criterion_id)
    ]
    if len(candidates) == 1:
        return candidates[0]
    if not criterion.id:
        return None

    # In the same file one shared word is enough.
    close = [row for row in candidates if word_overlap(text, row.title)]
    return max(close, key=lambda row: word_overlap(text, row.title), default=None)


def _is_at_path(path: str, place: str) -> bool:
    """Return whether `place` is the file `path`; reports may name a file by the end of its path."""
    return bool(place) and (f"/{path}".endswith(f"/{place}") or f"/{place}".endswith(f"/{path}"))


def word_overlap(text: str, other: str) -> float:
    """Return the share of the shorter text's content words that the other has too, 0..1."""
    words = _content_words(text), _content_words(other)
    shorter = min(map(len, words))
    return len(words[0] & words[1]) / shorter if shorter else 0.0


def _content_words(text: str) -> frozenset[str]:
    words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
    return frozenset(words) - STOP_WORDS
