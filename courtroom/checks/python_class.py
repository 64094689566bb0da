"""The kind `python_class`: is there a class with this name, base or fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from courtroom.checks.fault_words import matching, options
from courtroom.checks.from_sources import either, found_in_sources
from courtroom.checks.kind import CheckKind, Label, NeedsSubmission
from courtroom.checks.phrases import listed, place_of
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation


class PythonClass(CheckBase):
    """A class of this name (any name when empty), inheriting from `base` also through the repository's own classes.

    `fields`: all of them; of `argument|rationale` either. A class that has none of them and lists
    records of a class with all of them has them in these.
    """

    kind: Literal["python_class"] = "python_class"
    any_of: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


def _found(_: PythonClass, location: SourceLocation) -> str:
    place = place_of(location.path, location.line_start)
    return f"{place} defines {location.note}."


def _missing(check: PythonClass) -> str:
    name = f"class {options(check.any_of)}" if check.any_of else "class"
    base = f" inherits from {either(check.base)}" if check.base else " is defined"
    return f"No {name}{base}{_with_fields(check)}."


def _with_fields(check: PythonClass) -> str:
    noun = "field" if len(check.fields) == 1 else "fields"
    fields = [field.partition("|")[0] for field in check.fields]
    return f" with the {noun} {listed(fields)}" if fields else ""


def _subject(check: PythonClass) -> str:
    name = f"a class {either(check.any_of)}" if check.any_of else "a class"
    base = f" inheriting from {either(check.base)}" if check.base else ""
    return name + base + _with_fields(check)


def _fault(check: PythonClass) -> str:
    subject = _subject(check)
    return matching(check.is_positive, f"The code has no{subject[1:]}.", f"The code has {subject}.")


KIND = CheckKind(
    model=PythonClass,
    detective="RepoInvestigator",
    detect=found_in_sources(_found, _missing, _subject),
    search="courtroom.analysis.code_search:find_classes",
    replay=NeedsSubmission("No report lists the classes with their bases and fields."),
    fault=_fault,
    label=Label(
        title="A Python class",
        about="A class of this name, inheriting also through the repository's own classes.",
        fields={"any_of": "Class named", "base": "Inheriting from", "fields": "With the fields"},
    ),
    order=40,
)
