"""What splits and joins inside a node counts where it happens; the steps of one judge are not judges."""

from __future__ import annotations

from tests.courtroom.analysis.langgraph.test_subgraphs import JUDGES, court, team
from tests.courtroom.sources import IMPORTS, flags, layers_of, names_of


def test_judges_in_a_line_inside_a_node_are_not_parallel():
    assert flags(court("panel()", team("panel", JUDGES, in_line=True)))["judges_parallel"] is False


def test_one_node_that_runs_three_judges_by_itself_is_still_no_parallel_graph():
    assert flags(court("lambda state: [ask(judge) for judge in state]"))["judges_parallel"] is False


def test_steps_inside_one_judge_are_not_judges():
    steps = team("steps", ("lead_in", "judge_tone", "judge_facts"))
    code = court("steps()", steps).replace('"judging"', '"prosecutor"')
    assert flags(code)["judges_parallel"] is False


def test_three_judges_with_steps_of_their_own_run_in_parallel_and_join():
    code = f"""{IMPORTS}
{team("steps", ("think", "answer"), in_line=True)}
g = StateGraph(dict)
g.add_node("chief_justice", print)
for judge in {JUDGES}:
    g.add_node(judge, steps())
    g.add_edge(START, judge)
    g.add_edge(judge, "chief_justice")
"""
    found = flags(code)
    assert (found["judges_parallel"], found["fan_in_before_justice"]) == (True, True)


def test_two_teams_side_by_side_with_a_detective_each_are_parallel():
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
    found = flags(code)
    assert (found["detectives_parallel"], found["fan_in_before_judges"]) == (True, True)


def test_send_starts_what_is_inside_several_times():
    one = team("one", ("judge",))
    code = f"""{IMPORTS}
{one}
g = StateGraph(dict)
g.add_node("evidence_aggregator", print)
g.add_node("court_session", one())
g.add_node("chief_justice", print)
g.add_edge(START, "evidence_aggregator")
g.add_conditional_edges("evidence_aggregator", lambda s: [Send("court_session", c) for c in s["criteria"]])
g.add_edge("court_session", "chief_justice")
"""
    found = flags(code)
    assert (found["judges_parallel"], found["fan_in_before_justice"]) == (True, True)


def test_the_functions_inside_a_layer_are_the_judges():
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
    _, layers = layers_of(names_of(code))
    assert [place.site.node.name for place in layers.judges] == ["accuse"]
