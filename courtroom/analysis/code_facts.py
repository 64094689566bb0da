"""Establish all facts that follow from the source files, by a list of analyzers.

An analyzer that fails leaves only its own facts unknown, with the reason and a recorded error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.git.blobs import BlobReader
from courtroom.analysis.graph_run.run_facts import needs_langgraph, run_all
from courtroom.analysis.graph_run.stub_graph import stub_graphs
from courtroom.analysis.graph_run.stub_states import stub_state
from courtroom.analysis.langgraph import parallelism, state_class
from courtroom.analysis.langgraph.assumed_evidence import always_found
from courtroom.analysis.langgraph.graph_facts import departures, graph_fact, shape_fact
from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.judge_functions import Layers, read_layers
from courtroom.analysis.langgraph.judging.made_up_scores import made_up_scores
from courtroom.analysis.langgraph.judging.persona_names import PERSONAS
from courtroom.analysis.langgraph.judging.persona_prompts import read_personas
from courtroom.analysis.langgraph.judging.prompt_files import is_prompt_file
from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.judging.search_gaps import layer_gap, reading_gap
from courtroom.analysis.langgraph.judging.security_ground import read_security_ground
from courtroom.analysis.langgraph.judging.structured_calls import (
    classes_of,
    judges_by_retry,
    judging_calls,
    model_calls,
    model_name,
    retries,
    structured_calls,
)
from courtroom.analysis.langgraph.judging.verdict_source import (
    MODEL_CALLS,
    markdown_reports,
    model_made_scores,
    reads_opinions,
)
from courtroom.analysis.langgraph.score_ranges import separate_ranges
from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.state_flow.flow_fault import joined
from courtroom.analysis.langgraph.state_flow.read_flow import (
    ALL_KINDS,
    read_flow,
    watched_keys,
)
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.langgraph.unread_graphs import notebook_sources, unread_graph
from courtroom.analysis.locations import shown
from courtroom.analysis.project.general_facts import (
    EXCHANGE_FACTS,
    read_exchange,
    read_hazards,
    read_project,
)
from courtroom.analysis.project.own_outputs import OUTPUT_FACTS, read_own_outputs
from courtroom.analysis.project.submission_scope import (
    imported_vendored,
    needed_paths,
    read_scope,
)
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.failing_lines import failing_lines
from courtroom.analysis.python.source_files import (
    OTHER_LANGUAGES,
    Codebase,
    SourceFile,
    is_vendored,
)
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.symbolic_execution.data_files import data_file_paths
from courtroom.analysis.python.syntax import parse_sources
from courtroom.analysis.security.clone_function import read_clone
from courtroom.analysis.security.shell_calls import unsafe_calls

CLONE_HABITS = ("clone_in_tempdir", "clone_timeout", "clone_errors_handled", "url_validated")
MANIFESTS = ("pyproject.toml", "langgraph.json")
# Calls that make one number of several.
ARITHMETIC = frozenset({"sum", "min", "max", "round", "mean", "median", "fmean"})
FLAGS = (
    "detectives_parallel",
    "judges_parallel",
    "fan_in_before_judges",
    "fan_in_before_justice",
    "conditional_error_route",
)


def read_facts(reader: BlobReader) -> FactWriter:
    paths = [path for path, blob in reader.blobs.items() if path.endswith(".py") and blob.is_file]
    own = [path for path in paths if not is_vendored(path)]
    contents = reader.read_all(own)
    contents |= reader.read_all(imported_vendored(paths, contents))
    contents |= notebook_sources(reader, contents)
    codebase = parse_sources(contents)
    sizes = {path: blob.size for path, blob in reader.blobs.items() if blob.is_file}
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
    writer.add_location("state_graph", builder.path, builder.line, note="the graph is made here")

    for departure in departures(writer.graph, builder):
        writer.add_location("graph", departure.path, departure.line, note=departure.words)
    for flag, deciding in flags.departures.items():
        for departure in deciding:
            writer.add_location(flag, departure.path, departure.line, note=departure.words)


def _without_graph(writer: FactWriter) -> None:
    """Record that no graph was found: nothing is parallel, where everything was read."""
    unread = unread_graph(writer.reader, writer.symbols.codebase)
    reason = writer.graph.reason if writer.graph.is_open or not unread else unread
    writer.set_unknown(("graph", "graph_shape", "partly_parallel"), reason)
    if writer.graph.is_open or unread:
        writer.set_unknown(FLAGS, reason)
    else:
        writer.facts.update(dict.fromkeys(FLAGS, False))


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
    if not graphs or graphs[0].gap:
        reason = graphs[0].gap if graphs else writer.reasons.get("graph", writer.graph.reason)
        writer.set_unknown(("graph_run",), reason)
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
    writer.layers = read_layers(writer.symbols, writer.call_graph, writer.graph)


def _safety(writer: FactWriter) -> None:
    for fact, calls in unsafe_calls(writer.symbols).items():
        writer.facts[fact] = [{"path": source.path, "line": line} for source, line in calls]
        for source, line in calls:
            writer.add_location(fact, source.path, line)


def _clone(writer: FactWriter) -> None:
    clone = read_clone(writer.symbols, writer.call_graph, writer.layers.in_use)
    gap = reading_gap(writer.symbols.codebase) or clone.gap
    for fact in CLONE_HABITS:
        writer.set_flag(fact, bool(clone.lines.get(fact)), gap)
    if clone.function is None:
        reason = gap or "no function that clones a repository was found"
        writer.set_unknown(["clone_function"], reason)
        return

    node = clone.function.site.node
    writer.facts["clone_function"] = {
        "name": node.name,
        "path": clone.function.source.path,
        "line": node.lineno,
        "address": clone.address,
    }
    writer.add_location(
        "clone_function",
        clone.function.source.path,
        node.lineno,
        node.end_lineno,
        f"{node.name} begins here.",
    )

    for line in clone.calls:
        writer.add_location("clone_call", clone.function.source.path, line)
    for fact, lines in (*clone.lines.items(), ("address_refused", clone.refusals)):
        for source, line in lines:
            writer.add_location(fact, source.path, line)


def _failing_code(writer: FactWriter) -> None:
    """Record the lines that fail in the functions that a run reaches, by part of the work."""
    layers = writer.layers
    parts = {"judges": layers.judges, "justice": layers.justice}
    elsewhere = {function.key for part in parts.values() for function in part}
    parts["graph"] = [function for function in layers.in_use if function.key not in elsewhere]

    lines = [row for part, functions in parts.items() for row in _failures(part, functions)]
    gap = reading_gap(writer.symbols.codebase)
    if gap and not lines:
        writer.set_unknown(["failing_code"], gap)
        return
    functions = {part: len(functions) for part, functions in sorted(parts.items())}
    writer.facts["failing_code"] = {"functions": functions, "lines": lines}


def _failures(part: str, functions: list[FunctionRef]) -> Iterator[dict[str, Any]]:
    """Yield a row of the fact for each line that fails."""
    sources = {function.source.path: function.source for function in functions}
    for path, source in sorted(sources.items()):
        sites = [function.site for function in functions if function.source is source]
        for site, lines in failing_lines(source, sites).items():
            for failing in lines:
                yield {
                    "path": path,
                    "line": failing.line,
                    "part": part,
                    "function": site.qualname,
                    "why": failing.why,
                }


def _parts_of_schema(classes: list[ClassSite], symbols: SymbolTable) -> dict[str, Any]:
    """Return the classes that a schema holds, and the fields of all of them; {} without a class."""
    fields = {name for site in classes for name in symbols.field_names(site.source, site.node)}
    held = [site.node.name for site in classes[1:]]
    return {**({"holds": held} if held else {}), **({"fields": sorted(fields)} if fields else {})}


def _structured(writer: FactWriter) -> None:
    layers = writer.layers
    judging = [*layers.judges, *judging_calls(layers.in_use)]
    calls = structured_calls(writer.symbols)
    gap = layer_gap(writer.call_graph, layers, "judge")
    rows = []
    for call in calls:
        row = {"path": call.source.path, "line": call.line, "schema": call.schema}
        row |= _parts_of_schema(classes_of(call, writer.symbols), writer.symbols)
        is_by_judge = call.is_in(judging) or call.is_named_after_judges
        if is_by_judge:
            note = f"A model is bound to {call.schema or 'a schema'} here."
            writer.add_location("judging_calls", call.source.path, call.line, note=note)
        # That a call is no judge's is known where their code is.
        is_known = is_by_judge or (layers.judges and not gap)
        rows.append(row | ({"by_judge": is_by_judge} if is_known else {}))
    writer.facts["structured_output_calls"] = rows

    lines = list(retries(layers.judges)) or list(retries(judging_calls(layers.in_use)))
    writer.set_flag("structured_output_retry", bool(lines), "" if lines else gap)
    for source, line in model_calls(judging):
        writer.add_location("model_call", source.path, line, note="A judge's model is called here.")
    note = _retried_by(writer, lines)
    for source, line in lines:
        writer.add_location("structured_output_retry", source.path, line, note=note)

    model = model_name(layers.judges)
    gap = (
        f"a model may be called by {model}"
        if model
        else layer_gap(writer.call_graph, layers, "judge")
    )
    writer.set_rows("plain_judges", [] if gap else _judge_nodes(layers), gap)


def _retried_by(writer: FactWriter, lines: Sequence[tuple[SourceFile, int]]) -> str:
    """Return which judges repeat a call that failed, where not all do."""
    judges = {
        function.name: writer.call_graph.reachable_from([function])
        for name, function in writer.layers.nodes.items()
        if writer.layers.roles[name] == "judge"
    }
    again, once = judges_by_retry(judges, lines)
    if not (again and once):
        return ""
    return (
        f"An answer that does not fit its schema is requested again by {joined(again)} alone;"
        f" {joined(once)} {'asks' if len(once) == 1 else 'ask'} once."
    )


def _judge_nodes(layers: Layers) -> list[dict[str, Any]]:
    """Return the functions of the graph's judge nodes; names alone make no judge."""
    judges = (node for name, node in layers.nodes.items() if layers.roles[name] == "judge")
    # One function may run at several nodes.
    once = {judge.key: judge for judge in judges}
    return [
        {"name": judge.name, "path": judge.source.path, "line": judge.site.node.lineno}
        for judge in once.values()
    ]


