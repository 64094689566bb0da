"""Rules that wait for evidence that the work never makes."""

import pytest

from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.made_evidence import MadeEvidence
from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import layers_of, symbols_of

STATE = """
from pydantic import BaseModel, Field
class Evidence(BaseModel):
    goal: str
    found: bool
    content: str = Field(default="")
"""
MADE = """
from src.state import Evidence
def repo_investigator(state):
    n = count(state["repo_url"])
    first = Evidence(goal="Safe Tool Engineering", found=True, content=str(n))
    return {"evidences": [first, Evidence(goal="History", found=n > 3)]}
"""
FLAG = """
    flawed = False
    for e in evidences:
        if TEST:
            flawed = True
    if flawed and is_security:
        final_score = min(final_score, 3)
"""


def is_cap(test, made=MADE, body=FLAG, state=STATE):
    """Return whether a cap for security under this test on `e` counts as applied."""
    justice = (
        "def chief_justice(state, prosecutor, evidences):\n"
        "    final_score = (prosecutor.score + 1) / 2\n"
        "    is_security = 'security' in prosecutor.argument\n"
        f"{body.replace('TEST', test)}\n    return final_score\n"
    )
    symbols = symbols_of({"src/state.py": state, "src/repo.py": made, "src/justice.py": justice})
    call_graph, layers = layers_of(symbols)
    conditions = DeadConditions(symbols, layers.justice, None, MadeEvidence(symbols))
    rules = read_rules(call_graph, layers, read_graph(symbols, {}), conditions)
    reading = rules["security_override"]
    assert bool(reading.lines) is not bool(reading.dead)
    return bool(reading.lines)


@pytest.mark.parametrize(
    "test",
    [
        "e.goal == 'Safe Tool Engineering' and e.found is False",
        "e.goal == 'Safe Tool Engineering' and not e.found",
        "not e.found and 'safe' in e.goal.lower()",
        "not e.found and e.goal in ('Safe Tool Engineering', 'Security')",
        "e.goal == 'safe_tool_engineering' and e.found",
        "'security' in (e.goal or '').lower()",
        "e.goal.startswith('Unsafe')",
    ],
)
def test_cap_that_waits_for_evidence_nobody_makes_is_not_applied(test):
    assert not is_cap(test)


@pytest.mark.parametrize(
    "test",
    [
        "e.goal == 'Safe Tool Engineering' and e.found",
        "e.goal == 'History' and not e.found",
        "'unsafe' in e.content",
        "e.goal == wanted and not e.found",
        "e.goal == 'History' and not other.found",
    ],
)
def test_cap_that_some_evidence_may_meet_is_applied(test):
    assert is_cap(test)


WAITING = "e.goal == 'Safe Tool Engineering' and e.found is False"


@pytest.mark.parametrize(
    "more",
    [
        "def read(rows):\n    return [Evidence(**row) for row in rows]\n",
        "def read(row):\n    return Evidence.model_validate(row)\n",
        "def ask(llm):\n    return llm.with_structured_output(Evidence)\n",
        "def make(goal, ok):\n    return Evidence(goal=goal, found=ok)\n",
        "def fail(e):\n    return e.model_copy(update={'found': False})\n",
        "def fail(e):\n    e.found = False\n",
        "from src.state import Evidence as Proof\ndef make():\n    return Proof(goal='x', found=0)\n",
        (
            "from pydantic import BaseModel\nclass Answer(BaseModel):\n    pieces: list[Evidence]\n"
            "def ask(llm):\n    return llm.with_structured_output(Answer)\n"
        ),
    ],
)
def test_cap_counts_where_evidence_may_come_from_elsewhere(more):
    assert is_cap(WAITING, MADE + more)


def test_fields_of_two_classes_decide_nothing():
    other = "class Note(BaseModel):\n    goal: str\n    found: bool\n"
    assert is_cap(WAITING, state=STATE + other)


@pytest.mark.parametrize(
    "body",
    [
        "    if is_security and any(TEST for e in evidences):\n        final_score = min(final_score, 3)\n",
        "    flaws = [e for e in evidences if TEST]\n    if is_security and flaws:\n        final_score = 3\n",
        (
            "    flaws = []\n    for e in evidences:\n        if TEST:\n            flaws.append(e)\n"
            "    if flaws and is_security:\n        final_score = min(final_score, 3)\n"
        ),
    ],
)
def test_filtered_evidence_is_empty_where_no_piece_passes(body):
    assert not is_cap(WAITING, body=body)
    assert is_cap("e.goal == 'History' and not e.found", body=body)
