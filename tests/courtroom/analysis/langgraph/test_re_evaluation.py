"""Scores that lie far apart: a second look at evidence or judges, and what is none."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.re_evaluation import claimed_re_evaluations
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.analysis.langgraph.rules import readings_of, rules_in
from tests.courtroom.sources import IMPORTS, justice, symbols_of


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("variance = max(p, d, t) - min(p, d, t)\nif variance > 2:\n    score = t.score", [6]),
        ("if spread_of(p, d, t) > 2 and not dissent:\n    return t.score", [5]),
        ("if spread_of(p, d, t) > 2:\n    return weighted_score(p, d, t, 2)", [5]),
        ("if spread_of(p, d, t) > 2:\n    return note(p, d, t)", []),
        ("gap = max(p, d, t) - min(p, d, t)\nif gap > 2:\n    return final, note", [6]),
        (
            # The line that the spread decides comes before a cap for security inside its branch.
            (
                "variance = max(p, d, t) - min(p, d, t)\nif variance > 2:\n    score = t_score\n"
                "    if is_insecure(evidences):\n        score = min(score, 3)"
            ),
            [6, 8],
        ),
        ("if abs(p.score - d.score) > 2:\n    score = t.score", [5]),
        ("if abs(p.score - t.temperature) > 2:\n    score = t.score", []),
        ("if dissent:\n    score = t.score", []),
        ("variance = max(p, d, t) - min(p, d, t)\nif variance > 2:\n    note(variance)", []),
    ],
)
def test_a_rule_that_decides_on_the_spread_is_no_second_look(body, lines):
    reading = readings_of(justice(body))["variance_re_evaluation"]

    assert (reading.lines, [line for _, line in reading.final]) == ([], lines)


def test_scores_that_a_small_spread_hands_back_as_they_were_are_not_decided_by_it():
    mark = (
        "def marked(scores, variance):\n    if not variance['wide']:\n        return scores\n"
        "    return [{**score, 'variance_detected': True} for score in scores]\n"
    )
    reading = readings_of(justice("score = marked([score], variance)", mark))
    assert reading["variance_re_evaluation"].final == []


@pytest.mark.parametrize(("value", "count"), [("min(score, 3)", 0), ("(score + t.score) / 2", 1)])
def test_limit_for_missing_evidence_under_the_spread_is_no_second_look(value, count):
    body = (
        "variance = max(p, d, t) - min(p, d, t)\nis_missing = not evidences\n"
        f"if variance > 2 and is_missing:\n    score = {value}"
    )
    reading = readings_of(justice(body))["variance_re_evaluation"]
    assert len(reading.lines) == count


@pytest.mark.parametrize(
    ("read", "count"), [("ev.found and ev.confidence > 0.8", 1), ("opinion.cited_evidence", 0)]
)
def test_score_by_evidence_weighed_again_under_the_spread_is_a_second_look(read, count):
    weigh = (
        "def weighted_by(opinions, evidences):\n    total = 0\n"
        "    for opinion in opinions:\n        for ev in evidences:\n"
        f"            if {read}:\n                total += opinion.score\n    return total\n"
    )
    body = (
        "variance = max(p, d, t) - min(p, d, t)\nif variance > 2:\n"
        "    score = weighted_by([p, d, t], evidences)"
    )
    reading = readings_of(justice(body, weigh))["variance_re_evaluation"]
    assert len(reading.lines) == count

    # Where all scores come that way, none is looked at again.
    always = readings_of(justice(f"score = weighted_by([p], evidences)\n{body}", weigh))
    assert always["variance_re_evaluation"].lines == []


def test_rule_on_evidence_whose_function_speaks_of_conflicts_is_no_second_look():
    supports = (
        "def is_supported(evidences):\n"
        "    topics = {'chief': ['conflict', 'variance']}\n"
        "    return any(e.found for e in evidences if e.goal in topics)\n"
    )
    readings = readings_of(
        justice("if not is_supported(evidences):\n    score = min(score, 2)", supports)
    )
    reading = readings["variance_re_evaluation"]

    assert (reading.lines, reading.final) == ([], [])
    assert len(readings["fact_supremacy"].lines) == 1


def test_re_reading_the_evidence_is_a_re_evaluation():
    again = (
        "def re_evaluate(opinions, evidences):\n"
        "    return [o for o in opinions if o.cited_evidence in evidences]\n"
    )
    body = (
        "variance = max(p.score, d.score) - min(p.score, d.score)\n"
        "if variance > 2:\n"
        "    re_evaluate([p, d], evidences)"
    )

    assert rules_in(justice(body, again)) == {"variance_re_evaluation"}


def test_words_that_end_in_re_are_no_re_evaluation():
    helper = (
        "def score_check(opinions, evidences):\n"
        "    return [o for o in opinions if o.cited_evidence in evidences]\n"
    )
    body = (
        "variance = max(p.score, d.score) - min(p.score, d.score)\n"
        "if variance > 2:\n"
        "    score_check([p, d], evidences)"
    )

    assert rules_in(justice(body, helper)) == set()


NODES = """def prosecutor(state):
    return model.invoke(state["criterion"])
