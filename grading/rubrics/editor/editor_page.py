"""Template context of the editor's page."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grading.engine import rubrics as engine_rubrics
from grading.rubrics.editor import check_words, constitution_form, labels
from grading.rubrics.editor.field_errors import FieldErrors
from grading.rubrics.editor.number_format import format_number, parse_number
from grading.rubrics.editor.panels import (
    BLANK,
    Field,
    check_panel,
    criterion_panel,
    fields,
    level_panel,
    rule_panel,
)
from grading.rubrics.editor.parameter_fields import Parameter, Shape, form_layout
from grading.rubrics.editor.posted_values import FormTexts
from grading.rubrics.editor.rubric_form import new_check, new_item

NOTE = Parameter("note", Shape.LINE, "Version note", "For people. The limit is 300 characters.")
# The word for a step of a field's path, with which its label is looked up.
_MODELS = {
    "criteria": "criterion",
    "checks": "check",
    "levels": "level",
    "judicial_logic": "logic",
    "constitution": "constitution",
    "rules": "rule",
}
# Paths that name a whole list or object rather than a field.
_LISTS = {"criteria": "Criteria", "constitution": "Rules of the verdict"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of the summary. `name` is the id of the element that its link opens."""

    name: str
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the criteria. Typed texts that are no numbers count as zero.

    `points` is None when no criterion has any.
    """

    criteria: int
    checks: int
    weight: str
    points: str | None


def page_of(
    texts: FormTexts, note: str, faults: FieldErrors, *, open_path: str = ""
) -> dict[str, Any]:
    """Return the context: the rubric's own fields, its criteria, rules, sums and problems."""
    layout = form_layout()
    criteria = [
        criterion_panel(item, f"criteria.{n}", faults, open_path)
        for n, item in enumerate(texts["criteria"])
    ]
    # The note belongs to the version, not to the document, but stands in the same form.
    return {
        "note": Field(NOTE.name, NOTE, note, faults.get(NOTE.name, ())),
        "about": fields(sorted(layout.rubric, key=lambda p: p.name != "name"), texts, "", faults),
        "criteria": criteria,
        "whole_errors": faults.get("", ()),
        "criteria_errors": faults.get("criteria", ()),
        "rules": _rules(texts["constitution"], faults),
        "totals": totals_of(texts),
        "problems": [
            Problem(name, describe_field(name), message)
            for name, messages in faults.items()
            for message in messages
        ],
        "kinds": _kinds_by_group(),
        "open_path": open_path,
    }


def _kinds_by_group() -> dict[str, list[tuple[str, str, str]]]:
    """Return kind, title and meaning of each kind of check, by what it looks at."""
    groups: dict[str, list[tuple[str, str, str]]] = {group: [] for group in check_words.GROUPS}
    layout = form_layout()
    for kind in layout.checks:
        entry = (kind, labels.kind_title(kind), layout.about[kind])
        groups.setdefault(check_words.group_of(kind), []).append(entry)
    return {group: kinds for group, kinds in groups.items() if kinds}


def blank_items() -> dict[str, Any]:
    """Return the empty items that JavaScript copies when something is added."""
    return {
        "criterion": criterion_panel(new_item("criteria"), BLANK, {}, BLANK),
        "level": level_panel(new_item("levels"), BLANK, {}),
        "check": check_panel(new_item("checks"), BLANK, {}, BLANK),
        "checks": [check_panel(new_check(kind), BLANK, {}, BLANK) for kind in form_layout().checks],
        "presets": {
            name: constitution_form.flat_texts(constitution_form.form_texts(name))
            for name in engine_rubrics.preset_constitutions()
        },
    }


def totals_of(texts: FormTexts) -> Totals:
    criteria = texts["criteria"]

    # An empty weight counts 1, its default; a criterion without points counts for no sum.
    points = [parse_number(item["max_points"]) for item in criteria if item["max_points"].strip()]
    return Totals(
        criteria=len(criteria),
        checks=sum(len(item["checks"]) for item in criteria),
        weight=format_number(
            sum((parse_number(item["weight"] or "1") for item in criteria), Fraction(0))
        ),
        points=format_number(sum(points, Fraction(0))) if points else None,
    )


def _rules(texts: FormTexts, faults: FieldErrors) -> dict[str, Any]:
    presets = engine_rubrics.preset_constitutions()
    return {
        "preset": texts["preset"],
        "choices": [(name, name, labels.PRESETS.get(name, "")) for name in presets],
        "is_own": texts["preset"] == constitution_form.OWN,
        "is_unknown": texts["preset"] not in {constitution_form.OWN, *presets},
        "fields": fields(form_layout().constitution, texts, "constitution", faults),
        "panels": [rule_panel(kind, rule, faults) for kind, rule in texts["rules"].items()],
        "errors": faults.get("constitution.preset", ()),
        "problems": sum(
            len(messages) for name, messages in faults.items() if name.startswith("constitution")
        ),
    }


def describe_field(name: str) -> str:
    """Return a field's path in words: `criteria.2.checks.0.goal` is Criterion 3, check 1, Goal."""
    words, model = list[str](), "rubric"
    for step in name.split(".") if name else ():
        if step.isdecimal():
            words.append(f"{model} {int(step) + 1}")
        elif step in _MODELS:
            model = _MODELS[step]
        elif step in form_layout().rules:
            words, model = [labels.kind_title(step)], step
        else:
            words.append(labels.label_of(model, step))

    description = ", ".join(words) or _LISTS.get(name, "The rubric")
    return description[:1].upper() + description[1:]
