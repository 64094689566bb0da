"""Steps for a route around the judges where nothing was found: its edges, names and example."""

from itertools import pairwise
from typing import Any

import pytest

from courtroom.synthesis.advice import wiring_steps
from courtroom.synthesis.advice.work import Work


def error_route(*last, quotes=(), **more):
    edges = [("join", "prosecutor"), ("join", "defense"), ("chief_justice", "END"), *last]
    graph = {"path": "g.py", "state_graph_line": 1, "edges": edges, "conditional": []}
    graph |= {"nodes": ["join", "prosecutor", "defense", "chief_justice"]}
    graph |= {"edge_paths": ["g.py"] * len(edges), "edge_lines": range(1, len(edges) + 1)}
    reducers = [{"field": "evidences", "reducer": "operator.ior"}]
    clone = {"name": "clone", "path": "t.py", "line": 1}
    facts = {"graph": graph, "reducers": reducers, "clone_function": clone, **more}
    place = type("Place", (), {"path": "g.py"})
    pieces = [type("Piece", (), {"content": text, "location": place}) for text in quotes]
    evidence: dict[str, Any] = {f"E-{number}": piece for number, piece in enumerate(pieces)}
    (step,) = wiring_steps.topology_steps("conditional_error_route", Work(facts, evidence, {}))
    return step


TESTED = (
    " Let the router test what the node that clones returns of its failure: an error that it raises"
    " ends the run before the router."
)


def test_route_past_the_judges_passes_a_clean_up_and_no_other_node():
    edges = "Replace the edges join → prosecutor and join → defense by a conditional edge"
    way = "that leads to a new node where the clone failed, and from there to"
    end = (
        f"It writes what failed where chief_justice writes the report, and gives no scores.{TESTED}"
    )
    assert error_route().action == f"{edges} {way} END. {end}"
    assert error_route(("save_report", "END")).action == f"{edges} {way} END. {end}"
    assert error_route(("cleanup", "END")).action == f"{edges} {way} cleanup. {end}"


def test_route_of_a_work_without_a_clone_is_for_runs_that_find_nothing():
    action = error_route(clone_function=None).action
    assert " leads to a new node where nothing was found, and from there to END. " in action
    assert action.endswith("and gives no scores.")
    idle = {"name": "clone", "path": "t.py", "line": 1, "is_uncalled": True}
    assert error_route(clone_function=idle).action == action


def test_route_that_leads_to_one_node_alone_may_serve_past_the_judges():
    way = {"path": "g.py", "line": 9, "from": "clone", "to": ["join"]}
    nodes = ["clone", "join", "prosecutor", "defense"]
    graph = {"path": "g.py", "state_graph_line": 1, "conditional": [way], "nodes": nodes}
    graph |= {"edges": [("join", "prosecutor"), ("join", "defense")]}
    graph |= {"edge_paths": ["g.py"] * 2, "edge_lines": [1, 2]}
    runs = {"runs": [{"steps": [["clone"], ["join"], ["prosecutor", "defense"]]}]}
    aside = {"runs": [{"steps": [["clone", "doc"], ["join"], ["prosecutor", "defense"]]}]}
    assert error_route(graph=graph, graph_run=aside).action.endswith(TESTED)
    assert error_route(graph=graph, graph_run=runs).action.endswith(
        " The conditional edge after clone (g.py:9), which leads to join alone, may serve for it."
    )


def test_route_before_judges_in_a_row_leads_to_all_once_they_start_together():
    clause = (
        " Once the judges start together, let the conditional edge lead to prosecutor, defense and"
        " tech_lead, in place of the edges to them."
    )
    edges = [("defense", "tech_lead")]
    assert error_route(*edges, judges_parallel=True).action.endswith(TESTED)
    nodes = ["join", "prosecutor", "defense", "tech_lead"]
    graph = {"path": "g.py", "state_graph_line": 1, "conditional": [], "nodes": nodes}
    graph |= {"edges": [*pairwise(nodes)]}
    graph |= {"edge_paths": ["g.py"] * 3, "edge_lines": [1, 2, 3]}
    assert error_route(graph=graph, judges_parallel=False).action.endswith(clause)


EDGE = 'flow.add_edge("join", "prosecutor")'


def test_example_of_a_route_leaves_the_test_to_the_author():
    snippet = error_route(quotes=(EDGE,)).snippet
    added = []
    names = ("add_node", "add_edge", "add_conditional_edges")
    flow = type("Flow", (), {name: lambda _, *part: added.append(part) for name in names})()
    mended = snippet.replace("has_failed = ...", 'has_failed = state["failed"]')
    assert mended != snippet
    exec(mended, {"flow": flow, "report_failure": "its function"})  # noqa: S102
    node, edge, (start, router, ways) = added
    judges = ["prosecutor", "defense"]
    assert (node, edge) == (("report_failure", "its function"), ("report_failure", "__end__"))
    assert (start, ways) == ("join", [*judges, "report_failure"])
    assert router({"failed": True}) == "report_failure"
    assert router({"failed": False}) == judges


def test_route_past_judges_of_many_criteria_counts_their_edges():
    judges = [("join", f"prosecutor_{number}") for number in range(9)]
    nodes = ["join", "prosecutor", "defense", *(name for _, name in judges)]
    edges = [("join", "prosecutor"), ("join", "defense"), *judges]
    graph = {"path": "g.py", "state_graph_line": 1, "edges": edges, "conditional": []}
    graph |= {"nodes": nodes, "edge_paths": ["g.py"] * 11, "edge_lines": range(1, 12)}
    step = error_route(quotes=(EDGE,), graph=graph)
    assert (step.snippet, step.action) == (
        None,
        (
            "Replace the 11 edges from join to the judges by a conditional edge that leads to a new node"
            " where the clone failed, and from there to END. It writes what failed where the Chief"
            f" Justice writes the report, and gives no scores.{TESTED}"
        ),
    )


def test_route_has_no_example_where_the_name_of_the_builder_is_not_known():
    assert error_route().snippet is None


@pytest.mark.parametrize(
    ("words", "is_merged"), [(("success", "failed"), True), (("a", "b"), False)]
)
def test_word_for_a_failure_that_leads_where_all_lead_is_to_lead_elsewhere(words, is_merged):
    place = {"path": "g.py", "line": 7}
    route = {"from": "clone", "to": ["join"], "merged": words} | place
    graph = {"path": "g.py", "state_graph_line": 1, "conditional": [route], "nodes": ["join"]}
    graph |= {"edges": [("join", "prosecutor")], "edge_paths": ["g.py"], "edge_lines": [2]}
    step = error_route(graph=graph)
    begin = (
        "Let the word `failed` of the router after clone lead to a new node in place of join, and from"
        " there to END. It writes what failed"
    )
    assert step.action.startswith(begin) == is_merged
    assert (step.line == 7) == is_merged
