"""Means of the judges' scores that the Chief Justice's code cuts to a whole number."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.cut_scores import cut_scores
from courtroom.checks.state_flow import CUT
from tests.courtroom.sources import justice, layers_of, symbols_of


def cut_in(body: str) -> list[str]:
    functions = layers_of(symbols_of({"src/justice.py": justice(body)}))[1].justice
    assert functions
    faults = list(cut_scores(functions))
    assert all(fault.is_minor and CUT in fault.sentence for fault in faults)
    return [fault.sentence for fault in faults]


@pytest.mark.parametrize(
    "body",
    [
        "score = int((p.score + d.score) / 2)",
        "score = int(p.score * 0.3 + d.score * 0.7)",
        "result = Result(final_score=int(max(1, min(5, score))))",
        "score = int(statistics.mean([p.score, d.score]))",
        "other = score\nscore = other\nscore = int(other)",
    ],
)
def test_mean_of_scores_that_is_cut_is_named(body: str):
    assert cut_in(body) == [
        "chief_justice() keeps the whole part of a mean of scores (`int()`): 4.7 becomes 4"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "score = int(round((p.score + d.score) / 2))",
        "score = int((p.score + d.score) / 2 + 0.5)",
        "score = round((p.score + d.score) / 2)",
        "final = Result(level=int((p.score + d.score) / 2))",
        "score = int(p.score)",
        "score = int(statistics.median([p.score, d.score, t.score]))",
        "score = int(lines / 2)",
    ],
)
def test_score_that_loses_nothing_is_not_named(body: str):
    assert cut_in(body) == []
