"""Findings of kinds that point at places in the sources: files, texts, classes, calls, patterns.

The places were searched for in a confined child (`search` of the kind); here they become clues.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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


def found_in_sources(describe: Callable[[Any], str]) -> Detector:
    """Detector of a kind that is met by one place; `describe` names what a check looks for."""

    def detect(check: CheckBase, sources: Sources) -> Finding:
        return on_survey(
            sources, lambda survey: finding_at_locations(check, survey, describe(check))
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
    """Met from `minimum` places on; for a negative check, when it was looked for and not found.

    A check that the child never searched for is not established: no place is no proof of absence.
    """
    if check.id in survey.unanswered:
        return could_not_look(survey.unanswered[check.id])
    locations = survey.locations.get(check.id)
    if locations is None:
        return could_not_look(NOT_SEARCHED)

    if len(locations) < minimum:
        searched = (
            f"Looked for {subject} among the {survey.facts['file_count']} files of the"
            " repository: there is none."
        )
        return absent(f"Not found: {subject}.", searched, met=not check.is_positive)
    places = "1 place" if len(locations) == 1 else f"{len(locations)} places"
    clues = [location_clue(location) for location in locations]
    return present(f"Found in {places}: {subject}.", clues, met=check.is_positive)


def location_clue(location: SourceLocation) -> Clue:
    """A location without lines is a whole file: it is named, not quoted."""
    whole = f"The tree has {location.path}." if location.line_start is None else None
    return Clue(
        rationale=location.note or "Found here.",
        statement=whole,
        path=location.path,
        line_start=location.line_start,
        line_end=location.line_end,
    )


def either(options: tuple[str, ...]) -> str:
    return " or ".join(options)
