"""Rules that wait for a score which the judges' code leaves nobody on such evidence."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from courtroom.analysis.langgraph.judging.judge_functions import read_layers
from courtroom.analysis.langgraph.judging.opinion_model import opinion_model
from courtroom.analysis.langgraph.judging.score_bounds import ScoreBounds, longest_list
from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from tests.courtroom.sources import symbols_of

WORK = """
import operator
from typing import Annotated, TypedDict
from langgraph.graph import StateGraph, START, END
from pydantic import BaseModel

class Evidence(BaseModel):
    found: bool

class JudicialOpinion(BaseModel):
    judge: str
    score: int

class State(TypedDict):
    evidences: Annotated[dict[str, list[Evidence]], operator.ior]
    opinions: Annotated[list, operator.add]

def detective(state):
    return {"evidences": {"tools": [Evidence(found=True)], "report": ROWS}}

def keeper(state):
    held = state["evidences"]
    held["history"] = [Evidence(found=False)]
    return {"evidences": held}

def share_and_size(items):
    if not items:
        return 0.0, 0
    share = sum(1 for e in items if e.found) / len(items)
    return share, len(items)

def bounded(judge, given, share):
    \"\"\"Keep a score in the bounds of its judge.\"\"\"
    score = given
    if judge == "Prosecutor":
        score = min(score, 3)
    elif judge == "Defense":
        if share >= 0.7 and given > 2:
            score = max(score, 4)
        elif share >= 0.4:
            score = max(score, 3)
        else:
            score = min(score, 3)
    return max(1, min(5, int(score)))

def judge(state):
    opinions = []
    for dim in state["criteria"]:
        rows = state["evidences"].get(dim["id"], [])
        share, size = share_and_size(rows)
        opinion = chain.with_structured_output(JudicialOpinion).invoke(rows)
        if opinion is None:
            opinions.append(JudicialOpinion(judge="Defense", score=1))
            continue
        opinion.score = bounded("Defense", opinion.score, share)
        opinions.append(opinion)
    return {"opinions": opinions}

def share_of(items):
    if not items:
        return 0.0
    count = sum(e.found for e in items)
    return count / len(items)

def is_overruled(defense, rows):
    if not defense:
        return False
    if defense.score < 4:
        return False
    return share_of(rows) < 0.5

def chief_justice(state):
    evidences = state["evidences"]
    for dim in state["criteria"]:
        own = [o for o in state["opinions"] if o.criterion_id == dim["id"]]
        defense = next((o for o in own if o.judge == "Defense"), None)
        prosecutor = next((o for o in own if o.judge == "Prosecutor"), None)
        rows = evidences.get(dim["id"], [])
        score = sum(o.score for o in own) / len(own)
        if TEST:
            score = min(score, 3)
    return {"report": score}

