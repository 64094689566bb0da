"""Facts on the clone of the audited repository, and on calls that run a shell or code."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Sequence

from courtroom.analysis import reach_facts
from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph.judging.search_gaps import reading_gap
from courtroom.analysis.project.instruction_faults import command_texts
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbolic_execution.values import Function, Instance
from courtroom.analysis.security.address_checks import documented_addresses
from courtroom.analysis.security.clone_errors import (
    EscapingError,
    escaping_errors,
    own_errors,
    process_runner,
    refusing_errors,
)
from courtroom.analysis.security.clone_function import CloneReading, read_clone
from courtroom.analysis.security.shell_calls import temporary_directories, unsafe_calls

CLONE_HABITS = ("clone_in_tempdir", "clone_timeout", "clone_errors_handled", "url_validated")
# What the advice raises where an address is refused.
REFUSAL = "ValueError"


def record_safety(writer: FactWriter) -> None:
    """Record calls that run a shell or code, and folders that are made for a while."""
    for fact, calls in unsafe_calls(writer.symbols).items():
        writer.facts[fact] = [{"path": source.path, "line": line} for source, line in calls]
        for source, line in calls:
            writer.add_location(fact, source.path, line)
    rows = [
        {"path": source.path, "line": line}
        for source, line in temporary_directories(writer.symbols)
    ]
    writer.set_rows("temporary_directories", rows, reading_gap(writer.symbols.codebase))


def drop_idle_folders(writer: FactWriter) -> None:
    """Drop the folders that functions make to which nothing leads: no clone is made there."""
    rows = writer.facts["temporary_directories"] or ()
    paths = {row["path"] for row in rows}
    idle_lines = {
        (source.path, line)
        for source in writer.symbols.codebase.production
        if source.path in paths
        for site in source.functions
        if reach_facts.is_uncalled(writer, FunctionRef(source, site))
        for line in range(site.node.lineno, (site.node.end_lineno or 0) + 1)
    }
    kept = [row for row in rows if (row["path"], row["line"]) not in idle_lines]
    if len(kept) < len(rows):
        writer.facts["temporary_directories"] = kept


def _is_in_temporary_directory(writer: FactWriter, clone: CloneReading) -> bool:
    """Return whether a folder of the clone is a TemporaryDirectory, wherever it is made."""
    made = writer.facts.get("temporary_directories") or ()
    places = {(row["path"], row["line"]) for row in made}
    folders = clone.lines.get("clone_in_tempdir", ())
    return any((source.path, line) in places for source, line in folders)


def record_clone(writer: FactWriter) -> None:
    """Record the function that clones the repository and its habits; unknown without one."""
    clone = read_clone(writer.symbols, writer.call_graph, writer.layers.in_use)
    gap = reading_gap(writer.symbols.codebase) or clone.gap
    for fact in CLONE_HABITS:
        writer.set_flag(fact, bool(clone.lines.get(fact)), gap)
    if clone.function is None:
        reason = gap or "no function that clones a repository was found"
        writer.set_unknown(["clone_function"], reason)
        return

    node = clone.function.site.node
    escaping = _escaping_errors(writer, clone.function, clone.calls)
    writer.facts["clone_function"] = {
        "name": node.name,
        "path": clone.function.source.path,
        "line": node.lineno,
        "address": clone.address,
        "is_uncalled": reach_facts.is_uncalled(writer, clone.function),
        "losses": [*reach_facts.losses_if_called(writer, clone.function)],
        "escaping": _error_rows(escaping),
        "refused": _error_rows(
            error
            for place, name in refusing_errors(writer.call_graph, clone.function)
            for error in _escaping_errors(writer, clone.function, [place], name)
        ),
        "refusal": _refusal(writer, clone, {error.name for error in escaping}),
        "documented": documented_addresses(
            [ast.get_docstring(node) or "", *command_texts(writer).values()]
        ),
        "runner": _runner(writer, clone.function, clone.calls),
        "is_repeated": clone.is_repeated,
        "in_temporary_directory": _is_in_temporary_directory(writer, clone),
        "others": [
            {"name": other.name, "path": other.source.path, "line": other.site.node.lineno}
            for other in clone.others
        ],
    }
    writer.add_location(
        "clone_function",
        clone.function.source.path,
        node.lineno,
        node.end_lineno,
        f"{node.name} begins here.",
    )

    for line in clone.call_lines:
        writer.add_location("clone_call", clone.function.source.path, line)
    for fact, lines in (*clone.lines.items(), ("address_refused", clone.refusals)):
        for source, line in lines:
            writer.add_location(fact, source.path, line)


def _error_rows(errors: Iterable[EscapingError]) -> list[dict[str, str | int]]:
    """Return each error once for a node."""
    unique = {(error.name, error.node.key): error for error in errors}
    return [
        {
            "name": error.name,
            "node": error.node.shown_name,
            "path": error.node.source.path,
            "line": error.node.site.node.lineno,
        }
        for error in unique.values()
    ]


def _escaping_errors(
    writer: FactWriter,
    function: FunctionRef,
    calls: Sequence[ast.Call | ast.Raise],
    added: str = "",
) -> list[EscapingError]:
    """Return the errors of the clone that leave a node which nothing is wrapped around."""
    actions = writer.graph.builder.nodes if writer.graph.builder else {}
    nodes = [
        node
        for name, node in writer.layers.nodes.items()
        if isinstance(action := actions.get(name), Function | Instance)
        if isinstance(action, Instance) or action.node is node.site.node
    ]
    return escaping_errors(writer.call_graph, function, calls, nodes, added)


def _refusal(writer: FactWriter, clone: CloneReading, escaping: Container[str]) -> str:
    """Return an exception for a refused address that ends no run, "" where none is known.

    Where a failing clone ends the run already, an exception is how the function tells: its own.
    """
    function = clone.function
    if function is None:
        return ""
    own_names = own_errors(writer.symbols, function, clone.calls)
    if escaping:
        return next((name for name in own_names if name in escaping), REFUSAL)
    names = [REFUSAL, *own_names]
    calls = clone.calls
    caught_names = (name for name in names if not _escaping_errors(writer, function, calls, name))
    return next(caught_names, "")


def _runner(
    writer: FactWriter, function: FunctionRef, calls: Sequence[ast.Call]
) -> dict[str, str | int] | None:
    runner = process_runner(writer.call_graph, function, calls[0]) if calls else None
    if runner is None:
        return None
    home, line = runner
    return {"name": home.shown_name, "path": home.source.path, "line": line}
