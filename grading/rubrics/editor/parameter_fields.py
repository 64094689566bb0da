"""Fields of the editor's forms, read from the rubric's JSON Schema.

A new kind of check or rule in the courtroom therefore has its form at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from grading.engine import rubrics as engine_rubrics
from grading.rubrics.editor import labels
from grading.rubrics.editor.number_format import DECIMAL

Schema = Mapping[str, Any]
# Texts that need more than one line.
_LONG = {
    "instruction",
    "success_pattern",
    "failure_pattern",
    "prosecutor",
    "defense",
    "tech_lead",
    "advice",
    "snippet",
    "description",
    "pattern",
    "grading_target",
}


class Shape(StrEnum):
    """Control of a field: `lines` is a list, one item a line; `choices` a list of enum values."""

    LINE = "line"
    TEXT = "text"
    LINES = "lines"
    NUMBER = "number"
    FLAG = "flag"
    CHOICE = "choice"
    CHOICES = "choices"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One field of a model.

    `default` is the text that holds when nothing is typed; `choices` are values with their words.
    With `keeps_spaces`, spaces at the ends of a list's lines are part of the value.
    """

    name: str
    shape: Shape
    label: str
    help: str = ""
    default: str = ""
    required: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_integer: bool = False
    keeps_spaces: bool = False

    @property
    def initial(self) -> Any:
        """Value in a new form: default ticks; texts are empty and show the default in grey."""
        if self.shape == Shape.CHOICES:
            return self.default.split("\n") if self.default else []
        return self.default if self.shape == Shape.FLAG else ""

    @property
    def no_choice(self) -> str:
        """Words of the empty choice, where one may be left out."""
        return labels.NO_CHOICE.get(self.name, "None")

    @property
    def default_choices(self) -> str:
        """Choices that hold when none is ticked, in words; empty for other shapes."""
        if self.shape != Shape.CHOICES:
            return ""
        words = dict(self.choices)
        return ", ".join(words[value] for value in self.initial)

    def valid_choices(self, values: Iterable[str]) -> list[str]:
        """Return the values that are choices of this field.

        A check of another kind can have posted a text under the same name.
        """
        return [value for value in values if value in dict(self.choices)]

    def text_of(self, value: Any) -> Any:
        """Return a JSON value as the form holds it: a text, or a list for several choices."""
        if self.shape == Shape.CHOICES:
            return [str(item) for item in value or ()]
        if self.shape == Shape.LINES and isinstance(value, list):
            return "\n".join(map(str, value))
        if self.shape == Shape.FLAG:
            return "on" if value else ""
        return (
            _number_text(value) if isinstance(value, float) else "" if value is None else str(value)
        )

    def value_of(self, text: Any) -> Any:
        """Return the JSON value of a typed text; None for an empty one.

        A text that should be a number but is none stays a text, so that validation reports it.
        """
        if self.shape == Shape.CHOICES:
            return list(text) or None
        if self.shape == Shape.FLAG:
            return bool(text)
        if self.shape == Shape.LINES:
            lines = [line for line in text.split("\n") if line.strip()]
            return (lines if self.keeps_spaces else [line.strip() for line in lines]) or None
        if self.shape == Shape.NUMBER:
            return _number(text.strip()) if text.strip() else None
        return text if text.strip() else None


@dataclass(frozen=True, slots=True)
class FormLayout:
    """Fields of every model of a rubric; `about` is one line for each kind of check and rule."""

    rubric: tuple[Parameter, ...]
    criterion: tuple[Parameter, ...]
    logic: tuple[Parameter, ...]
    level: tuple[Parameter, ...]
    constitution: tuple[Parameter, ...]
    checks: Mapping[str, tuple[Parameter, ...]]
    rules: Mapping[str, tuple[Parameter, ...]]
    about: Mapping[str, str]