def chief_justice(state):
    return round(state["x"])
"""


def test_a_loop_back_to_the_judges_is_a_re_evaluation():
    code = f"""{IMPORTS}
{NODES}def next_step(state):
    return inner_step(state)
def inner_step(state):
    return "again" if state["re_eval_needed"] else "done"
g = StateGraph(dict)
g.add_node("collect", print)
g.add_node("prosecutor", prosecutor)
g.add_node("chief_justice", chief_justice)
g.add_edge("collect", "prosecutor")
g.add_edge("prosecutor", "chief_justice")
g.add_conditional_edges("chief_justice", next_step, {{"again": "collect", "done": END}})
"""

    assert rules_in(code) == {"variance_re_evaluation"}
    assert rules_in(code.replace('{"again": "collect"', '{"again": END')) == set()


def test_a_loop_is_shown_at_the_route_that_leaves_the_chief_justice():
    code = f"""{IMPORTS}
{NODES}def next_step(state):
    return "again" if state["re_eval_needed"] else "done"
def build():
    g = StateGraph(dict)
    g.add_node("collect", print)
    g.add_node("prosecutor", prosecutor)
    g.add_node("chief_justice", chief_justice)
    g.add_conditional_edges("collect", next_step, {{"again": "prosecutor", "done": "prosecutor"}})
    g.add_edge("prosecutor", "chief_justice")
    g.add_conditional_edges("chief_justice", next_step, {{"again": "collect", "done": END}})
    return g.compile()
app = build()
"""
    lines = [line for _, line in readings_of(code)["variance_re_evaluation"].lines]
    names = [code.split("\n")[line - 1].split('"')[1] for line in lines]
    assert names[0] == "chief_justice"
    assert set(names) == {"chief_justice", "collect"}


def test_a_route_to_a_mediation_node_is_a_re_evaluation():
    code = f"""{IMPORTS}
def mediation(state):
    return model.invoke(state["opinions"])
def chief_justice(state):
    return round(state["x"])
def spread(state):
    return "mediate" if state["variance"] > 2 else "done"
g = StateGraph(dict)
g.add_node("chief_justice", chief_justice)
g.add_node("mediation", mediation)
g.add_conditional_edges("chief_justice", spread, {{"mediate": "mediation", "done": END}})
"""

    assert rules_in(code) == {"variance_re_evaluation"}


@pytest.mark.parametrize(
    ("test", "body", "otherwise"),
    [
        ("spread > 2", "lead", "mean"),
        ("spread <= 2", "mean", "lead"),
        ("not spread > 2", "mean", "lead"),
    ],
)
def test_branch_for_scores_that_agree_is_no_place_of_a_rule_on_the_spread(
    test: str, body: str, otherwise: str
) -> None:
    values = {"lead": "lead_score + 0", "mean": "round(sum(scores) / 3)"}
    code = f"""
def chief_justice(state):
    scores = [o.score for o in state["opinions"]]
    spread = max(scores) - min(scores)
    lead_score = next(o.score for o in state["opinions"] if o.judge == "TechLead")
    if {test}:
        final_score = {values[body]}
    else:
        final_score = {values[otherwise]}
    return {{"report": f"# Verdict {{final_score}}"}}
"""
    final = readings_of(code)["variance_re_evaluation"].final
    lines = [line for _, line in final]
    assert lines == ([7] if body == "lead" else [9])


@pytest.mark.parametrize(
    ("name", "change", "lines"),
    [
        ("final_score_of", "base = max(1, base - 1)", [7]),
        ("final_score_of", "note = 'wide'", []),
        ("notes_on", "base = max(1, base - 1)", []),
    ],
)
def test_rule_on_the_spread_and_a_judges_score_changes_what_is_returned(
    name: str, change: str, lines: list[int]
) -> None:
    code = f"""
def chief_justice(opinions):
    scores = [o.score for o in opinions]
    base, note = round(sum(scores) / 3), ""
    spread = max(scores) - min(scores)
    if opinions[0].score <= 2 and spread >= 2:
        {change}
    return max(1, base), note
""".replace("chief_justice", name)
    code += f"def chief_justice(state):\n    return {{'report': {name}(state['opinions'])}}\n"
    assert [line for _, line in readings_of(code)["variance_re_evaluation"].final] == lines


def test_tie_break_is_shown_before_a_line_that_overrules_by_facts() -> None:
    code = """
def chief_justice(state):
    scores = [o.score for o in state["opinions"]]
    spread = max(scores) - min(scores)
    lead_score = next(o.score for o in state["opinions"] if o.judge == "TechLead")
    if any(not evidence.found for evidence in state["evidences"]):
        final_score = lead_score
    if spread > 2:
        final_score = lead_score
    return {"report": f"# Verdict {final_score}"}
