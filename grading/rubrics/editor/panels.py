"""Panels of the editor's page: fields with their texts and errors, grouped by item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from grading.engine import audits as engine_audits
from grading.rubrics.editor import labels
from grading.rubrics.editor.field_errors import FieldErrors
from grading.rubrics.editor.number_format import format_number, parse_number
from grading.rubrics.editor.parameter_fields import Parameter, Shape, form_layout
from grading.rubrics.editor.posted_values import FormTexts
from grading.rubrics.editor.rubric_form import fields_of

# In the order in which people fill them in. Between them stand the fields of the check's kind.
CHECK_FIRST = ("goal", "fault")
CHECK_LAST = (
    "weight",
    "polarity",
    "concern",
    "essential",
    "effort",
    "id",
    "tags",
    "advice",
    "snippet",
)
INSTRUCTIONS = (
    "name",
    "id",
    "target_artifact",
    "instruction",
    "success_pattern",
    "failure_pattern",
)
WORTH = ("weight", "max_points", "exclude_when", "architecture")
LEVEL = ("name", "points", "description", "id")
# JavaScript replaces this in the copies of empty items.
BLANK = "__path__"


@dataclass(frozen=True, slots=True)
class Field:
    """One control. `name` is its path in the form and the id of its element.

    `before` is the part of the text before the faulty character; the page points below it.
    """

    name: str
    parameter: Parameter
    value: Any
    errors: tuple[str, ...] = ()
    before: str | None = None

    @property
    def shape(self) -> str:
        return self.parameter.shape.value

    @property
    def is_unknown(self) -> bool:
        """A value that is not among the choices: it is kept and reported as an error."""
        return bool(self.value) and self.value not in dict(self.parameter.choices)

    @property
    def boxes(self) -> list[tuple[str, str]]:
        """Choices with the ticked ones first, in the stored order.

        Browsers post boxes in the order of the page, so saving an untouched draft keeps the order.
        """
        words = dict(self.parameter.choices)
        ticked = [(value, words[value]) for value in self.value if value in words]
        return [*ticked, *(choice for choice in self.parameter.choices if choice not in ticked)]

    @property
    def chosen(self) -> str:
        """The value in words, for a read-only page."""
        words = dict(self.parameter.choices)
        if self.parameter.shape == Shape.CHOICES:
            return ", ".join(words.get(value, value) for value in self.value)
        return words.get(self.value, str(self.value))

    @property
    def rows(self) -> int:
        """Height of a text area: 2 to 10 rows, by its text."""
        # About 90 characters fit in a row; the lines of a list do not wrap.
        row_length = 90 if self.parameter.shape == Shape.TEXT else 10**6
        needed = sum(1 + len(line) // row_length for line in str(self.value).split("\n"))
        return min(max(needed, 2), 10)


@dataclass(frozen=True, slots=True)
class Panel:
    """A criterion, check, level or rule on the page. `parts` are its fields by group."""

    path: str
    title: str
    parts: Mapping[str, list[Field]]
    errors: tuple[str, ...] = ()
    problems: int = 0
    is_open: bool = False
    # Only checks and rules have the next three, only checks have leftovers.
    kind: str = ""
    about: str = ""
    applies: bool = True
    lists: Mapping[str, list[Panel]] = field(default_factory=dict)
    leftovers: tuple[tuple[str, str], ...] = ()

    @property
    def points_warning(self) -> str:
        """A criterion's mismatch of levels and maximum points: no fault, but seldom intended."""
        cells = [cell for level in self.lists["levels"] for cell in level.parts["cells"]]
        top = max(
            (parse_number(cell.value) for cell in cells if cell.name.endswith(".points")),
            default=None,
        )
        maximum = next(f.value for f in self.parts["worth"] if f.name.endswith(".max_points"))
        if top is None or (maximum.strip() and parse_number(maximum) == top):
            return ""
        if not maximum.strip():
            return (
                "The levels have points, but the criterion has no maximum: "
                "it will be worth 0 points."
            )
        return f"The best level is worth {format_number(top)} points, the criterion {maximum}."

    @property
    def kind_name(self) -> str:
        return labels.kind_title(self.kind)

    @property
    def size(self) -> str:
        """A criterion's number of checks and its points."""
        checks = len(self.lists["checks"])
        points = next(f.value for f in self.parts["worth"] if f.name.endswith(".max_points"))
        return f"{checks} check{'' if checks == 1 else 's'}" + (
            f", {points} points" if points else ""
        )


