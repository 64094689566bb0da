"""The log's stored values in people's words: states, verbs, roles and codes are no words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grading.enums import AuditState, BulkVerb, Role

_VALUES: dict[str, Mapping[str, str]] = {
    "state": {state.value: state.label.lower() for state in AuditState},
    "what": {verb.value: verb.label.lower() for verb in BulkVerb},
    "role": {role.value: role.label.lower() for role in Role},
    "layout": {"generic": "any spreadsheet", "canvas": "Canvas", "moodle": "Moodle"},
}
# By what stands before the dot of a verb; another is said as it is stored.
_FAMILIES = {
    "admin": "changes in the administration",
    "administration": "the way into the administration",
    "appeal": "appeals",
    "assignment": "assignments",
    "audit": "audits",
    "bulk": "bulk runs",
    "cohort": "the cohort",
    "communication": "communication logs",
    "complaint": "reports reported as abusive",
    "criterion": "scores given by hand",
    "enrollment": "places on the roster",
    "feedback": "peers' reports",
    "finding": "answers to findings",
    "findings": "findings of an audit",
    "grade": "grades and releases",
    "grades": "exports of grades",
    "membership": "roles",
    "notices": "letters",
    "organization": "the organization",
    "override": "scores by hand withdrawn",
    "pairing": "pairs of peers",
    "roster": "imports of the roster",
    "round": "rounds of peers",
    "rubric": "rubrics",
    "sample": "blind samples",
    "submission": "hand-ins",
    "token": "access for programs",
    "webhook": "webhooks",
}


def said(key: str, value: Any) -> str:
    """A value of an activity's detail as its sentence says it."""
    if key == "code":
        return str(value).replace("_", " ")
    if isinstance(value, float):
        return f"{value:g}"
    return _VALUES.get(key, {}).get(str(value), str(value))


def family_name(family: str) -> str:
    return _FAMILIES.get(family, family.replace("_", " "))
