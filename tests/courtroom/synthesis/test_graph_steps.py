"""Steps for the graph and its state, from facts of a work: what would do harm is not advised."""

import pytest

from courtroom.synthesis.advice import graph_steps, wiring_steps
from tests.courtroom.synthesis.advised_work import PLACE, work


def test_node_that_runs_after_a_failure_is_named_in_no_layer():
    nodes = ("prosecutor", "defense", "skip_judges", "repo_investigator", "skip_repo")
    graph = {"path": "graph.py", "state_graph_line": 9, "nodes": nodes}

    assert work(graph=graph).names["judge"] == "prosecutor and defense"
    assert work(graph=graph).names["detective"] == "repo_investigator"


def test_node_that_branches_to_the_judges_is_no_judge():
    nodes = ("to_judges", "prosecutor", "defense", "judge_a", "judge_b")
    plain = [["to_judges", "prosecutor"], ["to_judges", "defense"], ["judge_a", "judge_b"]]
    graph = {"path": "graph.py", "state_graph_line": 9, "nodes": nodes}
    graph |= {"edges": plain, "conditional": []}
    assert work(graph=graph).names["judge"] == "prosecutor, defense, judge_a and judge_b"

    route = {"from": "to_judges", "to": ["prosecutor", "defense"]}
    chosen = {**graph, "edges": [], "conditional": [route]}
    assert work(graph=chosen).names["judge"] == "prosecutor, defense, judge_a and judge_b"


def test_key_of_the_evidence_is_not_another_mapping_that_is_merged():
    merged = {"field": "metadata", "reducer": "operator.ior"}
    own = {"field": "evidences", "reducer": "merge_evidences", "applies": "a merge key by key"}
    assert work(reducers=[own, merged]).evidence_key == "evidences"
    assert work(reducers=[own, merged]).names["evidence_at"] == " in `evidences`"
    assert work(reducers=[merged]).evidence_key == "metadata"
    assert work(reducers=[own | {"field": "results"}]).evidence_key is None


def test_reducers_of_keys_that_no_node_need_write_are_not_to_be_explained():
    rows = [{"field": name, "reducer": "operator.add"} for name in ("opinions", "dimensions")]
    assert work(reducers=rows).names["reducers"] == "opinions by operator.add"
    assert work(reducers=rows[1:]).names["reducers"] == "dimensions by operator.add"


def flow_fault(kind, keys, nodes):
    fault = {"kind": kind, "sentence": "x", "path": "nodes.py", "line": 4, "keys": keys}
    return fault | {"nodes": nodes, "other": {"path": "state.py", "line": 3}}


def flow(faults, steps):
    """Return the actions for a graph whose nodes run in these steps, one or several each."""
    of_node = {node: step if isinstance(step, tuple) else (step,) for node, step in steps.items()}
    numbers = range(1, max(map(max, of_node.values())) + 1)
    run = {"steps": [[node for node in of_node if n in of_node[node]] for n in numbers]}
    graph_run = {"steps": of_node, "runs": [run]}
    facts = work(state_flow={"faults": faults, "unread": {}}, graph_run=graph_run)
    return [step.action for step in graph_steps.flow_steps(lambda _: True, facts)]


def test_key_that_arrives_in_time_is_declared():
    faults = [
        flow_fault("undeclared_write", ("folder",), ("repo",)),
        flow_fault("undeclared_read", ("folder",), ("doc",)),
    ]
    expected = "Declare `folder` in CourtState: repo returns it and doc reads it."
    assert set(flow(faults, {"repo": 1, "doc": 2})) == {expected}


def test_lost_report_that_a_caller_writes_is_declared_at_once():
    caller = {"path": "run.py", "line": 7}
    reads = [caller | {"key": "report"}, {"path": "run.py", "line": 9, "key": "other"}]
    fault = flow_fault("undeclared_write", ("report",), ("justice",))
    fault |= {"callers": reads, "written": caller}
    facts = work(state_flow={"faults": [fault], "unread": {}})

    (step,) = graph_steps.flow_steps(lambda _: True, facts)
    assert step.is_urgent
    assert step.action == (
        "Declare `report` in CourtState: justice returns it, and run.py:7 looks for it in the result."
    )


