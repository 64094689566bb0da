"""Weight of the Tech Lead: whose score a line takes, and how often a sum counts it."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.lone_lead_weights import lone_lead_weights
from courtroom.analysis.langgraph.judging.score_changes import ChangeReader
from courtroom.analysis.langgraph.judging.tech_lead_rule import (
    heavier_than_lead,
    lead_decides,
    lead_weighs_more,
)
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.analysis.langgraph.rules import readings_of
from tests.courtroom.sources import justice, symbols_of

JUDGES = '["Prosecutor", "Defense", "TechLead"]'


def weight_lines(body: str) -> list[int]:
    """Return the lines of the rule, counted from the first of the body."""
    symbols = symbols_of({"src/justice.py": justice(body)})
    functions = [FunctionRef(*entry) for entry in symbols.functions_by_name["chief_justice"]]
    changes = ChangeReader(functions).changes()
    places = [*lead_decides(changes), *lead_weighs_more(functions)]
    return sorted({line - 3 for _, line in places})


@pytest.mark.parametrize(
    "unpacked",
    [
        f"pros, defe, tech = [op for j in {JUDGES} for op in opinions if op.judge == j]",
        f"pros, defe, tech = (by_judge[j] for j in {JUDGES})",
        f"pros, defe, tech = map(by_judge.get, {JUDGES})",
        'pros, defe, tech = by_judge["Prosecutor"], by_judge["Defense"], by_judge["TechLead"]',
    ],
)
def test_unpacked_names_stand_each_for_their_own_judge(unpacked):
    rule = "if not defe.cited_evidence:\n    final = {}.score"
    assert weight_lines(f"{unpacked}\n{rule.format('tech')}") == [3]
    assert weight_lines(f"{unpacked}\n{rule.format('pros')}") == []


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("base = tech_lead.score if tech_lead else p.score\ncap = 3\nfinal_score = int(base)", 1),
        ("final_score = tech_lead.score if tech_lead else p.score", 1),
    ],
)
def test_place_of_the_weight_is_where_the_tech_lead_is_chosen(body, line):
    assert weight_lines(body) == [line]


def test_name_that_may_be_any_judges_is_not_the_tech_leads():
    body = f"first, second = [op for op in opinions if op.judge in {JUDGES}]\nfinal = first.score"
    assert weight_lines(body) == []


@pytest.mark.parametrize(("key", "lines"), [("techlead", [3]), ("TechLead", [3]), ("defense", [])])
def test_item_of_a_dict_of_scores_is_the_score_of_the_judge_that_its_key_names(key, lines):
    table = "scores = {'defense': d_score, 'techlead': t_score, 'TechLead': t_score}"
    body = f"{table}\nif score_range >= 3:\n    final_score = scores['{key}']"
    assert weight_lines(body) == lines


@pytest.mark.parametrize(
    "blend",
    [
        "score = tech_lead.score * 0.5 + sum(scores) / 3 * 0.5",
        "average = mean(scores)\nscore = tech_lead.score * share + average * (1 - share)",
        "score = round(0.4 * tech_lead.score + 0.6 * (sum(scores) / len(scores)))",
    ],
)
def test_blend_of_the_tech_lead_with_the_mean_of_all_is_a_weight(blend):
    assert weight_lines(blend) == [blend.count("\n") + 1]


@pytest.mark.parametrize(
    "blend",
    [
        "score = p.score * 0.5 + sum(scores) / 3 * 0.5",
        "score = tech_lead.score * 0.5 + p.score * 0.5",
        "score = tech_lead.score * 0 + sum(scores) / 3 * 1",
        "score = p.score * 0.4 + d.score * 0.2 + tech_lead.score * 0.4",
        "if score_range > 2:\n    score = round(p.score * 0.4 + d.score * 0.2 + tech_lead.score * 0.4)",
    ],
)
def test_blend_that_gives_no_more_to_the_tech_lead_is_no_weight(blend):
    assert weight_lines(blend) == []


def test_function_that_speaks_of_the_tech_lead_makes_no_rule_of_a_test_that_calls_it():
    before = "def supports(e):\n    return e in ('architecture', 'tech lead')\n"
    body = "if supports(evidences):\n    final_score = min(score, 2)"
    symbols = symbols_of({"src/justice.py": justice(body, before)})
    names = ("chief_justice", "supports")
    functions = [FunctionRef(*entry) for n in names for entry in symbols.functions_by_name[n]]
    assert list(lead_decides(ChangeReader(functions).changes())) == []


def test_scores_of_other_judges_under_a_rule_on_architecture_are_no_lines_of_it():
    body = (
        "if criterion in ARCHITECTURE and tech_lead:\n"
        "    pros_score = prosecutor.score if prosecutor else tech_lead.score\n"
        "    def_score = defense.score if defense else tech_lead.score\n"
        "    weighted = tech_lead.score * 0.5 + pros_score * 0.25 + def_score * 0.25\n"
        "    score = round(weighted)"
    )
    assert weight_lines(body) == [4, 5]


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        ('weights["TechLead"] = 3.0', [3]),
        ('weights["TechLead"] *= 2', [3]),
        ('weights["TechLead"] = 1.0', []),
        ('weights["Defense"] = 3.0', []),
        ('weights["TechLead"] += 0', []),
    ],
)
def test_weight_of_the_tech_lead_that_is_raised_in_a_table_is_a_rule(change, lines):
    table = 'weights = {"Prosecutor": 1.0, "Defense": 1.0, "TechLead": 1.0}'
    assert (
        weight_lines(f"{table}\nif is_architecture:\n    {change}\nscore = mean(weights)") == lines
    )


@pytest.mark.parametrize("test", ["criterion in ('architecture', 'orchestration')", "criterion"])
def test_branch_of_the_other_criteria_is_no_rule_on_architecture(test):
    mean = "round((p_score + d_score + tech_lead_score) / 3)"
    body = f"if {test}:\n    score = tech_lead_score\nelse:\n    score = {mean}"
    assert weight_lines(body) == [2]


@pytest.mark.parametrize(
    ("branch", "line"),
    [
        (
            "lead_score = tech_lead.score\n    weighted = lead_score * 0.5 + others * 0.5",
            "weighted = lead_score * 0.5 + others * 0.5",
        ),
        (
            "scores = [o.score for o in opinions]\n    score = tech_lead.score",
            "score = tech_lead.score",
        ),
    ],
)
def test_weight_of_the_lead_is_shown_where_it_decides(branch, line):
    code = justice(f"if criterion == 'graph_orchestration':\n    {branch}")
    lines = {number for _, number in readings_of(code)["functionality_weight"].lines}
    assert {code.split("\n")[number - 1].strip() for number in lines} == {line}


@pytest.mark.parametrize(
    ("value", "takes_highest"),
    [("max([p.score, d.score, tech_lead.score])", True), ("tech_lead.score", False)],
)
def test_rule_that_takes_the_highest_score_is_told_from_one_that_takes_the_leads(
    value: str, takes_highest: bool
) -> None:
    code = f"""
