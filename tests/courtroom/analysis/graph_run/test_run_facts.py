"""Faults that LangGraph's own run of a graph of stub nodes shows."""

from __future__ import annotations

from courtroom.models.graph_run import GraphRunFact
from tests.courtroom.analysis.graph_run.wirings import fact_of

UNEVEN = """
    g.add_edge(START, "repo")
    g.add_edge(START, "doc")
    g.add_edge("doc", "pages")
    g.add_edge("repo", "judge")
    g.add_edge("pages", "judge")
    g.add_edge("judge", "justice")
    g.add_edge("justice", END)
"""


def test_branches_of_two_lengths_run_a_node_twice_and_all_after_it():
    fact = fact_of(UNEVEN, ["repo", "doc", "pages", "judge", "justice"])

    assert fact["steps"] == {
        "repo": [1],
        "doc": [1],
        "pages": [2],
        "judge": [2, 3],
        "justice": [3, 4],
    }
    assert [(row["node"], row["fork"], row["lengths"]) for row in fact["repeated"]] == [
        ("judge", "START", [2, 3])
    ]
    assert fact["repeated"][0]["starters"] == [["repo"], ["pages"]]
    assert fact["repeated"][0]["followers"] == ["justice"]
    assert fact["repeated"][0]["choices"] == []
    assert [place["line"] for place in fact["repeated"][0]["places"]] == [15, 16]
    assert GraphRunFact.model_validate(fact).combinations == 1


def test_a_join_waits_for_the_longer_branch():
    joined = UNEVEN.replace(
        'g.add_edge("repo", "judge")\n    g.add_edge("pages", "judge")',
        'g.add_edge(["repo", "pages"], "judge")',
    )
    fact = fact_of(joined, ["repo", "doc", "pages", "judge", "justice"])
    assert (fact["repeated"], fact["steps"]["judge"]) == ([], [3])


def test_a_deferred_node_waits_for_all_others():
    body = UNEVEN + '\n    g.add_node("last", lambda state: state, defer=True)\n'
    body += '    g.add_edge("repo", "last")\n    g.add_edge("justice", "last")\n'
    fact = fact_of(body, ["repo", "doc", "pages", "judge", "justice"])
    assert fact["steps"]["last"] == [5]
    assert [row["node"] for row in fact["repeated"]] == ["judge"]


def test_a_repeat_names_the_choice_that_it_needs():
    body = """
    def check(state) -> str:
        return "failed" if state["errors"] else "passed"

    g.add_edge(START, "collect")
    g.add_conditional_edges("collect", check, {"failed": "excuse", "passed": "judge"})
    g.add_edge("collect", "defense")
    g.add_edge("excuse", "save")
    g.add_edge("defense", "verdict")
    g.add_edge("judge", "verdict")
    g.add_edge("verdict", "save")
    """
    fact = fact_of(body, ["collect", "excuse", "judge", "defense", "verdict", "save"])
    assert [(row["node"], row["choices"]) for row in fact["repeated"]] == [
        ("save", [{"from": "collect", "to": ["excuse"]}])
    ]
    assert fact["combinations"] == 2


def test_a_loop_that_a_route_leaves_is_no_fault():
    body = """
    def again(state) -> str:
        return "judge" if state["is_open"] else "verdict"

    g.add_edge(START, "judge")
    g.add_edge("judge", "collect")
    g.add_conditional_edges("collect", again, ["judge", "verdict"])
    g.add_edge("verdict", END)
    """
    fact = fact_of(body, ["judge", "collect", "verdict"])
    assert (fact["repeated"], fact["endless"], fact["idle"]) == ([], [], [])
    assert [run["steps"] for run in fact["runs"]] == [
        [["judge"], ["collect"], ["judge"], ["collect"], ["verdict"]],
        [["judge"], ["collect"], ["verdict"]],
    ]


