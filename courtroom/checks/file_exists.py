"""The kind `file_exists`: is there a path in the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from courtroom.checks.fault_words import matching, options
from courtroom.checks.from_sources import either, found_in_sources
from courtroom.checks.kind import CheckKind, Label, NeedsSubmission
from courtroom.models.check import CheckBase, SearchTexts

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation


class FileExists(CheckBase):
    """Any path of the tree matches any of the globs (`**` crosses folders)."""

    kind: Literal["file_exists"] = "file_exists"
    any_of: SearchTexts = Field(min_length=1)


def _found(_: FileExists, location: SourceLocation) -> str:
    return f"{location.path} is in the repository."


def _missing(check: FileExists) -> str:
    return f"No file of the repository matches {options(check.any_of)}."


def _subject(check: FileExists) -> str:
    return f"a file matching {either(check.any_of)}"


def _fault(check: FileExists) -> str:
    paths = options(check.any_of)
    return matching(
        check.is_positive, f"No file matches {paths}.", f"There is a file that matches {paths}."
    )


KIND = CheckKind(
    model=FileExists,
    detective="RepoInvestigator",
    detect=found_in_sources(_found, _missing, _subject),
    search="courtroom.analysis.code_search:find_files",
    replay=NeedsSubmission("No report lists the files of the repository."),
    fault=_fault,
    label=Label(
        title="A file exists",
        about="Some path of the repository matches.",
        fields={"any_of": "Any of these paths"},
        help={"any_of": "** crosses folders."},
    ),
    order=20,
)
