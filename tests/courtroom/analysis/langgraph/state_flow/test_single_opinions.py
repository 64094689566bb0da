"""Judges that ask for one opinion on a rubric of many criteria."""

from __future__ import annotations

import json

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import flow_of, sentences

CODE = """
from pydantic import BaseModel

class Opinion(BaseModel):
    criterion_id: str
    score: int
    {field}

def detective(state):
    return {{"evidences": {{"repo": [state["repo_url"]]}}}}

def ask(text):
    return llm.with_structured_output(Opinion).invoke(text)

def judge(state):
    text = str(state["evidences"])
    {body}
"""
ONCE = 'return {"opinions": [ask(text)]}'
RUBRIC = {"rubric.json": json.dumps({"dimensions": [{"id": "history"}, {"id": "graph"}]})}
SINGLE = "Each run of `judge` asks for one opinion, and rubric.json has 2 criteria"


def faults_of(body: str, field: str = "argument: str", data=RUBRIC) -> list[str]:
    return sentences(flow_of(CODE.format(body=body, field=field), data=data), "left_out_criterion")


def test_one_opinion_of_a_run_is_told_where_the_rubric_has_more_criteria():
    assert faults_of(ONCE) == [SINGLE]
    assert faults_of("for item in state['evidences']:\n        print(item)\n    " + ONCE) == [
        SINGLE
    ]


@pytest.mark.parametrize(
    "body",
    [
        'return {"opinions": [ask(text) for row in state["rubric"]]}',
        'return {"opinions": list(map(ask, state["rubric"]))}',
        'return {"opinions": [ask(text + state["criterion_id"])]}',
        'return {"opinions": [ask(state["rubric"][state["dimension_index"]])]}',
        'return {"opinions": []}',
    ],
)
def test_request_by_criterion_is_none_for_all(body: str):
    assert faults_of(body) == []


def test_answer_with_several_opinions_and_a_rubric_of_one_are_sound():
    assert faults_of(ONCE, "others: list[Other]\nclass Other(BaseModel):\n    score: int") == []
    rubric = {"rubric.json": json.dumps({"dimensions": [{"id": "history"}]})}
    assert faults_of(ONCE, data=rubric) == []
