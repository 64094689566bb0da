"""Judges and Chief Justice whose code is there, and which no run reaches.

A node or an entry point may run them under any name. So this is established only where no code that
runs has a name that leads to them, no node may run what is not known, and nothing finds modules by
names that are made at run time; else the fact is null with what stopped the search.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import Any

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph.judging.search_gaps import reading_gap
from courtroom.analysis.langgraph.judging.verdict_source import MODEL_CALLS
from courtroom.analysis.python.call_graph import (
    BUILTINS,
    DYNAMIC_CALLS,
    FunctionRef,
    statements_on_import,
)
from courtroom.analysis.python.mentions import looks_names_up
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)
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
# Words of code that finds classes or functions by what they are.
REGISTRIES = ("__subclasses__", "__init_subclass__", "globals()", "locals()", "getmembers")
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
        core = _core(part, functions)
        if gap or _is_led_to(writer, core):
            continue
        gap = _hidden_way(writer, part, core)
        rows += [] if gap else _rows(part, core)
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
    places = (_found_at_run_time(source) for source in _reached(writer))
    return next(filter(None, places), "")


def _reached(writer: FactWriter) -> list[SourceFile]:
    unreached = (writer.facts.get("scope") or {}).get("unreached", ())
    return [s for s in writer.symbols.codebase.production if s.path not in unreached]


def _found_at_run_time(source: SourceFile) -> str:
    if not any(name in source.text for name in FINDING_CALLS):
        return ""
    for call in (site.node for site in source.calls):
        name, is_method = called_name(call), isinstance(call.func, ast.Attribute)
        is_named = bool(call.args) and constant_text(call.args[0]) is not None
        if name in FINDING_CALLS and not (is_named or (is_method and name in BUILTINS)):
            return f"{source.path}:{call.lineno} runs code that it finds by {name}"
    return ""


def _core(part: str, functions: Sequence[FunctionRef]) -> Sequence[FunctionRef]:
    """Return the functions that the layer is about: what asks a model, what computes the verdict."""
    if part == "judges":
        return [f for f in functions if f.site.mentions & MODEL_CALLS] or functions
    verdict = place_of_verdict(functions)
    return [verdict] if verdict else functions


def _hidden_way(writer: FactWriter, part: str, core: Sequence[FunctionRef]) -> str:
    """Return what may run the functions without their names in the code; "" where nothing does."""
    modules = sorted({function.source.module for function in core})
    stems = [module.rpartition(".")[2] for module in modules]
    for source in writer.symbols.codebase.production:
        is_near = any(stem in source.text for stem in stems)
        if is_near and (looks_names_up(source) or any(word in source.text for word in REGISTRIES)):
            return f"{source.path} finds what it runs by names that are made at run time"
    named = next(filter(None, (imported_outside(writer, module) for module in modules)), "")
    return f"{named} names code of the {part}" if named else ""


def _is_led_to(writer: FactWriter, core: Sequence[FunctionRef]) -> bool:
    """Return whether names may lead a run to the functions: from a node, an import, a decorator.

    A method is led to by the name of its class. The file of an entry point is run.
    """
    entries = (writer.facts.get("scope") or {}).get("entry_points", ())
    if {row["target"] for row in entries} & {function.source.path for function in core}:
        return True
    sources = writer.symbols.codebase.production
    used = {function.key for function in writer.layers.in_use}
    names: set[str] = set()
    visited: set[tuple[str, int]] = set()
    callers = list(core)
    while callers:
        if any(f.key in used or f.site.node.decorator_list or f.name == "main" for f in callers):
            return True
        names |= {f.site.owner.name if f.site.owner else f.name for f in callers}
        visited |= {f.key for f in callers}
        mentioning = (
            FunctionRef(source, site)
            for source in sources
            for site in source.functions
            if site.mentions & names
        )
        callers = [f for f in mentioning if f.key not in visited]
    return any(_loads(source, names) for source in sources)


def _loads(source: SourceFile, names: Collection[str]) -> bool:
    """Return whether a statement that runs on import has one of the names, or a class a base."""
    in_classes: list[ast.AST] = [
        part
        for node in source.classes
        for part in (*node.bases, *node.decorator_list, *node.body)
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    return any(
        last_name(node) in names
        for part in (*statements_on_import(source), *in_classes)
        if not isinstance(part, ast.Import | ast.ImportFrom)
        for node in walk(part)
        if isinstance(node, ast.Name | ast.Attribute)
    )


def _rows(part: str, core: Sequence[FunctionRef]) -> list[dict[str, Any]]:
    """Return the functions of these files that look like nodes, else the first of the layer."""
    files = {function.source.path: function.source for function in core}.values()
    sites = [FunctionRef(source, site) for source in files for site in source.functions]
    nodes = [f for f in sites if f.site.owner is None and f.site.outer is None and _takes_state(f)]
    return [
        {
            "part": part,
            "name": f.shown_name,
            "path": f.source.path,
            "line": f.site.node.lineno,
            "is_node": bool(nodes),
        }
        for f in (nodes or [*core])[: MOST_NAMED if nodes else 1]
    ]


def _takes_state(function: FunctionRef) -> bool:
    arguments = function.site.node.args.args
    return bool(arguments) and "state" in words_of(arguments[0].arg)
