"""All facts that follow from the sources, gathered from the rooms that establish them.

Each room answers for itself: one that fails leaves its own facts null, with the reason and an error on record.
"""

from __future__ import annotations

from collections.abc import Callable

from courtroom.analysis.fact_writer import FactReading
from courtroom.analysis.git.blobs import BlobReader
from courtroom.analysis.langgraph import parallelism, state_class
from courtroom.analysis.langgraph.graph_facts import departures, graph_fact, shape_fact
from courtroom.analysis.langgraph.judging.judge_functions import read_layers
from courtroom.analysis.langgraph.judging.persona_prompts import is_prompt_file, read_personas
from courtroom.analysis.langgraph.judging.structured_output import retries, structured_calls
from courtroom.analysis.langgraph.judging.synthesis_rules import read_rules
from courtroom.analysis.langgraph.judging.verdict_source import (
    markdown_reports,
    model_made_scores,
    reads_opinions,
)
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.project.general_facts import read_exchange, read_hazards, read_project
from courtroom.analysis.python.call_graph import CallGraph
from courtroom.analysis.python.source_files import Codebase, is_vendored
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.data_files import data_file_paths
from courtroom.analysis.python.syntax import parse_sources
from courtroom.analysis.security.clone_function import read_clone
from courtroom.analysis.security.shell_calls import unsafe_calls

CLONE_HABITS = ("clone_in_tempdir", "clone_timeout", "clone_errors_handled", "url_validated")
MANIFESTS = ("pyproject.toml", "langgraph.json")
FLAGS = (
    "detectives_parallel",
    "judges_parallel",
    "fan_in_before_judges",
    "fan_in_before_justice",
    "conditional_error_route",
)


def read_facts(reader: BlobReader) -> FactReading:
    paths = [path for path, blob in reader.blobs.items() if path.endswith(".py") and blob.is_file]
    own = [path for path in paths if not is_vendored(path)]
    codebase = parse_sources(reader.read_all(own))
    sizes = {path: blob.size for path, blob in reader.blobs.items() if blob.is_file}
    data = reader.read_all(data_file_paths(sizes, codebase))
    codebase.data.update({path: raw.decode("utf-8-sig", "replace") for path, raw in data.items()})
    reading = FactReading(SymbolTable(codebase), reader)
    _note_unreadable(reading, codebase, paths)
    for room, names in ROOMS:
        try:
            room(reading)
        except Exception as error:  # noqa: BLE001 -- one room's failure is on record and costs only its own facts
            reading.leave_open(names, f"the examination itself failed ({type(error).__name__})")
            reading.errors.append(
                (
                    "source_room_failed",
                    f"{room.__name__.strip('_')}: {type(error).__name__}: {error}"[:300],
                )
            )
    return reading


def _note_unreadable(reading: FactReading, codebase: Codebase, paths: list[str]) -> None:
    reasons = {
        **codebase.unreadable,
        **{path: why for path, why in reading.reader.refused.items() if path in paths},
    }
    reading.facts["python_file_count"] = len(paths)
    reading.facts["unreadable_files"] = sorted(reasons)
    reading.errors += [
        ("source_unreadable", f"{path}: {why}") for path, why in sorted(reasons.items())
    ]


def _graph(reading: FactReading) -> None:
    texts = {
        path: content.decode("utf-8", "replace")
        for path in MANIFESTS
        if (content := reading.reader.read(path)) is not None
    }
    reading.graph = read_graph(reading.names, texts)
    builder = reading.graph.builder
    if builder is None:
        _without_graph(reading)
        return
    reading.facts["graph"] = graph_fact(reading.graph, builder)
    reading.facts["graph_shape"] = shape_fact(builder, reading.graph.routes)
    reading.facts.update(
        parallelism.flags_of(builder, reading.graph.routes, reading.graph.subgraphs)
    )
    reading.show("state_graph", builder.path, builder.line, note="the graph is made here")
    for departure in departures(reading.graph, builder):
        reading.show("graph", departure.path, departure.line, note=departure.words)
        if departure.routed_after:
            note = f"routed after {departure.routed_after}"
            reading.show("conditional_error_route", departure.path, departure.line, note=note)


def _without_graph(reading: FactReading) -> None:
    """No graph was found: nothing is wired in parallel, unless what wires it could not be read or followed."""
    reading.leave_open(("graph", "graph_shape"), reading.graph.reason)
    unreadable = [
        path
        for path in reading.facts["unreadable_files"]
        if path in reading.names.codebase.unreadable
    ]
    if reading.graph.has_unresolved_graph:
        reading.leave_open(FLAGS, reading.graph.reason)
    elif unreadable:
        reading.leave_open(FLAGS, f"no graph was found, but {unreadable[0]} could not be read")
    else:
        reading.facts.update(dict.fromkeys(FLAGS, False))


