"""A survey as a test wants it, places in it, and the lines that a finding on it shows."""

from courtroom.analysis.locations import Sighting
from courtroom.analysis.survey import Survey

ASKED = {"id": "c", "goal": "a goal"}


def survey(*, facts=None, reasons=None, sightings=None, unanswered=None, places=None):
    return Survey(
        facts={"python_file_count": 2, "file_count": 2, **(facts or {})},
        reasons=reasons or {},
        sightings={"c": sightings} if sightings is not None else {},
        unanswered=unanswered or {},
        places=places or {},
        paths=("a.py", "b.py"),
        errors=(),
    )


def at(path, line, note=""):
    return Sighting(path, line, line, note)


def lines(finding):
    return [(clue.path, clue.line_start) for clue in finding.clues]
