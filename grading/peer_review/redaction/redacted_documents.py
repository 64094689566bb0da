"""Redacted copies of whole documents: reports of this site and imported ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping
from functools import lru_cache
from typing import Any

from grading.engine.report import CITED_TAG, report_schema
from grading.peer_review.redaction.contact_patterns import without_commits
from grading.peer_review.redaction.identity_marks import Identity
from grading.peer_review.redaction.redact_values import WITHHELD, redacted

Json = dict[str, Any]
# Values that anybody can search for in public, whether or not they contain a name.
_SEARCHABLE_KEYS = ("repo_url", "commit", "ref", "pdf_sha256", "digest")
# Keys that hold words of the rubric and the courtroom: public, and needed as references.
_PUBLIC_KEYS: Mapping[str, frozenset[str]] = {
    "criteria": frozenset({"id", "name", "level", "resolution", "evidence"}),
    "rules": frozenset({"rule"}),
    "steps": frozenset({"rule"}),
    "opinions": frozenset({"judge", "model", "cited_evidence", "failure"}),
    "second_hearing": frozenset({"judge", "model", "cited_evidence", "failure"}),
    "asked": frozenset(),
    "locations": frozenset(),
    "checks": frozenset({"check", "kind", "goal", "fault", "evidence"}),
    "next_steps": frozenset({"criterion_id", "effort"}),
    "remediation": frozenset({"priority", "evidence", "criterion_id"}),
    "evidence": frozenset({"id", "detective", "check", "goal", "tags"}),
    "errors": frozenset({"stage", "code", "judge", "criterion"}),
}
_KEPT_KEYS = frozenset({"schema", "engine", "rubric", "constitution", "judges", "status", "usage"})
SCORES_WITHHELD = "Withheld until the grade is released."


def redacted_report(report: Json, identity: Identity) -> Json:
    """Return a redacted copy of an `automaton-auditor/report@1`, of the same shape.

    Withheld are values that can be searched for in public (addresses, commits, times, digests),
    the first page of the PDF, and the people of `identity` everywhere.
    """
    copy = {
        key: value if key in _KEPT_KEYS else _redact_part(key, value, identity)
        for key, value in report.items()
    }
    if copy.get("screening"):
        copy["screening"]["key"] = WITHHELD
    # Timings are the same in the copy of the work's author, to the microsecond.
    return copy | _withheld_keys(report) | ({"timings": {}} if "timings" in report else {})


def redacted_import(reading: Json, identity: Identity) -> Json:
    """Return a redacted copy of an imported report (courtroom's ImportedReport)."""
    kept: Json = _drop_commits(redacted(reading, identity))
    return (
        kept
        | _withheld_keys(reading)
        | {key: WITHHELD for key in ("author", "title", "date") if reading.get(key)}
    )


def redacted_file(text: str, identity: Identity) -> tuple[str, str]:
    """Return a redacted copy of an imported file and its suffix: JSON stays JSON."""
    try:
        document = json.loads(text)
    except ValueError:
        return without_commits(redacted(text, identity), WITHHELD), ".md"
    text = json.dumps(_drop_commits(redacted(document, identity)), ensure_ascii=False, indent=2)
    # A lone surrogate cannot be encoded.
    return text.encode(errors="replace").decode(), ".json"


def without_scores(report: Json) -> Json:
    """Return a copy of our report with findings and evidence, without anything about scores.

    Rules, dissents and opinions are removed too, with the lines that only judges cite: each argues
    about a score. The status is always "verdict", because the real one could reveal the outcome; so
    could errors of judges.
    """
    cited = {row["id"] for row in report.get("evidence", ()) if CITED_TAG in row.get("tags", ())}
    rest = {key: value for key, value in report.items() if key not in {"steps", "next_steps"}}
    return rest | {
        "evidence": [row for row in report.get("evidence", ()) if row["id"] not in cited],
        "errors": [error for error in report.get("errors", ()) if not error.get("judge")],
        "status": "verdict",
        "overall_score": None,
        "points": None,
        "criteria": [
            _without_criterion_scores(criterion, cited) for criterion in report.get("criteria", ())
        ],
    }


def _without_criterion_scores(criterion: Json, cited: Container[str]) -> Json:
    silent: Json = {
        "final_score": None,
        "level": None,
        "points": None,
        "dissent": None,
        "rationale": SCORES_WITHHELD,
    }
    emptied: Json = {"resolution": [], "rules": [], "opinions": [], "needs_review": False}
    scored = ("second_hearing", "steps")
    rest = {key: value for key, value in criterion.items() if key not in scored}
    evidence = [id_ for id_ in criterion.get("evidence", ()) if id_ not in cited]
    return rest | silent | emptied | {"evidence": evidence}


def _withheld_keys(document: Json) -> Json:
    return {key: WITHHELD for key in _SEARCHABLE_KEYS if document.get(key) is not None}


def _redact_part(key: str, value: Any, identity: Identity) -> Any:
    if key in _PUBLIC_KEYS and _is_rows(value):
        return [_redact_row(key, row, identity) for row in value]
    return _redact_value(value, identity)


def _redact_row(kind: str, row: Json, identity: Identity) -> Json:
    """Redact one record of a list, with its own lists of records."""
    kept = {
        key: value if key in _PUBLIC_KEYS[kind] else _redact_part(key, value, identity)
        for key, value in row.items()
    }
    if kind in ("opinions", "second_hearing"):
        kept["key"] = WITHHELD
    if kind == "locations":
        kept["commit"] = None
    # The first page of a PDF usually names its authors.
    if kind == "evidence":
        kept |= _unsearchable(row, kept)
        kept["rationale"] = _redact_value(_without_quotation(row), identity)
    return kept


def _without_quotation(row: Json) -> str:
    """Return the rationale; flags quote their content, here from a first page or a commit."""
    rationale, content = str(row.get("rationale") or ""), row.get("content")
    location = row.get("location") or {}
    is_commit = location.get("commit") and not location.get("path")
    is_searchable = location.get("page") == 1 or is_commit
    return rationale.replace(content, WITHHELD) if content and is_searchable else rationale


def _unsearchable(row: Json, kept: Json) -> Json:
    location = row.get("location") or {}
    content = kept.get("content")
    if content and location.get("page") == 1:
        content = WITHHELD
    # A row of the table of commits begins with its hash, which may have digits alone.
    elif content and location.get("commit"):
        content = re.sub(rf"(?<!\w){re.escape(location['commit'][:7])}\w*", WITHHELD, content)
    return {"content": content, "location": (kept.get("location") or {}) | {"commit": None}}


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _redact_value(value: Any, identity: Identity) -> Any:
    """Redact any other value. Keys and words of the schema stay, so the document remains valid."""
    if isinstance(value, str):
        return (
            value
            if value in _schema_words()
            else without_commits(redacted(value, identity), WITHHELD)
        )
    if isinstance(value, list):
        return [_redact_value(item, identity) for item in value]
    if isinstance(value, dict):
        return _redact_fact(value, identity)
    return value


def _redact_fact(pairs: Json, identity: Identity) -> Json:
    """Redact a fact; facts of the title page, commits and authors are withheld completely."""
    # Keys outside the schema come from the repository, so they may be names too.
    foreign = {key: value for key, value in pairs.items() if key not in _schema_words()}
    fact: Json = {
        key: _redact_value(value, identity) for key, value in pairs.items() if key not in foreign
    }

    if isinstance(fact.get("commit"), str):
        fact["commit"] = WITHHELD
    if "authors" in fact:
        fact["authors"] = []
    if fact.get("page") == 1:
        fact |= {key: WITHHELD for key in ("text", "passage", "content") if fact.get(key)}
    return fact | dict(
        zip(
            redacted(foreign, identity),
            (_redact_value(value, identity) for value in foreign.values()),
            strict=True,
        )
    )


def _drop_commits(value: Any) -> Any:
    return _map_strings(value, lambda text: without_commits(text, WITHHELD))


def _map_strings(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _map_strings(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_map_strings(item, change) for item in value]
    return value


@lru_cache(maxsize=1)
def _schema_words() -> frozenset[str]:
    """Return property names and enumerated words of the published report schema."""
    return frozenset(_words_of(report_schema()))


def _words_of(schema: Any) -> Iterable[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from _words_of(part)
    if not isinstance(schema, dict):
        return
    yield from schema.get("properties", {})
    words = [*schema.get("enum", ()), schema.get("const")]
    yield from (word for word in words if isinstance(word, str))
    for part in schema.values():
        yield from _words_of(part)
