"""Flags of a graph's shape: parallel layers, fan-in, a route for failures."""

from __future__ import annotations

from textwrap import indent

import pytest

from courtroom.analysis.langgraph.parallelism import Flags, LayerOrder, flags_of
from tests.courtroom.sources import IMPORTS, built, flags, graph_of

PARALLEL = """
g.add_edge(START, "repo_investigator")
g.add_edge(START, "doc_analyst")
g.add_edge(["repo_investigator", "doc_analyst"], "evidence_aggregator")
for judge in ("prosecutor", "defense", "tech_lead"):
    g.add_edge("evidence_aggregator", judge)
    g.add_edge(judge, "chief_justice")
g.add_edge("chief_justice", END)
"""
LINEAR = """
chain = ["repo_investigator", "doc_analyst", "evidence_aggregator", "prosecutor", "defense", "tech_lead", "chief_justice"]
g.set_entry_point(chain[0])
for a, b in zip(chain, ["doc_analyst", "evidence_aggregator", "prosecutor", "defense", "tech_lead", "chief_justice"]):
    g.add_edge(a, b)
"""
GATE = """
def gate(state):
    if not state["evidences"]:
        return END
    return ["prosecutor", "defense", "tech_lead"]
"""


def test_a_chain_has_no_parallel_layer_and_no_fan_in():
    assert flags(built(LINEAR)) == {
        "detectives_parallel": False,
        "judges_parallel": False,
        "fan_in_before_judges": False,
        "fan_in_before_justice": False,
        "conditional_error_route": False,
    }


def test_two_fan_outs_and_two_fan_ins_are_detected():
    assert flags(built(PARALLEL)) == {
        "detectives_parallel": True,
        "judges_parallel": True,
        "fan_in_before_judges": True,
        "fan_in_before_justice": True,
        "conditional_error_route": False,
    }


def test_alternatives_of_a_router_are_not_parallel():
    code = built(
        "g.add_conditional_edges('evidence_aggregator', lambda s: 'prosecutor' if s else 'defense')"
    )
    assert flags(code)["judges_parallel"] is False


def test_a_router_that_returns_a_list_runs_its_members_in_parallel():
    code = built(f"{GATE}\ng.add_conditional_edges('evidence_aggregator', gate)")
    shape_flags = flags(code)
    assert (shape_flags["judges_parallel"], shape_flags["conditional_error_route"]) == (True, True)


def test_a_routed_judge_is_parallel_to_an_unconditional_one():
    code = built(
        """
        g.add_conditional_edges("evidence_aggregator", lambda s: "go" if s else "stop", {"go": "prosecutor", "stop": END})
        g.add_edge("evidence_aggregator", "defense")
        """
    )
    assert flags(code)["judges_parallel"] is True


def test_send_starts_one_judge_node_several_times():
    code = f"""{IMPORTS}
def fan_out(state):
    return [Send("judge", {{"persona": p}}) for p in ("Prosecutor", "Defense", "TechLead")]
g = StateGraph(dict)
for name in ("repo_investigator", "judge", "chief_justice"):
    g.add_node(name, print)
g.add_conditional_edges("repo_investigator", fan_out)
g.add_edge("judge", "chief_justice")
"""
    shape_flags = flags(code)

    assert (shape_flags["judges_parallel"], shape_flags["fan_in_before_justice"]) == (True, True)


def test_a_single_node_for_all_judges_is_not_parallel():
    code = f"""{IMPORTS}
g = StateGraph(dict)
g.add_node("detectives", print)
g.add_node("judges", print)
g.add_node("chief_justice", print)
g.add_edge("detectives", "judges")
g.add_edge("judges", "chief_justice")
"""

    assert set(flags(code).values()) == {False}


def test_detectives_that_each_start_every_judge_are_not_joined():
    code = built(
        """
        for d in ("repo_investigator", "doc_analyst"):
            g.add_edge(START, d)
            for j in ("prosecutor", "defense"):
                g.add_edge(d, j)
        """
    )
    shape_flags = flags(code)

    assert (shape_flags["detectives_parallel"], shape_flags["fan_in_before_judges"]) == (
        True,
        False,
    )


def test_a_loop_back_to_the_start_does_not_make_parallel_nodes_serial():
    code = built(
        f"{PARALLEL}\n"
        f"g.add_conditional_edges('chief_justice', lambda s: 'again' if s else END, {{'again': START}})"
    )
    assert flags(code)["detectives_parallel"] is True