"""
    weight = readings_of(code)["functionality_weight"]
    assert ([line for _, line in weight.lines], weight.is_tie_break) == ([9], True)


@pytest.mark.parametrize(
    ("test", "removal", "count"),
    [
        ("confidence < 0.4", "judges.remove('Defense')", 1),
        ("confidence < 0.4", "del scores['Defense']", 1),
        ("confidence < 0.4", "notes.remove('Defense')", 0),
        ("scores['Defense'] > 3", "judges.remove('Defense')", 0),
    ],
)
def test_judge_that_evidence_leaves_out_is_a_second_look(test, removal, count):
    code = (
        "def arbitrate(scores, judges, confidence):\n"
        "    variance = max(scores.values()) - min(scores.values())\n"
        f"    if variance > 2:\n        if {test}:\n            {removal}\n"
    )
    body = (
        "confidence = max(ev.confidence for ev in evidences)\narbitrate(scores, judges, confidence)"
    )
    reading = readings_of(justice(body, code))["variance_re_evaluation"]
    assert len(reading.lines) == count


def test_text_on_a_dissent_that_is_handed_to_a_call_is_no_spread():
    code = (
        "def weigh(evidence, dissent):\n    if not evidence.found:\n"
        "        return 1, 'low', dissent\n    return 3, 'high', dissent\n"
    )
    body = "score, status, dissent = weigh(evidence, dissent)\nif status == 'low':\n    score = 1"
    readings = readings_of(justice(body, code))
    assert (readings["variance_re_evaluation"].lines, len(readings["fact_supremacy"].lines)) == (
        [],
        1,
    )


@pytest.mark.parametrize(("value", "lines"), [("log", 0), ("judges_that_differ(opinions)", 1)])
def test_conflict_is_one_of_judges_where_they_are_named(value, lines):
    body = f"conflicts = [row for row in {value} if row]\nif conflicts:\n    score = lead.score"
    reading = readings_of(justice(body))["variance_re_evaluation"]
    assert len(reading.final) == lines


def test_rule_of_a_table_on_the_range_of_scores_decides_without_a_second_look() -> None:
    code = """
def is_wide(p, d):
    return True
def by_lead(p, d, tech_lead):
    scores = [p.score, d.score]
    lead_score = tech_lead.score if tech_lead else 3
    return lead_score, "the lead decides"
RULES = [(lambda p, d: max(p.score, d.score) - min(p.score, d.score) > 2, by_lead)]
def chief_justice(state, p, d, tech_lead):
    for holds, decide in RULES:
        if holds(p, d):
            return decide(p, d, tech_lead)
"""
    reading = readings_of(code)["variance_re_evaluation"]
    assert (reading.lines, [line for _, line in reading.final]) == ([], [6, 7])


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "note = 'Wide. The court re-evaluated the evidence of all three judges here.'",
            "The court",
        ),
        ("note = f'{name}: re-evaluation applied.'", "re-evaluation applied"),
        ("note = 'Re-evaluation rules were applied.'", "Re-evaluation rules were applied"),
        ("note = f'**Re-Evaluation Triggered**: {name}'", "Re-Evaluation Triggered"),
        ("note = f'Wide scores triggered a new re-evaluation; {name}'", "Wide scores triggered"),
        ("note = f'Wide. After spread re-evaluation {name} stays.'", "After spread re-evaluation"),
        ("note = f'Wide, to be settled after re-evaluation of {name}.'", ""),
        ("note = 'Re-evaluation triggered if the spread is above 2.'", ""),
        ("note = 'The scores have not triggered a re-evaluation.'", ""),
        ("note = 'It was not re-evaluated.'", ""),
        ("unread = note = 'Scores were re-evaluated.'", "Scores"),
        ("unread = 'Scores were re-evaluated.'", ""),
        ("note = 'Scores far apart should be re-evaluated.'", ""),
        ("logger.info('Scores were re-evaluated.')", ""),
        ("print('Scores were re-evaluated.')", ""),
        ("'Scores are re-evaluated.'", ""),
    ],
)
def test_text_that_says_that_something_was_looked_at_again_is_found(line: str, text: str):
    symbols = symbols_of({"src/justice.py": f"def decide(name):\n    {line}\n    return note\n"})
    function = FunctionRef(*symbols.functions_by_name["decide"][0])
    rows = list(claimed_re_evaluations([function]))
    assert bool(rows) is bool(text)
    assert all(row[1] == 2 and row[2].startswith(text) for row in rows)


@pytest.mark.parametrize(("return_type", "is_alone"), [("str", True), ("int", False)])
def test_a_second_look_that_gives_a_text_alone_is_told_from_one_that_gives_a_score(
    return_type, is_alone
):
    helper = (
        f"def re_evaluate(opinions, evidences) -> {return_type}:\n"
        "    return describe([o for o in opinions if o.cited_evidence in evidences])\n"
    )
    body = "variance = max(p, d, t) - min(p, d, t)\nif variance > 2:\n    result = re_evaluate(opinions, evidences)"
    reading = readings_of(justice(body, helper))["variance_re_evaluation"]

    assert (len(reading.lines), reading.is_text_alone) == (1, is_alone)
