"""From the rubrics that courses write to ours: missing ids, levels in any form, rules as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from courtroom.models.errors import RubricRefused
from courtroom.models.rubric import Criterion, JudicialLogic, Rubric
from courtroom.rubric_import.import_notes import Notebook
from courtroom.rubric_import.json_lines import JsonPath
from courtroom.rubric_import.level_parser import levels_in, positive_in, slug
from courtroom.rubric_import.shipped_rubrics import SHIPPED, shipped

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
USED = frozenset(
    {
        "id",
        "weight",
        "exclude_from_total_if_level",
        *NAMES,
        *INSTRUCTIONS,
        *SUCCESSES,
        *FAILURES,
        *TARGETS,
        *MOST_POINTS,
        *LEVELS,
        *LOGIC,
    }
)
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
RULES = frozenset(
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


def translate(data: Any, notebook: Notebook) -> Rubric:
    """The rubric that can be made of this JSON. Raises RubricRefused: rubric_without_criteria."""
    top = data if isinstance(data, dict) else {}
    place, entries = _entries(data)
    logic = _logic(top.get("judicial_logic"))
    drafts = [d for d in (_draft(at, entry, logic, notebook) for at, entry in entries) if d]
    if not drafts:
        message = "The rubric holds no criterion that can be judged: each needs a name or id, and words or checks."
        raise RubricRefused("rubric_without_criteria", message)
    criteria = tuple(_distinct(drafts, notebook))
    constitution = "points-based" if any(c.levels for c in criteria) else "default"
    _note_the_rest(top, place[:1], constitution, notebook)
    return Rubric(**_heading(top, notebook), criteria=criteria, constitution=constitution)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A criterion and where it stands in the text."""

    place: JsonPath
    criterion: Criterion


def _entries(data: Any) -> tuple[JsonPath, list[tuple[JsonPath, Any]]]:
    """The place that holds the criteria (a list, or an object of them by id), and each with its own place."""
    if isinstance(data, list):
        return (), [((index,), entry) for index, entry in enumerate(data)]
    for key in CRITERIA if isinstance(data, dict) else ():
        if isinstance(data.get(key), list):
            return (key,), [((key, index), entry) for index, entry in enumerate(data[key])]
        if isinstance(data.get(key), dict):
            return (key,), [
                ((key, name), _with_id(name, entry)) for name, entry in data[key].items()
            ]
    return (), []


def _with_id(name: str, entry: Any) -> Any:
    return (
        {"id": name, **entry}
        if isinstance(entry, dict)
        else {"id": name, "instruction": str(entry)}
    )


def _draft(place: JsonPath, entry: Any, logic: JudicialLogic, notebook: Notebook) -> _Draft | None:
    fields = {"name": entry, "instruction": entry} if isinstance(entry, str) else entry
    known = known_criterion(*_identity(fields)) if isinstance(fields, dict) else None
    if fault := _fault(fields, known):
        notebook.note(place, f"Not used: {fault}.")
        return None
    _note_use(place, fields, known, notebook)
    return _Draft(place, _criterion(place, fields, known, logic, notebook))


def _fault(fields: Any, known: Criterion | None) -> str:
    """Why nothing can be judged by this entry; empty when something can."""
    if not isinstance(fields, dict):
        return "a criterion is an object or a sentence"
    if not _identity(fields)[0]:
        return "this criterion has neither an id nor a name"
    return "" if known or any(_words(fields).values()) else "nothing says what to look for"


def _criterion(
    place: JsonPath,
    fields: Mapping[str, Any],
    known: Criterion | None,
    logic: JudicialLogic,
    notebook: Notebook,
) -> Criterion:
    identity, name = _identity(fields)
    own_logic = _first(fields, LOGIC)
    levels = levels_in(_first(fields, LEVELS), (*place, _key(fields, LEVELS)), notebook)
    best = max((level.points for level in levels), default=0.0)
    return Criterion(
        id=identity,
        name=name,
        target_artifact=_target(place, fields, notebook),
        **_words(fields),
        judicial_logic=_logic(own_logic) if own_logic else logic,
        weight=positive_in(fields.get("weight")) or 1,
        max_points=best or positive_in(_first(fields, MOST_POINTS)),
        levels=levels,
        checks=known.checks if known else (),
        architecture=known.architecture if known else False,
        exclude_when="no_exchange"
        if _is_excluding(fields, [level.name for level in levels])
        else None,
    )


