"""Reads of a graph's result under a key, in the code that runs the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from courtroom.analysis.langgraph.graph_values import RUN_METHODS
from courtroom.analysis.langgraph.state_flow.flow_fault import Place
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, constant_text, line_of_call, walk

FILE_WRITERS = frozenset({"write", "write_text", "writelines", "write_bytes"})


@dataclass(frozen=True, slots=True)
class ResultRead:
    """`written` is where the function writes the value to a file, and nothing in its place."""

    key: str
    place: Place
    written: Place | None = None


def result_reads(
    symbols: SymbolTable, keys: Iterable[str], arriving: Iterable[str] = ()
) -> list[ResultRead]:
    """Return where functions look up one of the keys in what a run of a graph gave them.

    A lookup that only stands in for one of a key that arrives, behind `or`, is left out.
    """
    kept = frozenset(arriving)
    wanted = frozenset(keys)
    return [
        read
        for source in symbols.codebase.production
        if any(key in source.text for key in wanted) and any(m in source.text for m in RUN_METHODS)
        for site in source.functions
        for read in _reads_in(FunctionRef(source, site), wanted, kept)
    ]


def writes_file(functions: Iterable[FunctionRef]) -> bool:
    return any(
        isinstance(node, ast.Call) and called_name(node) in FILE_WRITERS
        for function in functions
        for node in walk(function.site.node)
    )


def _reads_in(
    function: FunctionRef, keys: AbstractSet[str], arriving: AbstractSet[str]
) -> Iterator[ResultRead]:
    nodes = list(walk(function.site.node))
    results = {name for name, value in _assignments(nodes) if _runs_graph(value)}
    path = function.source.path
    replaced = {id(n) for n in _stand_ins(nodes, results, arriving)} if results else set()
    for node in nodes if results else ():
        key = _key_read(node, results)
        if key in keys and id(node) not in replaced:
            line = _line_of_write(nodes, node)
            place = (path, getattr(node, "lineno", 1))
            yield ResultRead(key, place, (path, line) if line else None)


def _stand_ins(
    nodes: Iterable[ast.AST], results: AbstractSet[str], arriving: AbstractSet[str]
) -> Iterator[ast.AST]:
    """Yield what follows the lookup of a key that arrives, behind `or`."""
    for node in nodes:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            keys = [_key_read(value, results) in arriving for value in node.values]
            if True in keys:
                yield from node.values[keys.index(True) + 1 :]


def _assignments(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        value = getattr(node, "value", None)
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(value, ast.expr):
                yield target.id, value


def _runs_graph(value: ast.expr) -> bool:
    call = value.value if isinstance(value, ast.Await) else value
    is_method = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return is_method and isinstance(call, ast.Call) and called_name(call) in RUN_METHODS


def _key_read(node: ast.AST, results: AbstractSet[str]) -> str:
    owner, key = None, None
    if isinstance(node, ast.Call) and called_name(node) == "get" and node.args:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        key = constant_text(node.args[0])
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        owner, key = node.value, constant_text(node.slice)
    is_result = isinstance(owner, ast.Name) and owner.id in results
    return key if key and is_result else ""


def _line_of_write(nodes: Sequence[ast.AST], read: ast.AST) -> int:
    """Return where the value read, or the name that holds nothing else, is written to a file."""
    values = list(_assignments(nodes))
    names = {name for name, value in values if value is read}
    names -= {name for name, value in values if value is not read}
    writes = (n for n in nodes if isinstance(n, ast.Call) and called_name(n) in FILE_WRITERS)
    for call in writes:
        for given in call.args:
            if given is read or (isinstance(given, ast.Name) and given.id in names):
                return line_of_call(call)
    return 0
