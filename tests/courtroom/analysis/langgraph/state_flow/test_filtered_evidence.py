"""Evidence that judges pick by its goal, where no goal that is written passes for a criterion."""

from __future__ import annotations

import json

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import STATE, faults, flow_of
from tests.courtroom.sources import IMPORTS

CODE = """
class Evidence:
    goal: str

def detective(state):
    return {{"evidences": {{"a": [Evidence(goal={first}), Evidence(goal="Graph of nodes")]}}}}

def pick(evidences, key):
    return [item for item in evidences if key in item.goal]

def pick_some(evidences, key):
    some = [item for item in evidences if key in item.goal]
    return some or evidences

def judge(state):
    opinions = []
    evidences = state["evidences"]["a"]
    for row in state["rubric_dimensions"]:
        name = row["name"]
        found = []
        for item in evidences:
            if {test}:
                found.append(item)
        opinions.append(Opinion(llm.invoke(f"{{name}} {{row['instruction']}} {{found}}")))
    return {{"opinions": opinions}}
"""
ROWS = [
    {"id": "history", "name": "History", "instruction": "Count."},
    {"id": "graph", "name": "Graph Wiring", "instruction": "Look."},
    {"id": "drawing", "name": "Plan (Drawing)", "instruction": "Look."},
]
DATA = {"rubric.json": json.dumps({"dimensions": ROWS})}
ANY_WORD = "any(word in item.goal.lower() for word in name.lower().split())"
WHOLE = "row['name'].lower() in item.goal.lower()"


def flow_text(test: str) -> str:
    return f"{IMPORTS}{STATE}{CODE.format(test=test, first=0)}"


def reading(test: str, first: str = '"History"'):
    return flow_of(CODE.format(test=test, first=first), data=DATA)


@pytest.mark.parametrize(
    ("test", "criteria"),
    [
        (ANY_WORD, "1 of the 3 criteria of rubric.json (`drawing`)"),
        (f"{WHOLE} or {ANY_WORD}", "1 of the 3 criteria of rubric.json (`drawing`)"),
        (WHOLE, "2 of the 3 criteria of rubric.json (`graph` and `drawing`)"),
    ],
)
def test_criterion_for_which_no_goal_passes_is_shown_at_the_test(test: str, criteria: str):
    (fault,) = faults(reading(test), "unshown_evidence")
    assert fault.sentence == (
        f"judge shows no evidence on {criteria}: no goal that is written passes this test"
    )
    lines = flow_text(test).splitlines()
    assert test in lines[fault.line - 1]


@pytest.mark.parametrize(
    ("test", "first", "is_open"),
    [
        ("item.content", '"History"', False),
        ("item.goal == 'History'", '"History"', False),
        (f"{WHOLE}", "goal_of(state)", True),
        ("item in pick(evidences, row['id'])", '"History"', True),
        ("item in pick_some(evidences, row['id'])", '"History"', False),
    ],
)
def test_test_that_a_run_decides_is_left_open(test: str, first: str, *, is_open: bool):
    found = reading(test, first)
    assert faults(found, "unshown_evidence") == []
    assert ("unshown_evidence" in found.unread) is is_open
