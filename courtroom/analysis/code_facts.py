"""Establish all facts that follow from the source files, by a list of analyzers.

An analyzer that fails leaves only its own facts unknown, with the reason and a recorded error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from courtroom.analysis import reach_facts
from courtroom.analysis.clone_facts import (
    CLONE_HABITS,
    drop_idle_folders,
    record_clone,
    record_safety,
)
from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.failing_facts import part_functions, record_failing_code
from courtroom.analysis.git.blobs import BlobReader
from courtroom.analysis.graph_run.dead_outcomes import untaken, without_dead_ways
from courtroom.analysis.graph_run.empty_keys import with_empty_keys
from courtroom.analysis.graph_run.fixed_routers import with_fixed_routes
from courtroom.analysis.graph_run.run_facts import doubled_alone, needs_langgraph, run_all
from courtroom.analysis.graph_run.stub_graph import stub_graphs
from courtroom.analysis.graph_run.stub_states import stub_state
from courtroom.analysis.home_made_graphs import record_home_made
from courtroom.analysis.judge_facts import (
    PROMPT_FACTS,
    record_calls,
    record_prompts,
    record_written_scores,
)
from courtroom.analysis.langgraph import parallelism, state_class
from courtroom.analysis.langgraph.assumed_evidence import always_found, found_in_any_clone
from courtroom.analysis.langgraph.concurrent_calls import concurrent_calls
from courtroom.analysis.langgraph.counting_routes import counting_routes
from courtroom.analysis.langgraph.empty_detectives import empty_detectives
from courtroom.analysis.langgraph.graph_facts import departures, graph_fact, shape_fact
from courtroom.analysis.langgraph.idle_nodes import idle_nodes
from courtroom.analysis.langgraph.judging.judge_functions import read_layers
from courtroom.analysis.langgraph.judging.literal_scores import literal_opinions, scores_apart
from courtroom.analysis.langgraph.judging.search_gaps import layer_gap, reading_gap
from courtroom.analysis.langgraph.score_ranges import separate_ranges
from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.state_flow.broken_imports import broken_commands
from courtroom.analysis.langgraph.state_flow.dead_routes import dead_ways
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.langgraph.state_flow.left_clones import repeated_clones
from courtroom.analysis.langgraph.state_flow.read_flow import (
    ALL_KINDS,
    read_flow,
    watched_keys,
)
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.langgraph.unread_graphs import notebook_sources, unread_graph
from courtroom.analysis.project.general_facts import (
    EXCHANGE_FACTS,
    read_exchange,
    read_hazards,
    read_project,
)
from courtroom.analysis.project.instruction_faults import instruction_faults
from courtroom.analysis.project.own_outputs import OUTPUT_FACTS, read_own_outputs
from courtroom.analysis.project.submission_scope import (
    imported_vendored,
    needed_paths,
    read_scope,
)
from courtroom.analysis.project.unjudged_criteria import rubric_paths
from courtroom.analysis.project.unlocked_imports import read_unlocked, undeclared_imports
from courtroom.analysis.python.call_graph import CallGraph
from courtroom.analysis.python.source_files import (
    OTHER_LANGUAGES,
    Codebase,
    is_vendored,
)
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.data_files import (
    MAX_FILES,
    data_file_paths,
    small_data_files,
)
from courtroom.analysis.python.syntax import parse_sources
from courtroom.analysis.rule_obstacles import record_rule_obstacles
from courtroom.analysis.unreached_layers import record_unreached
from courtroom.analysis.verdict_facts import record_verdict

MANIFESTS = ("pyproject.toml", "langgraph.json")


def read_facts(reader: BlobReader) -> FactWriter:
    paths = [path for path, blob in reader.blobs.items() if path.endswith(".py") and blob.is_file]
    own = [path for path in paths if not is_vendored(path)]
    contents = reader.read_all(own)
    contents |= reader.read_all(imported_vendored(paths, contents))
    contents |= notebook_sources(reader, contents)
    codebase = parse_sources(contents)
    codebase.paths = frozenset(reader.blobs)
    sizes = {path: blob.size for path, blob in reader.blobs.items() if blob.is_file}
    rubrics = reader.read_all(rubric_paths(small_data_files(sizes))[:MAX_FILES])
    codebase.rubrics = {path: raw.decode("utf-8-sig", "replace") for path, raw in rubrics.items()}
    data = reader.read_all(data_file_paths(sizes, codebase))
    codebase.data.update({path: raw.decode("utf-8-sig", "replace") for path, raw in data.items()})
    codebase.other_languages = tuple(
        path for path in sorted(sizes) if path.endswith(OTHER_LANGUAGES) and not is_vendored(path)
    )
    writer = FactWriter(SymbolTable(codebase), reader)
    _record_unreadable(writer, codebase, paths)
    _set_scope(writer)

    for analyzer, names in ANALYZERS:
        try:
            analyzer(writer)
        except Exception as error:  # noqa: BLE001 -- recorded; the other facts still count
            writer.set_unknown(names, f"the analysis itself failed ({type(error).__name__})")
            message = f"{analyzer.__name__.strip('_')}: {type(error).__name__}: {error}"[:300]
            # The code is stored in reports, so it keeps its old name.
            writer.errors.append(("source_room_failed", message))

    return writer


def _record_unreadable(writer: FactWriter, codebase: Codebase, paths: list[str]) -> None:
    reasons = {
        **codebase.unreadable,
        **{path: reason for path, reason in writer.reader.refused.items() if path in paths},
    }
    writer.facts["python_file_count"] = len(paths)
    writer.facts["unreadable_files"] = sorted(reasons)
    writer.errors += [
        ("source_unreadable", f"{path}: {reason}") for path, reason in sorted(reasons.items())
    ]


def _set_scope(writer: FactWriter) -> None:
    """Tell the product apart first: all other facts are about the product."""
    paths = [path for path, blob in writer.reader.blobs.items() if blob.is_file]
    texts = {
        path: content.decode("utf-8", "replace")
        for path, content in writer.reader.read_all(needed_paths(paths)).items()
    }
    try:
        scope = read_scope(writer.symbols, paths, texts)
    except Exception as error:  # noqa: BLE001 -- recorded; all code then counts as the product
        writer.set_unknown(["scope"], f"the analysis itself failed ({type(error).__name__})")
        message = f"scope: {type(error).__name__}: {error}"[:300]
        writer.errors.append(("source_room_failed", message))
        return

    writer.facts["scope"] = scope.as_fact
    codebase = writer.symbols.codebase
    codebase.aside = {path: entry.kind for path, entry in scope.aside.items()}
    # Names were looked up among all files so far; a fixture's module must not stand for the product's.
    writer.symbols = SymbolTable(codebase)
    if scope.main is not None:
        writer.add_location("scope", scope.main.path, scope.main.line, note=scope.reason)


def _unlocked(writer: FactWriter) -> None:
    """Record the imports that fail in an install by the only manifest, or as the README says."""
    scope = writer.facts.get("scope")
    if scope is not None:
        functions = part_functions(writer.layers)
        unreached = frozenset(scope["unreached"])
        scope |= read_unlocked(writer.reader, writer.symbols, unreached, functions)


def _graph(writer: FactWriter) -> None:
    texts = {
        path: content.decode("utf-8", "replace")
        for path in writer.reader.blobs
        if path.endswith(MANIFESTS) and path.rpartition("/")[2] in MANIFESTS
        if writer.symbols.codebase.is_product(path)
        if (content := writer.reader.read(path)) is not None
    }
    writer.graph = read_graph(writer.symbols, texts)
    builder = writer.graph.builder
    if builder is None:
        _without_graph(writer)
        return

    writer.facts["graph"] = graph_fact(writer.graph, builder)
    writer.facts["graph_shape"] = shape_fact(builder, writer.graph.routes)
    flags = parallelism.flags_of(builder, writer.graph.routes, writer.graph.subgraphs)
    writer.facts.update(flags.values)
    writer.facts["partly_parallel"] = {name: asdict(row) for name, row in flags.orders.items()}
    writer.reasons.update(flags.reasons)
    writer.add_location("state_graph", *builder.place, note="the graph is made here")

    for departure in departures(writer.graph, builder):
        writer.add_location("graph", departure.path, departure.line, note=departure.words)
    for flag, deciding in flags.departures.items():
        for departure in deciding:
            writer.add_location(flag, departure.path, departure.line, note=departure.words)


def _without_graph(writer: FactWriter) -> None:
    """Record that no graph was found: nothing is parallel, where everything was read.

    What code that runs its parts in its own way does side by side is not known.
    """
    unread = unread_graph(writer.reader, writer.symbols.codebase)
    reason = writer.graph.reason if writer.graph.is_open or not unread else unread
    writer.set_unknown(("graph", "graph_shape", "partly_parallel"), reason)
    runner = writer.graph.own_runner
    if runner and not unread:
        name, path, line = runner
        writer.facts["own_runner"] = {"name": name, "path": path, "line": line}
    home_made = writer.graph.home_made
    if home_made is not None and home_made.builder is not None and not unread:
        record_home_made(writer, home_made, home_made.builder)
    elif writer.graph.is_open or unread or runner:
        writer.set_unknown(reach_facts.PARALLEL_FLAGS, reason)
    else:
        writer.facts.update(dict.fromkeys(reach_facts.PARALLEL_FLAGS, False))


def _state(writer: FactWriter) -> None:
    state = state_class.read_state(writer.symbols, writer.graph.builder)
    writer.facts["state_class"] = state.fact
    if state.fact is None:
        writer.reasons["state_class"] = state.reason
    if state.site is not None:
        node = state.site.node
        writer.add_location(
            "state_class",
            state.site.source.path,
            node.lineno,
            node.end_lineno,
            f"class {node.name}",
        )

    writer.state_keys = state_class.declared_keys(writer.symbols, state.site)
    reducers = state_class.reducers_of(writer.symbols, state.site)
    if state.fact is None and not reducers:
        # Without the class nothing is known of its fields: an empty list would say "none".
        writer.set_unknown(("reducers",), state.reason)
        return
    writer.facts["reducers"] = reducers
    for reducer in reducers:
        writer.add_location(
            "reducers",
            reducer["path"],
            reducer["line"],
            note=f"{reducer['field']}: {reducer['reducer']}",
        )


def _state_access(writer: FactWriter) -> None:
    watched = watched_keys(writer.symbols.codebase.data)
    writer.state_accesses = read_state_access(writer.symbols, writer.graph, watched)


def _graph_run(writer: FactWriter) -> None:
    """Establish what a graph does that runs in one way only; leave the others to LangGraph."""
    states = [stub_state(writer.symbols, access) for access in writer.state_accesses]
    graphs = stub_graphs(writer.graph, states)
    if graphs:
        access = writer.state_accesses[0]
        writer.dead_ways = dead_ways(writer.symbols, writer.graph, access)
        for row in writer.facts["graph"]["conditional"]:
            never = untaken(writer.dead_ways or (), row["from"], row["path"], row["line"])
            row.update({"never": never} if never else {})
        main = without_dead_ways(graphs[0], writer.dead_ways or ())
        main = with_fixed_routes(main, writer.graph.routes, access)
        main = with_empty_keys(writer.symbols, writer.graph, main, access)
        graphs = [main, *graphs[1:]]
    if not graphs or graphs[0].gap:
        reason = graphs[0].gap if graphs else writer.reasons.get("graph", writer.graph.reason)
        writer.set_unknown(("graph_run",), reason)
        if graphs and graphs[0].state is not None:
            writer.facts["doubled_alone"] = doubled_alone(graphs[0], graphs[0].state)
        else:
            writer.set_unknown(("doubled_alone",), reason)
    elif any(needs_langgraph(graph) for graph in graphs):
        writer.stub_graphs = graphs
    else:
        writer.facts["graph_run"] = run_all(graphs)


def _models(writer: FactWriter) -> None:
    models = state_class.pydantic_models(writer.symbols)
    writer.facts["pydantic_models"] = list(dict.fromkeys(site.node.name for site in models))
    for site in models:
        writer.add_location(
            "pydantic_models", site.source.path, site.node.lineno, note=f"class {site.node.name}"
        )


def _layers(writer: FactWriter) -> None:
    writer.call_graph = CallGraph(writer.symbols)
    graph = writer.graph.home_made or writer.graph
    writer.layers = read_layers(writer.symbols, writer.call_graph, graph)
    reach_facts.drop_runner(writer)
    record_unreached(writer)
    gap = "" if writer.layers.nodes else writer.reasons.get("graph", writer.graph.reason)
    rows = empty_detectives(writer.call_graph, writer.layers)
    writer.set_rows("empty_detectives", rows, gap)
    writer.set_rows("concurrent_calls", concurrent_calls(writer.call_graph, writer.layers), gap)
    rows = counting_routes(writer.call_graph, writer.layers, writer.graph, writer.state_accesses)
    writer.set_rows("counting_routes", rows, gap)
    scope = writer.facts.get("scope")
    if scope and not writer.graph.is_open:
        scope["idle_nodes"] = idle_nodes(writer.symbols, writer.layers, scope["unreached"])


def _flow(writer: FactWriter) -> None:
    """Record the faults in the flow of data, each with its two places."""
    flow = read_flow(
        writer.symbols,
        writer.call_graph,
        writer.layers,
        writer.graph,
        writer.state_accesses,
        writer.dead_ways,
    )
    repeated = (writer.facts.get("graph_run") or {}).get("repeated", ())
    again = {row["node"]: row["steps"] for row in repeated}
    flow.add(repeated_clones(writer.call_graph, writer.layers, again))
    flow.add(
        FlowFault("loose_rule", cap.sentence, cap.function.source.path, cap.line)
        for cap in writer.misordered_rules
    )
    entries = (writer.facts.get("scope") or {}).get("entry_points", ())
    if (builder := writer.graph.builder) is not None:
        start = writer.symbols.codebase.files[builder.path]
        scope = writer.facts.get("scope") or {}
        flow.add(undeclared_imports(writer.symbols, start, scope))
    flow.add(broken_commands(writer.symbols, entries, flow.faults))
    flow.add(instruction_faults(writer, tuple(flow.faults)))
    gap = reading_gap(writer.symbols.codebase)
    writer.facts["state_flow"] = {
        "faults": [fault.as_fact for fault in flow.faults],
        "unread": {**dict.fromkeys(ALL_KINDS, gap), **flow.unread} if gap else flow.unread,
    }
    writer.failing_lookups = [fault for fault in flow.faults if fault.is_failing]
    for fault in flow.faults:
        writer.add_location("state_flow", fault.path, fault.line, note=fault.sentence)


def _shown_in_code(writer: FactWriter) -> None:
    """Record evidence that is always found, and judges' scores that never agree."""
    layers = writer.layers
    for name, on_pictures in (("assumed_evidence", False), ("assumed_pictures", True)):
        rows, gap = always_found(writer.call_graph, layers, on_pictures=on_pictures)
        if not layers.nodes:
            # Without a graph there is no node of any kind.
            gap = writer.reasons.get("graph", gap)
        writer.set_rows(name, rows, gap)

    guarded, varied, gap = found_in_any_clone(writer.call_graph, layers)
    gap = gap if layers.nodes else writer.reasons.get("graph", gap)
    writer.set_rows("guarded_evidence", guarded, gap)
    writer.set_rows("varied_evidence", varied, gap)

    pairs = separate_ranges(layers.judges, writer.symbols.codebase.production, writer.prompts)
    gap = layer_gap(writer.call_graph, layers, "judge")
    computed = ""
    if writer.facts["plain_judges"]:
        opinions = literal_opinions(layers.judges)
        pairs = pairs or scores_apart(opinions)
        is_read = opinions and all(opinion.scores for opinion in opinions)
        computed = "" if is_read else "the judges call no model, and compute their scores"
    if not layers.judges:
        gap = "no code of judges was found"
    writer.set_rows("separate_score_ranges", pairs, gap or computed)


