"""Criteria whose id the judges' model has to guess."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.guessed_criteria import guessed_criteria
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of

CODE = """
from pydantic import BaseModel
class Opinion(BaseModel):
    judge: str
    criterion_id: str
    score: int
def judge(state):
    model = ChatModel().with_structured_output(Opinion)
    opinions = []
    for dimension in state["rubric_dimensions"]:
        key = dimension["id"]
        prompt = f"Score this: {PROMPT}. The evidence is {state['evidences'].get('repo')}"
        try:
            opinion = model.invoke(prompt)
            SET
        except ValueError:
            opinion = Opinion(judge="Judge", criterion_id=key, score=1)
        opinions.append(opinion)
    return {"opinions": opinions}
def chief_justice(state):
    return [o.score for o in state["opinions"] if o.criterion_id == state["key"]]
g = StateGraph(dict)
g.add_node("judge", judge)
g.add_node("chief_justice", chief_justice)
g.add_edge(START, "judge")
g.add_edge("judge", "chief_justice")
app = g.compile()
"""


def lines(prompt: str = "dimension['name']", setting: str = "pass", code: str = CODE) -> list[int]:
    whole = IMPORTS + code.replace("PROMPT", prompt).replace("SET", setting)
    symbols = symbols_of({"src/judges.py": whole})
    call_graph, layers = layers_of(symbols)
    return [fault.line for fault in guessed_criteria(call_graph, layers)]


def test_criterion_that_no_request_names_is_shown_at_the_request():
    assert lines() == [17]


@pytest.mark.parametrize(
    ("prompt", "setting"),
    [
        ("dimension['id']", "pass"),
        ("key}{dimension['name']", "pass"),
        ("dimension['name']} with criterion_id {state['key']", "pass"),
        ("dimension", "pass"),
        ("texts_of(dimension)", "pass"),
        ("dimension['name']", "opinion.criterion_id = key"),
    ],
)
def test_criterion_that_is_told_or_set_is_not_guessed(prompt: str, setting: str):
    assert lines(prompt, setting) == []


def test_field_that_nothing_joins_by_or_that_no_answer_has_is_harmless():
    assert lines(code=CODE.replace("if o.criterion_id == state['key']", "")) == [17]
    assert lines(code=CODE.replace('o.criterion_id == state["key"]', "o.score")) == []
    assert lines(code=CODE.replace("    criterion_id: str\n", "")) == []
