"""Scores of a model's answer that a judge's code changes."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import flow_of, sentences

NODES = """
def detective(state):
    return {{"evidences": {{}}}}

def settle(raw_score, ratio):
    score = raw_score
    if ratio < 0.5:
        {settling}
    return score

def judge(state):
    answer = model.invoke(state["evidences"])
    score = {origin}
    {change}
    opinion = Opinion(score=score)
    {later}
    return {{"opinions": [opinion]}}
"""


def moved(change="pass", origin="answer.get('score', 3)", later="pass", settling="pass"):
    code = NODES.format(change=change, origin=origin, later=later, settling=settling)
    return sentences(flow_of(code), "moved_score")


@pytest.mark.parametrize(
    ("change", "verb"),
    [
        ("if score > 3:\n        score = max(1, score - 1)", "lower"),
        ("if score < 3:\n        score = min(5, score + 1)", "raise"),
        ("score -= penalty", "lower"),
        ("score = score + 1", "raise"),
        ("score = min(int(score), 2)", "lower"),
        ("score = max(score, 4)", "raise"),
        ("score = max(score, 2)\n    score = min(score, 4)", "raise and lower"),
    ],
)
def test_change_of_the_score_that_a_model_gave_is_told(change: str, verb: str):
    (sentence,) = moved(change)

    assert sentence.startswith(f"judge() may {verb} the score that the model gave (`score ")


def test_change_in_an_opinion_or_in_a_function_that_gets_the_score_is_told():
    (later,) = moved(later="opinion.score = min(opinion.score, 2)")
    (settling,) = moved(origin="settle(answer.score, 1)", settling="score = min(score, 3)")

    assert later.startswith("judge() may lower")
    assert settling.startswith("settle() may lower")


@pytest.mark.parametrize(
    ("change", "origin"),
    [
        ("score = max(1, min(5, score))", "answer.score"),
        ("score = min(5, score)", "answer['score']"),
        ("score = int(score)", "answer.score"),
        ("spread = max(scores) - 1", "answer.score"),
        # The code chose this score itself.
        ("score = max(1, score - 1)", "4"),
    ],
)
def test_score_that_is_held_inside_the_scale_is_not_changed(change: str, origin: str):
    assert moved(change, origin) == []


def test_judge_without_a_model_has_no_score_of_one():
    code = NODES.format(
        change="score -= 1", origin="state['score']", later="pass", settling="pass"
    ).replace("model.invoke(", "dict(")

    assert sentences(flow_of(code), "moved_score") == []


CITING = "if rows and not opinion.cited:\n        opinion.cited = [rows[0]]\n    "
CUT = "if rows and not opinion.cited:\n        opinion.score = min(opinion.score, 2)"


def test_change_under_a_test_that_the_same_branch_made_false_before_is_none():
    assert moved(later=CITING + CUT) == []


@pytest.mark.parametrize(
    "later",
    [
        CUT,
        CITING.replace("[rows[0]]", "rows") + CUT,
        f"{CITING}opinion.cited = clean(opinion.cited)\n    {CUT}",
        CITING.replace("not opinion", "not answer") + CUT,
    ],
    ids=["first", "maybe empty", "changed", "another test"],
)
def test_change_under_a_test_that_may_hold_again_is_told(later: str):
    assert len(moved(later=later)) == 1
