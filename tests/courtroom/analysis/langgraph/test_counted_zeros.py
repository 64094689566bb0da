"""Scores of 0 that stand in for failed answers, where the mean counts them."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.made_up_scores import made_up_scores
from tests.courtroom.sources import layers_of, symbols_of

CODE = """
def prosecutor(state):
    try:
        return model.invoke(state)
    except ValueError:
        return Opinion(judge="x", score=0, argument="It failed.")

def chief_justice(state):
    opinions = state["opinions"]
    return {mean}
"""
WORDS = (
    "prosecutor gives the score 0 in place of an answer that failed, and the mean of the scores"
    " counts it."
)


@pytest.mark.parametrize(
    ("mean", "expected"),
    [
        ("sum(op.score for op in opinions) / len(opinions)", [WORDS]),
        ("mean([op.score for op in opinions])", [WORDS]),
        ("mean([op.score for op in opinions if op.score > 0])", []),
        ("mean([op.score for op in opinions if op.judge])", []),
        ("mean(op.weight for op in opinions)", []),
        ("mean(op.score for op in opinions) if opinions[0].score != 0 else None", []),
        ("max(op.score for op in opinions)", []),
    ],
)
def test_a_zero_is_a_made_up_score_where_the_mean_counts_it(mean, expected):
    _, layers = layers_of(symbols_of(CODE.format(mean=mean)))
    rows = made_up_scores(layers.judges, layers.justice)
    assert [text for _, _, text in rows] == expected
    assert made_up_scores(layers.judges) == []
