"""Calls of a model of the work that leave out a field which it requires."""

import pytest

from courtroom.analysis.python.model_fields import calls_without_field
from tests.courtroom.sources import symbols_of

MODEL = """from typing import List, Optional
from pydantic import BaseModel, Field
class Base(BaseModel):
    judge: str
class Opinion(Base):
    dimension_id: str = Field(description="which one")
    evidence_used: List[str] = Field(...)
    confidence: float = 0.5
    remedy: Optional[str]
    notes: list[str] = Field(default_factory=list)
"""
FIRST = ["judges.py:2 builds Opinion without dimension_id and evidence_used, which it requires"]


def failing(call, model=MODEL):
    symbols = symbols_of({"state.py": model, "judges.py": call})
    source = symbols.codebase.files["judges.py"]
    return [
        f"judges.py:{line.line} {line.why}"
        for function in source.functions
        for line in calls_without_field(symbols, source, function)
    ]


def of(arguments):
    return f"from state import Opinion\ndef f(x): return Opinion({arguments})\n"


def test_model_without_a_field_that_it_requires_is_refused_whenever_it_is_built():
    assert failing(of("judge='a', dimension=x")) == FIRST


def test_field_of_a_parent_is_required_too():
    (line,) = failing(of("dimension_id=x, evidence_used=[]"))
    assert line.endswith("without judge, which it requires")


@pytest.mark.parametrize(
    "arguments",
    ["judge='a', dimension_id=x, evidence_used=[]", "**x", "judge='a', **x", "x", ""],
    ids=["all given", "a mapping", "more in a mapping", "by place", "nothing"],
)
def test_call_that_may_give_all_is_left_alone(arguments):
    assert failing(of(arguments)) == []


@pytest.mark.parametrize(
    "model",
    [
        MODEL.replace("confidence: float = 0.5", "score: int = Field(alias='points')"),
        MODEL.replace("class Base(BaseModel)", "class Base(Unknown)"),
        MODEL.replace("class Base(BaseModel)", "class Base"),
        MODEL + "    def __init__(self, **rest): super().__init__(judge='a', **rest)\n",
        MODEL + "    @model_validator(mode='before')\n    def fill(cls, values): return values\n",
    ],
    ids=["alias", "unknown parent", "no model", "own constructor", "validator of the whole"],
)
def test_class_that_may_take_other_names_is_left_alone(model):
    assert failing(of("judge='a', dimension=x"), model) == []
