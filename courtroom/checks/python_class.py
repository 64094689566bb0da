"""The kind `python_class`: is there a class with this name, base or fields."""

from __future__ import annotations

from typing import Literal

from courtroom.checks.fault_words import matching
from courtroom.checks.from_sources import either, found_in_sources
from courtroom.checks.kind import CheckKind, Label, NeedsSubmission
from courtroom.models.check import CheckBase


class PythonClass(CheckBase):
    """A class of this name (any name when empty), inheriting from `base` also through the repository's own classes."""

    kind: Literal["python_class"] = "python_class"
    any_of: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


def _subject(check: PythonClass) -> str:
    name = f"a class {either(check.any_of)}" if check.any_of else "a class"
    base = f" inheriting from {either(check.base)}" if check.base else ""
    fields = f" with the fields {', '.join(check.fields)}" if check.fields else ""
    return name + base + fields


def _fault(check: PythonClass) -> str:
    subject = _subject(check)
    return matching(check.is_positive, f"The code has no{subject[1:]}.", f"The code has {subject}.")


KIND = CheckKind(
    model=PythonClass,
    detective="RepoInvestigator",
    detect=found_in_sources(_subject),
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
