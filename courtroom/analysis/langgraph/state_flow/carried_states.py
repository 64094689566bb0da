"""Runs that go on with the state of an earlier audit: a stored thread of one name for all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.graph_values import RUN_METHODS
from courtroom.analysis.langgraph.own_reducers import appends
from courtroom.analysis.langgraph.state_access import StateAccess
from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    values_set_once,
    walk,
)

# Checkpointers that keep states on a disk or a server, by their modules.
_STORES = ("langgraph.checkpoint.sqlite", "langgraph.checkpoint.postgres")
_ADDS = frozenset({"operator.add", "operator.ior", "operator.or_", "operator.concat"})
_IN_MEMORY = ":memory:"


def carried_states(
    symbols: SymbolTable, access: StateAccess, in_use: Sequence[FunctionRef]
) -> Iterator[FlowFault]:
    """Yield runs under a constant thread whose input cannot empty keys that a reducer adds to."""
    adding = {
        row["field"]
        for row in reducers_of(symbols, access.state.site)
        if row["reducer"] in _ADDS or appends(row.get("applies", ""))
    }
    for function in in_use:
        store = _store(symbols, function) if adding else ""
        for call in walk(function.site.node) if store else ():
            if not isinstance(call, ast.Call) or called_name(call) not in RUN_METHODS:
                continue
            given = _written(function, call.args[0]) if call.args else None
            config = _config(function, call)
            thread = _thread(function, config) if config is not None else ""
            if not thread or not isinstance(given, ast.Dict) or None in given.keys:
                continue
            filled = {
                constant_text(key)
                for key, value in zip(given.keys, given.values, strict=True)
                if key is not None and not _is_empty(value)
            }
            if keys := sorted(adding - filled):
                names = joined([f"`{key}`" for key in keys])
                sentence = (
                    f"{function.shown_name}() runs the graph under the thread “{thread}”, which"
                    f" {store} stores from run to run: what one audit puts into {names} is still there"
                    " in the next one, since an empty input takes nothing away"
                )
                yield FlowFault("carried_state", sentence, function.source.path, call.lineno)


def _store(symbols: SymbolTable, function: FunctionRef) -> str:
    """Return the class of the stored checkpointer that a function makes."""
    text = function.source.text
    is_kept = "langgraph.checkpoint" in text and "delete_thread" not in text
    for node in walk(function.site.node) if is_kept else ():
        if isinstance(node, ast.Call):
            dotted = symbols.dotted_name(function.source, node.func)
            is_lost = any(constant_text(argument) == _IN_MEMORY for argument in node.args)
            if dotted.startswith(_STORES) and not is_lost:
                return next(part for part in dotted.split(".") if part[:1].isupper())
    return ""


def _written(function: FunctionRef, value: ast.expr) -> ast.expr:
    """Return the value of a local name that is set once, or the expression itself."""
    values = values_set_once(function.site.node) if isinstance(value, ast.Name) else {}
    return values.get(value.id, value) if isinstance(value, ast.Name) else value


def _config(function: FunctionRef, call: ast.Call) -> ast.expr | None:
    config = keyword_of(call, "config") or (call.args[1] if len(call.args) > 1 else None)
    return _written(function, config) if config is not None else None


def _thread(function: FunctionRef, config: ast.expr) -> str:
    """Return the constant under which the config has its thread; of an option, its default."""
    for node in walk(config):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None and constant_text(key) == "thread_id":
                    return _constant(function, value)
    return ""


def _constant(function: FunctionRef, value: ast.expr) -> str:
    value = _written(function, value)
    if isinstance(value, ast.Attribute):
        return _default_of_option(function.source, value.attr)
    return constant_text(value) or ""


def _default_of_option(source: SourceFile, name: str) -> str:
    """Return the default of `--thread-id` for `args.thread_id`."""
    for site in source.calls:
        call = site.node
        options = [constant_text(argument) or "" for argument in call.args]
        if called_name(call) == "add_argument" and any(
            option.lstrip("-").replace("-", "_") == name for option in options
        ):
            default = keyword_of(call, "default")
            return (constant_text(default) or "") if default is not None else ""
    return ""


def _is_empty(value: ast.expr) -> bool:
    match value:
        case ast.Dict(keys=[]) | ast.List(elts=[]) | ast.Call(args=[], keywords=[]):
            return not isinstance(value, ast.Call) or last_name(value.func) in {"dict", "list"}
    return False
