"""Comparisons with a value that a field of a model can never have."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.impossible_values import (
    cap_behind,
    foreign_names,
    impossible_tests,
)
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of

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


COURT = """
class Opinion(BaseModel):
    judge: str
    score: int
def prosecutor(state):
    return {{"opinions": [Opinion(judge="Prosecutor", score={score})]}}
def defense(state):
    return {{"opinions": [Opinion(judge="Defense", score=4)]}}
def verdict(opinions):
    return [o.score for o in opinions if {test}]
def {maker}(opinions):
    return [Opinion(judge="Prosecution", score=1)]
def chief_justice(state):
    {first}
    scores = verdict(state["opinions"])
    {last}
    return {{"final_report": sum(scores)}}
g = StateGraph(dict)
for name, node in (("prosecutor", prosecutor), ("defense", defense), ("chief_justice", chief_justice)):
    g.add_node(name, node)
g.add_edge(START, "prosecutor")
g.add_edge(START, "defense")
g.add_edge(["prosecutor", "defense"], "chief_justice")
app = g.compile()
"""
SHOWN_AFTER = "shown = summary_opinions(scores)"


def foreign_in(test: str, *, first="pass", last=SHOWN_AFTER, score="2", more="") -> list[str]:
    court = COURT.format(test=test, maker="summary_opinions", first=first, last=last, score=score)
    rows = foreign_names(*layers_of(symbols_of(f"{IMPORTS}{more}{court}")))
    return [f"{row.text} at {row.function.name}: {', '.join(row.closed.values)}" for row in rows]


FOREIGN = "o.judge == 'Prosecution'"


@pytest.mark.parametrize("test", [FOREIGN, "getattr(o, 'judge', '') == 'Prosecution'"])
def test_name_that_no_judge_of_plain_code_gives_is_compared_in_vain(test: str):
    assert foreign_in(test) == ["Prosecution at verdict: Prosecutor, Defense"]


@pytest.mark.parametrize(
    ("test", "changes"),
    [
        ("o.judge == 'Prosecutor'", {}),
        ("o.judge == 'Chief Clerk'", {}),
        # It is made before the verdict, or may come from elsewhere.
        (FOREIGN, {"first": "state['opinions'] += summary_opinions([])"}),
        (FOREIGN, {"last": "pass"}),
        (FOREIGN, {"more": "NAMES = ['Prosecution']\n"}),
        (FOREIGN, {"score": "llm.invoke('Judge it.').score"}),
    ],
)
def test_name_that_an_opinion_may_have_is_compared_rightly(test: str, changes: dict[str, str]):
    assert foreign_in(test, **changes) == []


@pytest.mark.parametrize(
    ("body", "line"),
    [("total = min(total, 3)", 9), ("total = min(total, other)", None), ("total = 3", None)],
)
def test_cap_that_hangs_on_a_comparison_has_its_line(body: str, line: int | None):
    code = f"{MODEL}\ndef decide(o, total, other):\n    if o.judge == 'Jury':\n        {body}\n"
    symbols = symbols_of({"src/justice.py": code})
    functions = [FunctionRef(*entry) for entry in symbols.functions_by_name["decide"]]
    (test,) = impossible_tests(symbols, functions)
    assert cap_behind(test) == line