def _identity(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Id and name; either is made from the other when it is missing."""
    name, identity = (str(said or "").strip() for said in (_first(fields, NAMES), fields.get("id")))
    name = name or identity
    return identity or slug(name), name


def _words(fields: Mapping[str, Any]) -> dict[str, str]:
    said = [str(fields[key]).strip() for key in INSTRUCTIONS if fields.get(key)]
    return {
        "instruction": "\n".join(dict.fromkeys(said)),
        "success_pattern": str(_first(fields, SUCCESSES) or ""),
        "failure_pattern": str(_first(fields, FAILURES) or ""),
    }


def _note_use(
    place: JsonPath, fields: Mapping[str, Any], known: Criterion | None, notebook: Notebook
) -> None:
    if known:
        notebook.note(place, f"Uses the {len(known.checks)} shipped checks of {known.id}.")
    else:
        notebook.note(
            place, "No shipped checks have this id or name: only a model or a person can judge it."
        )
    if not fields.get("id"):
        notebook.note(place, f"No id: {_identity(fields)[0]!r} is made from the name.")
    for key in fields:
        if key not in USED:
            notebook.note(
                (*place, key), f"Not used: {key!r} is not a part of a criterion that can be read."
            )


def _target(place: JsonPath, fields: Mapping[str, Any], notebook: Notebook) -> str:
    said = str(_first(fields, TARGETS) or "github_repo").strip()
    target = ARTEFACTS.get(slug(said), said)
    if target not in KNOWN_ARTEFACTS:
        notebook.note(place, f"The target {said!r} is not known: it is judged from all evidence.")
    return target


def _is_excluding(fields: Mapping[str, Any], level_names: list[str]) -> bool:
    named = str(fields.get("exclude_from_total_if_level") or "")
    return "no_exchange" in {slug(named), *map(slug, level_names)}


def _logic(said: Any) -> JudicialLogic:
    """Per persona, or one text for all three; a text that begins with a persona's name is hers alone."""
    if isinstance(said, str):
        head, _, rest = said.partition(":")
        persona = PERSONAS.get(slug(head))
        return JudicialLogic(
            **({persona: rest.strip()} if persona else dict.fromkeys(PERSONAS.values(), said))
        )
    if not isinstance(said, dict):
        return JudicialLogic()
    by_persona = {
        PERSONAS.get(slug(key).replace("techlead", "tech_lead")): value
        for key, value in said.items()
    }
    return JudicialLogic(
        **{persona: _flat(value) for persona, value in by_persona.items() if persona}
    )


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_flat(part)}" for key, part in value.items())
    return "; ".join(map(_flat, value)) if isinstance(value, list) else str(value)


def _distinct(drafts: list[_Draft], notebook: Notebook) -> Iterator[Criterion]:
    """Criteria with ids of their own; shipped checks go to the first criterion that claims them."""
    ids: set[str] = set()
    claimed: set[str] = set()
    for draft in drafts:
        criterion, change = draft.criterion, dict[str, Any]()
        if criterion.id in ids:
            change["id"] = next(
                f"{criterion.id}-{n}"
                for n in range(2, len(drafts) + 2)
                if f"{criterion.id}-{n}" not in ids
            )
            notebook.note(
                draft.place, f"The id {criterion.id!r} is taken: it becomes {change['id']!r}."
            )
        if {check.id for check in criterion.checks} & claimed:
            change["checks"] = ()
            notebook.note(draft.place, "Another criterion has these shipped checks already.")
        claimed |= {check.id for check in criterion.checks}
        ids.add(change.get("id", criterion.id))
        yield criterion.model_copy(update=change)


def _heading(top: Mapping[str, Any], notebook: Notebook) -> dict[str, str]:
    key = _key(top, METADATA)
    said = top.get(key) if key else None
    metadata = said if isinstance(said, dict) else top
    name = _first(metadata, TITLES)
    for part, found in (("name", name), ("version", metadata.get("version"))):
        if not found:
            notebook.note((key,) if key else (), f"The rubric has no {part}: one is filled in.")
    name = str(name or "Unnamed rubric")
    return {
        "id": slug(name) or "rubric",
        "name": name,
        "version": str(metadata.get("version") or "1"),
        "grading_target": str(metadata.get("grading_target") or metadata.get("description") or ""),
    }


def _note_the_rest(
    top: Mapping[str, Any], used: JsonPath, constitution: str, notebook: Notebook
) -> None:
    rules = top.get("synthesis_rules")
    if not isinstance(rules, dict) or not rules:
        notebook.note((), f"No synthesis rules: the constitution {constitution!r} applies.")
    for rule in rules if isinstance(rules, dict) else ():
        stands_in = f"the typed rule of the constitution {constitution!r} stands for it"
        message = (
            f"Words are not applied: {stands_in}."
            if rule in RULES
            else "Not used: there is no typed rule for it."
        )
        notebook.note(("synthesis_rules", rule), message)
    for key in top:
        if key not in {
            *METADATA,
            *TITLES,
            *used,
            "synthesis_rules",
            "judicial_logic",
            "version",
            "grading_target",
        }:
            notebook.note((key,), f"Not used: {key!r} is not a part of a rubric that can be read.")


def known_criterion(identity: str, name: str) -> Criterion | None:
    """The shipped criterion of this id, or of this name (self-audit and points rubrics only)."""
    by_id, by_name = _shipped_criteria()
    return by_id.get(slug(identity)) or by_name.get(slug(name))


@cache
def _shipped_criteria() -> tuple[dict[str, Criterion], dict[str, Criterion]]:
    known = [(name, criterion) for name in SHIPPED for criterion in shipped(name).criteria]
    by_name = {slug(c.name): c for rubric, c in known if rubric != "general"}
    return {c.id: c for _, c in reversed(known)}, by_name


def _key(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((key for key in keys if fields.get(key) not in (None, "", [], {})), "")


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return fields.get(_key(fields, keys))
