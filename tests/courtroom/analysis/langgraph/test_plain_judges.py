"""Judges of plain code: the functions of their nodes, where nothing in them may ask a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.courtroom.analysis.test_shown_places import surveyed

GRAPH = """
from langgraph.graph import END, START, StateGraph


def prosecutor(state):
    return {"opinions": [{"score": SCORE}]}


g = StateGraph(dict)
g.add_node("prosecutor", prosecutor)
g.add_node("harsh_prosecutor", prosecutor)
g.add_edge(START, "prosecutor")
g.add_edge("prosecutor", "harsh_prosecutor")
g.add_edge("harsh_prosecutor", END)
app = g.compile()
"""


def test_plain_judges_are_places(tmp_path: Path) -> None:
    code = GRAPH.replace("SCORE", '1 if state["gaps"] else 5')
    work = surveyed({"src/graph.py": code}, tmp_path)
    place = {"name": "prosecutor", "path": "src/graph.py", "line": 5}
    assert work.facts["plain_judges"] == [place]


@pytest.mark.parametrize("score", ["len(build_prompt(state))", "len(state.prompt)"])
def test_prompt_that_is_built_or_read_asks_no_model(tmp_path: Path, score: str) -> None:
    code = GRAPH.replace("SCORE", score) + "\n\ndef build_prompt(state):\n    return str(state)\n"
    assert surveyed({"src/graph.py": code}, tmp_path).facts["plain_judges"]


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        ("llm.invoke(state).score", "a model may be called by invoke"),
        ("run_prompt(state).score", "a model may be called by run_prompt"),
        (
            'import_module(state["court"]).score(state)',
            "import_module, which could not be followed",
        ),
    ],
)
def test_judges_that_may_ask_a_model_are_not_established_as_plain(
    tmp_path: Path, score: str, reason: str
) -> None:
    work = surveyed({"src/graph.py": GRAPH.replace("SCORE", score)}, tmp_path)
    assert work.facts["plain_judges"] is None
    assert reason in work.reasons["plain_judges"]


def test_prompts_of_judges_that_ask_a_model_are_not_established_without_one(
    tmp_path: Path,
) -> None:
    work = surveyed({"src/graph.py": GRAPH.replace("SCORE", "llm.invoke(state).score")}, tmp_path)
    facts = work.facts["persona_prompts"], work.facts["persona_prompts_distinct"]
    assert facts == (None, None)
    reason = "the judges ask a model at src/graph.py:6, and what it is told could not be read"
    assert work.reasons["persona_prompts"] == reason


def test_share_of_prompts_that_nothing_compared_is_not_established(tmp_path: Path) -> None:
    work = surveyed({"src/graph.py": GRAPH.replace("SCORE", "3")}, tmp_path)
    assert (work.facts["persona_prompts"], work.facts["persona_prompts_shared"]) == ([], None)
    assert work.reasons["persona_prompts_shared"].startswith("fewer than two judges' prompts")


@pytest.mark.parametrize(
    ("score", "rows"),
    [('1 if state["gaps"] else 5', []), ('5 - len(state["gaps"])', None)],
    ids=["literal", "computed"],
)
def test_computed_scores_of_plain_judges_are_not_established_as_equal(
    tmp_path: Path, score: str, rows: list[str] | None
) -> None:
    code = GRAPH.replace('{"score": SCORE}', f'Opinion(judge="Prosecutor", score={score})')
    work = surveyed({"src/graph.py": code}, tmp_path)
    assert work.facts["separate_score_ranges"] == rows
    assert (rows is None) == ("separate_score_ranges" in work.reasons)


def test_a_bound_call_that_nothing_runs_comes_last(tmp_path: Path) -> None:
    idle = "def idle(schema):\n    return llm.with_structured_output(schema)\n\n\n"
    code = GRAPH.replace("SCORE", "llm.with_structured_output(Opinion).invoke(state)")
    work = surveyed({"src/graph.py": idle + code}, tmp_path)

    rows = work.facts["structured_output_calls"]
    assert [(row["schema"], "is_idle" in row) for row in rows] == [
        ("Opinion", False),
        ("schema", True),
    ]


def test_judges_that_ask_once_are_not_established_past_a_call_that_is_not_followed(
    tmp_path: Path,
) -> None:
    code = GRAPH.replace("SCORE", 'import_module(state["court"]).score(state)')
    work = surveyed({"src/graph.py": code}, tmp_path)
    assert work.facts["judges_asking_once"] is None
    assert "import_module, which could not be followed" in work.reasons["judges_asking_once"]