graph = StateGraph(State)
graph.add_node("detective", detective)
graph.add_node("keeper", keeper)
graph.add_node("judge", judge)
graph.add_node("chief_justice", chief_justice)
graph.add_edge(START, "detective")
graph.add_edge("detective", "keeper")
graph.add_edge("keeper", "judge")
graph.add_edge("judge", "chief_justice")
graph.add_edge("chief_justice", END)
app = graph.compile()
app.invoke({"evidences": {}, "opinions": []})
"""
TEST = "is_overruled(defense, rows)"
FEW = "[Evidence(found=True)]"
TWO = "[Evidence(found=True), Evidence(found=False)]"


def reason_for(test: str = TEST, rows: str = FEW, old: str = "", new: str = "") -> str:
    code = dedent(WORK).replace("TEST", test).replace("ROWS", rows)
    assert old in code
    symbols = symbols_of({"src/work.py": code.replace(old, new) if old else code})
    graph = read_graph(symbols, {})
    layers = read_layers(symbols, CallGraph(symbols), graph)
    (access,) = read_state_access(symbols, graph)
    longest = longest_list(symbols, access, graph.inputs)
    bounds = ScoreBounds(symbols, layers.judges, opinion_model(symbols), longest)
    (justice,) = (FunctionRef(*row) for row in symbols.functions_by_name["chief_justice"])
    branches = [node for node in ast.walk(justice.site.node) if isinstance(node, ast.If)]
    return bounds.reason(branches[-1].test, justice)


WHY = f"src/work.py:{WORK.split('opinion.score = bounded', maxsplit=1)[0].count(chr(10)) + 1} gives Defense no such score on such evidence"


@pytest.mark.parametrize(
    "test",
    [
        TEST,
        "defense and defense.score >= 4 and share_of(rows) < 0.5",
        "defense.score > 3 and share_of(rows) == 0",
        "defense.score == 5 and share_of(rows) <= 0.3",
    ],
)
def test_rule_beyond_the_bounds_of_a_score_never_holds(test: str):
    assert reason_for(test) == WHY


@pytest.mark.parametrize(
    "test",
    [
        "defense.score >= 3 and share_of(rows) < 0.5",
        "defense.score >= 4 and share_of(rows) < 0.6",
        "prosecutor.score >= 4 and share_of(evidences) < 0.5",
        "defense.score >= 4 or share_of(rows) < 0.5",
        "defense.score >= 4",
        "share_of(rows) < 0.5",
        "not is_overruled(defense, rows)",
        "defense.score >= 4 and look(rows) < 0.5",
    ],
)
def test_rule_that_some_score_and_share_meet_may_hold(test: str):
    # One of two is half, and of half the Defense may think highly.
    assert reason_for(test, TWO if "0.6" in test else FEW) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("operator.ior", "join_lists"),
        ("[Evidence(found=False)]", "look(state)"),
        ("score=1", "score=look(dim)"),
        (
            "        opinion.score = bounded",
            "        opinion.score = 5\n        opinion.score = bounded",
        ),
        ('dim["id"], [])\n        share,', "look(state), [])\n        share,"),
        ("score = min(score, 3)\n    return", "score = look(score)\n    return"),
        ("score = min(score, 3)\n    return", "score = min(score, 4)\n    return"),
        ('("Defense", opinion.score, share)', "(look(dim), opinion.score, size)"),
    ],
)
def test_scores_and_lists_that_are_not_followed_leave_a_rule_open(old: str, new: str):
    assert reason_for(old=old, new=new) == ""


def test_long_list_may_have_a_share_between():
    five = ", ".join(["Evidence(found=True)"] * 5)
    assert reason_for(rows=f"[{five}]") == ""
    assert reason_for(rows=f"[{', '.join(['Evidence(found=True)'] * 4)}]") == WHY
    assert reason_for(rows="look(state)") == ""


@pytest.mark.parametrize(
    "bounding",
    [
        "".join(f"\n    if look({n}):\n        n{n} = {n % 5 + 1}" for n in range(40)),
        "\n    if share == 2:\n        score = 1"
        + "".join(f"\n    elif look({n}):\n        score = {n % 5 + 1}" for n in range(2000)),
    ],
    ids=["ways", "chain"],
)
def test_bounds_with_too_many_ways_leave_a_rule_open(bounding: str):
    assert reason_for(old="    score = given", new=f"    score = given{bounding}") == ""


def test_functions_that_call_each_other_for_a_share_are_followed_once():
    calls = "".join(
        f"def share{n}(rows):\n    if rows:\n        return share{n + 1}(rows)\n"
        + f"    return share{n + 1}(rows)\n" * 40
        for n in range(12)
    )
    test = "defense.score >= 4 and share0(rows) < 0.5"
    old = "def share_of"
    assert reason_for(test, old=old, new=f"{calls}{old}") == ""


def test_names_that_many_names_are_made_of_are_followed_once():
    names = [f"n{n}" for n in range(30)]
    sums = "".join(f"        {name} = {' + '.join(names)}\n" for name in names)
    old = "        rows = evidences.get"
    assert reason_for("defense.score >= 4 and share_of(n0) < 0.5", old=old, new=sums + old) == ""
