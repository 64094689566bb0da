"""Items of objects that have none."""

from __future__ import annotations

import pytest

from courtroom.analysis.python.model_items import items_of_objects
from tests.courtroom.sources import symbols_of

MODELS = """
from dataclasses import dataclass
from typing import TypedDict
from pydantic import BaseModel
class Opinion(BaseModel):
    score: int
class Late(Opinion):
    judge: str = ""
@dataclass
class Row:
    score: int
class Table(TypedDict):
    score: int
class Rows(dict):
    pass
class Own(BaseModel):
    def __getitem__(self, key): return 1
def chain(llm):
    return prompt | llm.with_structured_output(Opinion).with_retry()
def either(llm):
    if llm: return llm
    return llm.with_structured_output(Opinion)
bound = prompt | llm.with_structured_output(Late)
"""


def failing(body):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    symbols = symbols_of(f"{MODELS}\ndef judge(llm, state):\n{lines}\n")
    (source,) = symbols.codebase
    return [
        line.why
        for function in source.functions
        for line in items_of_objects(symbols, source, function, {})
    ]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("o = Opinion(score=1)\nreturn o['score']", "reads the item 'score'"),
        ("o = chain(llm).invoke(state)\no['judge'] = 'a'", "sets the item 'judge'"),
        ("o = await bound.ainvoke({})\nreturn o[0]", "reads an item"),
        (
            "m = llm.with_structured_output(schema=Opinion)\no = m.invoke('a')\nreturn o['score']",
            "reads the item 'score'",
        ),
        ("o = Row(1)\ndel o['score']", "deletes the item 'score'"),
        ("try:\n    o = Row(1)\n    o['a']\nexcept Exception: pass", "reads the item 'a'"),
    ],
)
def test_item_of_an_object_without_items_fails(body, why):
    (line,) = failing(body)
    assert line.startswith(f"{why} of an object of ")
    assert line.endswith(", which has no items")


@pytest.mark.parametrize(
    "body",
    [
        "o = Table(score=1)\nreturn o['score']",
        "o = Rows()\no['a'] = 1",
        "o = Own(score=1)\nreturn o['score']",
        "o = Opinion(score=1).model_dump()\nreturn o['score']",
        "o = Opinion(score=1)\no = {}\nreturn o['score']",
        "o = either(llm).invoke('a')\nreturn o['score']",
        "o = llm.with_structured_output(Opinion, include_raw=True).invoke('a')\nreturn o['raw']",
        "o = llm.with_structured_output(Table).invoke('a')\nreturn o['score']",
        "o = Opinion(score=1)\nreturn o['score'] if isinstance(o, dict) else o.score",
        "o = Opinion(score=1)\ntry: return o['score']\nexcept TypeError: return o.score",
        "o = state['opinion']\nreturn o['score']",
    ],
)
def test_item_that_may_be_there_does_not_fail(body):
    assert failing(body) == []
