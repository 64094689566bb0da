"""Findings of kinds that point at places in the sources: files, texts, classes, calls, patterns.

The places were searched for in a confined child (`search` of the kind); here they become clues.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from courtroom.checks.phrases import more_of_this_kind, number_of, place_of
from courtroom.checks.result import Clue, Finding, absent, could_not_look, present, reader_failed
from courtroom.models.errors import ExaminationFailed

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation
    from courtroom.analysis.survey import Survey
    from courtroom.checks.kind import Detector
    from courtroom.checks.sources import Sources
    from courtroom.models.check import CheckBase

NOT_READ = "The sources of the repository were not read."
NOT_SEARCHED = "The sources of the repository were not searched for this."


def found_in_sources(
    found: Callable[[Any, SourceLocation], str],
    missing: Callable[[Any], str],
    subject: Callable[[Any], str],
    more: Callable[[int], str] = more_of_this_kind,
) -> Detector:
    """Detector of a kind that is met by one place.

    `found` says what stands at a place, `missing` that there is none; `subject` names what a check
    looks for, all alternatives included; `more` says how many further places there are.
    """

    def detect(check: CheckBase, sources: Sources) -> Finding:
        return on_survey(
            sources,
            lambda survey: _at_locations(
                check, survey, partial(found, check), missing(check), subject(check), more=more
            ),
        )

    return detect


def on_survey(sources: Sources, answer: Callable[[Survey], Finding]) -> Finding:
    """The answer from the survey, or why there is no survey to answer from."""
    if sources.survey is None:
        return could_not_look(NOT_READ)
    if isinstance(sources.survey, ExaminationFailed):
        return reader_failed(sources.survey)
    return answer(sources.survey)


def finding_at_locations(
    check: CheckBase, survey: Survey, subject: str, *, minimum: int = 1
) -> Finding:
    """Met from `minimum` places on; for a negative check, when it was looked for and not found."""

    def found(location: SourceLocation) -> str:
        return f"{place_of(location.path, location.line_start)} shows {subject}."

    missing = f"No file of the repository shows {subject}."
    return _at_locations(check, survey, found, missing, subject, minimum=minimum)


def _at_locations(
    check: CheckBase,
    survey: Survey,
    found: Callable[[SourceLocation], str],
    missing: str,
    subject: str,
    *,
    minimum: int = 1,
    more: Callable[[int], str] = more_of_this_kind,
) -> Finding:
    """A check that the child never searched for is not established: no place proves no absence."""
    if check.id in survey.unanswered:
        return could_not_look(survey.unanswered[check.id])
    locations = survey.locations.get(check.id)
    if locations is None:
        return could_not_look(NOT_SEARCHED)

    if not locations:
        files = number_of(survey.facts["file_count"], "file")
        searched = f"Looked for {subject} among the {files} of the repository: there is none."
        return absent(missing, searched, met=not check.is_positive)
    # A place that lacks something is shown as the nearest.
    is_enough = len(locations) >= minimum and not any(location.lacks for location in locations)
    needed = f" {minimum} are needed." if len(locations) < minimum else ""
    clues = [replace(location_clue(location), rationale=found(location)) for location in locations]
    reason = f"{found(locations[0])}{more(len(locations) - 1)}{needed}"
    # A check that should find nothing is about many things: the fault is the one that is there.
    fault = "" if check.is_positive else found(locations[0])
    return present(reason, clues, met=is_enough == check.is_positive, fault=fault)


def location_clue(location: SourceLocation) -> Clue:
    """A location without lines is a whole file: it is named, not quoted."""
    whole = f"The tree has {location.path}." if location.line_start is None else None
    return Clue(
        rationale=location.note or whole or "These lines show it.",
        statement=whole,
        path=location.path,
        line_start=location.line_start,
        line_end=location.line_end,
    )


def either(options: tuple[str, ...]) -> str:
    return " or ".join(options)
