"""Checks on the shape of the graph: findings with the edges that show them."""

import pytest

from courtroom.checks.graph_topology import GraphTopology, topology
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, location_at, survey


def test_a_flag_names_the_edges_that_decide_it():
    edges = (
        location_at("g.py", 2, "hub → prosecutor"),
        location_at("g.py", 2, "hub → defense"),
    )
    finding = topology(
        GraphTopology(**CHECK_FIELDS, aspect="judges_parallel"),
        survey(facts={"judges_parallel": True}, places={"judges_parallel": edges}),
    )
    assert (finding.reason, [(c.line_start, c.rationale) for c in finding.clues]) == (
        "The judges run in parallel: hub → prosecutor; hub → defense (g.py:2).",
        [(2, "hub → prosecutor; hub → defense")],
    )


def test_edges_that_are_not_named_are_counted():
    edges = [location_at("g.py", line, f"hub → judge_{line}") for line in range(1, 7)]
    finding = topology(
        GraphTopology(**CHECK_FIELDS, aspect="judges_parallel"),
        survey(facts={"judges_parallel": True}, places={"judges_parallel": edges}),
    )
    named = "; ".join(f"hub → judge_{line}" for line in range(1, 5))
    assert finding.reason == f"The judges run in parallel: {named} and 2 more (g.py:1)."


@pytest.mark.parametrize(
    ("layer", "value"), [("judges_parallel", False), ("detectives_parallel", True)]
)
def test_a_layer_that_is_parallel_in_part_names_the_node_that_runs_apart(layer, value):
    order = {"together": ("b", "c"), "before": ("a",), "after": ()}
    finding = topology(
        GraphTopology(**CHECK_FIELDS, aspect=layer),
        survey(
            facts={layer: value, "partly_parallel": {layer: order}},
            places={layer: (location_at("g.py", 2, "a → b"),)},
        ),
    )
    nodes = layer.split("_")[0]
    sentence = f"2 of 3 {nodes} run in parallel, `b` and `c`; `a` runs before them"
    assert (finding.met, finding.reason) == (value, f"{sentence}: a → b (g.py:2).")
    assert finding.has_reservation is value


REPEAT = {
    "node": "hub",
    "starters": [["a"], ["b"]],
    "steps": [2, 3],
    "choices": [],
    "followers": ["judge", "verdict"],
}


@pytest.mark.parametrize(
    ("aspect", "edge", "sentence"),
    [
        (
            "fan_in_before_judges",
            "b → hub",
            "`hub` joins the evidence before the judges, but does not wait: it runs in steps 2 and 3",
        ),
        (
            "fan_in_before_justice",
            "judge → verdict",
            "`verdict` joins the opinions before the verdict, but runs again, as `hub` does",
        ),
        ("fan_in_before_justice", "x → other", "Opinions are joined before the verdict"),
    ],
)
def test_join_that_runs_more_than_once_is_not_said_to_wait(aspect, edge, sentence):
    facts = {aspect: True, "graph_run": {"repeated": [REPEAT]}}
    check = GraphTopology(**CHECK_FIELDS, aspect=aspect)
    finding = topology(check, survey(facts=facts, places={aspect: (location_at("g.py", 2, edge),)}))
    assert (finding.met, finding.reason) == (True, f"{sentence}: {edge} (g.py:2).")
    assert finding.has_reservation is (", but " in sentence)


def test_edge_that_a_fault_wants_removed_is_no_proof():
    edges = (location_at("g.py", 2, "a → hub"), location_at("g.py", 3, "all → hub"))
    facts = {"detectives_parallel": True, "graph_run": {"repeated": [REPEAT]}}
    check = GraphTopology(**CHECK_FIELDS, aspect="detectives_parallel")
    finding = topology(check, survey(facts=facts, places={"detectives_parallel": edges}))
    assert clue_lines(finding) == [("g.py", 3)]


NEVER = "the router after a returns `x` only where `e` lacks what b always writes there"
DEAD = {"kind": "dead_route", "sentence": NEVER, "path": "g.py", "line": 7, "other": None}


def _route(line, *ends):
    return {"from": "a", "to": ends, "path": "g.py", "line": line}


