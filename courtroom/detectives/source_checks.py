"""Checks that the survey answers by pointing: a file, a text, a class, a call, an import, a pattern, a log."""

from __future__ import annotations

from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.survey import Survey
from courtroom.detectives.findings import Clue, Finding, absent, could_not_look, present
from courtroom.models.rubric import (
    Check,
    CodePattern,
    CommunicationLog,
    FeedbackLog,
    FileExists,
    PythonCall,
    PythonClass,
    PythonImport,
    TextContains,
)


def sighted(check: Check, survey: Survey) -> Finding:
    """Met when it was sighted; for a negative check, when it was looked for and not sighted."""
    if check.id in survey.unanswered:
        return could_not_look(survey.unanswered[check.id])
    locations = survey.locations.get(check.id, ())
    wanted = check.polarity == "positive"
    if len(locations) < (check.minimum if isinstance(check, CommunicationLog) else 1):
        return absent(f"Not found: {sought(check)}.", _looked_for(check, survey), met=not wanted)
    return present(_how_many(check, len(locations)), [clue_of(s) for s in locations], met=wanted)


def clue_of(location: SourceLocation) -> Clue:
    """A location without lines is of the whole file: it is named, not quoted."""
    whole = f"The tree has {location.path}." if location.line_start is None else None
    return Clue(
        rationale=location.note or "Found here.",
        statement=whole,
        path=location.path,
        line_start=location.line_start,
        line_end=location.line_end,
    )


def _how_many(check: Check, count: int) -> str:
    places = "1 place" if count == 1 else f"{count} places"
    return f"Found in {places}: {sought(check)}."


def _looked_for(check: Check, survey: Survey) -> str:
    return f"Looked for {sought(check)} among the {survey.facts['file_count']} files of the repository: there is none."


def sought(check: Check) -> str:
    """What a pointing check looks for, in words."""
    match check:
        case FileExists():
            return f"a file matching {_either(check.any_of)}"
        case TextContains():
            return f"the words {_either(check.any_of)} in {_either(check.paths)}"
        case PythonClass():
            return _sought_class(check)
        case PythonCall():
            given = f" with the argument {check.keyword}" if check.keyword else ""
            return f"a call of {_either(check.any_of)}{given}"
        case PythonImport():
            return f"an import of {_either(check.any_of)}"
        case CodePattern():
            return f"the {check.language} pattern {check.pattern!r} in {_either(check.paths)}"
        case FeedbackLog(aspect="answered"):
            return "written answers to feedback"
        case FeedbackLog():
            return f"feedback on record ({check.aspect})"
        case CommunicationLog():
            return f"a communication log with at least {check.minimum} entries"
        case _:
            return check.goal


def _sought_class(check: PythonClass) -> str:
    name = f"a class {_either(check.any_of)}" if check.any_of else "a class"
    base = f" inheriting from {_either(check.base)}" if check.base else ""
    fields = f" with the fields {', '.join(check.fields)}" if check.fields else ""
    return name + base + fields


def _either(options: tuple[str, ...]) -> str:
    return " or ".join(options)