def test_key_that_two_nodes_of_one_step_write_is_declared_with_a_reducer():
    (action,) = flow(
        [flow_fault("undeclared_write", ("failed",), ("repo", "doc"))], {"repo": 1, "doc": 1}
    )
    assert action == (
        "Declare `failed` in CourtState with a reducer, such as operator.or_ for a flag,"
        " operator.add for a list or a function that joins two texts, or leave it out if nothing"
        " needs it: repo and doc return it, repo and doc in one step."
    )


def test_writer_that_runs_a_second_time_is_in_the_step_of_its_second_run_too():
    fault = flow_fault("undeclared_write", ("failed",), ("repo", "doc", "vision"))
    (action,) = flow([fault], {"repo": (1, 2), "doc": 2, "vision": 2})
    assert action.endswith("repo, doc and vision return it, all in one step.")


def test_key_that_its_reader_returns_as_well_is_not_returned_whole():
    faults = [
        flow_fault("undeclared_write", ("errors",), ("repo", "doc", "join")),
        flow_fault("undeclared_read", ("errors",), ("join",)),
    ]
    (action,) = set(flow(faults, {"repo": 1, "doc": 1, "join": 2}))
    assert action.endswith(
        "repo and doc in one step, and join reads it. Return only new entries from join."
    )
    assert "if nothing needs it" not in action


def test_lost_keys_that_nodes_look_up_under_a_declared_key_are_returned_there_once():
    faults = [
        flow_fault("no_update", ("history", "files"), ("repo",)) | {"channel": "evidences"},
        flow_fault("no_update", ("text",), ("doc",)) | {"channel": "evidences", "line": 9},
    ]
    (action,) = flow(faults, {"repo": 1, "doc": 1})
    assert action == (
        "Return `history`, `files` and `text` under `evidences`, where nodes look for them: in repo"
        " and doc (nodes.py:4 and nodes.py:9)."
    )


def test_lost_key_that_a_node_reads_by_itself_is_declared():
    faults = [
        flow_fault("no_update", ("text",), ("repo",)) | {"channel": "evidences"},
        flow_fault("undeclared_read", ("text",), ("doc",)),
    ]
    assert all(a.startswith("Declare `text`") for a in flow(faults, {"repo": 1, "doc": 2}))


def test_key_that_only_the_input_holds_is_declared_and_returned_by_no_node():
    fault = flow_fault("undeclared_read", ("rubric",), ("judge",)) | {"is_given": True}
    assert flow([fault], {"judge": 1}) == [
        "Declare `rubric` in CourtState: the graph's input holds it, and judge reads it."
    ]


def test_key_of_one_value_in_place_of_a_list_is_said_to_be_none():
    read = flow_fault("undeclared_read", ("paths",), ("check",))
    (action,) = flow([read | {"sentence": "x (there is `path`, one str)"}], {"check": 1})
    assert action == (
        "Declare `paths` in CourtState and return it from a node that runs before check, or do not"
        " read it. CourtState declares `path`, which is one str and no list: read that only where it"
        " means the same."
    )


def test_key_of_another_name_is_read_at_each_of_its_places_by_the_step_for_its_lost_ways():
    read = flow_fault("undeclared_read", ("paths",), ("check", "the router after check"))
    read |= {"sentence": "x (there is `path`)", "places": [{"path": "graph.py", "line": 7}]}
    dead = flow_fault("dead_route", ("paths",), ("doc", "vision"))
    facts = work(detectives_parallel=True, state_flow={"faults": [read, dead], "unread": {}})
    steps = [*wiring_steps.topology_steps("detectives_parallel", facts)]
    (action,) = [step.action for step in steps]
    assert action == (
        "Declare `paths` in CourtState and return it from a node that runs before check and the"
        " router after check, or do not read it. CourtState declares `path`: read that, here and at"
        " graph.py:7, only where it means the same."
    )
    assert [*graph_steps.flow_steps(lambda _: True, facts)] == steps