def _personas(writer: FactWriter) -> None:
    paths = [
        path
        for path in writer.reader.blobs
        if is_prompt_file(path) and writer.symbols.codebase.is_product(path)
    ]
    files = {
        path: raw.decode("utf-8", "replace") for path, raw in writer.reader.read_all(paths).items()
    }
    personas = read_personas(writer.symbols, writer.layers, files)
    writer.facts["persona_prompts"] = [
        {
            "persona": prompt.persona,
            "path": prompt.path,
            "line": prompt.line,
            "own_words": personas.own_words[prompt.persona],
        }
        for prompt in personas.prompts
    ]
    gap = reading_gap(writer.symbols.codebase)
    if personas.unfollowed:
        gap = f"{personas.unfollowed[0]} is too long to be followed to its end"
    if gap and len(personas.prompts) < len(PERSONAS):
        writer.set_unknown(("persona_prompts", "persona_prompts_distinct"), gap)
        return
    writer.prompts, writer.prompt_texts = personas.prompts, personas.texts
    writer.facts["persona_prompts_distinct"] = personas.are_distinct
    for text in personas.shared_places:
        note = personas.too_close
        writer.add_location("persona_prompts_distinct", text.path, text.line, text.end, note)
    for prompt in personas.prompts:
        writer.add_location("persona_prompts", prompt.path, prompt.line, prompt.end, prompt.persona)


