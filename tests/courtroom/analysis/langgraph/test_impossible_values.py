"""Comparisons with a value that a field of a model can never have."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.impossible_values import impossible_tests
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

MODEL = """
from typing import Literal
from pydantic import BaseModel
class Opinion(BaseModel):
    judge: Literal["Prosecutor", "TechLead"]
"""


def impossible_in(test: str, more: str = "") -> list[tuple[str, str, int]]:
    code = f"{MODEL}{more}\ndef decide(opinion):\n    return {test}\n"
    symbols = symbols_of({"src/justice.py": code})
    functions = [FunctionRef(*entry) for entry in symbols.functions_by_name["decide"]]
    return [
        (entry.field, entry.text, entry.closed.line)
        for entry in impossible_tests(symbols, functions)
    ]


@pytest.mark.parametrize(
    "test",
    [
        "opinion.judge == 'Techlead'",
        "'Techlead' == opinion.judge",
        "opinion.judge.lower() == 'Techlead'",
        "[o for o in opinion.all if o.judge == 'Techlead']",
    ],
)
def test_a_text_that_is_no_value_of_the_field_never_matches(test: str):
    assert impossible_in(test) == [("judge", "Techlead", 5)]


@pytest.mark.parametrize(
    ("test", "more"),
    [
        ("opinion.judge == 'TechLead'", ""),
        ("opinion.judge.lower() == 'techlead'", ""),
        ("opinion.judge != 'Techlead'", ""),
        ("opinion.judge.strip() == 'Techlead'", ""),
        ("opinion.judge == other", ""),
        ("opinion.kind == 'Techlead'", ""),
        ("opinion.judge == 'Techlead'", "class Other:\n    judge: str\n"),
        ("opinion.judge == 'Techlead'", "def name(o):\n    o.judge = 'Techlead'\n"),
        ("opinion.judge == 'Techlead'", "class Other:\n    def judge(self): ...\n"),
    ],
)
def test_a_text_that_may_come_is_no_fault(test: str, more: str):
    assert impossible_in(test, more) == []
