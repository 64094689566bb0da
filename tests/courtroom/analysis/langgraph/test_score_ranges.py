"""Ranges that code keeps each judge's score in."""

from __future__ import annotations

from textwrap import dedent

import pytest

from courtroom.analysis.langgraph.score_ranges import separate_ranges
from tests.courtroom.sources import layers_of, symbols_of

SENTENCE = (
    "The code keeps the score of Prosecutor at 2 or below and that of Defense at 4 or above:"
    " they can never agree."
)


def sentences(code: str) -> list[str]:
    symbols = symbols_of({"src/judges.py": dedent(code)})
    _, layers = layers_of(symbols)
    return [row["text"] for row in separate_ranges(layers.judges, symbols.codebase.production)]


def clamped(prosecutor: str, defense: str) -> str:
    return (
        f"def prosecutor_judge(state):\n    opinion.score = {prosecutor}\n    return opinion\n"
        f"def defense_judge(state):\n    return Opinion(score={defense})\n"
    )


DISJOINT = {
    "both bounds": clamped("max(1, min(2, raw))", "min(5, max(4, raw))"),
    "one bound": clamped("min(raw, 2)", "max(raw, 4)"),
    "choice": """
        def judge(persona, score):
            if persona == "Prosecutor":
                score = min(score, 2)
            elif persona == "Defense":
                score = max(score, 4)
            return score
        """,
    "models": """
        class ProsecutorOpinion(BaseModel):
            score: int = Field(ge=1, le=2)
        class DefenseOpinion(BaseModel):
            score: int = Field(ge=4, le=5)
        """,
    "table": """
        SCORE_BANDS = {"prosecutor": (1, 2), "defense": (4, 5)}
        def judge(persona, score):
            low, high = SCORE_BANDS[persona]
            return max(low, min(high, score))
        """,
}


@pytest.mark.parametrize("form", DISJOINT)
def test_ranges_without_a_common_score_are_shown(form):
    assert sentences(DISJOINT[form]) == [SENTENCE]


@pytest.mark.parametrize(
    "code",
    [
        clamped("max(1, min(5, raw))", "max(1, min(5, raw))"),
        clamped("min(raw, 3)", "max(raw, 3)"),
        clamped("min(len(raw), 2)", "raw"),
        (
            "def prosecutor_judge(s):\n    if s['danger']:\n        score = min(score, 2)\n"
            "def defense_judge(s):\n    score = max(score, 4)\n"
        ),
        (
            "SCORE_BANDS = {'prosecutor': (1, 2), 'defense': (4, 5)}\n"
            "def judge(persona, score):\n    return score\n"
        ),
        (
            "def prosecutor_judge(s):\n    limit = min(limit, 2)\n"
            "def defense_judge(s):\n    limit = max(limit, 4)\n"
        ),
    ],
)
def test_ranges_with_a_common_score_or_under_a_condition_are_not(code):
    assert sentences(code) == []
