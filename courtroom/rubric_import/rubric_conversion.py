"""Conversion of rubrics that courses write: missing ids, levels in any form, rules as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from courtroom.models.errors import RubricRefused
from courtroom.models.rubric import (
    MOST_CRITERIA,
    MOST_LEVELS,
    Criterion,
    JudicialLogic,
    Rubric,
)
from courtroom.rubric_import.import_notes import NoteCollector
from courtroom.rubric_import.json_lines import JsonPath
from courtroom.rubric_import.level_parser import parse_levels, parse_positive, slug
from courtroom.rubric_import.shipped_rubrics import SHIPPED, load_shipped

# Keys by their meaning, as files from practice spell them. The first one with a value counts.
METADATA = ("rubric_metadata", "rubric_meta", "metadata")
CRITERIA = ("dimensions", "criteria", "rubric", "rubrics")
TITLES = ("rubric_name", "name", "title")
NAMES = ("name", "title", "dimension_name", "criterion")
INSTRUCTIONS = ("description", "forensic_instruction", "instruction", "score_3")
SUCCESSES = ("success_pattern", "score_5")
FAILURES = ("failure_pattern", "score_1")
TARGETS = ("target_artifact", "target")
MOST_POINTS = ("max_points", "max_score", "points", "total")
LEVELS = ("levels", "tiers")
LOGIC = ("judicial_logic", "statute")
_RUBRIC_FACTS = ("synthesis_rules", "judicial_logic", "version", "grading_target")
_CRITERION_FACTS = ("id", "weight", "exclude_from_total_if_level")
_CRITERION_WORDS = (*NAMES, *INSTRUCTIONS, *SUCCESSES, *FAILURES)
_CRITERION_SCALE = (*TARGETS, *MOST_POINTS, *LEVELS, *LOGIC)
USED_KEYS = frozenset((*_CRITERION_FACTS, *_CRITERION_WORDS, *_CRITERION_SCALE))

ARTEFACTS = {
    "repo": "github_repo",
    "repository": "github_repo",
    "code": "github_repo",
    "codebase": "github_repo",
    "docs": "pdf_report",
    "pdf": "pdf_report",
    "report": "pdf_report",
    "document": "pdf_report",
    "vision": "pdf_images",
    "architecture_diagrams": "pdf_images",
    "diagrams": "pdf_images",
}
KNOWN_ARTEFACTS = frozenset({*ARTEFACTS.values(), "communication_logs", "audit_report"})
# Rules in words for which a typed rule exists in a constitution.
TYPED_RULES = frozenset(
    {
        "security_override",
        "fact_supremacy",
        "functionality_weight",
        "dissent_requirement",
        "variance_re_evaluation",
        "weighted_average",
    }
)
PERSONAS = {
    "prosecutor": "prosecutor",
    "defense": "defense",
    "defence": "defense",
    "tech_lead": "tech_lead",
}


def convert_rubric(data: Any, notes: NoteCollector) -> Rubric:
    """Return the rubric that this JSON describes.

    Raises RubricRefused: rubric_without_criteria, rubric_too_large.
    """
    top = data if isinstance(data, dict) else {}
    place, entries = _criterion_entries(data)
    _refuse_too_many(len(entries), MOST_CRITERIA, "criteria", place, notes)
    logic = _judicial_logic(top.get("judicial_logic"))

    converted = (_convert_entry(item_place, entry, logic, notes) for item_place, entry in entries)
    drafts = [draft for draft in converted if draft]
    if not drafts:
        message = (
            "The rubric contains no criterion that can be judged. "
            "Each one needs a name or id, and a description or checks."
        )
        raise RubricRefused("rubric_without_criteria", message)

    criteria = tuple(_with_unique_ids(drafts, notes))
    # Levels carry points, and only one preset sums points.
    constitution = "points-based" if any(item.levels for item in criteria) else "default"
    _note_unused(top, place[:1], constitution, notes)
    return Rubric(**_rubric_fields(top, notes), criteria=criteria, constitution=constitution)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A criterion and its place in the text."""

    place: JsonPath
    criterion: Criterion


def _criterion_entries(data: Any) -> tuple[JsonPath, list[tuple[JsonPath, Any]]]:
    """Return the place of the criteria (a list, or an object by id), and each with its place."""
    if isinstance(data, list):
        return (), [((index,), entry) for index, entry in enumerate(data)]

    for key in CRITERIA if isinstance(data, dict) else ():
        entries = data.get(key)
        if isinstance(entries, list):
            return (key,), [((key, index), entry) for index, entry in enumerate(entries)]
        if isinstance(entries, dict):
            return (key,), [((key, name), _with_id(name, entry)) for name, entry in entries.items()]
    return (), []


