"""The kind `python_call`: is a function called."""

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


class PythonCall(CheckBase):
    """A call of any of these dotted names, aliases resolved; `keyword`: with this argument given."""

    kind: Literal["python_call"] = "python_call"
    any_of: tuple[str, ...] = Field(min_length=1)
    keyword: str | None = None


def _found(check: PythonCall, location: SourceLocation) -> str:
    place = place_of(location.path, location.line_start)
    return f"{place} {location.note}{_with_argument(check)}."


def _missing(check: PythonCall) -> str:
    return f"No code of the product calls {options(check.any_of)}{_with_argument(check)}."


def _with_argument(check: PythonCall) -> str:
    return f" with the argument {check.keyword}" if check.keyword else ""


def _subject(check: PythonCall) -> str:
    return f"a call of {either(check.any_of)}{_with_argument(check)}"


def _fault(check: PythonCall) -> str:
    subject = _subject(check)
    return matching(check.is_positive, f"The code has no{subject[1:]}.", f"The code has {subject}.")


KIND = CheckKind(
    model=PythonCall,
    detective="RepoInvestigator",
    detect=found_in_sources(_found, _missing, _subject),
    search="courtroom.analysis.code_search:find_calls",
    replay=NeedsSubmission("No report lists the calls of the code."),
    fault=_fault,
    label=Label(
        title="A Python call",
        about="A call of any of these dotted names, aliases resolved.",
        fields={"any_of": "Call of any of", "keyword": "With the argument"},
    ),
    order=50,
)