def _state(reading: FactReading) -> None:
    state = state_class.read_state(reading.names, reading.graph.builder)
    reading.facts["state_class"] = state.fact
    if state.fact is None:
        reading.reasons["state_class"] = state.reason
    if state.site is not None:
        node = state.site.node
        reading.show(
            "state_class",
            state.site.source.path,
            node.lineno,
            node.end_lineno,
            f"class {node.name}",
        )
    reducers = state_class.reducers_of(reading.names, state.site)
    reading.facts["reducers"] = reducers
    for reducer in reducers:
        reading.show(
            "reducers",
            reducer["path"],
            reducer["line"],
            note=f"{reducer['field']}: {reducer['reducer']}",
        )


def _models(reading: FactReading) -> None:
    models = state_class.pydantic_models(reading.names)
    reading.facts["pydantic_models"] = list(dict.fromkeys(site.node.name for site in models))
    for site in models:
        reading.show(
            "pydantic_models", site.source.path, site.node.lineno, note=f"class {site.node.name}"
        )


def _layers(reading: FactReading) -> None:
    reading.reach = CallGraph(reading.names)
    reading.layers = read_layers(reading.names, reading.reach, reading.graph)


def _safety(reading: FactReading) -> None:
    for fact, calls in unsafe_calls(reading.names).items():
        reading.facts[fact] = [{"path": source.path, "line": line} for source, line in calls]
        for source, line in calls:
            reading.show(fact, source.path, line)


def _clone(reading: FactReading) -> None:
    clone = read_clone(reading.names, reading.reach, reading.layers.in_use)
    reading.facts.update({fact: bool(clone.lines.get(fact)) for fact in CLONE_HABITS})
    if clone.function is None:
        reading.leave_open(["clone_function"], "no function that clones a repository was found")
        return
    node = clone.function.site.node
    reading.facts["clone_function"] = {
        "name": node.name,
        "path": clone.function.source.path,
        "line": node.lineno,
    }
    reading.show(
        "clone_function",
        clone.function.source.path,
        node.lineno,
        node.end_lineno,
        f"def {node.name}",
    )
    for fact, lines in clone.lines.items():
        for source, line in lines:
            reading.show(fact, source.path, line)


def _structured(reading: FactReading) -> None:
    calls = structured_calls(reading.names)
    reading.facts["structured_output_calls"] = [
        {"path": call.source.path, "line": call.line, "schema": call.schema} for call in calls
    ]
    for call in calls:
        reading.show("structured_output_calls", call.source.path, call.line, note=call.schema)
    lines = list(retries(reading.layers.judges))
    reading.facts["structured_output_retry"] = bool(lines)
    for source, line in lines:
        reading.show("structured_output_retry", source.path, line)


def _personas(reading: FactReading) -> None:
    paths = [
        path for path in reading.reader.blobs if is_prompt_file(path) and not is_vendored(path)
    ]
    files = {
        path: raw.decode("utf-8", "replace") for path, raw in reading.reader.read_all(paths).items()
    }
    personas = read_personas(reading.names, reading.layers, files)
    reading.facts["persona_prompts"] = [
        {
            "persona": one.persona,
            "path": one.path,
            "line": one.line,
            "own_words": personas.own_words[one.persona],
        }
        for one in personas.prompts
    ]
    reading.facts["persona_prompts_distinct"] = personas.are_distinct
    for one in personas.prompts:
        reading.show("persona_prompts", one.path, one.line, one.end, one.persona)


def _justice(reading: FactReading) -> None:
    justice = reading.layers.justice
    by_model = list(model_made_scores(reading.names, justice))
    reading.facts["justice_deterministic"] = not by_model and reads_opinions(justice)
    for function, line in by_model:
        reading.show(
            "justice_deterministic", function.source.path, line, note="a model gives the score here"
        )
    for place in justice[:1]:
        node = place.site.node
        reading.show("justice", place.source.path, node.lineno, node.end_lineno, f"def {node.name}")
    rules = read_rules(reading.reach, reading.layers, reading.graph.routes)
    reading.facts["rules"] = {rule: bool(lines) for rule, lines in rules.items()}
    for rule, lines in rules.items():
        for place, line in lines:
            reading.show(rule, place.source.path, line)
    reports = list(markdown_reports(reading.names))
    reading.facts["markdown_report"] = bool(reports)
    for source, line in reports:
        reading.show("markdown_report", source.path, line)


Room = Callable[[FactReading], None]
ROOMS: tuple[tuple[Room, tuple[str, ...]], ...] = (
    (_graph, ("graph", "graph_shape", *FLAGS)),
    (_state, ("state_class", "reducers")),
    (_models, ("pydantic_models",)),
    (_safety, ("os_system_calls", "shell_true_calls", "eval_exec_calls")),
    (_layers, ()),
    (_clone, ("clone_function", *CLONE_HABITS)),
    (_structured, ("structured_output_calls", "structured_output_retry")),
    (_personas, ("persona_prompts", "persona_prompts_distinct")),
    (_justice, ("justice_deterministic", "rules", "markdown_report")),
    (read_hazards, ("unsafe_calls",)),
    (read_project, ("project", "committed_secrets")),
    (read_exchange, ("minmax", "communication_entries", "deferrals", "written_answers")),
)