def test_a_loop_that_no_route_leaves_runs_to_the_recursion_limit():
    body = """
    g.add_edge(START, "plan")
    g.add_edge("plan", "judge")
    g.add_edge("judge", "collect")
    g.add_edge("collect", "judge")
    """
    fact = fact_of(body, ["plan", "judge", "collect"])
    assert [row["nodes"] for row in fact["endless"]] == [["judge", "collect"]]
    assert (fact["repeated"], fact["runs"][0]["has_end"]) == ([], False)


def test_an_edge_beside_the_route_that_leaves_keeps_the_loop_going():
    body = """
    def leave(state) -> str:
        return "save" if state["done"] else END

    g.add_edge(START, "judge")
    g.add_edge("judge", "collect")
    g.add_edge("collect", "judge")
    g.add_conditional_edges("collect", leave, ["save", END])
    """
    fact = fact_of(body, ["judge", "collect", "save"])
    assert [row["nodes"] for row in fact["endless"]] == [["judge", "collect", "save"]]


def test_a_node_that_nothing_leads_to_never_runs():
    fact = fact_of(
        'g.add_edge(START, "judge")\ng.add_edge("judge", END)', ["judge", "vision", "after"]
    )
    assert fact["idle"] == [
        {"node": "vision", "place": {"path": "src/graph.py", "line": 7}},
        {"node": "after", "place": {"path": "src/graph.py", "line": 8}},
    ]


def test_langgraph_refuses_an_edge_to_a_missing_node():
    fact = fact_of('g.add_edge(START, "judge")\ng.add_edge("judge", "jugde")', ["judge"])
    assert fact["refused"] == ["an edge ends at 'jugde', which is no node (src/graph.py:8)"]
    assert (fact["repeated"], fact["combinations"]) == (None, 0)
    assert GraphRunFact.model_validate(fact).unknown["idle"].startswith("LangGraph refuses")


def test_langgraph_refuses_a_name_that_it_reserves():
    fact = fact_of('g.add_edge(START, "a|b")', ["a|b"])
    assert "reserved character" in fact["refused"][0]


def test_nodes_and_edges_of_some_runs_only_leave_the_run_open():
    body = """
    import os
    g.add_edge(START, "judge")
    if os.environ.get("VISION"):
        g.add_edge(START, "vision")
    """
    fact = fact_of(body, ["judge", "vision"])
    assert (fact["idle"], fact["repeated"], fact["combinations"]) == (None, None, 0)
    assert "depends on the run" in fact["unknown"]["idle"]


def test_a_router_that_may_start_several_nodes_leaves_the_run_open():
    body = """
    g.add_edge(START, "plan")
    g.add_conditional_edges("plan", lambda state: state["next"], {"a": "judge", "b": "save"})
    """
    fact = fact_of(body, ["plan", "judge", "save"])
    assert "the router after plan" in fact["unknown"]["repeated"]


def test_graphs_inside_nodes_run_by_themselves():
    body = """
    inner = StateGraph(dict)
    inner.add_node("read", lambda state: state)
    inner.add_node("skim", lambda state: state)
    inner.add_node("note", lambda state: state)
    inner.add_edge(START, "read")
    inner.add_edge(START, "note")
    inner.add_edge("read", "note")
    g.add_node("detect", inner.compile())
    g.add_edge(START, "detect")
    """
    fact = fact_of(body, [])
    assert (fact["steps"], fact["repeated"]) == ({"detect": [1]}, [])
    [inner] = fact["inner"]
    assert inner["at"] == ["detect"]
    assert [row["node"] for row in inner["repeated"]] == ["note"]
    assert [row["node"] for row in inner["idle"]] == ["skim"]


def test_a_target_of_the_map_may_run_whatever_the_router_seems_to_return():
    body = """
    def is_broken(state):
        return ["always"]

    def route(state) -> str:
        return "excuse" if is_broken(state) else "judge"

    g.add_edge(START, "plan")
    g.add_conditional_edges("plan", route, {"excuse": "excuse", "judge": "judge"})
    """
    fact = fact_of(body, ["plan", "excuse", "judge", "alone"])
    assert [row["node"] for row in fact["idle"]] == ["alone"]