@cache
def form_layout() -> FormLayout:
    """Return the layout; it is read once per process."""
    schema = engine_rubrics.rubric_schema()
    models = schema["$defs"]
    checks = _kinds(models["Criterion"]["properties"]["checks"])
    rules = _kinds(models["Constitution"]["properties"]["rules"])

    return FormLayout(
        rubric=_parameters("rubric", schema),
        criterion=_parameters("criterion", models["Criterion"]),
        logic=_parameters("logic", models["JudicialLogic"]),
        level=_parameters("level", models["Level"]),
        constitution=_parameters("constitution", models["Constitution"]),
        checks={kind: _parameters(kind, models[model], "check") for kind, model in checks.items()},
        rules={kind: _parameters(kind, models[model]) for kind, model in rules.items()},
        about={
            kind: labels.kind_about(kind) or models[model].get("description", "")
            for kind, model in (checks | rules).items()
        },
    )


def _kinds(listed: Schema) -> dict[str, str]:
    """Return the kinds of a discriminated union with the names of their definitions, in order."""
    union = listed["items"]
    names = {path: kind for kind, path in union["discriminator"]["mapping"].items()}
    return {names[member["$ref"]]: member["$ref"].rsplit("/", 1)[1] for member in union["oneOf"]}


def _parameters(model: str, schema: Schema, family: str = "") -> tuple[Parameter, ...]:
    required = schema.get("required", ())
    return tuple(
        Parameter(
            name=name,
            label=labels.label_of(model, name),
            help=labels.help_of(family if family and name == "id" else model, name),
            required=name in required,
            keeps_spaces=labels.keeps_spaces(model, name),
            **shape,
        )
        for name, field in schema["properties"].items()
        # The kind has a control of its own, above the fields that it decides.
        if name != "kind"
        for shape in _shapes(model, name, field)
    )


def _shapes(model: str, name: str, field: Schema) -> Iterator[dict[str, Any]]:
    """Yield the arguments that the schema of one field gives a Parameter.

    Yield nothing for lists and objects that have panels of their own.
    """
    schema = _without_null(field)
    kind, words = schema.get("type"), _words(schema)
    items_schema = schema.get("items", {})
    if "$ref" in schema or items_schema.keys() & {"$ref", "oneOf"} or not (kind or words):
        return

    items = _words(items_schema)
    shape = _shape(name, kind, words, items)
    choices = tuple((word, labels.choice_of(word, model)) for word in words or items)
    yield {
        "shape": shape,
        "choices": choices,
        "default": _default(shape, field.get("default")),
        "minimum": schema.get("minimum", schema.get("exclusiveMinimum")),
        "maximum": schema.get("maximum"),
        "is_integer": kind == "integer",
    }


def _default(shape: Shape, value: Any) -> str:
    """Return the text of a default, shown in grey in an empty field."""
    if shape in {Shape.LINES, Shape.CHOICES}:
        return "\n".join(value or ())
    if shape == Shape.FLAG:
        return "on" if value else ""
    return "" if value is None else str(value)


def _shape(name: str, kind: str | None, words: list[str], items: list[str]) -> Shape:
    if words:
        return Shape.CHOICE
    if kind == "array":
        return Shape.CHOICES if items else Shape.LINES
    by_kind = {"boolean": Shape.FLAG, "integer": Shape.NUMBER, "number": Shape.NUMBER}
    return by_kind.get(kind or "", Shape.TEXT if name in _LONG else Shape.LINE)


def _without_null(field: Schema) -> Schema:
    """Return the type of an optional field, or the field itself when it is no such union."""
    members = [member for member in field.get("anyOf", ()) if member.get("type") != "null"]
    return members[0] if len(members) == 1 else field


def _words(field: Schema) -> list[str]:
    """Return the values of an enumeration, also of a union of several."""
    joined = [word for member in field.get("anyOf", ()) for word in _words(member)]
    return [*field.get("enum", ()), *([field["const"]] if "const" in field else ()), *joined]


def _number(text: str) -> int | float | str:
    if not DECIMAL.fullmatch(text):
        return text
    # A comma is a decimal point for many people.
    number = float(text.replace(",", "."))
    return int(number) if number.is_integer() and text.isdigit() else number


def _number_text(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