def test_router_reads_what_its_own_node_wrote():
    faults = [
        flow_fault("undeclared_write", ("failed",), ("join",)),
        flow_fault("undeclared_read", ("failed",), ("the router after join",)),
    ]
    steps = flow(faults, {"join": 2})
    new_ways = "lead where no run has gone: see that a run still comes to the verdict."
    assert all(a.startswith("Declare `failed`") and a.endswith(new_ways) for a in steps)


def test_key_that_nobody_writes_is_not_only_declared():
    (action,) = flow([flow_fault("undeclared_read", ("folder",), ("doc",))], {"doc": 1})
    assert action == (
        "Declare `folder` in CourtState and return it from a node that runs before doc, or do not"
        " read it."
    )


def repeated(choices, *, before=("a", "b"), beside=(), added=()):
    graph = {"edges": [[name, "join"] for name in before], "edge_paths": ["g"] * len(before)}
    graph |= {"edge_lines": range(1, len(before) + 1)}
    starters = [[name] for name in before]
    fault = {"node": "join", "fork": "START", "starters": starters, "choices": choices}
    fault |= {"steps": (1, 2), "added": added, "places": [PLACE]}
    run = {"repeated": [fault], "steps": dict.fromkeys(beside, (2,))}
    (step,) = graph_steps.run_steps(["repeated"], work(graph=graph, graph_run=run))
    assert step.is_urgent == bool(added)
    return step.action


def test_uneven_branches_are_joined_by_a_list():
    assert repeated([]) == (
        "Replace the edges a → join and b → join by one edge from the list of them: it waits for all."
    )


def test_list_that_a_repeat_adds_to_twice_is_urgent():
    assert repeated([], added=[{"key": "opinions", "nodes": ["judge"], "places": []}])


def test_edge_is_not_removed_without_a_word_on_what_then_runs_beside():
    assert repeated([], before=("START", "a"), beside=("doc", "eyes")) == (
        "Remove the edge START → join: a starts join. doc and eyes then run beside join: what needs"
        " its result belongs into a node after them."
    )


def test_detectives_are_joined_in_no_node_that_starts_them():
    detectives = ("repo_detective", "doc_detective")
    edges = [("START", "context_builder")]
    edges += [edge for d in detectives for edge in (("context_builder", d), (d, "END"))]
    lines = {"edge_paths": ["graph.py"] * len(edges), "edge_lines": range(1, len(edges) + 1)}
    graph = {"path": "graph.py", "state_graph_line": 9, "edges": edges, **lines}
    graph |= {"nodes": ("context_builder", *detectives), "conditional": []}

    (step,) = wiring_steps.topology_steps("fan_in_before_judges", work(graph=graph))
    assert step.snippet is None
    assert step.action == (
        "Join repo_detective and doc_detective in one node before the judges start: one edge from the"
        " list of them waits for all."
    )


def test_join_stands_where_the_edge_is_that_it_replaces():
    edges = [("prosecutor", "log"), ("defense", "log"), ("tech_lead", "chief_justice")]
    lines = {"edge_paths": ["graph.py"] * 3, "edge_lines": (4, 5, 6)}
    graph = {"path": "graph.py", "state_graph_line": 1, "edges": edges, "conditional": [], **lines}
    graph |= {"nodes": ("prosecutor", "defense", "tech_lead", "log", "chief_justice")}

    (step,) = wiring_steps.topology_steps("fan_in_before_justice", work(graph=graph))
    assert "in place of tech_lead → chief_justice" in step.action
    assert (step.path, step.line) == ("graph.py", 6)


def test_start_is_no_member_of_a_list_that_joins():
    assert repeated([], before=("START", "a")) == "Remove the edge START → join: a starts join."
    assert repeated([], before=("START", "a", "b")) == (
        "Replace the edges START → join, a → join and b → join by one edge from the list of a and b:"
        " it waits for all."
    )


def test_lists_that_are_added_to_themselves_are_one_step():
    rows = [
        {"key": "errors", "nodes": ["a", "b"], "places": [PLACE], "also": ["notes"]},
        {"key": "trace", "nodes": ["b", "c"], "places": [PLACE | {"line": 12}]},
    ]
    (step,) = graph_steps.run_steps(["doubled"], work(graph_run={"doubled": rows}))
    assert step.line == PLACE["line"]
    assert step.action == (
        "Return only new entries of `errors`, `notes` and `trace` from a, b and c, and leave these keys out"
        " where there are none: their reducers add them to those that are there."
    )


