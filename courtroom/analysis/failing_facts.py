"""Establish which lines fail whenever they run, and which nodes of the graph never get past one."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.refused_opinions import calls_with_empty_list
from courtroom.analysis.langgraph.judging.search_gaps import reading_gap
from courtroom.analysis.langgraph.state_flow.closed_lines import closed_by
from courtroom.analysis.langgraph.unfit_inputs import added_lists, unfit_inputs
from courtroom.analysis.project.unlocked_imports import MOST_LOCK_BYTES
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.called_tools import LOCKS, called_tools, core_without_calls
from courtroom.analysis.python.certain_nodes import certain_nodes, mark_of, returns_before
from courtroom.analysis.python.closed_resources import uses_after_close
from courtroom.analysis.python.failing_lines import FailingLine, failing_lines, value_at_hand
from courtroom.analysis.python.failure_reach import failure_reach
from courtroom.analysis.python.missing_files import MissingFiles
from courtroom.analysis.python.missing_methods import calls_without_method
from courtroom.analysis.python.model_attributes import attributes_without_field
from courtroom.analysis.python.model_fields import calls_without_field
from courtroom.analysis.python.model_items import TopNames, items_of_objects
from courtroom.analysis.python.model_values import calls_with_unfit_value
from courtroom.analysis.python.source_files import FunctionSite
from courtroom.analysis.python.tree_walk import called_name, constant_text, walk
from courtroom.analysis.security.route_parameters import route_handlers

# Files that may make another file, or ask for it.
_OTHER_TEXTS = re.compile(
    r"(?:^|/)(?:dockerfile|makefile|justfile|procfile|readme|contributing|\.gitignore)[^/]*$"
    r"|\.(?:sh|ps1|bat|ya?ml|toml|example|md)$",
    re.IGNORECASE,
)
_MOST_TEXT = 256 * 1024


def record_failing_code(writer: FactWriter) -> None:
    """Record the lines that fail in the functions that a run reaches, by part of the work."""
    parts = part_functions(writer.layers)
    listed = {function.key for functions in parts.values() for function in functions}
    served = writer.call_graph.reachable_from(list(route_handlers(writer.symbols)))
    parts["graph"] += [function for function in served if function.key not in listed]
    lines = [row for part, functions in parts.items() for row in _failures(writer, part, functions)]
    gap = reading_gap(writer.symbols.codebase)
    if gap and not lines:
        writer.set_unknown(["failing_code"], gap)
        return
    functions = {part: len(functions) for part, functions in sorted(parts.items())}
    writer.facts["failing_code"] = {"functions": functions, "lines": lines}


def part_functions(layers: Layers) -> dict[str, list[FunctionRef]]:
    """Return the functions that a run reaches, by part of the work."""
    parts = {"judges": layers.judges, "justice": layers.justice}
    elsewhere = {function.key for part in parts.values() for function in part}
    parts["graph"] = [function for function in layers.in_use if function.key not in elsewhere]
    return parts


def _failures(
    writer: FactWriter, part: str, functions: Sequence[FunctionRef]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the fact, one row per failing line."""
    sources = {function.source.path: function.source for function in functions}
    files, tops = MissingFiles(writer.symbols), TopNames()
    core = core_without_calls(_lock_texts(writer))
    lists = added_lists(writer.symbols, writer.facts.get("reducers") or ())
    for path, source in sorted(sources.items()):
        sites = [function.site for function in functions if function.source is source]
        failing_by_site = failing_lines(source, sites)
        for site in sites:
            function = FunctionRef(source, site)
            opened = {
                line: file
                for line, file in files.reads_in(source, site)
                if not _is_asked_for(writer, file)
            }
            lines = {
                *failing_by_site.get(site, []),
                *calls_without_field(writer.symbols, source, site),
                *calls_with_empty_list(writer.symbols, source, site),
                *calls_with_unfit_value(writer.call_graph, function),
                *calls_without_method(writer.symbols, source, site),
                *called_tools(writer.symbols, source, site, core),
                *items_of_objects(writer.symbols, source, site, tops),
                *attributes_without_field(writer.symbols, source, site),
                *unfit_inputs(writer.call_graph, function, lists),
                *uses_after_close(writer.symbols, source, site),
                *(_failing_lookups(writer, path, site) if part == "judges" else ()),
                *opened,
            }
            for failing in sorted(lines):
                reach = failure_reach(site.node, failing.line)
                nodes, returns = _stopped_nodes(writer, function, failing)
                # A handler that fails itself ends no error.
                is_caught = not any(reach.caught_at <= row.line <= reach.caught_to for row in lines)
                yield {
                    "path": path,
                    "line": failing.line,
                    "part": part,
                    "function": site.qualname,
                    "why": failing.why,
                    "name": failing.name or None,
                    "set_at": failing.set_at or None,
                    "is_constant": failing.is_constant,
                    "file": opened.get(failing),
                    "caught_at": (is_caught and reach.caught_at) or None,
                    "after_failure": reach.after_failure or None,
                    "where_empty": reach.where_empty,
                    "nodes": nodes,
                    "instead": _judges_instead(writer, nodes),
                    "returns_before": returns,
                    "closed_by": _closed_by(writer, function, failing.line),
                    "at_hand": value_at_hand(site.node, failing.name) if failing.name else None,
                }


