"""Attributes of a model that it lacks."""

from __future__ import annotations

import pytest

from courtroom.analysis.python.model_attributes import attributes_without_field
from tests.courtroom.sources import symbols_of

MODELS = """
from operator import add
from typing import Annotated, List, TypedDict
from pydantic import BaseModel
class Opinion(BaseModel):
    dimension_id: str
    score: int
    @property
    def points(self): return self.score
class Row(BaseModel):
    dimension: str
    weight: int
class State(TypedDict):
    opinions: Annotated[List[Opinion], add]
    rows: list
class Open(BaseModel, extra="allow"):
    score: int
"""


def failing(signature, body):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    symbols = symbols_of(f"{MODELS}\ndef judge({signature}):\n{lines}\n")
    (source,) = symbols.codebase
    return [
        line.why
        for function in source.functions
        for line in attributes_without_field(symbols, source, function)
    ]


@pytest.mark.parametrize(
    ("signature", "body"),
    [
        ("opinions: List[Opinion]", "for o in opinions:\n    print(o.score, o.dimension)"),
        ("opinions: list[Opinion]", "return [o.dimension for o in opinions if o.score > 1]"),
        ("opinion: Opinion", "return opinion.dimension, opinion.score"),
        ("opinions: list[Opinion]", "return [o.dimension + o.score for o in sorted(opinions[:5])]"),
        ("state: State", "return [o.dimension + o.score for o in state['opinions']]"),
        (
            "state: State",
            "opinions = state.get('opinions', [])\nfor o in opinions:\n    print(o.dimension, o.score)",
        ),
        (
            "rows: list[Opinion]",
            "try:\n    return [r.dimension + r.points for r in rows]\nexcept Exception: pass",
        ),
    ],
)
def test_attribute_that_no_class_has_beside_the_others_fails(signature, body):
    why = "reads dimension of an object of Opinion, which has no such field"
    assert failing(signature, body) == [why]


@pytest.mark.parametrize(
    ("signature", "body"),
    [
        ("opinions: List[Opinion]", "return [o.score + o.points for o in opinions]"),
        # The annotation may be wrong: Row has it.
        ("opinions: List[Opinion]", "return [o.dimension for o in opinions]"),
        ("opinions: List[Opinion]", "return [o.model_dump() for o in opinions]"),
        (
            "opinions: List[Opinion]",
            "opinions = []\nreturn [o.score + o.dimension for o in opinions]",
        ),
        (
            "opinions: List[Opinion]",
            "return [o.dimension + o.score for o in opinions if hasattr(o, 'a')]",
        ),
        ("o: Opinion", "o.late = 1\nreturn o.late + o.score"),
        ("o: Opinion", "try:\n    return o.dimension + o.score\nexcept AttributeError: pass"),
        ("o: Open", "return o.late + o.score"),
        ("o: dict", "return o.late"),
        ("state: State", "return [o.dimension + o.score for o in state['rows']]"),
        ("state: State", "return [o.score + o.points for o in state['opinions']]"),
        (
            "state: State",
            "o = state['opinions']\no = []\nreturn [x.dimension + x.score for x in o]",
        ),
    ],
)
def test_attribute_that_the_object_may_have_does_not_fail(signature, body):
    assert failing(signature, body) == []