def test_a_node_that_a_router_without_a_map_names_is_not_said_to_be_idle():
    body = """
    def is_broken(state):
        return ["always"]

    def route(state):
        return "excuse" if is_broken(state) else "judge"

    g.add_edge(START, "plan")
    g.add_conditional_edges("plan", route)
    """
    fact = fact_of(body, ["plan", "excuse", "judge", "alone"])
    assert [row["node"] for row in fact["idle"]] == ["alone"]


def test_a_node_behind_a_join_that_never_fires_is_not_said_to_be_idle():
    body = """
    g.add_edge(START, "plan")
    g.add_edge(["plan", "alone"], "judge")
    g.add_edge("judge", "save")
    g.add_edge("other", "alone")
    """
    fact = fact_of(body, ["plan", "alone", "judge", "save", "other"])
    assert [row["node"] for row in fact["idle"]] == ["alone", "other"]


def test_a_loop_with_a_router_that_was_misread_leaves_the_fact_open():
    body = """
    def is_broken(state):
        return ["always"]

    def route(state):
        return "judge" if is_broken(state) else "save"

    g.add_edge(START, "judge")
    g.add_conditional_edges("judge", route)
    """
    fact = fact_of(body, ["judge", "save"])
    assert (fact["endless"], fact["idle"]) == (None, None)
    assert fact["unknown"]["endless"] == "no run left the loop of judge, but a router may"


def test_a_router_that_is_called_again_makes_no_repeat_of_its_own():
    body = """
    def check(state) -> str:
        return "excuse" if state["errors"] else "judge"

    g.add_edge(START, "repo")
    g.add_edge("repo", "doc")
    g.add_edge("repo", "collect")
    g.add_edge("doc", "collect")
    g.add_conditional_edges("collect", check, ["excuse", "judge"])
    g.add_edge("excuse", "save")
    g.add_edge("judge", "save")
    """
    fact = fact_of(body, ["repo", "doc", "collect", "excuse", "judge", "save"])
    assert [(row["node"], row["choices"]) for row in fact["repeated"]] == [("collect", [])]


def test_what_follows_a_router_behind_a_repeated_node_runs_again_where_it_decides_the_same():
    body = """
    def check(state) -> str:
        return "excuse" if state["errors"] else "judge"

    g.add_edge(START, "repo")
    g.add_edge("repo", "doc")
    g.add_edge("repo", "collect")
    g.add_edge("doc", "collect")
    g.add_edge("collect", "log")
    g.add_conditional_edges("collect", check, ["excuse", "judge"])
    g.add_edge("judge", "verdict")
    """
    nodes = ["repo", "doc", "collect", "log", "excuse", "judge", "verdict"]
    fact = fact_of(body, nodes)
    [row] = fact["repeated"]

    assert (row["node"], row["choices"], row["routers"]) == ("collect", [], ["collect"])
    assert row["followers"] == ["log", "excuse", "judge", "verdict"]
    assert row["routed"] == ["excuse", "judge", "verdict"]
    assert fact["steps"]["judge"] == [3, 4]


def test_a_loop_is_left_although_its_router_decides_the_same_behind_a_repeated_node():
    body = """
    def again(state) -> str:
        return "judge" if state["open"] else "verdict"

    g.add_edge(START, "repo")
    g.add_edge("repo", "doc")
    g.add_edge("repo", "judge")
    g.add_edge("doc", "judge")
    g.add_conditional_edges("judge", again, ["judge", "verdict"])
    """
    fact = fact_of(body, ["repo", "doc", "judge", "verdict"])
    assert (fact["endless"], fact["is_complete"]) == ([], True)
    assert [row["node"] for row in fact["repeated"]] == ["judge"]