def fields(
    parameters: Iterable[Parameter], texts: Mapping[str, Any], path: str, faults: FieldErrors
) -> list[Field]:
    """Return the controls of one model's fields; `path` is empty for the rubric's own."""
    stem = f"{path}." if path else ""
    return [
        Field(stem + p.name, p, texts[p.name], faults.get(stem + p.name, ())) for p in parameters
    ]


def criterion_panel(texts: FormTexts, path: str, faults: FieldErrors, open_path: str = "") -> Panel:
    layout = form_layout()
    by_name = {p.name: p for p in layout.criterion}
    remaining = [p for name, p in by_name.items() if name not in INSTRUCTIONS + WORTH]
    logic = fields(layout.logic, texts["judicial_logic"], f"{path}.judicial_logic", faults)

    return Panel(
        path=path,
        title=texts["name"],
        parts={
            "instructions": fields([by_name[name] for name in INSTRUCTIONS], texts, path, faults),
            "worth": fields([by_name[name] for name in WORTH], texts, path, faults),
            "logic": logic,
            "remaining": fields(remaining, texts, path, faults),
        },
        lists={
            "levels": [
                level_panel(item, f"{path}.levels.{n}", faults)
                for n, item in enumerate(texts["levels"])
            ],
            "checks": [
                check_panel(item, f"{path}.checks.{n}", faults, open_path)
                for n, item in enumerate(texts["checks"])
            ],
        },
        errors=faults.get(path, ()),
        problems=_problems(path, faults),
        is_open=_is_open(path, faults, open_path),
    )


def level_panel(texts: FormTexts, path: str, faults: FieldErrors) -> Panel:
    """Return a level as one row of the table."""
    by_name = {p.name: p for p in form_layout().level}
    remaining = [name for name in by_name if name not in LEVEL]
    cells = fields([by_name[name] for name in (*LEVEL, *remaining)], texts, path, faults)
    return Panel(
        path=path, title=texts["name"], parts={"cells": cells}, errors=faults.get(path, ())
    )


def check_panel(texts: FormTexts, path: str, faults: FieldErrors, open_path: str = "") -> Panel:
    kind = texts["kind"]
    by_name = {p.name: p for p in fields_of(kind)}
    own = [name for name in by_name if name not in CHECK_FIRST + CHECK_LAST]
    parts = {
        "first": CHECK_FIRST,
        "own": own,
        "last": [name for name in CHECK_LAST if name in by_name],
    }

    return Panel(
        path=path,
        title=texts["goal"],
        kind=kind,
        about=form_layout().about.get(kind, ""),
        parts={
            part: fields([by_name[n] for n in names], texts, path, faults)
            for part, names in parts.items()
        },
        # The control of the kind shows no errors itself.
        errors=(*faults.get(path, ()), *faults.get(f"{path}.kind", ())),
        problems=_problems(path, faults),
        is_open=_is_open(path, faults, open_path),
        leftovers=tuple(
            (f"{path}.{name}", text) for name, sent in texts["leftovers"].items() for text in sent
        ),
    )


def rule_panel(kind: str, texts: FormTexts, faults: FieldErrors) -> Panel:
    """Return a rule's panel: `dials` are its numbers, `rest` its other fields."""
    path = f"constitution.rules.{kind}"
    all_fields = list(
        map(_with_fault_place, fields(form_layout().rules[kind], texts, path, faults))
    )

    return Panel(
        path=path,
        title=labels.kind_title(kind),
        kind=kind,
        about=form_layout().about[kind],
        applies=bool(texts["applies"]),
        parts={
            "dials": [f for f in all_fields if f.parameter.shape == Shape.NUMBER],
            "rest": sorted(
                (f for f in all_fields if f.parameter.shape != Shape.NUMBER),
                key=lambda f: f.parameter.name == "when",
            ),
        },
        errors=faults.get(path, ()),
        problems=_problems(path, faults),
    )


def _with_fault_place(control: Field) -> Field:
    """Return a guard's control with the place of its fault, any other control unchanged."""
    if control.parameter.name != "when" or not control.errors:
        return control

    fault = engine_audits.check_guard(control.value)
    return replace(control, before=control.value[: fault[0]]) if fault else control


def _problems(path: str, faults: FieldErrors) -> int:
    return sum(
        len(messages) for name, messages in faults.items() if f"{name}.".startswith(f"{path}.")
    )


def _is_open(path: str, faults: FieldErrors, open_path: str) -> bool:
    return bool(_problems(path, faults)) or f"{open_path}.".startswith(f"{path}.")