def test_lists_of_the_state_that_nodes_append_to_are_to_be_left_alone():
    row = {"key": "errors", "nodes": ["a"], "places": [PLACE], "is_in_place": True}
    (step,) = graph_steps.run_steps(["doubled"], work(graph_run={"doubled": [row]}))
    assert step.action == (
        "Return only new entries of `errors` from a, and leave the key out where there are none: the"
        " reducer adds them to those that are there. Gather them in new lists: what is appended to a"
        " list of the state itself is in it before the reducer adds it once more."
    )


def test_nodes_that_only_hand_lists_back_are_told_to_return_nothing():
    row = {"key": "errors", "nodes": ["a"], "places": [PLACE], "adds_nothing": True}
    (step,) = graph_steps.run_steps(["doubled"], work(graph_run={"doubled": [row]}))
    assert step.action == (
        "Return an empty dict from a: it has nothing new, and the reducer adds `errors` to what is there."
    )


def test_text_that_a_second_rule_replaces_is_kept_beside_it_and_not_deleted():
    fault = flow_fault("unused_verdict", [], []) | {"other": None}
    sentence = "justice() writes `dissent` and, by a second rule in line 9, writes it anew"
    (action,) = flow([fault | {"sentence": sentence}], {"justice": 1})
    assert action.startswith("Keep both texts where both rules apply.")


def test_join_behind_a_route_that_may_not_be_taken_is_no_list():
    assert repeated([{"from": "a", "to": ["b"]}]) == (
        "Let join wait for all branches from START, so that it runs once: pass defer=True where add_node"
        " adds it (LangGraph since May 2025)."
    )


@pytest.mark.parametrize(
    ("rows", "warned"),
    [
        ([], ""),
        ([{"nodes": ["repo_investigator", "join"]}], ""),
        (
            [{"nodes": ["repo_investigator", "doc_analyst"]}],
            (
                " Before that, let repo_investigator and doc_analyst return only what each of them"
                " changes: now they return all that they got, and LangGraph stops where two nodes of a"
                " step write a key without a reducer."
            ),
        ),
    ],
    ids=["none", "one of them", "both"],
)
def test_nodes_that_hand_on_what_they_got_are_not_started_together_as_they_are(rows, warned):
    edges = [("start", "repo_investigator"), ("repo_investigator", "doc_analyst")]
    graph = {"path": "g.py", "state_graph_line": 1, "edges": edges, "conditional": []}
    graph |= {"edge_paths": ["g.py", "g.py"], "edge_lines": [4, 5]}
    graph |= {"nodes": ["start", "repo_investigator", "doc_analyst", "join"]}
    facts = work(graph=graph, detectives_parallel=False, graph_run={"doubled": rows})
    (step,) = wiring_steps.topology_steps("detectives_parallel", facts)
    first, _, rest = step.action.partition(".")
    assert first.startswith("Start repo_investigator and doc_analyst from start, by one edge each;")
    assert rest == warned


def test_route_that_is_never_taken_is_mended_and_no_second_one_added():
    graph = {"conditional": [PLACE | {"from": "join", "to": ["judge", "END"]}]}
    dead = PLACE | {
        "kind": "dead_route",
        "sentence": "the router never takes this way",
        "other": None,
    }
    facts = work(graph=graph, state_flow={"faults": [dead], "unread": {}})
    (step,) = wiring_steps.topology_steps("conditional_error_route", facts)
    assert step.action == (
        "Change what this router tests so that a run can take the branch, or remove it. The router"
        " never takes this way."
    )


def test_way_by_a_key_that_the_state_lacks_is_mended_by_its_declaration():
    row = {"kind": "dead_route", "sentence": "x", "other": None, "keys": ["failed"]}
    step = graph_steps.flow_step(PLACE | row)
    assert step.action == "Declare in the state what this router tests, or remove the branch. x."


