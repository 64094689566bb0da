"""Criteria of the work's rubric that the judges' loops leave out."""

from __future__ import annotations

import json

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import STATE, faults, flow_of, sentences
from tests.courtroom.sources import IMPORTS

CODE = """
ARTIFACTS = ["repo", "pages"]

class Evidence:
    goal: str

def detective(state):
    return {{"evidences": {{"a": [Evidence(goal="history"), Evidence(goal="Graph of nodes")]}}}}

def judge(state):
    opinions = []
    evidences = state["evidences"]["a"]
    rubric = state["rubric_dimensions"]
{body}
    return {{"opinions": opinions}}
"""
ROWS = [
    {"id": "history", "name": "History", "target": "repo"},
    {"id": "graph", "name": "Graph", "target": "repo"},
    {"id": "drawing", "name": "Drawing", "target": "report"},
]
RUBRIC = {"rubric.json": json.dumps({"dimensions": ROWS})}
ADD = "        opinions.append(Opinion(row))"
FOUND = """
    for row in rubric:
        found = []
        for item in evidences:
            if row["id"] in item.goal or row["name"].lower() in item.goal.lower():
                found.append(item)
"""


def left_out(body: str, data=RUBRIC) -> list[str]:
    return sentences(flow_of(CODE.format(body=body), data=data), "left_out_criterion")


def no_opinion(keys: str, reason: str, count: int = 1) -> list[str]:
    share = f"{count} of the 3 criteria of rubric.json"
    return [f"the judges give no opinion on {share} ({keys}), {reason}"]


def test_rubric_under_another_name_is_known_by_its_criteria():
    body = f"    for row in rubric:\n        if row['target'] == 'repo':\n    {ADD}"
    rows = [row | {"success_pattern": "all of it"} for row in ROWS]
    (sentence,) = left_out(body, {"court/week.json": json.dumps({"dimensions": rows})})

    assert "1 of the 3 criteria of court/week.json (`drawing`)" in sentence
    assert left_out(body, {"court/week.json": json.dumps({"criteria": ROWS})}) == []


@pytest.mark.parametrize(
    ("body", "test"),
    [
        (
            f"    for row in rubric:\n        if row['target'] != 'repo':\n            continue\n{ADD}",
            "row['target'] != 'repo'",
        ),
        (
            f"    for row in rubric:\n        if row.get('target') == 'repo':\n    {ADD}",
            "row.get('target') == 'repo'",
        ),
        (
            f"    for row in rubric:\n        kind = row['target']\n        if kind not in ARTIFACTS:\n            continue\n{ADD}",
            "kind not in ARTIFACTS",
        ),
        (
            f"    for row in [r for r in rubric if r['target'] == 'repo']:\n{ADD}",
            "r['target'] == 'repo'",
        ),
    ],
)
def test_test_of_what_the_rubric_says_leaves_criteria_out(body, test):
    assert left_out(body) == no_opinion("`drawing`", f"left out by the test `{test}`")


@pytest.mark.parametrize(
    "body",
    [
        f"{FOUND}        if not found:\n            continue\n{ADD}",
        f"{FOUND}        if found:\n    {ADD}",
        f"    for row in rubric:\n        found = [e for e in evidences if row['id'] in e.goal.lower()]\n        if not found:\n            continue\n{ADD}",
    ],
)
def test_criterion_that_no_goal_names_is_left_out_for_want_of_evidence(body):
    reason = "left out for want of evidence with a goal that fits"
    assert left_out(body) == no_opinion("`drawing`", reason)


LISTED = "    keys = KEYS\n"


@pytest.mark.parametrize(
    "rows", ["KEYS", "keys", "[key for key in keys]", "[key for key in KEYS if key in evidences]"]
)
def test_list_is_followed_under_another_name_and_through_a_comprehension(rows: str):
    body = f"{LISTED}    rows = {rows}\n    for row in rows:\n{ADD}"
    code = f"KEYS = ['history', 'graph']\n{CODE.format(body=body)}"
    reading = flow_of(code, data=RUBRIC)

    expected = no_opinion("`drawing`", "absent from the list that is judged")
    assert sentences(reading, "left_out_criterion") == expected


@pytest.mark.parametrize(
    ("test", "is_open"), [("key in evidences", True), ("key in KEYS", False), ("key", False)]
)
def test_test_of_what_a_run_stores_leaves_open_what_is_judged(test: str, *, is_open: bool):
    body = f"    rows = [key for key in KEYS if {test}]\n    for row in rows:\n{ADD}"
    keys = [row["id"] for row in ROWS]
    reading = flow_of(f"KEYS = {keys}\n{CODE.format(body=body)}", data=RUBRIC)

    assert faults(reading, "left_out_criterion") == []
    reason = reading.unread.get("left_out_criterion", "")
    assert reason.endswith(
        "it was not established which criteria pass the test `key in evidences`"
    ) == (is_open)


def test_criteria_that_a_written_list_does_not_have_are_left_out_at_the_list():
    body = f"    for row in [('history', 1), ('graph', 2)]:\n{ADD}"
    (fault,) = faults(flow_of(CODE.format(body=body), data=RUBRIC), "left_out_criterion")
    assert [fault.sentence] == no_opinion("`drawing`", "absent from the list that is judged")
    lines = f"{IMPORTS}{STATE}{CODE.format(body=body)}".splitlines()
    assert lines[fault.line - 1].strip().startswith("for row in")


@pytest.mark.parametrize(
    "body",
    [
        # Each criterion gets an opinion, in one way or in another.
        f"    for row in rubric:\n        if row['target'] != 'repo':\n            opinions.append(Opinion())\n            continue\n{ADD}",
        f"    for row in rubric:\n        if row['target'] == 'repo':\n    {ADD}\n        else:\n    {ADD}",
        f"{FOUND}        found = found or evidences\n        if not found:\n            continue\n{ADD}",
        f"    for row in [r for r in rubric if r['target'] == 'repo']:\n{ADD}\n    for row in [r for r in rubric if r['target'] != 'repo']:\n{ADD}",
        # What these hold is known in a run alone.
        f"    for row in rubric:\n        if row['weight'] > 3:\n            continue\n{ADD}",
        f"    for row in rubric:\n        if state['done'] == row['id']:\n            continue\n{ADD}",
        # No opinion is made here.
        "    for row in rubric:\n        if row['target'] != 'repo':\n            continue\n        print(row)",
    ],
)
def test_criterion_that_may_get_an_opinion_is_not_left_out(body):
    assert left_out(body) == []


def test_with_several_rubrics_it_is_left_open():
    body = f"    for row in [r for r in rubric if r['target'] == 'repo']:\n{ADD}"
    data = {**RUBRIC, "old_rubric.json": json.dumps({"criteria": ROWS[:2]})}
    reading = flow_of(CODE.format(body=body), data=data)
    assert reading.unread["left_out_criterion"] == "there are several rubrics"
    assert left_out(body, data={}) == sentences(reading, "left_out_criterion") == []


def test_with_several_rubrics_a_loop_over_all_criteria_leaves_none_out():
    data = {**RUBRIC, "old_rubric.json": json.dumps({"criteria": ROWS[:2]})}
    reading = flow_of(CODE.format(body=f"    for row in rubric:\n{ADD}"), data=data)
    assert "left_out_criterion" not in reading.unread
    assert sentences(reading, "left_out_criterion") == []