def _justice(writer: FactWriter) -> None:
    justice = writer.layers.justice
    by_model = list(model_made_scores(writer.symbols, justice))
    is_deterministic = not by_model and reads_opinions(justice)
    gap = layer_gap(writer.call_graph, writer.layers, "justice")
    # Where a model gives the score, that place decides.
    writer.set_flag("justice_deterministic", is_deterministic, "" if by_model else gap)

    for function, line in by_model:
        writer.add_location(
            "justice_deterministic", function.source.path, line, note="a model gives the score here"
        )

    for place in (list(filter(_computes_scores, justice)) or justice)[:1]:
        node = place.site.node
        writer.add_location(
            "justice", place.source.path, node.lineno, node.end_lineno, f"{node.name} begins here."
        )

    _rules(writer, gap)

    reports = list(markdown_reports(writer.symbols))
    writer.set_flag("markdown_report", bool(reports), reading_gap(writer.symbols.codebase))
    # What only a detective or a judge reaches is none, if anything else is a report.
    before = _before_the_verdict(writer)
    written = [entry for entry in reports if (entry[0].path, entry[1]) not in before]
    for source, line in sorted(written or reports, key=_is_unnamed_report):
        writer.add_location("markdown_report", source.path, line)


def _computes_scores(function: FunctionRef) -> bool:
    """Return true for code that takes opinions or scores into a number, not what hands them on."""
    mentions = function.site.mentions
    return bool(mentions & ARITHMETIC) and any("score" in name.lower() for name in mentions)


def _before_the_verdict(writer: FactWriter) -> set[tuple[str, int]]:
    """Return the keys of functions that only detectives or judges reach, or that ask a model."""
    layers = writer.layers
    starts = [node for name, node in layers.nodes.items() if layers.roles[name] == "detective"]
    before = {
        function.key for function in (*writer.call_graph.reachable_from(starts), *layers.judges)
    }
    asking = {f.key for f in layers.justice if f.site.mentions & MODEL_CALLS}
    return (before - {function.key for function in layers.justice}) | asking