def test_way_that_a_failing_line_closes_waits_for_its_mend():
    sentence = "the router returns `stop` in no run: “x” is written only below a.py:5, which fails"
    step = graph_steps.flow_step(
        PLACE | {"kind": "dead_route", "sentence": sentence, "other": None}
    )
    assert step.action.startswith(
        "Mend the line that fails first: a run may then take this branch."
    )


def test_route_by_inputs_alone_gets_one_by_the_evidence():
    rows = {"edge_paths": ["graph.py"], "edge_lines": [4], "edges": [["join", "prosecutor"]]}
    graph = {"conditional": [PLACE | {"from": "gate", "to": ["repo", "skip"]}], **rows}
    facts = work(graph=graph | {"nodes": ["join", "prosecutor"]}, conditional_error_route=True)
    (step,) = wiring_steps.topology_steps("conditional_error_route", facts)
    assert step.action.startswith("Replace the edge join → prosecutor by a conditional edge")


def test_route_for_errors_that_no_run_takes_is_mended_beside_other_routes():
    other = {"path": "graph.py", "line": 30, "from": "b", "to": ["c", "END"]}
    graph = {"conditional": [PLACE | {"from": "a", "to": ["b", "END"]}, other], "edges": []}
    dead = PLACE | {"kind": "dead_route", "sentence": "it is never taken", "other": None}
    flow = {"faults": [dead], "unread": {}}
    facts = work(graph=graph, conditional_error_route=True, state_flow=flow)
    (step,) = wiring_steps.topology_steps("conditional_error_route", facts)
    assert step.action.startswith("Change what this router tests so that a run can")


def test_way_that_no_run_takes_loses_the_edges_beside_its_router_too():
    rows = {"edge_paths": ["graph.py"], "edge_lines": [4], "edges": [["a", "b"]]}
    graph = {"conditional": [PLACE | {"from": "a", "to": ["b", "excuse"]}], **rows}
    dead = PLACE | {"kind": "dead_route", "sentence": "it is never taken", "other": None}
    facts = work(
        graph=graph,
        conditional_error_route=True,
        state_flow={"faults": [dead], "unread": {}},
    )
    _, step = wiring_steps.topology_steps("conditional_error_route", facts)
    assert (step.line, step.action) == (
        4,
        (
            "Remove the edge a → b: let the router after a return b where nothing failed."
            " Where its add_conditional_edges has a mapping, add these names to it."
        ),
    )


def test_ways_of_several_routes_that_no_run_takes_are_one_step():
    rows = [
        {
            "path": "graph.py",
            "line": line,
            "kind": "needless_route",
            "other": {"path": "a.py", "line": 7},
        }
        | {"sentence": "the router never takes this way"}
        for line in (3, 5, 8)
    ]
    facts = work(state_flow={"faults": rows, "unread": {}})
    (step,) = graph_steps.flow_steps(lambda _: True, facts)
    assert step.line == 3
    assert "That is written at a.py:7. The same is so of" in step.action
    assert step.action.endswith(" The same is so of the routes at graph.py:5 and 8.")


@pytest.mark.parametrize("reducers", [[], [{"field": "evidences", "reducer": "operator.ior"}]])
def test_nodes_that_are_to_run_in_one_step_need_a_reducer_first(reducers):
    state = PLACE | {"name": "Case", "kind": "TypedDict"}
    facts = work(graph={}, reducers=reducers, state_class=state)
    (step,) = wiring_steps.topology_steps("detectives_parallel", facts)
    before = " Before that, give the key of Case that they all write a reducer ("
    assert (before in step.action) is (not reducers)


def test_route_that_changes_no_run_loses_the_edges_beside_it():
    rows = {"edge_paths": ["graph.py"] * 2, "edge_lines": [4, 5]}
    graph = {"conditional": [PLACE | {"from": "a", "to": ["b", "END"]}], **rows}
    facts = work(graph=graph | {"edges": [["a", "b"], ["a", "c"]]}, conditional_error_route=True)
    (step,) = wiring_steps.topology_steps("conditional_error_route", facts)
    assert (step.line, step.action) == (
        4,
        (
            "Remove the edges a → b and a → c: let the router after a return b and c where nothing"
            " failed. Where its add_conditional_edges has a mapping, add these names to it."
        ),
    )