Analyzer = Callable[[FactWriter], None]
# Every analyzer with the facts it establishes. Later ones use the graph, the call graph and the
# layers of earlier ones.
ANALYZERS: tuple[tuple[Analyzer, tuple[str, ...]], ...] = (
    (_graph, ("graph", "graph_shape", "partly_parallel", *reach_facts.PARALLEL_FLAGS)),
    (_state, ("state_class", "reducers")),
    (_state_access, ()),
    (_graph_run, ("graph_run", "doubled_alone")),
    (_models, ("pydantic_models",)),
    (
        record_safety,
        ("os_system_calls", "shell_true_calls", "eval_exec_calls", "temporary_directories"),
    ),
    (_layers, ("unreached_layers", "empty_detectives", "concurrent_calls", "counting_routes")),
    (record_clone, ("clone_function", *CLONE_HABITS)),
    (drop_idle_folders, ()),
    (_unlocked, ()),
    (
        record_calls,
        (
            "structured_output_calls",
            "parsed_answers",
            "structured_output_retry",
            "narrow_retries",
            "blind_retries",
            "judges_asking_once",
            "uncaught_answers",
            "plain_judges",
        ),
    ),
    (record_prompts, PROMPT_FACTS),
    (
        record_verdict,
        (
            "justice_deterministic",
            "averaged_scores",
            "lone_groups",
            "second_verdicts",
            "rules",
            "loose_caps",
            "idle_rules",
            "lone_lead_weights",
            "opinion_model",
            "security_ground",
            "dissent_content",
            "remediation_content",
            "fixed_remediations",
            "fixed_summaries",
            "markdown_report",
            "unwritten_reports",
        ),
    ),
    (record_rule_obstacles, ("unheld_rules",)),
    (_flow, ("state_flow",)),
    (record_failing_code, ("failing_code",)),
    (read_hazards, ("unsafe_calls", "possible_unsafe_calls")),
    (read_project, ("project", "committed_secrets", "possible_secrets")),
    (
        _shown_in_code,
        (
            "assumed_evidence",
            "assumed_pictures",
            "guarded_evidence",
            "varied_evidence",
            "separate_score_ranges",
        ),
    ),
    (
        record_written_scores,
        (
            "made_up_scores",
            "scores_at_once",
            "unasked_scores",
            "absent_opinion_scores",
            "full_panels",
            "bent_scores",
        ),
    ),
    (read_own_outputs, OUTPUT_FACTS),
    (read_exchange, EXCHANGE_FACTS),
)
