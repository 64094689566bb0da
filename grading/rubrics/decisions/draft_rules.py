"""Rules that a table is about: the typed ones of a draft, or the stored ones; and those beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grading.core.enums import RubricState
from grading.engine import rubrics as engine_rubrics
from grading.engine import rule_tables
from grading.engine.rubrics import RubricFault
from grading.models import RubricVersion
from grading.rubrics.decisions.forms import preset_choices
from grading.rubrics.editor import constitution_form
from grading.rubrics.editor.editing_session import JSON, EditingSession
from grading.rubrics.queries import published_sibling

PUBLISHED, SAVED = "published", "saved"


@dataclass(frozen=True, slots=True)
class DraftRules:
    """Constitution of a table, as JSON, with a sentence that names it.

    `faults` are those of typed rules: then the constitution is the stored one, or None if that has
    faults, too.
    """

    constitution: Any
    sentence: str
    faults: tuple[RubricFault, ...] = ()


def draft_rules(session: EditingSession) -> DraftRules:
    """Return the typed rules if they are valid, else the stored ones."""
    version = session.version
    stored = rules_of(version.document)
    typed = _typed_rules(session) if session.unsaved else stored
    faults = _faults_of(session, typed)
    if not faults:
        words = (
            "the rules as typed"
            if session.unsaved
            else f"the rules of version {version.number} as saved"
        )
        return DraftRules(typed, words)
    if typed != stored and not rule_tables.rules_faults(stored):
        return DraftRules(stored, f"the rules of version {version.number} as saved", faults)
    return DraftRules(None, "", faults)


def rules_of(document: Any) -> Any:
    """Return the constitution of a rubric's JSON."""
    return document.get("constitution", "default") if isinstance(document, dict) else "default"


def rules_beside(version: RubricVersion) -> dict[str, tuple[str, Any]]:
    """Return the rules to compare with, in words and as JSON, by the value of their choice."""
    presets = {key: (words, key.removeprefix("preset:")) for key, words in preset_choices().items()}
    published = published_sibling(version)
    beside = {PUBLISHED: published, SAVED: version}
    return {
        key: (_name_of(key, row), rules_of(row.document))
        for key, row in beside.items()
        if row is not None and not rule_tables.rules_faults(rules_of(row.document))
    } | presets


def _name_of(key: str, version: RubricVersion) -> str:
    # A draft beside its own typed rules is the saved one.
    is_saved_draft = key == SAVED and version.state == RubricState.DRAFT
    state = "as saved" if is_saved_draft else version.get_state_display().lower()
    return f"version {version.number}, {state}"


def choices_of(beside: Mapping[str, tuple[str, Any]]) -> dict[str, str]:
    return {key: words for key, (words, _rules) in beside.items()}


def _typed_rules(session: EditingSession) -> Any:
    if session.view != JSON:
        return constitution_form.document_of(session.texts["constitution"])
    document, _faults = engine_rubrics.read_rubric_text(session.text)
    return rules_of(document)


def _faults_of(session: EditingSession, typed: Any) -> tuple[RubricFault, ...]:
    if session.view == JSON and session.unsaved:
        document, faults = engine_rubrics.read_rubric_text(session.text)
        if not isinstance(document, dict):
            return faults
    return rule_tables.rules_faults(typed)
