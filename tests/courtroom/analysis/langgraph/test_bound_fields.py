"""Scores that the model of a bound request holds before code reads them from its dump."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.bent_scores import bent_scores
from courtroom.analysis.langgraph.judging.made_up_scores import made_up_scores, scores_at_once
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

CODE = """\
class Answer(BaseModel):
    score: {field}
def prosecutor(state):
    structured = llm.with_structured_output({schema})
    data = structured.invoke(state).model_dump()
    {more}
    return parsed(data)
def parsed(data):
    score = data.get("score", 3)
    return Opinion(judge="x", score=min(5, max(1, int(score))), argument="")
"""
FIELD = "int = Field(default=2, ge=1, le=5)"
OF_FIELD = (2, "Answer gives the score 2 to an answer that has none, by the default of the field.")
OF_GET = (9, "parsed gives the score 3 to an answer that has none.")


def judges_of(field: str = FIELD, schema: str = "Answer", more: str = "pass") -> list[FunctionRef]:
    code = CODE.format(field=field, schema=schema, more=more)
    source = symbols_of(code).codebase.production[0]
    return [FunctionRef(source, site) for site in source.functions]


@pytest.mark.parametrize(
    ("change", "made_up", "is_bent"),
    [
        ({}, [OF_FIELD], False),
        ({"field": "int = Field(..., ge=1, le=5)"}, [], False),
        ({"field": "int = 2"}, [OF_FIELD], True),
        ({"field": "int"}, [], True),
        ({"field": "int | None = Field(default=None, ge=1, le=5)"}, [OF_GET], True),
        ({"field": "int = Field(default_factory=first, ge=1, le=5)"}, [OF_GET], True),
        ({"schema": "Imported"}, [OF_GET], True),
        ({"schema": "Answer, include_raw=True"}, [OF_GET], True),
        ({"more": "data = json.loads(llm.invoke(state).content)"}, [OF_GET], True),
    ],
)
def test_score_of_a_dump_comes_from_the_field_of_its_model(change, made_up, is_bent):
    judges = judges_of(**change)
    for rows in (made_up_scores(judges), scores_at_once(judges)):
        assert [(line, text) for _, line, text in rows] == made_up
    assert bool(bent_scores(judges)) is is_bent
