"""The kind `python_import`: is a module imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from courtroom.checks.fault_words import matching, options
from courtroom.checks.from_sources import either, found_in_sources
from courtroom.checks.kind import CheckKind, Label, NeedsSubmission
from courtroom.checks.phrases import place_of
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation


class PythonImport(CheckBase):
    kind: Literal["python_import"] = "python_import"
    any_of: tuple[str, ...] = Field(min_length=1)


def _found(_: PythonImport, location: SourceLocation) -> str:
    return f"{place_of(location.path, location.line_start)} {location.note}."


def _missing(check: PythonImport) -> str:
    return f"No code of the product imports {options(check.any_of)}."


def _subject(check: PythonImport) -> str:
    return f"an import of {either(check.any_of)}"


def _fault(check: PythonImport) -> str:
    modules = options(check.any_of)
    return matching(
        check.is_positive, f"No code imports {modules}.", f"The code imports {modules}."
    )


KIND = CheckKind(
    model=PythonImport,
    detective="RepoInvestigator",
    detect=found_in_sources(_found, _missing, _subject),
    search="courtroom.analysis.code_search:find_imports",
    replay=NeedsSubmission("No report lists the imports of the code."),
    fault=_fault,
    label=Label(
        title="A Python import",
        about="A module is imported, under any alias.",
        fields={"any_of": "Import of any of"},
    ),
    order=60,
)