@pytest.mark.parametrize(
    ("routes", "subgraphs", "met"),
    [
        ([_route(7, "b", "END")], [], False),
        ([_route(7, "b", "END"), _route(9, "END")], [], False),
        ([_route(7, "b", "END"), _route(9, "c", "END")], [], True),
        ([_route(7, "b", "c", "END")], [], True),
        ([_route(7, "b", "END")], [{"at": ["a"]}], True),
    ],
)
def test_error_route_is_none_where_no_run_takes_one_of_its_two_ways(routes, subgraphs, met):
    graph = {"path": "g.py", "state_graph_line": 1, "conditional": routes, "subgraphs": subgraphs}
    flow = {"faults": [DEAD], "unread": {}}
    facts = {"conditional_error_route": True, "graph": graph, "state_flow": flow}
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    finding = topology(check, survey(facts=facts))
    assert finding.met is met
    assert met or (finding.reason, clue_lines(finding)) == (f"T{NEVER[1:]}.", [("g.py", 7)])
    assert finding.fault == (
        "" if met else "The conditional edge that would route errors never does"
    )


@pytest.mark.parametrize(
    ("ways", "note", "met"),
    [
        ([("b", "c", "END")], "a → b, c or END", True),
        ([("b", "END"), ("c", "d")], "a → b or END", False),
    ],
    ids=["a way of several", "the only route for errors"],
)
def test_way_that_no_run_takes_is_said_of_the_route(ways, note, met):
    routes = [_route(line, *targets) for line, targets in zip((7, 9), ways, strict=False)]
    graph = {"path": "g.py", "state_graph_line": 1, "conditional": routes}
    flow = {"faults": [{**DEAD, "kind": "needless_route"}], "unread": {}}
    facts = {"conditional_error_route": True, "graph": graph, "state_flow": flow}
    places = {"conditional_error_route": (location_at("g.py", 7, note),)}
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    finding = topology(check, survey(facts=facts, places=places))
    assert (finding.met, finding.reason.endswith(f"T{NEVER[1:]}.")) == (met, True)


def test_route_to_several_nodes_is_none_where_a_run_takes_one_way_alone():
    graph = {"path": "g.py", "state_graph_line": 1, "conditional": [_route(7, "b", "c", "END")]}
    flow = {"faults": [{**DEAD, "leaves_single_way": True}], "unread": {}}
    facts = {"conditional_error_route": True, "graph": graph, "state_flow": flow}
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    assert topology(check, survey(facts=facts)).met is False


def test_route_of_which_no_run_takes_one_way_is_not_shown_beside_others():
    ways = [_route(line, "abort", "judges") for line in (7, 9)]
    graph = {"path": "g.py", "state_graph_line": 1, "conditional": ways}
    flow = {"faults": [DEAD], "unread": {}}
    facts = {"conditional_error_route": True, "graph": graph, "state_flow": flow}
    edges = tuple(
        location_at("g.py", row["line"], f"n{row['line']} → abort or judges") for row in ways
    )
    places = {"conditional_error_route": edges}
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    finding = topology(check, survey(facts=facts, places=places))
    assert (finding.met, clue_lines(finding)) == (True, [("g.py", 9)])
    assert "n7" not in finding.reason


@pytest.mark.parametrize(
    ("edges", "met", "more"),
    [
        (
            [("a", "b"), ("a", "c")],
            False,
            "`b` and `c` run: edges without a condition lead to them.",
        ),
        ([("a", "c"), ("b", "c")], True, "`c` runs: edges without a condition lead to it."),
        ([("b", "c"), ("c", "END")], True, ""),
    ],
)
def test_error_route_beside_edges_says_what_runs_whatever_it_chooses(edges, met, more):
    graph = {"conditional": [_route(7, "b", "END")], "edges": edges}
    route = (location_at("g.py", 7, "a → END or b"),)
    finding = topology(
        GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route"),
        survey(
            facts={"conditional_error_route": True, "graph": graph},
            places={"conditional_error_route": route},
        ),
    )
    assert (finding.met, clue_lines(finding)) == (met, [("g.py", 7)])
    assert ("Whatever" in finding.reason, finding.reason.endswith(more)) == (bool(more), True)


