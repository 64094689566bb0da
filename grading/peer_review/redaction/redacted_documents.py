"""Editions of whole documents: of our reports, and of what was understood of imported ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from grading.peer_review.redaction.contact_patterns import without_commits
from grading.peer_review.redaction.identity_marks import Identity
from grading.peer_review.redaction.redact_values import WITHHELD, redacted

Json = dict[str, Any]
_SCHEMA = Path(__file__).parents[3] / "rubric" / "report.schema.json"
# Found again by anybody who searches for it, whoever is named in it.
_TELLTALES = ("repo_url", "commit", "ref", "pdf_sha256", "digest")
# Words of the rubric and of the courtroom, which everybody may read and by which things are found.
_OURS: Mapping[str, frozenset[str]] = {
    "criteria": frozenset({"id", "name", "level", "resolution", "evidence"}),
    "rules": frozenset({"rule"}),
    "opinions": frozenset({"judge", "model", "cited_evidence", "failure"}),
    "checks": frozenset({"check", "kind", "goal", "evidence"}),
    "remediation": frozenset({"priority", "evidence", "criterion_id"}),
    "evidence": frozenset({"id", "detective", "check", "goal", "tags"}),
    "errors": frozenset({"stage", "code"}),
}
_UNTOUCHED = frozenset(
    {"schema", "engine", "rubric", "constitution", "judges", "status", "usage", "timings"}
)
UNSAID = "Withheld until the grade is released."


def report_edition(report: Json, identity: Identity) -> Json:
    """An `automaton-auditor/report@1` about the work of somebody who is not to be known; still of that shape.

    Withheld are what public places would find again (addresses, commits, times, digests), the PDF's first page, and
    the people of `identity` wherever they stand.
    """
    said = {
        key: value if key in _UNTOUCHED else _part(key, value, identity)
        for key, value in report.items()
    }
    return said | _telltales(report)


def reading_edition(reading: Json, identity: Identity) -> Json:
    """What was understood of an imported report (courtroom's ImportedReport) whose author or subject is not to be known."""
    kept: Json = _searched(redacted(reading, identity))
    return (
        kept
        | _telltales(reading)
        | {key: WITHHELD for key in ("author", "title", "date") if reading.get(key)}
    )


def file_edition(text: str, identity: Identity) -> tuple[str, str]:
    """A file that was brought along, in its own format, and the suffix of that: JSON stays JSON."""
    try:
        document = json.loads(text)
    except ValueError:
        return without_commits(redacted(text, identity), WITHHELD), ".md"
    shown = json.dumps(_searched(redacted(document, identity)), ensure_ascii=False, indent=2)
    return shown.encode(errors="replace").decode(), ".json"  # half a character is none


def without_scores(report: Json) -> Json:
    """A report of ours with its findings and evidence, and nothing that tells how much they cost.

    Rules, dissents and opinions go as well: each argues about a score. What it ended in is told by none of its words:
    all that have a report are called a verdict.
    """
    return report | {
        "status": "verdict",
        "overall_score": None,
        "points": None,
        "criteria": [_unscored(criterion) for criterion in report.get("criteria", ())],
    }


def _unscored(criterion: Json) -> Json:
    silent: Json = {
        "final_score": None,
        "level": None,
        "points": None,
        "dissent": None,
        "rationale": UNSAID,
    }
    emptied: Json = {"resolution": [], "rules": [], "opinions": [], "needs_review": False}
    return criterion | silent | emptied


def _telltales(document: Json) -> Json:
    return {key: WITHHELD for key in _TELLTALES if document.get(key) is not None}


def _part(key: str, value: Any, identity: Identity) -> Any:
    if key in _OURS and _is_rows(value):
        return [_row(key, row, identity) for row in value]
    return _said(value, identity)


def _row(kind: str, row: Json, identity: Identity) -> Json:
    """One record of a list, its own lists of records included."""
    kept = {
        key: value if key in _OURS[kind] else _part(key, value, identity)
        for key, value in row.items()
    }
    if kind == "opinions":
        kept["key"] = WITHHELD
    if kind == "evidence":
        kept |= _without_title_page(row, kept)
    return kept


def _without_title_page(row: Json, kept: Json) -> Json:
    place = row.get("location") or {}
    unsaid = WITHHELD if place.get("page") == 1 and row.get("content") else kept.get("content")
    return {"content": unsaid, "location": (kept.get("location") or {}) | {"commit": None}}


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _said(value: Any, identity: Identity) -> Any:
    """Anything else, by what it is: the schema's own keys and words stay, or the document would be none."""
    if isinstance(value, str):
        return (
            value
            if value in _schema_words()
            else without_commits(redacted(value, identity), WITHHELD)
        )
    if isinstance(value, list):
        return [_said(one, identity) for one in value]
    if isinstance(value, dict):
        return _fact(value, identity)
    return value


def _fact(pairs: Json, identity: Identity) -> Json:
    """Of facts: those of the title page, commits by whatever key, and who signed them, are withheld whole."""
    foreign = {key: one for key, one in pairs.items() if key not in _schema_words()}
    known: Json = {key: _said(one, identity) for key, one in pairs.items() if key not in foreign}
    if isinstance(known.get("commit"), str):
        known["commit"] = WITHHELD
    if "authors" in known:
        known["authors"] = []
    if known.get("page") == 1:
        known |= {key: WITHHELD for key in ("text", "passage", "content") if known.get(key)}
    return known | dict(
        zip(
            redacted(foreign, identity),
            (_said(one, identity) for one in foreign.values()),
            strict=True,
        )
    )


def _searched(value: Any) -> Any:
    return _mapped(value, lambda text: without_commits(text, WITHHELD))


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(one, change) for key, one in value.items()}
    return [_mapped(one, change) for one in value] if isinstance(value, list | tuple) else value


@lru_cache(maxsize=1)
def _schema_words() -> frozenset[str]:
    """Names of properties and words of enumerations in the published schema of our reports."""
    return frozenset(_words_of(json.loads(_SCHEMA.read_text())))


def _words_of(schema: Any) -> Iterable[str]:
    if isinstance(schema, list):
        for one in schema:
            yield from _words_of(one)
    if not isinstance(schema, dict):
        return
    yield from schema.get("properties", {})
    words = [*schema.get("enum", ()), schema.get("const")]
    yield from (word for word in words if isinstance(word, str))
    for one in schema.values():
        yield from _words_of(one)
