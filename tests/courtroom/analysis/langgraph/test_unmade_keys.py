"""Judges without a model that look up keys that nothing else in the work names."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.langgraph.judging.unmade_keys import unmade_keys
from tests.courtroom.analysis.test_shown_places import surveyed
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of

COURT = """
class Opinion(BaseModel):
    judge: str
    score: int
def detective(state):
    return {{"evidences": {{"git": {{"commit_shas": list(state["path"])}}}}}}
def prosecutor(state):
    payload = unwrap(state)
    has_it = bool({lookup})
    return {{"opinions": [Opinion(judge="Prosecutor", score=3 if has_it else 1)]}}
def defense(state):
    return {{"opinions": [Opinion(judge="Defense", score=4)]}}
def unwrap(state):
    return state["evidences"]["git"]
def chief_justice(state):
    total = sum(o.score for o in state["opinions"])
    for o in state["opinions"]:
        if o.judge == "Prosecution" and o.score == 1:
            total = min(total, 3)
    return {{"final_report": total}}
g = StateGraph(dict)
for name, node in (("detective", detective), ("chief_justice", chief_justice)):
    g.add_node(name, node)
for name, node in (("prosecutor", prosecutor), ("defense", defense)):
    g.add_node(name, node)
    g.add_edge("detective", name)
g.add_edge(START, "detective")
g.add_edge(["prosecutor", "defense"], "chief_justice")
app = g.compile()
"""


def lookups_in(lookup: str, more: str = "") -> list[tuple[str, int]]:
    code = COURT.format(lookup=lookup)
    call_graph, layers = layers_of(symbols_of(f"{IMPORTS}{code}{more}"))
    rows = unmade_keys(call_graph.symbols, layers)
    return [(row.sentence, row.line - IMPORTS.count("\n")) for row in rows]


def test_key_that_no_other_code_has_is_named():
    sentence = (
        "prosecutor() looks up `tests` and `test_files`, which no code but the judges' and"
        " no data of the work names"
    )
    assert lookups_in("payload.get('tests') or payload.get('test_files')") == [(sentence, 9)]


@pytest.mark.parametrize(
    ("lookup", "more"),
    [
        ("payload.get('commit_shas')", ""),
        # One of the two is there.
        ("payload.get('commits') or payload.get('commit_shas')", ""),
        ("payload.get('tests')", "def other(path):\n    return {'tests': path}\n"),
        ("payload.get('error')", ""),
        ("settings.get('strictness')", ""),
        # Another search is for what the rubric lacks.
        ("criterion.get('weighting')", ""),
        ("row.get('judicial_logic')", ""),
        ("payload.get('tests', llm.invoke(payload))", ""),
    ],
)
def test_key_that_may_be_there_is_no_fault(lookup: str, more: str):
    assert lookups_in(lookup, more) == []


def test_cap_that_waits_for_another_name_of_the_prosecutor_is_said_of_the_rule(tmp_path: Path):
    code = COURT.format(lookup="payload.get('commit_shas')")
    work = surveyed({"src/graph.py": f"{IMPORTS}{code}"}, tmp_path)
    assert work.facts["rules"]["security_override"] is False
    (location,) = work.fact_locations["security_override"]
    assert location.note == (
        "a cap of the score by what the Prosecutor gives waits for `judge` to be 'Prosecution',"
        " which the judges never write"
    )
    (fault,) = (f for f in work.facts["state_flow"]["faults"] if f["kind"] == "impossible_test")
    assert "so its cap of the score in line" in fault["sentence"]
