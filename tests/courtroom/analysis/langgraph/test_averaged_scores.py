"""Verdicts that are the plain mean of the judges' scores."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.averaged_scores import averaged_scores
from tests.courtroom.sources import layers_of, symbols_of


def lines(body: str) -> list[int]:
    code = "def chief_justice(state):\n    return {'final_report': resolve(state['opinions'])}\n"
    _, layers = layers_of(symbols_of({"src/justice.py": code + body}))
    return [line for _, line in averaged_scores(layers.justice)]


RETURNED = """\
def resolve(opinions):
    if opinions[0].score == 1:
        return 3
    return round(mean([op.score for op in opinions])), "standard"
"""
BY_NAME = """\
def resolve(opinions):
    scores = [int(op.score) for op in opinions]
    avg = sum(scores) / len(scores)
    base = int(round(avg))
    return max(1, min(5, base))
"""
OF_THREE = """\
def resolve(opinions):
    p, d, t = scores_of(opinions)
    final_score = round((p + d + t) / 3)
    return Criterion(final_score=final_score)
"""
LEFT_OUT = """\
def resolve(ops):
    scores = [op.score for op in ops]
    if is_invented(ops):
        scores = [s for s in scores if s != defense.score] or scores
    return int(max(1, min(5, round(mean(scores)))))
"""
OTHER_CRITERIA = """\
def resolve(opinions, criterion):
    tech = opinions.get("TechLead")
    scores = [op.score for op in opinions.values()]
    if criterion == "graph" and tech:
        score = tech.score * 0.5 + scores[0] * 0.5
    else:
        score = sum(scores) / len(scores)
    return round(score)
"""


@pytest.mark.parametrize(
    ("body", "line"),
    [(RETURNED, 6), (BY_NAME, 5), (OF_THREE, 5), (LEFT_OUT, 7), (OTHER_CRITERIA, 9)],
    ids=["returned", "name", "three", "left out", "other criteria"],
)
def test_mean_of_all_judges_that_becomes_the_score_is_found(body, line):
    assert lines(body) == [line]


FALLBACK = """\
def resolve(opinions):
    tech = opinions.get("TechLead")
    scores = [op.score for op in opinions.values()]
    return tech.score if tech else round(sum(scores) / len(scores))
"""
MIXED = """\
def resolve(opinions):
    scores = [op.score for op in opinions]
    return round(opinions[2].score * 0.5 + sum(scores) / len(scores) * 0.5)
"""
SPREAD = """\
def resolve(opinions):
    scores = [op.score for op in opinions]
    center = sum(scores) / len(scores)
    if sum((score - center) ** 2 for score in scores) > 2:
        return opinions[2].score
    return min(scores)
"""
OVERALL = """\
def resolve(results):
    return round(sum(result.final_score for result in results) / len(results))
"""
OF_ONE = """\
def resolve(opinions):
    scores = [op.score for op in opinions if op.judge == "TechLead"]
    return round(sum(scores) / len(scores))
"""


@pytest.mark.parametrize(
    "body",
    [FALLBACK, MIXED, SPREAD, OVERALL, OF_ONE],
    ids=["fallback", "mixed", "spread", "overall", "one judge"],
)
def test_mean_that_is_no_verdict_of_all_judges_is_none(body):
    assert lines(body) == []
