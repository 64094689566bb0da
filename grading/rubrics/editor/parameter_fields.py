"""The fields of the forms, read from the JSON Schema of the rubric: a new check or rule of the courtroom is here by itself."""

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
    """How a field is typed in: `lines` is a list, one item a line; `choices` a list out of an enumeration."""

    LINE = "line"
    TEXT = "text"
    LINES = "lines"
    NUMBER = "number"
    FLAG = "flag"
    CHOICE = "choice"
    CHOICES = "choices"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One field of a model. `default` is its text when nothing is typed; `choices` are values with their words.

    `exact`: a list in whose lines the spaces at the ends count.
    """

    name: str
    shape: Shape
    label: str
    help: str = ""
    default: str = ""
    required: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    most: float | None = None
    whole: bool = False
    exact: bool = False

    @property
    def untouched(self) -> Any:
        """What stands in a new form: ticks as by default, and nothing where the default is shown greyed."""
        if self.shape == Shape.CHOICES:
            return self.default.split("\n") if self.default else []
        return self.default if self.shape == Shape.FLAG else ""

    @property
    def if_none(self) -> str:
        """What holds when no choice is ticked, in words."""
        words = dict(self.choices)
        return (
            ", ".join(words[value] for value in self.untouched)
            if self.shape == Shape.CHOICES
            else ""
        )

    def known(self, chosen: Iterable[str]) -> list[str]:
        """Those that are choices of it: a text under the same name was typed for another kind of check."""
        return [value for value in chosen if value in dict(self.choices)]

    def text_of(self, value: Any) -> Any:
        """The value as it stands in the form: a text, or the chosen of several choices."""
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
        """The JSON for what was typed; None when nothing was. What is no number stays a text, to be complained of."""
        if self.shape == Shape.CHOICES:
            return list(text) or None
        if self.shape == Shape.FLAG:
            return bool(text)
        if self.shape == Shape.LINES:
            lines = [line for line in text.split("\n") if line.strip()]
            return (lines if self.exact else [line.strip() for line in lines]) or None
        if self.shape == Shape.NUMBER:
            return _number(text.strip()) if text.strip() else None
        return text if text.strip() else None


@dataclass(frozen=True, slots=True)
class FormLayout:
    """Every model of a rubric as the fields of its form; `about` says of a kind what its model's docstring says."""

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
    """Read once per process."""
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
    """The kinds of a discriminated union, in the order of the model, each with the name of its definition."""
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
            exact=labels.keeps_spaces(model, name),
            **shape,
        )
        for name, field in schema["properties"].items()
        if name != "kind"
        for shape in _shapes(name, field)
    )


def _shapes(name: str, field: Schema) -> Iterator[dict[str, Any]]:
    """What the schema says of one field; nothing for a list or an object that has panels of its own."""
    given = _without_null(field)
    kind, words = given.get("type"), _words(given)
    if "$ref" in given or given.get("items", {}).keys() & {"$ref", "oneOf"} or not (kind or words):
        return
    items = _words(given.get("items", {}))
    shape = _shape(name, kind, words, items)
    choices = tuple((word, labels.choice_of(word)) for word in words or items)
    yield {
        "shape": shape,
        "choices": choices,
        "default": _default(shape, field.get("default")),
        "least": given.get("minimum", given.get("exclusiveMinimum")),
        "most": given.get("maximum"),
        "whole": kind == "integer",
    }


def _default(shape: Shape, value: Any) -> str:
    """The text of the default: what stands greyed in an empty field."""
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
    """What stands beside null, when that is all the union is for; else the field itself."""
    others = [member for member in field.get("anyOf", ()) if member.get("type") != "null"]
    return others[0] if len(others) == 1 else field


def _words(field: Schema) -> list[str]:
    """The values of an enumeration, also of several joined."""
    joined = [word for member in field.get("anyOf", ()) for word in _words(member)]
    return [*field.get("enum", ()), *([field["const"]] if "const" in field else ()), *joined]


def _number(text: str) -> int | float | str:
    if not DECIMAL.fullmatch(text):
        return text
    number = float(text.replace(",", "."))
    return int(number) if number.is_integer() and text.isdigit() else number


def _number_text(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