def test_route_that_keeps_no_verdict_from_being_given_starts_all_that_follows_itself():
    rows = {"edge_paths": ["graph.py"] * 2, "edge_lines": [4, 5]}
    graph = {"conditional": [PLACE | {"from": "a", "to": ["b", "stop"]}], **rows}
    graph |= {"nodes": ["justice"], "edges": [["a", "c"], ["c", "justice"]]}
    choice = {"from": "a", "to": ["stop"]}
    run = {"choices": [choice], "steps": [["a"], ["c", "stop"], ["justice"]], "has_end": True}
    facts = work(
        graph=graph, conditional_error_route=True, graph_run={"is_complete": True, "runs": [run]}
    )
    (step,) = wiring_steps.topology_steps("conditional_error_route", facts)
    assert step.action == (
        "Remove the edge a → c: let the router after a return c beside b where nothing failed."
        " Where its add_conditional_edges has a mapping, add these names to it."
    )


def test_writes_of_one_step_get_a_reducer_and_what_is_only_returned_is_left_out():
    rows = [PLACE | {"key": key, "nodes": ["a", "b"], "places": [PLACE]} for key in ("x", "y", "z")]
    for row in rows[1:]:
        row["is_unchanged"] = True
    steps = list(graph_steps.run_steps(["conflicts"], work(graph_run={"conflicts": rows})))
    assert [step.action for step in steps] == [
        "Give the key x of CourtState a reducer: a and b write it in one step.",
        "Return only what they change from a and b: they return `y` and `z` as they got them, in one step.",
    ]
    assert all(step.is_urgent for step in steps)


@pytest.mark.parametrize(
    ("nodes", "keys", "words"),
    [
        (["ask"], ["index"], "`index` in collect, such as by counting the rounds of the loop ask"),
        (
            ["ask", "check"],
            ["left", "rows"],
            "one of `left` and `rows` in collect, such as by counting the rounds of the loop ask → check",
        ),
        # They run side by side; only the counter has to change.
        (
            ["prosecutor", "more"],
            ["round_index", "rows"],
            "`round_index` in collect, such as by counting the rounds of the loop of prosecutor and more",
        ),
    ],
)
def test_a_loop_that_decides_the_same_in_each_round_is_told_what_to_change(nodes, keys, words):
    loop = {"nodes": nodes, "places": [PLACE], "routers": ["collect"], "keys": keys}
    steps = {"ask": [1], "check": [2], "prosecutor": [1], "more": [1]}
    facts = work(graph_run={"endless": [loop], "steps": steps})
    (step,) = graph_steps.run_steps(["endless"], facts)
    assert step.action == f"Change {words}: the router after collect decides the same in each."


@pytest.mark.parametrize(
    ("file", "is_renamed"), [("court/Bench.py", True), ("court/tools.py", False)]
)
def test_file_that_is_imported_in_other_letters_is_renamed(file: str, is_renamed: bool):
    sentence = f"a.py imports from `court.bench`, and the file is {file}"
    fault = PLACE | {"kind": "broken_import", "sentence": sentence}
    step = graph_steps.flow_step(fault | {"other": {"path": file, "line": 1}})

    assert step.is_urgent
    renamed = f"Rename {file} to court/bench.py, as the imports of it are written."
    action = renamed if is_renamed else f"{graph_steps.FLOW['broken_import']}. {sentence}."
    assert step.action == action
    assert step.path == (file if is_renamed else PLACE["path"])


@pytest.mark.parametrize(
    ("sentence", "action", "is_constant"),
    [
        ("f() takes the highest score of all, up to a limit", "Take the lower of the limit", False),
        ("“x” as a part of any word", "Look for whole words, by a pattern with \\b at each", False),
        ("f() weighs", graph_steps.FLOW["loose_rule"], False),
        ("f(): the rule matches a word, and no flaw", "Ask a field of the evidence", True),
        ("f() does not come to the rule of facts where", "Apply this cap last", False),
        ("f() lets facts decide on `score` in line 4, and", "Apply the rule of facts last", False),
        ("f() divides them by no weights", "Divide this sum by the weights", False),
        ("f() takes 1 where that judge gave no opinion", "Leave a judge who gave no", False),
    ],
)
def test_rule_is_limited_by_what_is_wrong_with_it(sentence: str, action: str, is_constant: bool):
    fault = PLACE | {"kind": "loose_rule", "sentence": sentence, "other": None}
    step = graph_steps.flow_step(fault | {"is_constant": is_constant})
    assert step.action.startswith(action)
    assert step.is_urgent is is_constant


