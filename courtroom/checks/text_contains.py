"""The kind `text_contains`: are there words in the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from courtroom.checks.fault_words import matching, options
from courtroom.checks.from_sources import either, found_in_sources
from courtroom.checks.kind import CheckKind, Label, NeedsSubmission
from courtroom.checks.phrases import place_of
from courtroom.models.check import CheckBase, SearchTexts

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation


class TextContains(CheckBase):
    """Any text file matching `paths` holds any of the words, case apart, white space normalised."""

    kind: Literal["text_contains"] = "text_contains"
    paths: SearchTexts = ("**",)
    any_of: SearchTexts = Field(min_length=1)


def _found(_: TextContains, location: SourceLocation) -> str:
    return f"{place_of(location.path, location.line_start)} {location.note}."


def _missing(check: TextContains) -> str:
    words = options([f"“{words}”" for words in check.any_of])
    return f"No text file matching {options(check.paths)} contains {words}."


def _subject(check: TextContains) -> str:
    return f"the words {either(check.any_of)} in {either(check.paths)}"


def _fault(check: TextContains) -> str:
    words = options([f"“{words.strip()}”" for words in check.any_of])
    places = "" if check.paths == ("**",) else f" that matches {options(check.paths)}"
    return matching(
        check.is_positive, f"No text{places} says {words}.", f"A text{places} says {words}."
    )


KIND = CheckKind(
    model=TextContains,
    detective="RepoInvestigator",
    detect=found_in_sources(_found, _missing, _subject),
    search="courtroom.analysis.code_search:find_words",
    replay=NeedsSubmission("No report holds the text of the files."),
    fault=_fault,
    label=Label(
        title="A file says",
        about="Some text file says any of the words; white space is taken as one space.",
        fields={"any_of": "Any of these words"},
        help={"any_of": "Case does not matter; spaces at the ends do."},
        # The editor must not strip what is typed here.
        exact=("any_of",),  # "run " is not in "running"
    ),
    order=30,
)