def test_a_router_to_a_re_evaluation_is_no_error_route():
    code = built(
        f"""{PARALLEL}
def spread(state):
    return "re_evaluate" if state["variance"] > 2 else "done"
g.add_conditional_edges("chief_justice", spread, {{"re_evaluate": "tech_lead", "done": END}})
"""
    )

    assert flags(code)["conditional_error_route"] is False


def test_a_router_with_one_target_is_no_error_route():
    code = built(
        "g.add_conditional_edges('doc_analyst', lambda s: 'error' if s else 'ok', "
        "{'error': 'evidence_aggregator', 'ok': 'evidence_aggregator'})"
    )
    assert flags(code)["conditional_error_route"] is False


def test_a_router_that_tests_a_missing_input_is_an_error_route():
    code = built(
        """
def route(state):
    url = (state.get("repo_url") or "").strip()
    return "run" if url else "skip"
g.add_conditional_edges("evidence_aggregator", route, {"run": "prosecutor", "skip": END})
"""
    )

    assert flags(code)["conditional_error_route"] is True


# Ends of a router's function after which both of its outcomes are left.
BOTH = {
    "a count of what is looked up": """
    items = state.get("evidences") or {}
    count = 0
    for name in state.get("names") or ["a", "b"]:
        rows = items.get(name) or []
        if rows and any(getattr(row, "found", False) for row in rows):
            count += 1
    return "ok" if count >= 2 else "leave"
""",
    "a value set before a break": """
    target = "ok"
    for row in state["evidences"]:
        if not row.found:
            target = "leave"
            break
    return target
""",
    "a value set before a continue": """
    target = "leave"
    for row in state["evidences"]:
        if row.found:
            target = "ok"
            continue
    return target
""",
    "a loop that may not run": """
    target = "ok"
    for row in state["failures"]:
        target = "leave"
    return target
""",
    "a loop of while": """
    target, queue = "ok", list(state["evidences"])
    while queue:
        if not queue.pop().found:
            target = "leave"
            break
    return target
""",
}


@pytest.mark.parametrize("body", BOTH.values(), ids=BOTH)
def test_a_router_keeps_both_outcomes_after(body: str):
    code = built(
        f"""
def build():
    def route(state):
{indent(body, "    ")}
    g.add_conditional_edges("evidence_aggregator", route, {{"ok": "prosecutor", "leave": END}})
build()
"""
    )

    (route,) = graph_of(code).routes
    assert sorted(route.outcomes) == [("END",), ("prosecutor",)]
    assert flags(code)["conditional_error_route"] is True


TESTS = """
from functools import partial
def usable(state):
    return not any(row.failed for row in state["rows"])
def route(state):
    return "run" if usable(state) else "leave"
def given(key, state):
    return "leave" if state.get(key) else "run"
def made(key):
    def route(state):
        return "leave" if state.get(key) else "run"
    return route
class Gate:
    def route(self, state):
        return "run" if self.ready(state) else "leave"
    def ready(self, state):
        return not state["errors"]
"""


@pytest.mark.parametrize(
    "router",
    [
        "route",
        'lambda state: "run" if usable(state) else "leave"',
        'partial(given, "errors")',
        'made("errors")',
        "Gate().route",
    ],
)
def test_a_router_whose_test_stands_beside_it_is_an_error_route(router: str):
    code = built(
        f"""{TESTS}
for start, router in [("evidence_aggregator", {router})]:
    g.add_conditional_edges(start, router, {{"run": "prosecutor", "leave": "chief_justice"}})
"""
    )

    assert flags(code)["conditional_error_route"] is True


def test_a_router_that_passes_the_judges_by_on_an_unclear_test_is_not_denied():
    code = built(
        """
def route(state):
    return "prosecutor" if state["rows"] else END
g.add_conditional_edges("evidence_aggregator", route, ["prosecutor", END])
"""
    )
    shape_flags = shape_of(code)

    assert shape_flags.values["conditional_error_route"] is None
    assert shape_flags.reasons["conditional_error_route"] == (
        "the router after evidence_aggregator (src/graph.py:16) may pass the judges by, and no word"
        " of it tells on what"
    )


def test_the_way_out_of_a_loop_of_judges_is_no_way_past_them():
    code = built(
        """
def route(state):
    return "chief_justice" if state["index"] >= len(state["rows"]) else "prosecutor"
g.add_edge(START, "evidence_aggregator")
g.add_conditional_edges("evidence_aggregator", route, ["prosecutor", "chief_justice"])
g.add_edge("prosecutor", "evidence_aggregator")
"""
    )

    assert shape_of(code).values["conditional_error_route"] is False


