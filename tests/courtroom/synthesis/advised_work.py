"""A work to advise on, with a place in its graph."""

from courtroom.synthesis.advice.work import Work

PLACE = {"path": "graph.py", "line": 9}
STATE = {"name": "CourtState", "path": "state.py", "line": 3, "kind": "TypedDict"}


def work(**facts):
    return Work({"state_class": STATE} | facts, {}, {})
