"""Rules that filter a list of the state by words which no text that comes into it has."""

from __future__ import annotations

import json
from itertools import pairwise
from textwrap import dedent

import pytest

from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.judging.state_texts import StateTexts
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import justice, layers_of, symbols_of

RUBRIC = json.dumps(
    {
        "criteria": [
            {"id": "tools", "name": "Safe Tools", "target": "code"},
            {"id": "graph", "name": "Graph of Nodes", "target": "code"},
            {"id": "paths", "name": "Paths of the Report", "target": "report"},
        ]
    }
)
DETECTIVES = """
class Evidence(BaseModel):
    goal: str
    found: bool

def code_detective(state):
    model = chat.with_structured_output(Evidence)
    rows = []
    for task in [d for d in state["criteria"] if d["target"] == "code"]:
        answer = model.invoke(task)
        answer.goal = task["name"]
        rows.append(answer)
    return {"evidences": {"code": rows}}

def report_detective(state):
    rows = []
    tasks = [d for d in state["criteria"] if d["target"] == "report"]
    for task in tasks:
        rows.append(Evidence(goal=task["name"], found=True))
    return {"evidences": {"report": rows}}
"""
COLLECTOR = """
def collector(state):
    claims = state["evidences"].get("SOURCE", [])
    claim = next((e for e in claims if "WORD" in e.goal), None)
    lines = []
    if claim and claim.found:
        lines.append(f"Contradiction on {claim.goal} in {len(claims)} places")
    return {"clashes": lines}
"""
BEFORE = "flaws = [c for c in state['clashes'] if 'Safe' in c or 'unsafe' in c.lower()]"


def reading_of(
    collector: str, before: str = BEFORE, test: str = "flaws", detectives: str = DETECTIVES
) -> tuple[bool, str]:
    """Return whether the cap for security is applied, and why its condition never holds."""
    code = justice(f"{before}\nif {test}:\n    score = min(score, 3)  # security")
    symbols = symbols_of({"src/justice.py": code, "src/nodes.py": detectives + dedent(collector)})
    symbols.codebase.data = {"rubric.json": RUBRIC}
    call_graph, layers = layers_of(symbols)
    texts = StateTexts(symbols, frozenset({"clashes", "evidences"}))
    conditions = DeadConditions(
        symbols, layers.justice, None, is_passed_by_none=texts.is_passed_by_none
    )
    cap = read_rules(call_graph, layers, read_graph(symbols, {}), conditions)["security_override"]
    assert bool(cap.lines) is not bool(cap.dead)
    return bool(cap.lines), "".join(texts.reason_at(*place) for place in cap.dead[:1])


def collecting(source: str, word: str) -> str:
    return COLLECTOR.replace("SOURCE", source).replace("WORD", word)


def test_cap_waits_in_vain_for_words_that_no_text_has():
    why = "no text that comes into `clashes` has “Safe” or “unsafe”"
    assert reading_of(collecting("code", "Graph")) == (False, why)


def test_cap_waits_in_vain_for_a_list_that_stays_empty():
    why = "nothing ever comes into `clashes`"
    assert reading_of(collecting("report", "Graph")) == (False, why)
    plain = reading_of(
        collecting("report", "Graph"), "security = state.get('clashes', [])", "security"
    )
    assert plain == (False, why)


def test_cap_applies_where_a_text_may_have_the_word():
    assert reading_of(collecting("code", "Tools")) == (True, "")


@pytest.mark.parametrize(
    "collector",
    [
        "def collector(state):\n    return {'clashes': [f'{state} failed']}\n",
        "def collector(state):\n    return {'clashes': look(state)}\n",
        "def collector(state):\n    lines = []\n    fill(lines)\n    return {'clashes': lines}\n",
        "def collector(state):\n    state['clashes'].append(look())\n    return {'clashes': []}\n",
        "def collector(state):\n    return {'clashes': ['A Safe one']}\n",
        "def collector(state, lines):\n    return {'clashes': lines}\n",
        "def collector(state):\n    a = ['b']\n"
        + "".join(
            f"    {two} = [{', '.join([f'*{one}'] * 90)}]\n" for one, two in pairwise("abcdef")
        )
        + "    return {'clashes': f}\n",
    ],
    ids=["open text", "call", "handed on", "in place", "word", "parameter", "many"],
)
def test_cap_applies_where_a_text_is_not_known_before_a_run(collector: str):
    assert reading_of(collector) == (True, "")


def test_goal_that_a_model_may_give_is_not_known():
    detectives = DETECTIVES.replace('        answer.goal = task["name"]\n', "")
    assert reading_of(collecting("code", "Graph"), detectives=detectives) == (True, "")


@pytest.mark.parametrize(
    "collector",
    [
        (
            "def collector(state):\n    lines = ['Late'] + state.get('clashes', [])\n"
            "    lines.extend(['Early'] if state else [])\n    return {'clashes': sorted(lines)}\n"
        ),
        "def collector(state):\n    return {'clashes': [*['Late'], *(['No'] or [])]}\n",
        "def collector(state):\n    return {'clashes': ['Late' for row in state['rows']]}\n",
    ],
    ids=["names", "starred", "comprehension"],
)
def test_texts_of_a_list_are_followed(collector: str):
    why = "no text that comes into `clashes` has “Safe” or “unsafe”"
    assert reading_of(collector) == (False, why)


def test_search_for_any_of_written_words_is_read():
    before = "flaws = any(w in c for c in state['clashes'] for w in ('Safe', 'shell'))"
    assert reading_of(collecting("code", "Graph"), before) == (True, "")
    before = "flaws = [c for c in state['clashes'] if any(w in c for w in ('Safe', 'shell'))]"
    assert reading_of(collecting("code", "Graph"), before)[0] is False


@pytest.mark.parametrize(("source", "is_of_findings"), [("report", True), ("code", False)])
def test_list_of_what_evidence_contradicts_is_told_from_others(source: str, is_of_findings: bool):
    code = justice("own = [c for c in state['clashes'] if p.name in c]\nif own:\n    score -= 1")
    nodes = DETECTIVES + dedent(collecting(source, "Graph"))
    symbols = symbols_of({"src/justice.py": code, "src/nodes.py": nodes})
    symbols.codebase.data = {"rubric.json": RUBRIC}
    (function,) = layers_of(symbols)[1].justice
    texts = StateTexts(symbols, frozenset({"clashes", "evidences"}))
    assert texts.is_of_findings(function, 6) is is_of_findings