def _refuse_too_many(
    count: int, most: int, unit: str, place: JsonPath, notes: NoteCollector
) -> None:
    if count > most:
        path = ".".join(map(str, place)) or "the rubric"
        message = (
            f"Line {notes.line_of(place)}, {path}: the limit is {most} {unit}; there are {count}."
        )
        raise RubricRefused("rubric_too_large", message)


def _with_id(name: str, entry: Any) -> Any:
    if isinstance(entry, dict):
        return {"id": name, **entry}
    return {"id": name, "instruction": str(entry)}


def _convert_entry(
    place: JsonPath, entry: Any, logic: JudicialLogic, notes: NoteCollector
) -> _Draft | None:
    fields = {"name": entry, "instruction": entry} if isinstance(entry, str) else entry
    shipped = shipped_criterion(*_identity(fields)) if isinstance(fields, dict) else None

    if fault := _fault(fields, shipped):
        notes.add(place, f"Not used: {fault}.")
        return None
    _note_criterion(place, fields, shipped, notes)
    return _Draft(place, _criterion(place, fields, shipped, logic, notes))


def _fault(fields: Any, shipped: Criterion | None) -> str:
    """Return the reason why nothing can be judged by this entry; empty when something can."""
    if not isinstance(fields, dict):
        return "a criterion must be an object or a sentence"
    if not _identity(fields)[0]:
        return "this criterion has neither an id nor a name"
    if shipped or any(_descriptions(fields).values()):
        return ""
    return "this criterion does not say what to look for"


def _criterion(
    place: JsonPath,
    fields: Mapping[str, Any],
    shipped: Criterion | None,
    logic: JudicialLogic,
    notes: NoteCollector,
) -> Criterion:
    identity, name = _identity(fields)
    own_logic = _first(fields, LOGIC)
    levels_place = (*place, _first_key(fields, LEVELS))
    levels = parse_levels(_first(fields, LEVELS), levels_place, notes)
    _refuse_too_many(len(levels), MOST_LEVELS, "levels", levels_place, notes)
    # The best level decides, so that a criterion can never earn more than its maximum.
    best = max((level.points for level in levels), default=0.0)
    is_excludable = _has_no_exchange(fields, [level.name for level in levels])

    return Criterion(
        id=identity,
        name=name,
        target_artifact=_target(place, fields, notes),
        **_descriptions(fields),
        judicial_logic=_judicial_logic(own_logic) if own_logic else logic,
        weight=parse_positive(fields.get("weight")) or 1,
        max_points=best or parse_positive(_first(fields, MOST_POINTS)),
        levels=levels,
        checks=shipped.checks if shipped else (),
        architecture=shipped.architecture if shipped else False,
        exclude_when="no_exchange" if is_excludable else None,
    )


