"""Searches for evidence by a goal that no code writes."""

from __future__ import annotations

import json

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of

CODE = """
from pydantic import BaseModel
class Evidence(BaseModel):
    goal: str
    found: bool
def goal_of(item):
    return item["goal"] if isinstance(item, dict) else item.goal

def detective(state, rubric, made=None):
    made = {made}
    return {{"evidences": {{"doc": [made, Evidence(goal="Files", found=True)]}}}}
def judge(state):
    rows = [Evidence(**row) for row in state["evidences"]["doc"]]
    return {{"opinions": [row for row in rows if {test}]}}
"""
RUBRIC = json.dumps({"dimensions": [{"id": "paths", "name": "Paths (cross-reference)"}]})
NAMED = 'Evidence(goal=rubric[0].get("name", "Paths"), found=True)'


def found(test: str, made: str = NAMED) -> list[str]:
    reading = flow_of(CODE.format(test=test, made=made), data={"rubric.json": RUBRIC})
    return [fault.sentence for fault in faults(reading, "other_key")]


@pytest.mark.parametrize("test", ['row.goal == "Paths"', 'goal_of(row) == "Paths"'])
def test_goal_that_the_rubric_spells_otherwise_is_not_there(test: str):
    assert found(test) == [
        (
            "judge() looks for evidence with the goal 'Paths'; no code writes that goal, only"
            " 'Paths (cross-reference)'"
        )
    ]


def test_goal_that_nothing_writes_is_not_there():
    assert found('row.goal == "Security"') == [
        "judge() looks for evidence with the goal 'Security'; no code writes that goal"
    ]


def test_goal_that_no_f_string_can_make_is_not_there():
    made = 'Evidence(goal=f"File exists: {state}", found=True)'
    assert found('row.goal == "Judges use it"', made) == [
        "judge() looks for evidence with the goal 'Judges use it'; no code writes that goal"
    ]


@pytest.mark.parametrize(
    ("test", "made"),
    [
        ('row.goal == "File exists: a.py"', 'Evidence(goal=f"File exists: {state}", found=True)'),
        ('row.goal == "The file is there"', 'Evidence(goal=f"{state} is there", found=True)'),
        ('row.goal == "Paths"', 'Evidence(goal=f"{state}", found=True)'),
        ('row.goal == "Files"', NAMED),
        ('row.goal == "Paths (cross-reference)"', NAMED),
        ('row.goal == "Paths" or row.goal == "Files"', NAMED),
        ('row.goal.lower() == "Paths"', NAMED),
        ('row.goal == "Paths"', 'Evidence(goal="Paths" if state else "No paths", found=True)'),
        ('row.goal == "Paths"', "Evidence(goal=state['pdf_path'].upper(), found=True)"),
        ('row.goal == "Paths"', "Evidence(**ask(state))"),
        ('row.goal == "Paths"', "Evidence('Paths', True)"),
        ('row.goal == "Paths"', "Evidence(goal=made, found=True)"),
        ('row.goal == "Paths"', 'Evidence(goal=rubric[0]["title"] or "Paths", found=True)'),
    ],
)
def test_goal_that_may_be_written_is_no_fault(test: str, made: str):
    assert found(test, made) == []


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ('"Safe" in row.goal', "'Safe'"),
        ('"safe" in row.goal.lower() or "shell" in row.goal', "one of 'safe' and 'shell'"),
        ('row.found and "Safe" in row.goal', "'Safe'"),
    ],
)
def test_word_that_no_goal_has_is_sought_in_vain(test: str, words: str):
    assert found(test) == [
        (
            f"judge() looks for evidence with {words} in its goal; no evidence that it goes through"
            " has such a goal"
        )
    ]


@pytest.mark.parametrize(
    ("test", "made"),
    [
        ('"cross" in row.goal', NAMED),
        ('"Safe" in row.goal or "Safe" in row.location', NAMED),
        ('"Safe" in row.goal', 'Evidence(goal=f"File: {state}", found=True)'),
        ('"Safe" in row.goal', "model.with_structured_output(Evidence).invoke(state)"),
        ('"Safe" not in row.goal', NAMED),
        ("state in row.goal", NAMED),
    ],
)
def test_word_that_a_goal_may_have_is_no_fault(test: str, made: str):
    assert found(test, made) == []


OPEN_GOAL = 'Evidence(goal=f"Paths: {state}", found=True)'


def test_word_that_a_goal_spells_otherwise_is_sought_in_vain_beside_an_open_goal():
    code = CODE.replace('"Files"', '"Path cross-reference"')
    reading = flow_of(code.format(test='"cross_reference" in row.goal.lower()', made=OPEN_GOAL))
    (fault,) = faults(reading, "other_key")
    assert (fault.sentence, fault.other) == (
        (
            "judge() looks for evidence with 'cross_reference' in its goal; no goal of what it goes"
            " through is written with it, and 'Path cross-reference' spells it otherwise"
        ),
        ("src/graph.py", 22),
    )


@pytest.mark.parametrize(
    ("test", "made", "beside"),
    [
        ('"cross_reference" in row.goal', OPEN_GOAL, "CHECKS = ['cross_reference']"),
        ('"cross_reference" in row.goal or "Path" in row.goal', OPEN_GOAL, ""),
        ('"cross_reference" in row.goal', OPEN_GOAL.replace("Paths", "cross_reference"), ""),
        ('"cross_reference" in row.goal', "Evidence(goal=state['title'], found=True)", ""),
        ('"safe_clone" in row.goal', OPEN_GOAL, ""),
        ('"cross" in row.goal', OPEN_GOAL, ""),
        ('"path_s" in row.goal and Evidence(goal="Path s", found=True)', OPEN_GOAL, ""),
    ],
)
def test_word_that_an_open_goal_may_have_is_no_fault(test: str, made: str, beside: str):
    code = CODE.replace('"Files"', '"Path cross-reference"').format(test=test, made=made)
    assert faults(flow_of(code + beside), "other_key") == []


def test_second_of_two_tests_that_lead_to_the_same_is_no_fault():
    code = CODE.format(test="row.found", made=NAMED) + (
        "def second_judge(state):\n"
        "    for row in state['evidences']['doc']:\n"
        "        if row.goal == 'Files':\n"
        "            state = None\n"
        "        if 'Safe' in row.goal:\n"
        "            state = None\n"
        "    return {'opinions': [state]}\n"
    )
    assert faults(flow_of(code, data={"rubric.json": RUBRIC}), "other_key") == []
