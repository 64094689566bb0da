"""Judges and Chief Justice whose code is there, and which no run reaches.

A node or an entry point may run them under any name. So this is established only where no import
leads to their files, no node may run what is not known, and nothing finds modules by names that are
made at run time; else the fact is null with what stopped the search.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph.judging.search_gaps import reading_gap
from courtroom.analysis.langgraph.judging.verdict_source import MODEL_CALLS
from courtroom.analysis.project.submission_scope import MOST_ROWS
from courtroom.analysis.python.call_graph import BUILTINS, DYNAMIC_CALLS, FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.tree_walk import called_name, constant_text, words_of
from courtroom.analysis.reach_facts import imported_outside
from courtroom.analysis.verdict_facts import place_of_verdict

# Calls by which code runs files or modules that it finds when it runs.
FINDING_CALLS = DYNAMIC_CALLS | {
    "spec_from_file_location",
    "run_path",
    "run_module",
    "iter_modules",
    "walk_packages",
    "entry_points",
}
ROLES = {"judges": "judge", "justice": "justice"}
MOST_NAMED = 3


def record_unreached(writer: FactWriter) -> None:
    """Record the functions to be wired of each layer that no run reaches."""
    layers = writer.layers
    court = {"judges": layers.judges, "justice": layers.justice}
    unwired = {
        part: functions
        for part, functions in court.items()
        if functions and ROLES[part] not in layers.roles.values()
    }
    gap = _gap(writer) if unwired else ""
    rows: list[dict[str, Any]] = []
    for part, functions in unwired.items():
        files = [] if gap else _unreached_files(writer, part, functions)
        named = next(filter(None, (imported_outside(writer, s.module) for s in files)), "")
        gap = gap or (f"{named} names code of the {part}" if named else "")
        rows += _rows(part, files, functions) if files and not named else []
    writer.set_rows("unreached_layers", rows, gap)


def _gap(writer: FactWriter) -> str:
    """Return why something may run the layers that was not followed; "" where nothing may."""
    layers, builder = writer.layers, writer.graph.builder
    if gap := reading_gap(writer.symbols.codebase):
        return gap
    if writer.facts.get("detectives_parallel") is None:
        return writer.reasons.get("detectives_parallel", "the graph is not known")
    if builder is not None and builder.unresolved:
        return builder.unresolved[0]
    unknown = [*layers.unfollowed.values(), [n for n, role in layers.roles.items() if not role]]
    if nodes := [name for names in unknown for name in names]:
        return f"what the node {nodes[0]} does is not known"
    scope = writer.facts.get("scope") or {}
    if not scope.get("main") or len(scope["unreached"]) >= MOST_ROWS:
        return "the files that an entry point reaches are not known"
    places = (_found_at_run_time(source) for source in _reached(writer, scope))
    return next(filter(None, places), "")


def _reached(writer: FactWriter, scope: Mapping[str, Any]) -> list[SourceFile]:
    return [s for s in writer.symbols.codebase.production if s.path not in scope["unreached"]]


def _found_at_run_time(source: SourceFile) -> str:
    if not any(name in source.text for name in FINDING_CALLS):
        return ""
    for call in (site.node for site in source.calls):
        name, is_method = called_name(call), isinstance(call.func, ast.Attribute)
        is_named = bool(call.args) and constant_text(call.args[0]) is not None
        if name in FINDING_CALLS and not (is_named or (is_method and name in BUILTINS)):
            return f"{source.path}:{call.lineno} runs code that it finds by {name}"
    return ""


def _unreached_files(
    writer: FactWriter, part: str, functions: Sequence[FunctionRef]
) -> list[SourceFile]:
    """Return the files of what the layer is about, if no run reaches one of them; else nothing."""
    unreached = (writer.facts.get("scope") or {})["unreached"]
    asking = [f for f in functions if f.site.mentions & MODEL_CALLS]
    verdict = place_of_verdict(functions)
    core = (asking if part == "judges" else [verdict] if verdict else []) or functions
    files = {function.source.path: function.source for function in core}
    return list(files.values()) if files.keys() <= {*unreached} else []


def _rows(
    part: str, files: Sequence[SourceFile], functions: Sequence[FunctionRef]
) -> list[dict[str, Any]]:
    """Return the functions that look like nodes, else the first of the layer."""
    sites = [FunctionRef(source, site) for source in files for site in source.functions]
    nodes = [f for f in sites if f.site.owner is None and f.site.outer is None and _takes_state(f)]
    first = next(f for f in functions if f.source in files)
    return [
        {
            "part": part,
            "name": f.shown_name,
            "path": f.source.path,
            "line": f.site.node.lineno,
            "is_node": bool(nodes),
        }
        for f in (nodes or [first])[:MOST_NAMED]
    ]


def _takes_state(function: FunctionRef) -> bool:
    arguments = function.site.node.args.args
    return bool(arguments) and "state" in words_of(arguments[0].arg)