def chief_justice(state, p, d, tech_lead):
    score = 3
    if "architecture" in state["criterion"] and tech_lead.score >= 4:
        final = {value}
        return final, "the lead is content"
    return score, ""
"""
    reading = readings_of(code)["functionality_weight"]
    lines = [line for _, line in reading.lines]
    assert (lines, reading.takes_highest) == ([5, 6], takes_highest)


@pytest.mark.parametrize(("key", "lines"), [("TechLead", [3]), ("Defense", [])])
def test_returned_item_of_a_dict_of_scores_is_the_score_that_decides(key, lines):
    body = f"scores = scores_by_judge(opinions)\nif '{key}' in scores:\n    return scores['{key}']"
    assert weight_lines(body) == lines


@pytest.mark.parametrize(
    ("weights", "is_heaviest", "heavier_keys"),
    [
        ('{"TechLead": 1.5, "Prosecutor": 1, "Defense": 1, "Moderator": 2}', True, ["Moderator"]),
        ('{"TechLead": 1.5, "Prosecutor": 2, "Defense": 1}', False, []),
        ('{"TechLead": 1.5, "default": 1}', True, []),
        ('{"TechLead": 1.5, "default": 2}', False, []),
    ],
)
def test_tech_lead_weighs_most_of_the_judges_in_a_table_whoever_else_is_in_it(
    weights, is_heaviest, heavier_keys
):
    body = f"weights = {weights}\nfinal = sum(o.score * weights[o.judge] for o in opinions)"
    symbols = symbols_of({"src/justice.py": justice(body)})
    functions = [FunctionRef(*entry) for entry in symbols.functions_by_name["chief_justice"]]

    assert bool(weight_lines(body)) is is_heaviest
    assert list(heavier_than_lead(functions)) == heavier_keys


@pytest.mark.parametrize(
    ("loop", "lines"),
    [
        (
            'for op in opinions:\n        if op.judge != "TechLead":\n            total += op.score',
            [2],
        ),
        ('total += sum(op.score for op in opinions if op.judge != "TechLead")', [2]),
        (
            'for op in opinions:\n        if op.judge == "TechLead":\n            total = op.score',
            [],
        ),
        (
            'for op in opinions:\n        if op.judge != "Defense":\n            total += op.score',
            [],
        ),
        ('if lead.judge != "TechLead":\n        total = 1', []),
    ],
)
def test_loop_over_all_opinions_but_the_tech_leads_is_beside_one_of_the_tech_lead(loop, lines):
    symbols = symbols_of({"a.py": f"def settle(opinions, lead, total):\n    {loop}\n"})
    (entry,) = symbols.functions_by_name["settle"]
    places = lone_lead_weights([(FunctionRef(*entry), 2), (FunctionRef(*entry), 3)])
    assert [line for _, line in places] == lines