def test_a_way_around_something_is_shown_only_where_no_router_names_a_failure():
    code = built(
        """
def changed(state):
    return "run" if state["rows"] else "skip"
def check(state):
    return "failed" if state["rows"] else "run"
g.add_conditional_edges("repo_investigator", changed, {"run": "doc_analyst", "skip": "defense"})
g.add_conditional_edges("doc_analyst", check, {"run": "prosecutor", "failed": END})
"""
    )
    starts = [row.words for row in shape_of(code).departures["conditional_error_route"]]

    assert starts == ["doc_analyst → END or prosecutor"]


def test_a_way_for_errors_that_the_router_never_returns_is_no_error_route():
    code = built(
        """
def route(state):
    return "defense" if state["rows"] else "prosecutor"
ways = {"defense": "defense", "prosecutor": "prosecutor", "failed": "chief_justice"}
g.add_conditional_edges("evidence_aggregator", route, ways)
"""
    )

    assert flags(code)["conditional_error_route"] is False


@pytest.mark.parametrize(
    ("name", "is_judge"),
    [
        ("prosecutor_node", True),
        ("prosecutor_synthesis_conflict_resolution", True),
        ("tech_lead_synthesis", True),
        ("DefenseAttorney", True),
        ("TechLead", True),
        ("judges_aggregator", False),
        ("judge_collector", False),
    ],
)
def test_judges_are_recognized_by_their_names(name, is_judge):
    code = built(
        f"g.add_node('{name}', print)\ng.add_edge(START, '{name}')\ng.add_edge(START, 'prosecutor')"
    )
    assert flags(code)["judges_parallel"] is is_judge


WAY_BACK = """
g.add_edge(START, "repo_investigator")
g.add_edge(START, "doc_analyst")
g.add_edge("repo_investigator", "evidence_aggregator")
g.add_edge("doc_analyst", "evidence_aggregator")
for judge in ("prosecutor", "defense", "tech_lead"):
    g.add_edge("evidence_aggregator", judge)
    g.add_edge(judge, "chief_justice")
g.add_conditional_edges("chief_justice", lambda state: state["next"], ["evidence_aggregator", END])
"""


def test_joins_are_shown_by_the_edges_of_their_branches_and_no_way_back():
    reading = graph_of(built(WAY_BACK))
    assert reading.builder is not None
    departures = flags_of(reading.builder, reading.routes, reading.subgraphs).departures
    assert [row.words for row in departures["fan_in_before_judges"]] == [
        "repo_investigator → evidence_aggregator",
        "doc_analyst → evidence_aggregator",
    ]
    assert [row.words for row in departures["fan_in_before_justice"]] == [
        f"{judge} → chief_justice" for judge in ("prosecutor", "defense", "tech_lead")
    ]


def shape_of(code: str) -> Flags:
    reading = graph_of(code)
    assert reading.builder is not None
    return flags_of(reading.builder, reading.routes)


SERIAL_JUDGE = """
def gate(state):
    return "prosecutor" if state["evidences"] else END

g.add_conditional_edges("evidence_aggregator", gate, {"prosecutor": "prosecutor", END: END})
g.add_edge("prosecutor", "defense")
g.add_edge("prosecutor", "tech_lead")
g.add_edge(["defense", "tech_lead"], "chief_justice")
"""


def test_a_judge_that_a_router_starts_before_the_others_is_not_parallel_to_them():
    shape_flags = shape_of(built(f'g.add_edge(START, "evidence_aggregator")\n{SERIAL_JUDGE}'))

    assert shape_flags.values["judges_parallel"] is False
    assert shape_flags.orders["judges_parallel"] == LayerOrder(
        together=("defense", "tech_lead"), before=("prosecutor",), after=()
    )


def test_a_detective_that_runs_first_leaves_the_others_parallel():
    code = built(
        """
        g.add_edge(START, "repo_investigator")
        for name in ("doc_analyst", "vision_inspector"):
            g.add_edge("repo_investigator", name)
        """,
        ("repo_investigator", "doc_analyst", "vision_inspector"),
    )
    shape_flags = shape_of(code)

    assert shape_flags.values["detectives_parallel"] is True
    assert shape_flags.orders["detectives_parallel"].before == ("repo_investigator",)
