"""The kind `code_pattern`: does an ast-grep pattern match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from courtroom.checks.fault_words import matching, options
from courtroom.checks.from_sources import either, found_in_sources
from courtroom.checks.kind import CheckKind, Label, NeedsSubmission
from courtroom.checks.phrases import place_of
from courtroom.models.check import CheckBase, SearchText, SearchTexts

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation


class CodePattern(CheckBase):
    """An ast-grep pattern in any language that ast-grep reads."""

    kind: Literal["code_pattern"] = "code_pattern"
    language: str
    pattern: SearchText = Field(min_length=1)
    paths: SearchTexts = ("**",)


def _found(check: CodePattern, location: SourceLocation) -> str:
    return f"{place_of(location.path, location.line_start)} matches {_pattern(check)}."


def _missing(check: CodePattern) -> str:
    return f"No code in {options(check.paths)} matches {_pattern(check)}."


def _pattern(check: CodePattern) -> str:
    return f"the {check.language} pattern {check.pattern!r}"


def _subject(check: CodePattern) -> str:
    return f"{_pattern(check)} in {either(check.paths)}"


def _fault(check: CodePattern) -> str:
    places = "" if check.paths == ("**",) else f" in {options(check.paths)}"
    subject = f"code in {check.language}{places} matches {check.pattern}"
    return matching(check.is_positive, f"No {subject}.", f"Some {subject}.")


KIND = CheckKind(
    model=CodePattern,
    detective="RepoInvestigator",
    detect=found_in_sources(_found, _missing, _subject),
    search="courtroom.analysis.code_search:find_pattern",
    replay=NeedsSubmission("No report holds the text of the files."),
    fault=_fault,
    label=Label(
        title="A pattern of code",
        about="An ast-grep pattern, in any language that ast-grep reads.",
    ),
    order=170,
)