@pytest.mark.parametrize(
    ("steps", "edges", "verdict"),
    [
        ([["c", "stop"], ["justice"]], [("a", "c"), ("c", "justice")], "`justice` runs after it"),
        ([["c", "stop"], ["save"]], [("a", "c"), ("c", "save")], ""),
        # The way leads to the verdict itself: it goes on without what failed.
        ([["c", "stop"], ["justice"]], [("a", "c"), ("c", "justice"), ("stop", "justice")], ""),
        ([["stop"]], [], ""),
    ],
    ids=[
        "a verdict beside it",
        "no verdict beside it",
        "a way to the verdict",
        "no edge beside it",
    ],
)
def test_route_past_a_verdict_that_is_given_all_the_same_stops_nothing(steps, edges, verdict):
    graph = {"nodes": ["a", "b", "c", "stop", "justice", "save"], "edges": edges}
    graph |= {"conditional": [_route(7, "b", "stop")]}
    choice = {"from": "a", "to": ["stop"]}
    run = {"choices": [choice], "steps": [["a"], *steps], "has_end": True}
    facts = {"conditional_error_route": True, "graph": graph}
    facts |= {"graph_run": {"is_complete": True, "runs": [run], "repeated": []}}
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    route = (location_at("g.py", 7, "a → b or stop"),)
    finding = topology(check, survey(facts=facts, places={"conditional_error_route": route}))
    words = f"Where it chooses `stop`, {verdict}"
    assert (finding.met, words in finding.reason) == (not verdict, bool(verdict))
    # What the other way leads to is left out all the same.
    assert ("does not stop the verdict" in finding.fault) is bool(verdict)


@pytest.mark.parametrize(("lines", "met"), [((7, 9), False), ((7,), True), ((), True)])
def test_routes_by_inputs_alone_are_none_for_errors_unless_one_tests_more(lines, met):
    graph = {"conditional": [_route(7, "b", "END"), _route(9, "c", "END")]}
    rows = [DEAD | {"kind": "input_route", "line": line} for line in lines]
    facts = {"conditional_error_route": True, "graph": graph}
    facts["state_flow"] = {"faults": rows, "unread": {}}
    edges = tuple(location_at("g.py", line, "a → b or END") for line in (7, 9))
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    finding = topology(check, survey(facts=facts, places={"conditional_error_route": edges}))
    assert (finding.met, finding.fault) == (
        met,
        "" if met else "The conditional edges route missing inputs alone",
    )
    assert met or clue_lines(finding) == [("g.py", 7), ("g.py", 9)]


def test_way_that_no_run_takes_is_said_beside_a_route_that_a_run_takes():
    graph = {"conditional": [_route(7, "b", "END"), _route(9, "c", "END")]}
    flow = {"faults": [DEAD | {"kind": "needless_route"}], "unread": {}}
    facts = {"conditional_error_route": True, "graph": graph, "state_flow": flow}
    edges = tuple(location_at("g.py", line, f"a → {line}") for line in (7, 9))
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    finding = topology(check, survey(facts=facts, places={"conditional_error_route": edges}))
    assert (finding.met, finding.has_reservation, clue_lines(finding)) == (
        True,
        True,
        [("g.py", 9)],
    )
    assert finding.reason.endswith(f"a → 9 (g.py:9). T{NEVER[1:]}.")


@pytest.mark.parametrize("line", [7, 9])
def test_route_for_errors_round_an_endless_loop_has_that_reservation(line):
    graph = {"conditional": [_route(7, "b", "END")]}
    loop = DEAD | {"kind": "endless_loop", "line": line}
    facts = {"conditional_error_route": True, "graph": graph}
    facts["state_flow"] = {"faults": [loop], "unread": {}}
    edges = (location_at("g.py", 7, "a → b or END"),)
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    finding = topology(check, survey(facts=facts, places={"conditional_error_route": edges}))
    is_round = line == 7
    words = "One of these ways leads round a loop that some run never leaves."
    assert (finding.met, finding.has_reservation) == (True, is_round)
    assert finding.reason.endswith(words) is is_round


def test_way_that_no_run_takes_is_said_with_what_runs_beside_it_in_any_case():
    graph = {"conditional": [_route(7, "b", "c")], "edges": [("a", "b")]}
    flow = {"faults": [DEAD], "unread": {}}
    facts = {"conditional_error_route": True, "graph": graph, "state_flow": flow}
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    finding = topology(check, survey(facts=facts))
    assert (finding.met, finding.reason) == (
        False,
        (
            f"T{NEVER[1:]}. Whatever the route after `a` chooses, `b` runs: edges without a condition"
            " lead to it."
        ),
    )


