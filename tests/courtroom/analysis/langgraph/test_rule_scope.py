"""Rules of the Chief Justice in helpers: the criteria that they are for, the values they are given."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.loose_rules import loose_rules
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

RULE = """
def chief_justice(state):
    for criterion, ops in state["opinions"].items():
        p_score = ops["Prosecutor"].score if ops.get("Prosecutor") else {default}
        d_score = ops["Defense"].score
        t_score = ops["TechLead"].score
        p_score = max(1, min({highest}, int(p_score)))
        {before}
        score = settle_score(p_score, d_score, t_score{arguments})
        hints = hints_for(criterion, score)
    return score

def settle_score(p_score, d_score, t_score{parameters}):
    scores = [p_score, d_score, t_score]
    spread = max(scores) - min(scores)
    if spread > {limit}:
        return sorted(scores)[1]
    {inside}
    return round((p_score + d_score + {weight} * t_score) / (2 + {weight}))

def hints_for(criterion, score):
    if criterion == "graph_orchestration":
        return "Wire the judges side by side."
    return f"{{score}}"

def is_structural(criterion):
    return criterion in ("graph_orchestration", "state")
"""
USUAL = {
    "default": "None",
    "highest": "5",
    "before": "pass",
    "arguments": "",
    "parameters": "",
    "limit": "2",
    "inside": "pass",
    "weight": "1",
}


def sentences_of(**changed: str) -> list[tuple[str, int]]:
    symbols = symbols_of({"src/justice.py": RULE.format(**USUAL | changed)})
    sites = symbols.functions_by_name
    names = ("chief_justice", "settle_score", "hints_for", "is_structural")
    functions = [FunctionRef(*entry) for name in names for entry in sites[name]]
    return [(rule.sentence, rule.line) for rule in loose_rules(functions)]


def test_a_weight_in_a_helper_for_every_criterion_is_named():
    """A text on one criterion after the verdict limits no weight."""
    sentence = "settle_score() lets the Tech Lead weigh more in every criterion, not only in those on architecture"
    assert sentences_of(weight="2") == [(sentence, 19)]


@pytest.mark.parametrize(
    "changed",
    [
        {"before": "if criterion != 'graph_orchestration': continue"},
        {"before": "is_lead = is_structural(criterion)", "arguments": ", is_lead"},
        {
            "arguments": ", criterion",
            "parameters": ", criterion=''",
            "inside": "if not is_structural(criterion): return round(sum(scores) / 3)",
        },
    ],
)
def test_a_weight_that_its_callers_can_limit_is_no_fault(changed: dict[str, str]):
    parameters = {"parameters": ", is_lead=False"} if "arguments" in changed else {}
    assert sentences_of(weight="2", **parameters | changed) == []


def test_a_default_for_an_absent_judge_that_sets_off_the_rule_of_a_helper_is_named():
    sentence = (
        "chief_justice() takes 1 for `p_score` where that judge gave no opinion: beside a 5 of another"
        " judge it can set off the rule of settle_score() in line 16"
    )
    assert sentences_of(default="1") == [(sentence, 4)]


@pytest.mark.parametrize(
    "changed",
    [
        {"default": "3"},
        {"default": "1", "limit": "4"},
        {"default": "5", "highest": "3"},
    ],
)
def test_a_default_that_lies_far_from_no_score_is_no_fault(changed: dict[str, str]):
    assert sentences_of(**changed) == []


SHARES = """
def chief_justice(state):
    shares = []
    for judge, opinion in state["opinions"].items():
        {absence}
        {add}
    score = {total}
    return {{"final_score": score}}
"""
SKIP, ADD = "if opinion is None: continue", "shares.append(opinion.score * 0.25)"


@pytest.mark.parametrize(
    ("absence", "add", "total", "is_named"),
    [
        (SKIP, ADD, "round(sum(shares), 2)", True),
        ("if not opinion: continue", ADD, "sum(shares)", True),
        (SKIP, ADD, "sum(shares) / len(shares)", False),
        (SKIP, ADD, "sum(shares) if len(shares) == 3 else None", False),
        (SKIP, "shares.append(opinion.score)", "sum(shares)", False),
        ("pass", ADD, "sum(shares)", False),
    ],
)
def test_weighted_sum_in_which_an_absent_opinion_counts_as_0_is_named(
    absence, add, total, is_named
):
    code = SHARES.format(absence=absence, add=add, total=total)
    symbols = symbols_of({"src/justice.py": code})
    functions = [FunctionRef(*entry) for entry in symbols.functions_by_name["chief_justice"]]
    sentence = (
        "chief_justice() adds up weighted scores and divides them by no weights: where an opinion is"
        " absent, its share counts as 0"
    )
    rows = [(rule.sentence, rule.line) for rule in loose_rules(functions)]
    assert ((sentence, 7) in rows) is is_named
