"""Layers inside nodes: fan-out and fan-in count, the steps of one judge do not."""

from __future__ import annotations

from tests.courtroom.analysis.langgraph.test_subgraphs import JUDGES, court, team
from tests.courtroom.sources import IMPORTS, flags, layers_of, symbols_of


def test_sequential_judges_inside_a_node_are_not_parallel():
    assert flags(court("panel()", team("panel", JUDGES, in_line=True)))["judges_parallel"] is False


def test_a_single_node_that_calls_three_judges_is_not_parallel():
    assert flags(court("lambda state: [ask(judge) for judge in state]"))["judges_parallel"] is False


def test_steps_inside_one_judge_are_not_judges():
    steps = team("steps", ("lead_in", "judge_tone", "judge_facts"))
    code = court("steps()", steps).replace('"judging"', '"prosecutor"')
    assert flags(code)["judges_parallel"] is False


def test_three_judges_with_inner_steps_are_parallel_and_join():
    code = f"""{IMPORTS}
{team("steps", ("think", "answer"), in_line=True)}
g = StateGraph(dict)
g.add_node("chief_justice", print)
for judge in {JUDGES}:
    g.add_node(judge, steps())
    g.add_edge(START, judge)
    g.add_edge(judge, "chief_justice")
"""
    shape_flags = flags(code)

    assert (shape_flags["judges_parallel"], shape_flags["fan_in_before_justice"]) == (True, True)


def test_two_parallel_teams_of_one_detective_are_parallel():
    code = f"""{IMPORTS}
{team("code_team", ("repo_investigator",))}
{team("paper_team", ("doc_analyst",))}
g = StateGraph(dict)
g.add_node("first", code_team())
g.add_node("second", paper_team())
g.add_node("evidence_aggregator", print)
g.add_node("judge", print)
g.add_edge(START, "first")
g.add_edge(START, "second")
g.add_edge(["first", "second"], "evidence_aggregator")
g.add_edge("evidence_aggregator", "judge")
"""
    shape_flags = flags(code)

    assert (shape_flags["detectives_parallel"], shape_flags["fan_in_before_judges"]) == (True, True)


def test_send_starts_the_nodes_of_a_subgraph_several_times():
    inner_graph = team("one", ("judge",))
    code = f"""{IMPORTS}
{inner_graph}
g = StateGraph(dict)
g.add_node("evidence_aggregator", print)
g.add_node("court_session", one())
g.add_node("chief_justice", print)
g.add_edge(START, "evidence_aggregator")
g.add_conditional_edges("evidence_aggregator", lambda s: [Send("court_session", c) for c in s["criteria"]])
g.add_edge("court_session", "chief_justice")
"""
    shape_flags = flags(code)

    assert (shape_flags["judges_parallel"], shape_flags["fan_in_before_justice"]) == (True, True)


def test_the_functions_inside_a_judging_node_are_judges():
    code = f"""{IMPORTS}
def accuse(state):
    return "charges"
def panel():
    t = StateGraph(dict)
    t.add_node("prosecutor", accuse)
    t.add_edge(START, "prosecutor")
    return t.compile()
g = StateGraph(dict)
g.add_node("judging", panel())
"""
    _, layers = layers_of(symbols_of(code))

    assert [place.site.node.name for place in layers.judges] == ["accuse"]
