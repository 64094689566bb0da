"""Scores that judges without a model write, criterion by criterion."""

from __future__ import annotations

from textwrap import dedent

import pytest

from courtroom.analysis.langgraph.judging.literal_scores import literal_opinions, scores_apart
from tests.courtroom.sources import layers_of, symbols_of

JUDGES = """
    def prosecutor(state):
        points = 2.5
        if state["commits"] > 20:
            points = 5.0
        return {"opinions": [
            Opinion(judge="Prosecutor", criterion="state", score=5.0 if state["typed"] else 1.0),
            Opinion(judge="Prosecutor", criterion="git", score=points),
        ]}
    def defense(state):
        return {"opinions": [
            Opinion(judge="Defense", criterion="state", score=4.8 if state["typed"] else 3.8),
            Opinion(judge="Defense", criterion="git", score=5),
        ]}
    """
APART = "On “state” the code gives Prosecutor 1 or 5 and Defense 3.8 or 4.8: they can never agree."


def sentences(code: str) -> list[str]:
    _, layers = layers_of(symbols_of({"src/judges.py": dedent(code)}))
    return [row["text"] for row in scores_apart(literal_opinions(layers.judges))]


def test_judges_whose_literal_scores_have_none_in_common_are_shown() -> None:
    assert sentences(JUDGES) == [APART]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("4.8 if", "5 if"),
        ("4.8 if", "state['points'] if"),
        ('criterion="state", score=4.8', 'criterion="prompts", score=4.8'),
        ('criterion="state", score=4.8', "criterion=name, score=4.8"),
    ],
)
def test_scores_that_may_meet_or_of_other_criteria_are_not(before: str, after: str) -> None:
    assert before in JUDGES
    assert sentences(JUDGES.replace(before, after)) == []
