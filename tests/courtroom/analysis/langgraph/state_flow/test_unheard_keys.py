"""Evidence under keys that are the ids of no criterion, which no judge looks up."""

from __future__ import annotations

import json

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of

RUBRIC = json.dumps({"dimensions": [{"id": "history"}, {"id": "state"}]})
CODE = """
def detective(state):
    return {{"evidences": {{"history": ["a"], {stored}}}}}
def judge(state):
    rows = [state["evidences"].get({looked_up}, []) for dim in state["dimensions"]]
    return {{"opinions": [rows]}}
{more}
"""


def unheard(stored='"pictures": ["b"]', looked_up='dim["id"]', more="", rubric=RUBRIC) -> list[str]:
    code = CODE.format(stored=stored, looked_up=looked_up, more=more)
    found = faults(flow_of(code, data={"rubric.json": rubric}), "unread_write")
    assert all(fault.is_minor for fault in found if "evidence under" in fault.sentence)
    return [fault.sentence for fault in found if "evidence under" in fault.sentence]


def test_evidence_under_a_key_of_no_criterion_is_heard_by_no_judge():
    (sentence,) = unheard()
    assert sentence == (
        "detective stores evidence under `pictures`, which is the id of no criterion of the work's"
        " rubric: no judge looks it up"
    )
    (sentence,) = unheard('"pictures": ["b"], "error": ["c"]')
    assert "under `pictures` and `error`, each the id of no criterion" in sentence


@pytest.mark.parametrize(
    "given",
    [
        {"stored": '"state": ["b"]'},
        {"looked_up": "choose(dim)"},
        {"looked_up": 'NAMES[dim["id"]]'},
        {"looked_up": '"history"'},
        {"more": "def late(evidences): return 'pictures' in evidences"},
        {"rubric": json.dumps({"dimensions": [{"id": "history"}, {"id": "pictures"}]})},
        {"rubric": json.dumps({"dimensions": [{"id": "state"}]})},
        {"rubric": "{}"},
    ],
    ids=[
        "criterion",
        "any key",
        "mapped",
        "constant",
        "tested",
        "in rubric",
        "none heard",
        "no criteria",
    ],
)
def test_evidence_that_may_be_heard_is_not_named(given: dict[str, str]):
    assert unheard(**given) == []


def test_evidence_of_which_a_judge_reads_all_is_heard():
    code = CODE.format(stored='"pictures": ["b"]', looked_up='dim["id"]', more="").replace(
        '"opinions": [rows]', '"opinions": [rows, list(state["evidences"].values())]'
    )
    reading = flow_of(code, data={"rubric.json": RUBRIC})
    assert not any("evidence under" in f.sentence for f in faults(reading, "unread_write"))
