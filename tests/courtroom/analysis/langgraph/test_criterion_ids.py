"""Rules that wait for a criterion which the work's rubric has not, or has under another id."""

from __future__ import annotations

import ast
import json

import pytest

from courtroom.analysis.langgraph.judging.criterion_ids import CriterionIds
from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import layers_of, symbols_of

RUBRIC = {
    "dimensions": [
        {"id": "Safe_Tools", "name": "Safe tools"},
        {"id": "graph_wiring", "name": "Wiring"},
        {"id": "structured_answers", "name": "Answers"},
    ]
}
CODE = """
AREAS = ("architecture", "security")


def is_secure_area(criterion_id):
    cid = (criterion_id or "").strip().lower()
    return any(area in cid for area in AREAS)


def chief_justice(criterion_id, dim, p, d, t):
    score = (p.score + d.score + t.score) / 3
    is_area = is_secure_area(criterion_id)
    if {test}:
        score = min(score, 3)  # for security
    return score
"""


def criteria_of(
    test: str, rubric: object = RUBRIC, more: str = ""
) -> tuple[CriterionIds, FunctionRef, DeadConditions]:
    symbols = symbols_of({"src/justice.py": CODE.format(test=test) + more})
    symbols.codebase.data = {"rubric.json": json.dumps(rubric)}
    _, layers = layers_of(symbols)
    criteria = CriterionIds(symbols)
    justice = next(f for f in layers.justice if f.name == "chief_justice")
    conditions = DeadConditions(symbols, layers.justice, None, lacks_criterion=criteria.lacks)
    return criteria, justice, conditions


def is_dead(test: str, rubric: object = RUBRIC, more: str = "") -> bool:
    _, justice, conditions = criteria_of(test, rubric, more)
    branch = next(n for n in justice.site.node.body if isinstance(n, ast.If))
    return conditions.never_holds(branch.test, justice)


@pytest.mark.parametrize(
    "test",
    [
        "'security' in criterion_id",
        "'security' in criterion_id.lower() and p.score < 3",
        "'safe' in criterion_id",
        "criterion_id == 'safe_tools'",
        "dim['id'] in {'security', 'sandbox'}",
        "dim.get('id', '').lower() in AREAS",
        "any(word in criterion_id for word in ['security', 'auth'])",
        "is_secure_area(criterion_id)",
        "is_area",
        "is_area or criterion_id == 'security'",
    ],
)
def test_rule_for_an_id_that_no_criterion_has_never_holds(test):
    assert is_dead(test)


@pytest.mark.parametrize(
    "test",
    [
        "'safe' in criterion_id.lower()",
        "criterion_id == 'Safe_Tools'",
        "'security' in criterion_id or 'wiring' in criterion_id",
        "'security' in criterion_id or p.score < 3",
        "dim['id'] in {'security', 'graph_wiring'}",
        "'security' in p.argument",
        "'security' in dim['name']",
        "'security' not in criterion_id",
        "criterion_id in areas",
        "any(word in criterion_id for word in words)",
    ],
)
def test_rule_for_an_id_that_may_be_there_may_hold(test):
    assert not is_dead(test)


@pytest.mark.parametrize(
    "rubric", [{}, {"id": "x"}, [{"id": "security_of_tools", "name": "Security"}]]
)
def test_without_the_ids_of_a_rubric_a_test_may_hold(rubric):
    assert not is_dead("'security' in criterion_id", rubric)


@pytest.mark.parametrize(
    "more",
    [
        "\nSPARE = {'id': 'security_x'}\n",
        "\nop = Opinion(criterion_id='security_x', score=1)\n",
        "\nALL = ['graph_wiring', 'security_x']\n",
        "\nBY_ID = {'graph_wiring': 1, 'security_x': 2}\n",
        "\nfor criterion_id in ('theory', 'security_x'):\n    run(criterion_id)\n",
    ],
)
def test_id_that_code_writes_is_one(more):
    assert is_dead("'security' in criterion_id")
    assert not is_dead("'security' in criterion_id", more=more)


def test_line_names_the_text_for_which_it_waits_in_vain():
    criteria, justice, conditions = criteria_of("is_secure_area(criterion_id)")
    functions = {function.name: function for function in conditions.functions}
    line = justice.source.text[: justice.source.text.index("# for")].count("\n") + 1
    assert criteria.missing_at(justice, line, functions) == "architecture"


@pytest.mark.parametrize(
    ("test", "ids"),
    [
        ("'structure' in criterion_id", {"structured_answers"}),
        ("is_area and p.score > 3", set()),
        (
            "'structure' in criterion_id or dim['id'] == 'graph_wiring'",
            {"structured_answers", "graph_wiring"},
        ),
        ("'structure' in criterion_id or p.score > 3", set()),
        ("not 'structure' in criterion_id", set()),
        ("p.score > 3", set()),
    ],
)
def test_conditions_limit_a_line_to_criteria(test, ids):
    criteria, justice, conditions = criteria_of(test)
    functions = {function.name: function for function in conditions.functions}
    line = justice.source.text[: justice.source.text.index("# for")].count("\n") + 1
    assert criteria.reached_at(justice, line, functions) == ids


def test_rule_that_waits_for_an_absent_id_is_dead():
    symbols = symbols_of({"src/justice.py": CODE.format(test="'security' in criterion_id")})
    symbols.codebase.data = {"rubric.json": json.dumps(RUBRIC)}
    call_graph, layers = layers_of(symbols)
    conditions = DeadConditions(
        symbols, layers.justice, None, lacks_criterion=CriterionIds(symbols).lacks
    )
    reading = read_rules(call_graph, layers, read_graph(symbols, {}), conditions)
    assert reading["security_override"].lines == []
    assert len(reading["security_override"].dead) == 1