def _rules(writer: FactWriter, gap: str) -> None:
    """Record every rule: where it is applied, else where its condition never holds."""
    conditions = DeadConditions(writer.symbols, writer.layers.justice, writer.state_keys)
    rules = read_rules(writer.call_graph, writer.layers, writer.graph, conditions)
    writer.facts["rules"] = {
        rule: True
        if reading.lines
        else None
        if gap and not (reading.dead or reading.by_opinions)
        else False
        for rule, reading in rules.items()
    }
    ground = read_security_ground(writer.layers.justice, conditions)
    if ground and (ground != "none" or writer.facts["rules"]["security_override"] is not None):
        writer.facts["security_ground"] = ground
    else:
        unclear = "the conditions of the cap for security do not tell what they read"
        writer.set_unknown(["security_ground"], unclear if ground is None else gap)
    for rule, reading in rules.items():
        if writer.facts["rules"][rule] is None:
            writer.reasons[f"rules.{rule}"] = gap
        for place, line in reading.lines:
            note = (
                "The Tech Lead's score counts most where scores lie apart." * reading.is_tie_break
            )
            writer.add_location(rule, place.source.path, line, note=note)
        if reading.lines:
            continue
        for place, line in reading.by_opinions:
            note = "this rule reads what judges say or score, and no evidence"
            writer.add_location(rule, place.source.path, line, note=note)
        for place, line in reading.final:
            note = "a rule decides on the spread without a second look"
            writer.add_location(rule, place.source.path, line, note=note)
        for place, line in reading.dead:
            note = "the condition of this rule never holds"
            writer.add_location(rule, place.source.path, line, note=note)
        for place, line in reading.uncalled:
            note = f"nothing calls {place.shown_name}, which holds this rule"
            writer.add_location(rule, place.source.path, line, note=note)


def _is_unnamed_report(place: tuple[SourceFile, int]) -> tuple[bool, bool]:
    """Sort functions that are named after the report first."""
    source, line = place
    text = source.text.split("\n")[line - 1].lower()
    return "markdown" not in text, "report" not in text


def _flow(writer: FactWriter) -> None:
    """Record the faults in the flow of data, each with its two places."""
    flow = read_flow(
        writer.symbols,
        writer.call_graph,
        writer.layers,
        writer.graph,
        writer.state_accesses,
        frozenset(writer.reader.blobs),
    )
    gap = reading_gap(writer.symbols.codebase)
    writer.facts["state_flow"] = {
        "faults": [fault.as_fact for fault in flow.faults],
        "unread": {**dict.fromkeys(ALL_KINDS, gap), **flow.unread} if gap else flow.unread,
    }
    for fault in flow.faults:
        writer.add_location("state_flow", fault.path, fault.line, note=fault.sentence)


def _shown_in_code(writer: FactWriter) -> None:
    """Record evidence that is always found, scores made up, and judges' scores that never agree."""
    layers = writer.layers
    rows, gap = always_found(writer.call_graph, layers)
    writer.set_rows("assumed_evidence", rows, gap)

    pairs = separate_ranges(layers.judges, writer.symbols.codebase.production, writer.prompts)
    gap = layer_gap(writer.call_graph, layers, "judge")
    if not layers.judges:
        gap = "no code of judges was found"
    writer.set_rows("separate_score_ranges", pairs, gap)

    scores = [
        shown(sentence, (function.source.path, line))
        for function, line, sentence in made_up_scores(layers.judges)
    ]
    if writer.facts["plain_judges"]:
        gap = "the judges call no model"
    writer.set_rows("made_up_scores", scores, gap)


Analyzer = Callable[[FactWriter], None]
# Every analyzer with the facts it establishes. Later ones use the graph, the call graph and the
# layers of earlier ones.
ANALYZERS: tuple[tuple[Analyzer, tuple[str, ...]], ...] = (
    (_graph, ("graph", "graph_shape", "partly_parallel", *FLAGS)),
    (_state, ("state_class", "reducers")),
    (_state_access, ()),
    (_graph_run, ("graph_run",)),
    (_models, ("pydantic_models",)),
    (_safety, ("os_system_calls", "shell_true_calls", "eval_exec_calls")),
    (_layers, ()),
    (_clone, ("clone_function", *CLONE_HABITS)),
    (_failing_code, ("failing_code",)),
    (_structured, ("structured_output_calls", "structured_output_retry", "plain_judges")),
    (_personas, ("persona_prompts", "persona_prompts_distinct")),
    (_justice, ("justice_deterministic", "rules", "security_ground", "markdown_report")),
    (_flow, ("state_flow",)),
    (read_hazards, ("unsafe_calls", "possible_unsafe_calls")),
    (read_project, ("project", "committed_secrets", "possible_secrets")),
    (_shown_in_code, ("assumed_evidence", "separate_score_ranges", "made_up_scores")),
    (read_own_outputs, OUTPUT_FACTS),
    (read_exchange, EXCHANGE_FACTS),
)
