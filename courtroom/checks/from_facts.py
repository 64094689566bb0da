"""Findings of kinds that rest on facts of the survey: state, graph, clone, safety, judges, rules.

A fact that is null is not established, and neither is the check; only an established fact decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from courtroom.analysis.locations import SourceLocation
from courtroom.checks.from_sources import location_clue, on_survey
from courtroom.checks.phrases import number_of, place_of
from courtroom.checks.result import Clue, Finding, absent, could_not_look, present
from courtroom.checks.subjects import Absence, Part, unreached

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey
    from courtroom.checks.kind import Detector, Replay
    from courtroom.checks.sources import Sources
    from courtroom.models.check import CheckBase
    from courtroom.replay.stored_report import StoredReport

Answer = Callable[[Any, "Survey"], Finding]
UNREACHED: dict[Part, str] = {
    "judges": "No run reaches these judges.",
    "justice": "No run reaches this code.",
}
NO_LINES = "The report that was stored names no line for this."
# What to say of a yes-or-no fact: where it is true, and where it is false.
Sentences = tuple[str, str]


def from_facts(answer: Answer) -> Detector:
    """Detector that answers from the facts of the survey."""

    def detect(check: CheckBase, sources: Sources) -> Finding:
        return on_survey(sources, lambda survey: answer(check, survey))

    return detect


def from_stored_facts(answer: Answer) -> Replay:
    """Replay of such a detector: a stored report holds the same facts."""

    def replay(check: CheckBase, report: StoredReport) -> Finding:
        return answer(check, report.survey())

    return replay


def flag(name: str, fallback: str, survey: Survey, sentences: Sentences) -> Finding:
    """A yes-or-no fact with its own places, or those of the fact it was read from."""
    value = survey.facts.get(name)
    if value is None:
        return unknown(name, survey)
    locations = survey.fact_locations.get(name) or survey.fact_locations.get(fallback, ())
    return decided(value, locations, survey, sentences)


def of_absence(absence: Absence) -> Finding:
    return present(absence.cause.sentence, [absence.clue], met=False)


def by_run(part: Part, finding: Finding, survey: Survey) -> Finding:
    """Return the finding; one that is met holds of no run where none reaches the part."""
    absence = unreached(part, survey.facts) if finding.met else None
    return of_absence(absence) if absence else finding


def with_reach(part: Part, finding: Finding, survey: Survey) -> Finding:
    """Return the finding; one that is met on code which no run reaches has that reservation."""
    if not finding.met or not unreached(part, survey.facts):
        return finding
    return replace(finding, reason=f"{finding.reason} {UNREACHED[part]}", has_reservation=True)


def decided(
    value: bool,
    locations: Sequence[SourceLocation],
    survey: Survey,
    sentences: Sentences,
) -> Finding:
    """The sentence with its first place; an established fact without a line is a statement."""
    sentence = sentences[0] if value else sentences[1]
    if not locations:
        statement = f"Looked for it in {files_of(survey)}." if not value else NO_LINES
        return absent(sentence, statement, met=value)
    reason = with_place(sentence, locations[0].path, locations[0].line_start)
    return present(reason, clues_at(locations, sentence), met=value)


def with_place(sentence: str, path: str, line: int | None) -> str:
    """The sentence, and where to see it."""
    place = place_of(path, line)
    return sentence if path in sentence else f"{sentence.removesuffix('.')} ({place})."


def clues_at(locations: Sequence[SourceLocation], sentence: str = "") -> list[Clue]:
    """One clue for each line: a loop makes several edges on one line.

    Where a location has no note of its own, `sentence` is what it shows.
    """
    notes: dict[tuple[str, int | None, int | None], list[str]] = {}
    for location in locations:
        span = (location.path, location.line_start, location.line_end)
        notes.setdefault(span, []).append(location.note)
    return [
        location_clue(
            SourceLocation(*span, "; ".join(dict.fromkeys(filter(None, texts))) or sentence)
        )
        for span, texts in notes.items()
    ]


def line_clue(place: Mapping[str, Any], rationale: str) -> Clue:
    """The line of a fact that is a place itself."""
    return Clue(
        rationale=rationale, path=place["path"], line_start=place["line"], line_end=place["line"]
    )


def unknown(name: str, survey: Survey) -> Finding:
    return could_not_look(survey.reasons.get(name, f"The survey did not establish {name}."))


def nothing(reason: str, subject: str, survey: Survey, *, met: bool = False) -> Finding:
    return absent(reason, searched(subject, survey), met=met)


def searched(subject: str, survey: Survey, result: str = "nothing was found") -> str:
    return f"Looked for {subject} in {files_of(survey)}: {result}."


def files_of(survey: Survey) -> str:
    count = survey.facts.get("python_file_count")
    if count is None:
        return "the Python files of the repository"
    unread = [path for path in survey.facts.get("unreadable_files") or () if path.endswith(".py")]
    files = number_of(max(count - len(unread), 0), "Python file")
    return f"the {files} of the repository{' that can be read' if unread else ''}"
