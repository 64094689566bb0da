"""Ranges of each judge's score: by the code, and by the prompts."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from courtroom.analysis.langgraph.judging.persona_names import PersonaText
from courtroom.analysis.langgraph.score_ranges import highest_scores, separate_ranges
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
    "numbers in the code": """
        def prosecutor_node(state):
            for criterion in state["criteria"]:
                score = 1 if criterion["id"] == "graph" else 2
                if not state["diagrams"]:
                    score = min(score, 2)
                opinions.append(Opinion(judge="Prosecutor", score=score))
            return {"opinions": opinions}
        def defense_node(state):
            score = 4
            if state["story"]:
                score = 5
            return {"opinions": [Opinion(judge="Defense", score=score)]}
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


def in_cases(prosecutor: str, defense: str) -> str:
    """A function that bounds both judges by what the evidence is."""
    return (
        "def judge(persona, score, ratio):\n"
        "    if persona == 'Prosecutor':\n"
        f"        if ratio < 0.5:\n            score = min(score, 2)\n        {prosecutor}\n"
        "    elif persona == 'Defense':\n"
        f"        if ratio > 0.7:\n            score = max(score, 4)\n        {defense}\n"
        "    return score\n"
    )


def test_bound_in_every_case_and_one_beyond_it_in_some_are_shown():
    code = in_cases(
        "else:\n            score = min(score, 3)", "elif ratio < 0.2:\n            score = 1"
    )
    assert sentences(code) == [
        (
            "The code keeps the score of Prosecutor at 3 or below in every case and lifts that of"
            " Defense to 4 or above in some: in those they can never agree."
        )
    ]


@pytest.mark.parametrize(
    "code",
    [
        in_cases("score = score", "score = score"),
        in_cases("else:\n            score = min(score, 4)", "score = score"),
        in_cases("else:\n            score = min(score, 3)", "score = min(score, 5)"),
    ],
)
def test_bounds_in_some_cases_that_have_a_common_score_are_no_fault(code):
    assert sentences(code) == []


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


def ranges_of(prosecutor: str, defense: str) -> list[dict[str, Any]]:
    code = f'PROSECUTOR = """Look for gaps.\n{prosecutor}"""\nDEFENSE = """{defense}"""\n'
    symbols = symbols_of({"src/prompts.py": code})
    prompts = [
        PersonaText("Prosecutor", "src/prompts.py", 1, 2, f"Look for gaps.\n{prosecutor}"),
        PersonaText("Defense", "src/prompts.py", 3, 3, defense),
    ]
    return separate_ranges([], symbols.codebase.production, prompts)


def test_prompts_that_ask_for_scores_without_a_common_one_are_shown():
    (row,) = ranges_of("Provide a low score (1-2).", "Be fair. Give a score between 3 and 5.")
    assert row["text"] == (
        "The prompt of Prosecutor asks for a score from 1 to 2 and that of Defense for one from"
        " 3 to 5: as they are told, they can never agree."
    )
    assert [place["line"] for place in row["places"]] == [2, 3]


@pytest.mark.parametrize(
    ("prosecutor", "defense"),
    [
        ("Provide a low score (1-3).", "Provide a generous score (3-5)."),
        ("Give a score (1-2) if a file is missing.", "Provide a generous score (3-5)."),
        ("If a file is missing, give a score of 1-2.", "Provide a generous score (3-5)."),
        ("Typically give a score of 1-2.", "Provide a generous score (3-5)."),
        ("Provide a score (1-5).", "Provide a generous score (3-5)."),
        ("Give a score of 1-2 for gaps. Give a score of 4 to 5.", "Give a score of 3."),
    ],
)
def test_prompts_with_a_common_score_or_for_some_cases_are_not(prosecutor, defense):
    assert ranges_of(prosecutor, defense) == []


@pytest.mark.parametrize(
    "setting",
    [
        "score = llm.invoke(state).score",
        "score += bonus(state)",
        "for score in scores(state):\n                pass",
        "score = None",
    ],
)
def test_score_that_may_be_anything_else_has_no_range(setting: str):
    code = f"""
        def prosecutor_node(state):
            score = 2
            if state["diagrams"]:
                score = 1
            {setting}
            return Opinion(judge="Prosecutor", score=score)
        def defense_node(state):
            score = 4
            return Opinion(judge="Defense", score=score)
        """
    assert sentences(code) == []


@pytest.mark.parametrize(
    ("code", "highest"),
    [
        (DISJOINT["choice"], {"Prosecutor": 2}),
        (DISJOINT["models"], {"Prosecutor": 2}),
        (in_cases("else: score = min(score, 3)", ""), {"Prosecutor": 3}),
        (in_cases("", "else: score = min(score, 3)"), {}),
    ],
)
def test_highest_score_of_a_persona_holds_in_every_case(code, highest):
    symbols = symbols_of({"src/judges.py": dedent(code)})
    _, layers = layers_of(symbols)
    spans = highest_scores(layers.judges, symbols.codebase.production)
    assert {persona: span.high for persona, span in spans.items()} == highest