@pytest.mark.parametrize(("stored", "action"), [("`a`", "Look it up by"), ("`a` and `b`", "Read")])
def test_evidence_under_several_keys_is_read_under_each(stored: str, action: str):
    sentence = (
        f"judge looks up `evidences` by `x`; nodes store it under {stored}: judge sees none of it"
    )
    fault = PLACE | {"kind": "other_key", "sentence": sentence, "other": PLACE}
    step = graph_steps.flow_step(fault | {"is_blinding": True})
    assert step.action.startswith(action)
    assert step.is_urgent


def test_evidence_that_no_request_holds_is_mended_where_it_is_returned():
    sentence = "LangGraph drops what the detectives return, and no request of a judge holds it"
    row = {"kind": "unshown_evidence", "sentence": sentence, "other": None, "is_blinding": True}
    step = graph_steps.flow_step(PLACE | row)
    assert step.action == f"Return a dict with keys of the state here. {sentence}."
    assert step.is_urgent


@pytest.mark.parametrize(
    ("kind", "sentence", "action"),
    [
        (
            "other_key",
            "f() looks up `a`, which no code but the judges' and no data names",
            "Ask for what the detectives",
        ),
        ("impossible_test", "so its cap of the score never applies", "Take this cap out for one"),
        ("unused_prompt", "the function of this name that runs is b()", "Import the one of these"),
    ],
)
def test_fault_with_one_cause_is_mended_by_it(kind: str, sentence: str, action: str):
    row = PLACE | {"kind": kind, "sentence": sentence, "other": PLACE}
    assert graph_steps.flow_step(row).action.startswith(action)


def test_goal_that_nothing_writes_is_written_or_not_looked_for():
    sentence = "f() looks for evidence with the goal 'x'; no code writes that goal"
    step = graph_steps.flow_step(PLACE | {"kind": "other_key", "sentence": sentence, "other": None})
    assert step.action.startswith(
        "Make the word that is looked for here agree with a goal that detectives write. Read first"
    )
    assert step.action.endswith(f"so far it has found none. {sentence}.")
    placed = graph_steps.flow_step(
        PLACE | {"kind": "other_key", "sentence": sentence, "other": PLACE}
    )
    assert f" agree with the goal at {PLACE['path']}:{PLACE['line']}. Read" in placed.action


def test_way_for_want_of_what_is_always_there_names_where_it_is_written():
    row = {"kind": "needless_route", "sentence": "the router never leads to END", "other": PLACE}
    assert graph_steps.flow_step(PLACE | row).action == (
        "Let the node that fails return a value for its failure, and let this router test that value;"
        " or remove the branch. The router never leads to END. That is written at"
        f" {PLACE['path']}:{PLACE['line']}."
    )


def test_detective_that_returns_nothing_is_mended_where_its_update_is_made():
    row = {"name": "doc_analyst", "path": "d.py", "line": 7}
    (step,) = wiring_steps.topology_steps(
        "detectives_parallel", work(detectives_parallel=True, empty_detectives=[row])
    )
    assert (step.path, step.line) == ("d.py", 7)
    assert step.action == "Return from doc_analyst the evidence that it finds: it returns none."


def test_further_places_of_a_fault_are_named_in_its_step():
    fault = {
        "kind": "left_out_criterion",
        "sentence": "x",
        "path": "j.py",
        "line": 4,
        "other": None,
    }
    places = [{"path": "j.py", "line": line} for line in (9, 14)]
    assert graph_steps.flow_step(fault | {"places": places}).action == (
        "Ask for an opinion on each criterion of the rubric here; do the same at j.py:9 and 14. x."
    )
    assert "do the same" not in graph_steps.flow_step(fault).action