@pytest.mark.parametrize(
    ("lost", "met"), [(("doc", "vision"), False), (("vision",), True), ((), True)]
)
def test_detectives_that_only_a_way_never_taken_starts_together_are_not_parallel(lost, met):
    edges = (location_at("g.py", 7, "check → END or repo + doc + vision"),)
    faults = [DEAD | {"nodes": lost}]
    facts = {"detectives_parallel": True, "state_flow": {"faults": faults, "unread": {}}}
    check = GraphTopology(**CHECK_FIELDS, aspect="detectives_parallel")
    finding = topology(check, survey(facts=facts, places={"detectives_parallel": edges}))
    assert (finding.met, clue_lines(finding)) == (met, [("g.py", 7)])


def test_a_repository_without_a_graph_has_none_and_an_unread_one_is_open():
    check, why = (
        GraphTopology(**CHECK_FIELDS, aspect="exists"),
        {"graph": "the class StateGraph is home-made"},
    )
    missing = topology(
        check, survey(facts={"graph": None, "detectives_parallel": False}, reasons=why)
    )
    unread = topology(
        check, survey(facts={"graph": None, "detectives_parallel": None}, reasons=why)
    )
    assert [(f.met, f.reason) for f in (missing, unread)] == [
        (False, why["graph"]),
        (None, why["graph"]),
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("StateGraph", "its StateGraph is a class of its own (flow.py:4)."),
        ("asyncio.gather", "it runs functions side by side by `asyncio.gather` (flow.py:4)."),
    ],
)
def test_work_that_runs_its_parts_itself_has_no_graph_and_its_ways_stay_open(name, words):
    runner = {"name": name, "path": "flow.py", "line": 4}
    with_runner = survey(facts={"graph": None, "detectives_parallel": None, "own_runner": runner})
    none = topology(GraphTopology(**CHECK_FIELDS, aspect="exists"), with_runner)
    way = topology(GraphTopology(**CHECK_FIELDS, aspect="detectives_parallel"), with_runner)

    assert none.reason == f"No LangGraph StateGraph is built anywhere in the code: {words}"
    assert (none.met, clue_lines(none), way.met) == (False, [("flow.py", 4)], None)


def test_a_graph_is_shown_where_it_is_made():
    graph = {
        "path": "g.py",
        "state_graph_line": 9,
        "nodes": ["a", "b"],
        "edges": [],
        "conditional": [],
    }
    finding = topology(
        GraphTopology(**CHECK_FIELDS, aspect="exists"), survey(facts={"graph": graph})
    )
    assert (finding.met, clue_lines(finding)) == (True, [("g.py", 9)])


def test_node_of_some_runs_is_not_counted_with_the_others():
    graph = {"path": "g.py", "state_graph_line": 9, "nodes": ["a", "b"], "edges": []}
    graph |= {"conditional": [], "optional_nodes": [{"path": "g.py", "line": 12, "node": "b"}]}
    check = GraphTopology(**CHECK_FIELDS, aspect="exists")
    assert topology(check, survey(facts={"graph": graph})).reason == (
        "g.py:9 builds a graph of 1 node; `b` is added in some runs alone (g.py:12)."
    )


@pytest.mark.parametrize(
    ("names", "met"), [(["vision_inspector"], True), (["vision_inspector", "doc_analyst"], False)]
)
def test_detective_that_returns_nothing_is_none_of_those_that_run_in_parallel(names, met):
    rows = [{"name": name, "path": "d.py", "line": line} for line, name in enumerate(names, 7)]
    ends = ("repo_investigator", "doc_analyst", "vision_inspector")
    edges = [location_at("g.py", 3, f"START → {end}") for end in ends]
    facts = {"detectives_parallel": True, "empty_detectives": rows}
    check = GraphTopology(**CHECK_FIELDS, aspect="detectives_parallel")
    finding = topology(check, survey(facts=facts, places={"detectives_parallel": edges}))
    assert (finding.met, finding.has_reservation) == (met, met)
    assert finding.fault == (
        "" if met else "No two detectives that return anything run in parallel."
    )
    assert finding.reason.endswith(
        " `vision_inspector` always returns an empty update (d.py:7)."
        if met
        else "Of those that are wired so, `vision_inspector` and `doc_analyst` always return an empty update (d.py:7 and 8)."
    )
    assert clue_lines(finding)[0] == ("d.py", 7)


