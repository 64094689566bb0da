"""Conditions that ask for an argument of a judge and for want of evidence that is always there."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.analysis.langgraph.rules import readings_of
from tests.courtroom.sources import justice, layers_of, symbols_of

CLAIM = "'deep' in d.argument"
WANT = "not state.get('evidences', {}).get('report')"


def is_applied(test: str, before: str = "") -> bool:
    """Return whether facts overrule opinions where no judge is heard without a report."""
    symbols = symbols_of({"src/justice.py": justice(f"if {test}:\n    score = 2", before)})
    call_graph, layers = layers_of(symbols)
    conditions = DeadConditions(symbols, layers.justice, None, None, lambda _, key: key == "report")
    reading = read_rules(call_graph, layers, read_graph(symbols, {}), conditions)["fact_supremacy"]
    assert bool(reading.lines) is not bool(reading.dead)
    return bool(reading.lines)


@pytest.mark.parametrize(
    "test",
    [
        f"{CLAIM} and {WANT} and is_missing(evidences)",
        f"{CLAIM} and not state['evidences']['report'] and is_missing(evidences)",
        f"{CLAIM} and not (state.get('evidences') or {{}}).get('report') and is_missing(evidences)",
        "claims(d, state) and is_missing(evidences)",
    ],
    ids=["get", "item", "or", "predicate"],
)
def test_rule_that_asks_for_an_argument_and_no_evidence_never_holds(test: str):
    predicate = (
        "def claims(d, state):\n"
        "    text = d.argument.lower()\n"
        "    held = state.get('evidences', {})\n"
        "    if 'deep' in text and not held.get('report'):\n"
        "        return True\n"
        "    return False\n"
    )
    assert not is_applied(test, predicate)


@pytest.mark.parametrize(
    "test",
    [
        f"{WANT} and is_missing(evidences)",
        f"{CLAIM} and {WANT.replace('report', 'code')} and is_missing(evidences)",
        f"{CLAIM} and {WANT.removeprefix('not ')} and is_missing(evidences)",
        f"({CLAIM} or {WANT}) and is_missing(evidences)",
        "claims(d, state) and is_missing(evidences)",
        "may_claim(d, state) and is_missing(evidences)",
    ],
    ids=["no argument", "another key", "evidence", "or", "else", "generator"],
)
def test_rule_that_some_run_meets_is_applied(test: str):
    predicates = (
        "def claims(d, state):\n"
        "    if 'deep' in d.argument and not state['evidences'].get('report'):\n"
        "        return True\n"
        "    return d.score > 3\n"
        "def may_claim(d, state):\n"
        "    yield d.argument\n"
    )
    assert is_applied(test, predicates)


CAP = """
def security_cap(score: int, text: str):
    if "security" in text and score <= 2:
        return min(3, score)
    return None
def chief_justice(state):
    return {"verdict": settle(state["opinions"], state["arguments"])}
def settle(opinions: list, arguments: dict[str, str]):
    score = sum(o.score for o in opinions) / len(opinions)
    cap = security_cap(arguments.get("Prosecutor", ""), "security")
    if cap is not None:
        score = min(score, cap)
    return score
"""


@pytest.mark.parametrize(
    ("old", "new", "is_applied"),
    [
        ("opinions", "opinions", False),
        ('arguments.get("Prosecutor", "")', 'arguments["Prosecutor"]', False),
        ('arguments.get("Prosecutor", "")', 'f"{opinions}"', False),
        ('arguments.get("Prosecutor", "")', "opinions[0].score", True),
        ("dict[str, str]", "dict[str, int]", True),
        ("    if cap is", '    cap = security_cap(score, "security")\n    if cap is', True),
        ("    return None", "    return 3", True),
        ("and score", "and len(text)", True),
        ('    if "security"', '    score = int(score)\n    if "security"', True),
        ("    cap =", "    arguments = scores_of(opinions)\n    cap =", True),
    ],
)
def test_a_cap_for_a_text_in_place_of_a_score_is_never_set(old: str, new: str, is_applied: bool):
    cap = readings_of(CAP.replace(old, new))["security_override"]
    assert bool(cap.lines) is is_applied
    assert cap.dead or is_applied


@pytest.mark.parametrize(
    ("test", "part"),
    [
        ("tables and score < 2", "tables"),
        ("score < 2", ""),
        ("score < 2 and " + "0 or " * 20 + "tables", ""),
        ("score < 2 and (0 or tables)", "0 or tables"),
    ],
)
def test_the_part_of_a_condition_that_never_holds_is_named(test: str, part: str):
    symbols = symbols_of({"src/justice.py": justice(f"tables = []\nif {test}:\n    score = 2")})
    _, layers = layers_of(symbols)
    conditions = DeadConditions(symbols, layers.justice, None)
    assert conditions.dead_part(layers.justice[0], 6) == part
