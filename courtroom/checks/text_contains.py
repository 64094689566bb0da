"""The kind `text_contains`: are there words in the files, or in what a judge is told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from courtroom.checks.fault_words import matching, options
from courtroom.checks.from_facts import clues_at
from courtroom.checks.from_sources import (
    NOT_SEARCHED,
    either,
    found_in_sources,
    location_clue,
    on_survey,
)
from courtroom.checks.kind import CheckKind, Label, NeedsSubmission
from courtroom.checks.phrases import MOST_NAMED, clauses, listed, number_of, place_of
from courtroom.checks.result import Finding, absent, could_not_look, present
from courtroom.checks.subjects import Subjects
from courtroom.models.check import CheckBase, SearchTexts

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation
    from courtroom.analysis.survey import Survey
    from courtroom.checks.sources import Sources


class TextContains(CheckBase):
    """Any text file matching `paths` holds any of the words, case apart, white space normalised.

    With `prompt_of`, the texts recognised as prompts of this judge are searched, wherever they are
    stored, and no files by name.
    """

    kind: Literal["text_contains"] = "text_contains"
    paths: SearchTexts = ("**",)
    any_of: SearchTexts = Field(min_length=1)
    # Not written when there is none: the digests of older rubrics stay what they were.
    prompt_of: Literal["Prosecutor", "Defense", "TechLead"] | None = Field(
        default=None, exclude_if=lambda persona: persona is None
    )


def _found(_: TextContains, location: SourceLocation) -> str:
    return f"{place_of(location.path, location.line_start)} {location.note}."


def _missing(check: TextContains) -> str:
    return f"No text file matching {options(check.paths)} contains {_words(check)}."


def _words(check: TextContains) -> str:
    return options([f"“{words.strip()}”" for words in check.any_of])


def _subject(check: TextContains) -> str:
    return f"the words {either(check.any_of)} in {either(check.paths)}"


def _more_files(left: int) -> str:
    # A file is shown by one of its lines.
    return (
        f" So {'does' if left == 1 else 'do'} {number_of(left, 'more file')}." if left > 0 else ""
    )


IN_FILES = found_in_sources(_found, _missing, _subject, more=_more_files)


def _detect(check: TextContains, sources: Sources) -> Finding | None:
    if check.prompt_of is None:
        return IN_FILES(check, sources)
    return on_survey(sources, lambda survey: _in_prompts(check, survey))


def _in_prompts(check: TextContains, survey: Survey) -> Finding:
    if check.id in survey.unanswered:
        return could_not_look(survey.unanswered[check.id])
    hits = survey.locations.get(check.id)
    if hits is None:
        return could_not_look(NOT_SEARCHED)
    if hits:
        # A word is shown once, in whatever letters it stands there again.
        first_hits: dict[str, SourceLocation] = {}
        for hit in hits:
            first_hits.setdefault(hit.note.casefold(), hit)
        clues = [
            replace(location_clue(hit), rationale=f"{_prompt(check)} {hit.note}.")
            for hit in first_hits.values()
        ]
        # Each line has the same verb.
        words: dict[str, list[str]] = {}
        for hit in first_hits.values():
            place = place_of(hit.path, hit.line_start)
            words.setdefault(place, []).append(hit.note.removeprefix("contains "))
        parts = [f"{listed(quotes)} ({place})" for place, quotes in words.items()]
        left = len(parts) - MOST_NAMED
        if left > 1:
            parts = [*parts[:MOST_NAMED], f"more on {left} other lines"]
        reason = f"{_prompt(check)} contains {clauses(parts)}."
        return present(reason, clues, met=check.is_positive)

    prompts = survey.fact_locations.get("persona_prompts", ())
    prompts = tuple(prompt for prompt in prompts if prompt.note == check.prompt_of)
    if not prompts:
        reason = f"No prompt of {check.prompt_of} was found."
        return absent(reason, reason, met=not check.is_positive)
    place = place_of(prompts[0].path, prompts[0].line_start)
    reason = f"{_prompt(check)} ({place}) contains no {_words(check)}."
    clues = [replace(clue, rationale=reason) for clue in clues_at(prompts)]
    return present(reason, clues, met=not check.is_positive)


def _prompt(check: TextContains) -> str:
    return f"The prompt of {check.prompt_of}"


def _fault(check: TextContains) -> str:
    words = _words(check)
    if check.prompt_of:
        return f"{_prompt(check)} says {'no ' * check.is_positive}{words}."
    places = "" if check.paths == ("**",) else f" that matches {options(check.paths)}"
    return matching(
        check.is_positive, f"No text{places} says {words}.", f"A text{places} says {words}."
    )


def _subjects(check: TextContains) -> Subjects:
    return Subjects(("prompts",) if check.prompt_of else ())


KIND = CheckKind(
    model=TextContains,
    detective="RepoInvestigator",
    detect=_detect,
    search="courtroom.analysis.code_search:find_words",
    replay=NeedsSubmission("No report holds the text of the files."),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="A file says",
        about="Some text file says any of the words; white space is taken as one space.",
        fields={"any_of": "Any of these words", "prompt_of": "In the prompt of"},
        help={
            "any_of": "Case does not matter; spaces at the ends do.",
            "prompt_of": "Without a judge, in the files.",
        },
        # The editor must not strip what is typed here.
        exact=("any_of",),  # "run " is not in "running"
    ),
    order=30,
)
