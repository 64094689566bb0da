"""All faults in the flow of data through a repository's graph, with what was not read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.judging.cut_scores import cut_scores
from courtroom.analysis.langgraph.judging.guessed_criteria import guessed_criteria
from courtroom.analysis.langgraph.judging.impossible_values import (
    cap_behind,
    foreign_names,
    impossible_tests,
)
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.loose_rules import loose_rules
from courtroom.analysis.langgraph.judging.moved_scores import moved_scores
from courtroom.analysis.langgraph.judging.refused_values import refused_values
from courtroom.analysis.langgraph.judging.short_words import short_words
from courtroom.analysis.langgraph.judging.tripping_texts import tripping_texts
from courtroom.analysis.langgraph.judging.twice_filled_texts import twice_filled_texts
from courtroom.analysis.langgraph.judging.uncalled_helpers import unused_helpers
from courtroom.analysis.langgraph.judging.unmade_keys import unmade_keys
from courtroom.analysis.langgraph.state_access import StateAccess
from courtroom.analysis.langgraph.state_flow.absent_keys import absent_keys
from courtroom.analysis.langgraph.state_flow.broken_imports import broken_imports
from courtroom.analysis.langgraph.state_flow.carried_states import carried_states
from courtroom.analysis.langgraph.state_flow.claimed_directories import claimed_directories
from courtroom.analysis.langgraph.state_flow.copied_evidence import copied_evidence
from courtroom.analysis.langgraph.state_flow.cut_texts import cut_texts
from courtroom.analysis.langgraph.state_flow.dead_patterns import dead_patterns
from courtroom.analysis.langgraph.state_flow.dead_routes import DeadWay, unreturned_keys
from courtroom.analysis.langgraph.state_flow.default_directories import (
    address_directories,
    defaulted_directories,
)
from courtroom.analysis.langgraph.state_flow.deleted_by_caller import (
    deleted_by_caller,
    returned_by_callbacks,
)
from courtroom.analysis.langgraph.state_flow.deleted_clone import deleted_clones
from courtroom.analysis.langgraph.state_flow.early_reads import early_reads
from courtroom.analysis.langgraph.state_flow.emptied_writes import emptied_writes
from courtroom.analysis.langgraph.state_flow.filtered_evidence import filtered_evidence
from courtroom.analysis.langgraph.state_flow.flow_fault import (
    FlowFault,
    FlowReading,
    joined,
    squashed,
)
from courtroom.analysis.langgraph.state_flow.handed_addresses import handed_addresses
from courtroom.analysis.langgraph.state_flow.idle_steps import idle_steps
from courtroom.analysis.langgraph.state_flow.ignored_fields import ignored_fields
from courtroom.analysis.langgraph.state_flow.input_routes import input_routes
from courtroom.analysis.langgraph.state_flow.left_clones import (
    cloned_again,
    doubled_clones,
    left_clones,
)
from courtroom.analysis.langgraph.state_flow.left_out_criteria import left_out_criteria
from courtroom.analysis.langgraph.state_flow.loop_rounds import endless_loops
from courtroom.analysis.langgraph.state_flow.lost_values import (
    replaced_texts,
    unread_constants,
    unread_fields,
    unread_results,
    unread_values,
)
from courtroom.analysis.langgraph.state_flow.missed_goals import missed_goals, missed_words
from courtroom.analysis.langgraph.state_flow.moved_directories import moved_directories
from courtroom.analysis.langgraph.state_flow.named_folders import named_folders
from courtroom.analysis.langgraph.state_flow.other_keys import (
    lookups_in_vain,
    objects_in,
    persona_lookups,
)
from courtroom.analysis.langgraph.state_flow.placeholders import placeholder_routes
from courtroom.analysis.langgraph.state_flow.replaced_writes import replaced_writes
from courtroom.analysis.langgraph.state_flow.returned_shapes import ReturnedShapes, own_nodes
from courtroom.analysis.langgraph.state_flow.router_writes import router_writes
from courtroom.analysis.langgraph.state_flow.shallow_history import shallow_histories
from courtroom.analysis.langgraph.state_flow.uncounted_rounds import uncounted_rounds
from courtroom.analysis.langgraph.state_flow.undeclared_keys import (
    undeclared_reads,
    undeclared_writes,
    unread_writes,
    unwritten_reads,
)
from courtroom.analysis.langgraph.state_flow.unheard_keys import unheard_keys
from courtroom.analysis.langgraph.state_flow.unread_collections import unread_collections
from courtroom.analysis.langgraph.state_flow.unshown_inputs import unshown_inputs
from courtroom.analysis.langgraph.state_flow.unused_tools import unused_tools
from courtroom.analysis.langgraph.state_flow.unused_work import (
    dropped_results,
    foreign_directories,
    own_documents,
    unsent_prompts,
)
from courtroom.analysis.langgraph.state_flow.word_scans import word_scans
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name

# Kinds that rest on the keys of the state.
OF_STATE = (
    "undeclared_write",
    "no_update",
    "undeclared_read",
    "unwritten_read",
    "early_read",
    "unread_write",
    "other_key",
)
# Kinds that rest on the graph's nodes and ways.
OF_GRAPH = (
    "broken_import",
    "undeclared_import",
    "dead_route",
    "needless_route",
    "input_route",
    "router_write",
    "idle_step",
    "endless_loop",
)
ALL_KINDS = (
    *OF_STATE,
    *OF_GRAPH,
    "empty_entry",
    "absent_key",
    "ignored_field",
    "unused_result",
    "unused_verdict",
    "unused_tool",
    "own_directory",
    "shallow_history",
    "deleted_clone",
    "lost_clone",
    "left_clone",
    "doubled_clone",
    "repeated_clone",
    "cut_text",
    "word_scan",
    "moved_directory",
    "named_folder",
    "carried_state",
    "dead_pattern",
    "unused_prompt",
    "impossible_test",
    "refused_value",
    "moved_score",
    "twice_filled",
    "unshown_evidence",
    "copied_evidence",
    "unshown_rubric",
    "left_out_criterion",
    "loose_rule",
    "broken_command",
    "failing_command",
    "absent_file",
    "stale_readme",
    "unnamed_key",
    "unused_key",
)
# Names under which a rubric holds one entry per persona.
PERSONAS = frozenset({"prosecutor", "defense", "defence", "techlead"})


def read_flow(
    symbols: SymbolTable,
    call_graph: CallGraph,
    layers: Layers,
    graph: GraphReading,
    accesses: Sequence[StateAccess],
    ways: Sequence[DeadWay] | None,
) -> FlowReading:
    """Return the faults; `accesses` are those of the graph, `ways` those of `dead_ways`."""
    reading = FlowReading()
    reading.add(dropped_results(symbols, layers.in_use))
    reading.add(unread_results(symbols, layers))
    reading.add(unread_values(layers))
    reading.add(unread_constants(symbols, layers))
    reading.add(unread_fields(symbols, layers.justice))
    reading.add(replaced_texts(layers.justice))
    reading.add(unused_helpers(symbols, layers))
    reading.add(unread_collections(layers.justice))
    reading.add(cut_scores(layers.justice))
    reading.add(foreign_directories(call_graph, layers.in_use))
    reading.add(defaulted_directories(call_graph, layers.in_use))
    reading.add(address_directories(call_graph, layers.in_use))
    reading.add(handed_addresses(call_graph, layers.in_use))
    reading.add(claimed_directories(call_graph, layers.in_use))
    reading.add(own_documents(call_graph, layers))
    reading.add(shallow_histories(layers.in_use))
    deleted_clones(symbols, layers.in_use, reading)
    reading.add(left_clones(call_graph, layers.in_use))
    reading.add(cut_texts(layers.in_use))
    reading.add(dead_patterns(symbols, layers.in_use))
    reading.add(word_scans(layers.in_use))
    reading.add(doubled_clones(symbols, layers.in_use))
    reading.add(cloned_again(call_graph, layers.in_use))
    reading.add(named_folders(layers.in_use))
    reading.add(moved_directories(call_graph, graph.builder, layers.nodes, layers.in_use))
    reading.add(deleted_by_caller(symbols, layers.in_use, accesses))
    reading.add(returned_by_callbacks(symbols, layers.in_use, accesses))
    reading.add(unsent_prompts(symbols, layers))
    reading.add(unused_tools(symbols, layers.in_use))
    reading.add(missed_goals(symbols, symbols.codebase.data, layers.in_use))
    reading.add(missed_words(symbols, layers.in_use))
    reading.add(_impossible(call_graph, layers))
    reading.add(unmade_keys(symbols, layers))
    reading.add(refused_values(symbols, layers.judges, layers.justice))
    reading.add(guessed_criteria(call_graph, layers))
    reading.add(moved_scores(call_graph, layers))
    reading.add(twice_filled_texts(layers))
    unshown_inputs(call_graph, layers, reading)
    left_out_criteria(symbols, call_graph, layers, reading)
    filtered_evidence(symbols, call_graph, layers, reading)
    reading.add(
        FlowFault("loose_rule", rule.sentence, rule.function.source.path, rule.line)
        for rule in (*loose_rules(layers.justice), *short_words(layers.justice))
    )
    reading.add(_tripped(layers))
    # Judges that no graph reaches build their opinions too.
    builders = {f.key: f for f in (*layers.in_use, *layers.judges, *layers.justice)}
    reading.add(ignored_fields(symbols, [*builders.values()]))
    shapes = ReturnedShapes(symbols)
    reading.add(absent_keys(symbols, layers.in_use, layers.judges, symbols.codebase.data, shapes))
    if shapes.fuel < 0:
        reading.leave_open(["absent_key"], "there is too much code to follow what functions return")
    if graph.builder is None:
        reading.leave_open((*OF_STATE, *OF_GRAPH), graph.reason)
        return reading

    for routes in (graph.routes, *(part.routes for part in graph.subgraphs)):
        reading.add(unreturned_keys(routes))
    reading.add(broken_imports(symbols, [symbols.codebase.files[graph.builder.path]]))
    if ways is None:
        reason = "a node is nested too deeply to be followed"
        reading.leave_open(("dead_route", "needless_route"), reason)
    reading.add(way.fault for way in ways or ())
    for access in accesses:
        _read_state(access, symbols, graph, layers, ways, reading)
    _lose_evidence(layers, reading)
    return reading


def _lose_evidence(layers: Layers, reading: FlowReading) -> None:
    """Note that no evidence arrives in the state, where a return of each detective is lost.

    It is a fault where these are all of their returns.
    """
    faults = [fault for fault in reading.faults if fault.kind == "no_update"]
    detectives = [node for name, node in layers.nodes.items() if layers.roles[name] == "detective"]
    if not detectives or not all(
        any(_is_in(fault, node) for fault in faults) for node in detectives
    ):
        return
    first_place, *further_places = [(fault.path, fault.line) for fault in faults]
    if all(_loses_all(node, faults) for node in detectives):
        sentence = "LangGraph drops what the detectives return, and no request of a judge holds it"
        fault = FlowFault(
            "unshown_evidence",
            sentence,
            *first_place,
            places=tuple(further_places),
            is_blinding=True,
        )
        reading.add([fault])
        return
    places = joined([f"{path}:{line}" for path, line in (first_place, *further_places)])
    reason = f"LangGraph drops what the detectives return ({places}), and no evidence arrives"
    reading.leave_open(("unshown_evidence",), reason)


def _loses_all(node: FunctionRef, faults: Sequence[FlowFault]) -> bool:
    """Return true where each return of a node is lost, or calls the same class as one that is."""
    lines = [fault.line for fault in faults if fault.path == node.source.path]
    returns = [row for row in own_nodes(node.site.node) if isinstance(row, ast.Return)]
    lost_returns = [
        row for row in returns if any(row.lineno <= line <= (row.end_lineno or 0) for line in lines)
    ]
    classes = {called_name(row.value) for row in lost_returns if isinstance(row.value, ast.Call)}
    return all(
        row in lost_returns
        or (isinstance(row.value, ast.Call) and called_name(row.value) in classes)
        for row in returns
    )


def _is_in(fault: FlowFault, node: FunctionRef) -> bool:
    last = node.site.node.end_lineno or fault.line
    return fault.path == node.source.path and node.site.node.lineno <= fault.line <= last


def _read_state(
    access: StateAccess,
    symbols: SymbolTable,
    graph: GraphReading,
    layers: Layers,
    ways: Sequence[DeadWay] | None,
    reading: FlowReading,
) -> None:
    data = symbols.codebase.data
    persona_lookups(access, data, reading)
    if not access.at:
        endless_loops(symbols, graph, access, ways, reading)
    if access.declared is None:
        reading.leave_open(OF_STATE, access.reason)
        return
    reading.add(undeclared_writes(access, symbols, layers))
    reading.add(undeclared_reads(access, graph.inputs, symbols))
    uses = access.nodes.values()
    reading.leave_open(
        ("undeclared_write", "no_update"), next((u.writes_gap for u in uses if u.writes_gap), "")
    )
    reading.leave_open(("undeclared_read",), next((u.reads_gap for u in uses if u.reads_gap), ""))
    if not access.at:
        reading.add(placeholder_routes(symbols, graph, access))
        reading.add(input_routes(symbols, graph, access))
        reading.add(router_writes(symbols, access))
        reading.add(idle_steps(symbols, graph, access))
        reading.add(carried_states(symbols, access, layers.in_use))
        unwritten_reads(access, symbols, graph.inputs, reading)
        early_reads(symbols, graph, access, reading)
        unread_writes(access, symbols, reading)
        reading.add(replaced_writes(symbols, graph, access))
        reading.add(emptied_writes(symbols, graph, access))
        uncounted_rounds(symbols, graph, access, reading)
        reading.add(copied_evidence(symbols, access, layers.nodes, layers.roles))
        reading.add(unheard_keys(symbols, access, layers.roles))
    lookups_in_vain(access, data, layers.roles, reading)


def _tripped(layers: Layers) -> Iterator[FlowFault]:
    for row in tripping_texts(layers.justice, layers.in_use):
        source, other = row.search.function.source, (row.writer.source.path, row.line)
        yield FlowFault(
            "loose_rule",
            row.sentence,
            source.path,
            row.search.line,
            other,
            is_constant=row.is_constant,
        )


# Of a comparison that never holds.
NEVER_RUNS = "what hangs on this never runs"


def _impossible(call_graph: CallGraph, layers: Layers) -> Iterator[FlowFault]:
    reported: set[tuple[str, str]] = set()
    declared = impossible_tests(call_graph.symbols, layers.justice)
    for test in (*declared, *foreign_names(call_graph, layers)):
        if (test.field, test.text) in reported:
            continue
        reported.add((test.field, test.text))
        values = ", ".join(test.closed.values)
        have = "it can only be" if test.closed.is_declared else "the judges only write"
        cap = cap_behind(test)
        hangs = f"its cap of the score in line {cap} never applies" if cap else NEVER_RUNS
        sentence = (
            f"{test.function.name}() waits for `{test.field}` to be {test.text!r}; {have} {values},"
            f" so {hangs}"
        )
        place = test.closed.path, test.closed.line
        path = test.function.source.path
        yield FlowFault("impossible_test", sentence, path, test.line, place)


def watched_keys(data: Mapping[str, str]) -> frozenset[str]:
    """Return the names under which JSON files hold one entry per persona."""
    return frozenset(
        str(name)
        for _, entry in objects_in(data)
        for name, inner in entry.items()
        if isinstance(inner, dict) and len({squashed(str(key)) for key in inner} & PERSONAS) > 1
    )