def _identity(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return id and name; a missing one is made from the other."""
    name = str(_first(fields, NAMES) or "").strip()
    identity = str(fields.get("id") or "").strip()

    name = name or identity
    return identity or slug(name), name


def _descriptions(fields: Mapping[str, Any]) -> dict[str, str]:
    instructions = [str(fields[key]).strip() for key in INSTRUCTIONS if fields.get(key)]
    return {
        "instruction": "\n".join(dict.fromkeys(instructions)),
        "success_pattern": str(_first(fields, SUCCESSES) or ""),
        "failure_pattern": str(_first(fields, FAILURES) or ""),
    }


def _note_criterion(
    place: JsonPath, fields: Mapping[str, Any], shipped: Criterion | None, notes: NoteCollector
) -> None:
    if shipped:
        notes.add(place, f"Uses the {len(shipped.checks)} shipped checks of {shipped.id}.")
    else:
        message = "No shipped checks for this id or name: only a model or a person can judge it."
        notes.add(place, message)

    if not fields.get("id"):
        notes.add(place, f"No id: {_identity(fields)[0]!r} is made from the name.")
    for key in fields:
        if key not in USED_KEYS:
            notes.add((*place, key), f"Not used: {key!r} is not a known field of a criterion.")


def _target(place: JsonPath, fields: Mapping[str, Any], notes: NoteCollector) -> str:
    written = str(_first(fields, TARGETS) or "github_repo").strip()
    target = ARTEFACTS.get(slug(written), written)
    if target not in KNOWN_ARTEFACTS:
        notes.add(place, f"Unknown target {written!r}: the criterion is judged from all evidence.")
    return target


def _has_no_exchange(fields: Mapping[str, Any], level_names: list[str]) -> bool:
    level = str(fields.get("exclude_from_total_if_level") or "")
    return "no_exchange" in {slug(level), *map(slug, level_names)}


def _judicial_logic(data: Any) -> JudicialLogic:
    """Return the logic per persona; one text applies to all three.

    A text that begins with a persona's name, as in `Tech Lead: score low`, is for that one only.
    """
    if isinstance(data, str):
        head, _, rest = data.partition(":")
        persona = PERSONAS.get(slug(head))
        if persona:
            return JudicialLogic(**{persona: rest.strip()})
        return JudicialLogic(**dict.fromkeys(PERSONAS.values(), data))

    if not isinstance(data, dict):
        return JudicialLogic()
    by_persona = {
        PERSONAS.get(slug(key).replace("techlead", "tech_lead")): value
        for key, value in data.items()
    }
    return JudicialLogic(
        **{persona: _flatten(value) for persona, value in by_persona.items() if persona}
    )


def _flatten(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_flatten(part)}" for key, part in value.items())
    return "; ".join(map(_flatten, value)) if isinstance(value, list) else str(value)


def _with_unique_ids(drafts: list[_Draft], notes: NoteCollector) -> Iterator[Criterion]:
    """Yield the criteria under unique ids, each shipped check with its first criterion only."""
    ids: set[str] = set()
    check_ids: set[str] = set()

    for draft in drafts:
        criterion, changes = draft.criterion, dict[str, Any]()
        if criterion.id in ids:
            changes["id"] = _free_id(criterion.id, ids, len(drafts))
            message = f"The id {criterion.id!r} is already used: it becomes {changes['id']!r}."
            notes.add(draft.place, message)

        # Two criteria with the same checks would count the same evidence twice.
        if {check.id for check in criterion.checks} & check_ids:
            changes["checks"] = ()
            notes.add(draft.place, "Another criterion already uses these shipped checks.")

        check_ids |= {check.id for check in criterion.checks}
        ids.add(changes.get("id", criterion.id))
        yield criterion.model_copy(update=changes)


def _free_id(identity: str, ids: set[str], count: int) -> str:
    candidates = (f"{identity}-{number}" for number in range(2, count + 2))
    return next(candidate for candidate in candidates if candidate not in ids)


def _rubric_fields(top: Mapping[str, Any], notes: NoteCollector) -> dict[str, str]:
    key = _first_key(top, METADATA)
    value = top.get(key) if key else None
    metadata = value if isinstance(value, dict) else top
    name, version = _first(metadata, TITLES), metadata.get("version")

    for field, field_value in (("name", name), ("version", version)):
        if not field_value:
            notes.add((key,) if key else (), f"The rubric has no {field}: a default is used.")

    name = str(name or "Unnamed rubric")
    return {
        "id": slug(name) or "rubric",
        "name": name,
        "version": str(version or "1"),
        "grading_target": str(metadata.get("grading_target") or metadata.get("description") or ""),
    }


def _note_unused(
    top: Mapping[str, Any], used: JsonPath, constitution: str, notes: NoteCollector
) -> None:
    rules = top.get("synthesis_rules")
    if not isinstance(rules, dict) or not rules:
        notes.add((), f"No synthesis rules: the constitution {constitution!r} applies.")

    # Rules in words are never applied: a verdict must be a pure function of typed rules.
    replaced = f"Not used as written: the constitution {constitution!r} has a typed rule for it."
    for rule in rules if isinstance(rules, dict) else ():
        message = replaced if rule in TYPED_RULES else "Not used: there is no typed rule for it."
        notes.add(("synthesis_rules", rule), message)

    used_keys = {*METADATA, *TITLES, *used, *_RUBRIC_FACTS}
    for key in top:
        if key not in used_keys:
            notes.add((key,), f"Not used: {key!r} is not a known field of a rubric.")


def shipped_criterion(identity: str, name: str) -> Criterion | None:
    """Return the shipped criterion of this id, or of this name (not of the general rubric)."""
    by_id, by_name = _shipped_criteria()
    return by_id.get(slug(identity)) or by_name.get(slug(name))


@cache
def _shipped_criteria() -> tuple[dict[str, Criterion], dict[str, Criterion]]:
    criteria = [(name, criterion) for name in SHIPPED for criterion in load_shipped(name).criteria]
    # Names of the general rubric are common words: a course may mean another thing by them.
    by_name = {slug(item.name): item for rubric, item in criteria if rubric != "general"}
    # Reversed, so that for an id in two rubrics the earlier rubric counts.
    return {item.id: item for _, item in reversed(criteria)}, by_name


def _first_key(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((key for key in keys if fields.get(key) not in (None, "", [], {})), "")


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return fields.get(_first_key(fields, keys))