@pytest.mark.parametrize(
    ("edges", "is_chain"),
    [
        ([("prosecutor", "defense"), ("defense", "chief_justice")], True),
        ([("prosecutor", "chief_justice"), ("defense", "chief_justice")], False),
    ],
)
def test_judges_in_a_chain_have_no_branches_to_join(edges, is_chain):
    graph = {"nodes": ["prosecutor", "defense", "chief_justice"], "edges": edges}
    places = {"fan_in_before_justice": (location_at("g.py", 2, "defense → chief_justice"),)}
    check = GraphTopology(**CHECK_FIELDS, aspect="fan_in_before_justice")
    facts = {"fan_in_before_justice": False, "graph": graph}
    reason = topology(check, survey(facts=facts, places=places)).reason
    assert reason == (
        "No branches of judges are joined before the verdict: defense → chief_justice (g.py:2). The"
        " judges run one after another: there are no branches to join."
        if is_chain
        else "Opinions are not joined before the verdict: defense → chief_justice (g.py:2)."
    )


def test_evidence_of_the_only_node_of_detectives_has_no_branches_to_join():
    graph = {"nodes": ["detectives", "aggregator"], "edges": [("detectives", "aggregator")]}
    places = {"fan_in_before_judges": (location_at("g.py", 2, "detectives → aggregator"),)}
    check = GraphTopology(**CHECK_FIELDS, aspect="fan_in_before_judges")
    facts = {"fan_in_before_judges": False, "graph": graph}
    finding = topology(check, survey(facts=facts, places=places))
    assert finding.fault == "No branches of detectives are joined before the judges."
    assert finding.reason == (
        "No branches of detectives are joined before the judges: detectives → aggregator (g.py:2)."
        " `detectives` is the only node of detectives: there are no branches to join."
    )


@pytest.mark.parametrize("name", ["detectives", "judges"])
def test_calls_side_by_side_inside_a_node_are_told_where_the_graph_has_no_branches(name):
    row = {"name": name, "path": "d.py", "line": 7}
    places = {"detectives_parallel": (location_at("g.py", 2, "START → detectives"),)}
    check = GraphTopology(**CHECK_FIELDS, aspect="detectives_parallel")
    facts = {"detectives_parallel": False, "concurrent_calls": [row]}
    finding = topology(check, survey(facts=facts, places=places))
    words = (
        " `detectives` starts calls side by side inside one node (d.py:7): the graph has no branches"
        " for them."
    )
    assert (words in finding.reason) == (name == "detectives")
    assert (("d.py", 7) in clue_lines(finding)) == (name == "detectives")


@pytest.mark.parametrize("line", [3, 4])
def test_route_that_counts_evidence_of_a_failure_has_that_reservation(line):
    row = {"name": "detectives", "path": "g.py", "line": line, "keys": ["evidences"]}
    row["report"] = {"path": "d.py", "line": 7}
    places = {"conditional_error_route": (location_at("g.py", 3, "detectives → END or judges"),)}
    facts = {"conditional_error_route": True, "counting_routes": [row]}
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    finding = topology(check, survey(facts=facts, places=places))
    sentence = (
        " The router after `detectives` does not ask whether what stands under `evidences` was"
        " found: evidence of a failure counts for it as well, as made with found=False at d.py:7."
    )
    assert (finding.met, finding.has_reservation) == (True, line == 3)
    assert finding.reason.endswith(sentence) == (line == 3)


def test_router_of_which_all_words_lead_to_one_node_is_named_beside_the_missing_route():
    row = {"from": "clone", "to": ["repo"], "path": "g.py", "line": 7, "merged": ["ok", "failed"]}
    facts = {
        "graph": {"path": "g.py", "state_graph_line": 1, "conditional": [row]},
        "conditional_error_route": False,
    }
    check = GraphTopology(**CHECK_FIELDS, aspect="conditional_error_route")
    finding = topology(check, survey(facts=facts))
    assert finding.reason == (
        "No conditional edge has a way for an error or for missing evidence. The router after `clone`"
        " tells `ok` and `failed` apart, and the map leads from each of them to `repo` (g.py:7)."
    )
    assert (finding.met, clue_lines(finding)[0]) == (False, ("g.py", 7))
