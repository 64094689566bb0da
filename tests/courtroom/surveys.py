"""Surveys for tests, with locations in them, and the lines of a finding."""

from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.survey import Survey
from courtroom.checks.registry import kind_of
from courtroom.checks.sources import Sources

CHECK_FIELDS = {"id": "c", "goal": "a goal"}


def survey(*, facts=None, reasons=None, locations=None, unanswered=None, places=None):
    return Survey(
        facts={"python_file_count": 2, "file_count": 2, **(facts or {})},
        reasons=reasons or {},
        locations={"c": locations} if locations is not None else {},
        unanswered=unanswered or {},
        fact_locations=places or {},
        paths=("a.py", "b.py"),
        errors=(),
    )


def detected(check, read):
    """Return the finding of the check's kind on this survey."""
    kind = kind_of(check)
    assert kind is not None
    return kind.detect(check, Sources(survey=read))


def location_at(path, line, note=""):
    return SourceLocation(path, line, line, note)


def clue_lines(finding):
    return [(clue.path, clue.line_start) for clue in finding.clues]