def _closed_by(writer: FactWriter, function: FunctionRef, line: int) -> str | None:
    """Return why no run comes to a line of a node, as far as what nodes before it fill tells."""
    names = [name for name, node in writer.layers.nodes.items() if node.key == function.key]
    access = next(iter(writer.state_accesses), None)
    if access is None or not names:
        return None
    ways = writer.dead_ways or ()
    try:
        reasons = [
            closed_by(writer.symbols, writer.graph, access, ways, name, line) for name in names
        ]
    except RecursionError:
        return None
    return "; ".join(reasons) if all(reasons) else None


def _lock_texts(writer: FactWriter) -> dict[str, str]:
    paths = (path for path in LOCKS if path in writer.reader.blobs)
    contents = ((path, writer.reader.read(path, MOST_LOCK_BYTES) or b"") for path in paths)
    return {path: content.decode("utf-8", "replace") for path, content in contents}


def _failing_lookups(writer: FactWriter, path: str, site: FunctionSite) -> Iterator[FailingLine]:
    """Yield the lookups of judges that find nothing, in a function that is not inside another one."""
    faults = {fault.line: fault for fault in writer.failing_lookups if fault.path == path}
    for node in walk(site.node) if faults and site.outer is None else ():
        fault = faults.get(getattr(node, "end_lineno", None) or 0)
        key = constant_text(node.slice) if isinstance(node, ast.Subscript) else None
        if fault and isinstance(node, ast.Subscript) and key and f"`{key}`" in fault.sentence:
            yield FailingLine(fault.line, fault.sentence.partition(" ")[2], mark_of(node))


def _is_asked_for(writer: FactWriter, file: str) -> bool:
    """Return whether git ignores a file, or a text beside the code names it: a user may add it."""
    name = posixpath.basename(file)
    blobs = writer.reader.blobs.items()
    wanted = [p for p, b in blobs if b.is_file and b.size <= _MOST_TEXT and _OTHER_TEXTS.search(p)]
    for path, content in writer.reader.read_all(wanted).items():
        text = content.decode("utf-8", "replace")
        if name in text or (path.endswith(".gitignore") and _is_ignored(file, text)):
            return True
    return False


def _is_ignored(file: str, patterns: str) -> bool:
    parts = file.split("/")
    paths = {*parts, *("/".join(parts[:n]) for n in range(1, len(parts) + 1))}
    wanted = (line.strip().strip("/").removeprefix("**/") for line in patterns.splitlines())
    return any(fnmatchcase(path, pattern) for pattern in wanted if pattern for path in paths)


def _stopped_nodes(
    writer: FactWriter, function: FunctionRef, failing: FailingLine
) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the nodes of which every run that returns at no earlier place evaluates this part of
    the function, and those earlier returns.
    """
    nodes = certain_nodes(function.site.node.body)
    if not any(isinstance(node, ast.expr) and mark_of(node) == failing.mark for node in nodes):
        return [], []
    stopped, returns = [], [_returns(function, failing.line)]
    for name, start in writer.layers.nodes.items():
        calling = _surely_called(writer.call_graph, start).get(function.key)
        if calling is not None:
            stopped.append(name)
            returns += [_returns(caller, line) for caller, line in calling]
    rows = {(path, line): {"path": path, "line": line} for rows in returns for path, line in rows}
    return stopped, [*rows.values()] if stopped else []


def _returns(function: FunctionRef, line: int) -> list[tuple[str, int]]:
    return [(function.source.path, before) for before in returns_before(function.site.node, line)]


def _judges_instead(writer: FactWriter, nodes: Sequence[str]) -> list[str]:
    """Return the judges of which a route may choose one in the place of these, if they are judges."""
    judges = {name for name, role in writer.layers.roles.items() if role == "judge"}
    instead, replaced = set[str](), set[str]()
    for route in writer.graph.routes if judges.issuperset(nodes) else ():
        ways = [{*way} for way in route.outcomes]
        others = judges & {name for way in ways if way.isdisjoint(nodes) for name in way}
        if route.is_complete and others:
            here = {name for way in ways for name in way if name in nodes}
            replaced |= here
            instead |= others if here else set()
    return sorted(instead) if nodes and replaced.issuperset(nodes) else []


def _surely_called(
    call_graph: CallGraph, start: FunctionRef
) -> dict[tuple[str, int], tuple[tuple[FunctionRef, int], ...]]:
    """Return a function and those that every run of it calls by a name that means no other, each
    with the functions on the way to it and the lines of their calls.
    """
    reached: dict[tuple[str, int], tuple[tuple[FunctionRef, int], ...]] = {start.key: ()}
    queue = [start]
    while queue:
        function = queue.pop()
        callees = call_graph.callees(function)
        for node in certain_nodes(function.site.node.body):
            name = called_name(node) if isinstance(node, ast.Call) else ""
            targets = [callee for callee in callees if name and callee.name == name]
            is_new = len(targets) == 1 and targets[0].key not in reached
            if isinstance(node, ast.Call) and is_new:
                reached[targets[0].key] = (*reached[function.key], (function, node.lineno))
                queue += targets
    return reached
