"""Files that are looked for below the address of the work, in a function that takes it for a path."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.state_flow.default_directories import (
    ADDRESS_WORDS,
    SAME_ADDRESS,
    may_be_local,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

# Calls through which an address is followed.
MOST_CALLS = 4
# Local names for an address that are followed, in each function.
MOST_NAMES = 8
LISTINGS = frozenset({"rglob", "glob", "iterdir"})
READS = frozenset({"os.path.join", "os.walk", "os.listdir"})
# Words of names for a clone, which a node may put in the place of the address.
LOCAL_WORDS = frozenset(words_of("path dir directory folder local clone cloned root"))


@dataclass(frozen=True, slots=True)
class _Handed:
    """Address in `function` under `name`; `caller` read it from the state, as `key`."""

    function: FunctionRef
    name: str
    caller: FunctionRef
    key: str
    line: int
    steps: int = 0


def handed_addresses(call_graph: CallGraph, in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield the first lookup below each parameter that is given an address, and below a local name.

    A function that tests what it has got may mean a path of this machine.
    """
    symbols = call_graph.symbols
    replaced = _replaced_keys(in_use)
    waiting = [
        start
        for f in in_use
        for start in islice(_starts(f), MOST_NAMES)
        if start.key not in replaced
    ]
    visited: set[tuple[tuple[str, int], str]] = set()
    while waiting:
        handed = waiting.pop(0)
        place = handed.function.key, handed.name
        nodes = list(walk(handed.function.site.node))
        if place in visited or _is_tested(nodes, handed.name):
            continue
        visited.add(place)
        line = _looked_below(symbols, handed, nodes)
        if line and handed.steps:
            sentence = (
                f"{handed.function.shown_name}() looks for files below `{handed.name}`, for which"
                f" {handed.caller.shown_name}() hands on the address `{handed.key}`: for a remote"
                " repository that is in the auditor's own directory, not in the clone"
            )
            other = handed.caller.source.path, handed.line
            yield FlowFault("own_directory", sentence, handed.function.source.path, line, other)
        elif line:
            sentence = (
                f"{handed.function.shown_name}() looks for files below the address `{handed.key}` as"
                " if it was a path: that is in the auditor's own directory, not in the clone"
            )
            yield FlowFault("own_directory", sentence, handed.function.source.path, line)
        if handed.steps < MOST_CALLS:
            waiting += _called_with(call_graph, handed, nodes)


def _starts(function: FunctionRef) -> Iterator[_Handed]:
    """Yield the local names that get an address of the state: `repo_url = state["repo_url"]`."""
    for node in walk(function.site.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            key = _key_of_address(node.value)
            if key:
                yield _Handed(function, node.targets[0].id, function, key, node.lineno)


def _key_of_address(value: ast.expr) -> str:
    """Return the key in `state["repo_url"]` and `state.get("repo_url") or "."`; "" for others."""
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
        value = value.values[0]
    key = ""
    if isinstance(value, ast.Subscript):
        key = constant_text(value.slice) or ""
    elif isinstance(value, ast.Attribute):
        key = value.attr
    elif isinstance(value, ast.Call) and called_name(value) in SAME_ADDRESS:
        owner = value.func.value if isinstance(value.func, ast.Attribute) else None
        if called_name(value) == "get":
            key = (constant_text(value.args[0]) if value.args else None) or ""
        else:
            inner = owner or next(iter(value.args), None)
            return _key_of_address(inner) if inner is not None else ""
    return key if not ADDRESS_WORDS.isdisjoint(words_of(key)) else ""


def _replaced_keys(in_use: Sequence[FunctionRef]) -> set[str]:
    """Return the keys under which a node returns the path of a clone."""
    return {
        text
        for function in in_use
        for node in walk(function.site.node)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if (text := constant_text(key)) and not LOCAL_WORDS.isdisjoint(words_of(last_name(value)))
    }


def _is_tested(nodes: Sequence[ast.AST], name: str) -> bool:
    """Return true where the name is asked for what it is: `if is_remote(root)`."""
    tests = (node.test for node in nodes if isinstance(node, ast.If | ast.IfExp))
    calls = (n for test in tests for n in walk(test) if isinstance(n, ast.Call))
    return may_be_local(list(nodes), name) or any(
        isinstance(inner, ast.Name) and inner.id == name for call in calls for inner in walk(call)
    )


def _called_with(
    call_graph: CallGraph, handed: _Handed, nodes: Sequence[ast.AST]
) -> Iterator[_Handed]:
    """Yield the parameters of the functions of the work that are given the name as it is."""
    for call in nodes:
        if not isinstance(call, ast.Call):
            continue
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not any(isinstance(part, ast.Name) and part.id == handed.name for part in given):
            continue
        targets = call_graph.called_by(handed.function.source, call)
        for name in parameter_names(targets[0]) if len(targets) == 1 else ():
            argument = argument_of(call, name, targets[0])
            if isinstance(argument, ast.Name) and argument.id == handed.name:
                line = handed.line if handed.steps else call.lineno
                yield _Handed(targets[0], name, handed.caller, handed.key, line, handed.steps + 1)


def _looked_below(symbols: SymbolTable, handed: _Handed, nodes: Sequence[ast.AST]) -> int | None:
    """Return the line that looks below a name: `Path(root) / file`, `folder = Path(root)` before it.

    Below a local name `address_directories` looks for a fixed name; a join may make an address.
    """
    source, name = handed.function.source, handed.name

    def is_root(node: ast.AST) -> bool:
        return last_name(node) in roots or _is_path_of(symbols, source, node, name)

    roots = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _is_path_of(symbols, source, node.value, name)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        match node:
            case ast.BinOp(left=left, op=ast.Div(), right=right) if is_root(left):
                if handed.steps or constant_text(right) is None:
                    return node.lineno
            case ast.Call(func=ast.Attribute(value=left, attr=listing)) if listing in LISTINGS:
                if is_root(left):
                    return node.lineno
            case ast.Call(func=reads, args=[ast.Name(id=first), *_]) if first == name:
                if handed.steps and symbols.dotted_name(source, reads) in READS:
                    return node.lineno
    return None


def _is_path_of(symbols: SymbolTable, source: SourceFile, node: ast.AST, name: str) -> bool:
    """Return true for `Path(name)`."""
    return (
        isinstance(node, ast.Call)
        and [last_name(argument) for argument in node.args] == [name]
        and symbols.dotted_name(source, node.func) == "pathlib.Path"
    )
