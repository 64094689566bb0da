"""Nodes that return nothing on a way to them: no node of that way sets the flag they wait for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, site_of
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.values import DictValue, choices_of
from courtroom.analysis.python.tree_walk import constant_text

Ways = Mapping[tuple[str, str], tuple[str, int]]


@dataclass(frozen=True, slots=True)
class _Flag:
    """Key of the state, or a name in the dict under it, that a node needs before it does anything."""

    key: str
    name: str = ""
    line: int = 0

    @property
    def words(self) -> str:
        return f"`{self.name}` in `{self.key}`" if self.name else f"`{self.key}`"


def idle_steps(
    symbols: SymbolTable, graph: GraphReading, access: StateAccess
) -> Iterator[FlowFault]:
    """Yield nodes that return nothing where some of the nodes before them lead to them."""
    builder = graph.builder
    if builder is None or builder.unresolved or any(u.writes_gap for u in access.nodes.values()):
        return
    ways = dict(builder.edges)
    ways |= {(r.start, end): (r.path, r.line) for r in graph.routes for end in r.targets}
    for node, use in access.nodes.items():
        site = site_of(symbols, use)
        flag = _awaited(site.node) if site is not None else None
        if site is None or flag is None or _may_be_given(flag, graph):
            continue
        setters = {n for n, other in access.nodes.items() if n != node and _may_set(other, flag)}
        before = [start for start, end in ways if end == node]
        idle = [start for start in before if not setters & _ways_to(start, ways)]
        if idle and len(idle) < len(before):
            verb = "leads" if len(idle) == 1 else "lead"
            sentence = (
                f"the node {node} returns nothing where {joined(idle)} {verb} to it: it waits for"
                f" {flag.words}, which no node sets on this way"
            )
            place = (use.path, flag.line)
            yield FlowFault("idle_step", sentence, *ways[idle[0], node], place)


def _awaited(function: FunctionNode) -> _Flag | None:
    """Return what the function tests first, where it returns nothing without it."""
    names: dict[str, _Flag] = {}
    state = next((argument.arg for argument in function.args.args), "")
    for statement in function.body:
        match statement:
            case ast.Expr(ast.Constant()):
                continue
            case ast.Assign([ast.Name(name)], value) if flag := _looked_up(value, state, names):
                names[name] = flag
            case ast.If(ast.UnaryOp(ast.Not(), test), [ast.Return(value)], []) if _is_empty(value):
                flag = _looked_up(test, state, names)
                return _Flag(flag.key, flag.name, statement.lineno) if flag else None
            case _:
                return None
    return None


def _is_empty(value: ast.expr | None) -> bool:
    match value:
        case None | ast.Constant(None) | ast.Dict([]):
            return True
    return False


def _looked_up(value: ast.expr, state: str, names: Mapping[str, _Flag]) -> _Flag | None:
    """Return the key of the state that an expression reads, or the name that it reads under it."""
    match value:
        case ast.Name(name):
            return names.get(name)
        case ast.Attribute(ast.Name(name), key) if name == state:
            return _Flag(key)
        case ast.BoolOp(ast.Or(), [first, ast.Dict([])]):
            return _looked_up(first, state, names)
        case ast.Subscript(base, index):
            return _under(base, index, state, names)
        case ast.Call(ast.Attribute(base, "get"), [index, *rest], []) if _are_empty(rest):
            return _under(base, index, state, names)
    return None


def _under(base: ast.expr, index: ast.expr, state: str, names: Mapping[str, _Flag]) -> _Flag | None:
    key = constant_text(index)
    if key is None:
        return None
    if isinstance(base, ast.Name) and base.id == state:
        return _Flag(key)
    around = _looked_up(base, state, names)
    return _Flag(around.key, key) if around and not around.name else None


def _are_empty(values: Sequence[ast.expr]) -> bool:
    return all(
        (isinstance(value, ast.Constant) and not value.value)
        or (isinstance(value, ast.Dict) and not value.keys)
        for value in values
    )


def _may_be_given(flag: _Flag, graph: GraphReading) -> bool:
    """Return whether an input of the graph may hold the flag."""
    given = [choice for value in graph.inputs for choice in choices_of(value)]
    if not given:
        return True
    for value in given:
        if not isinstance(value, DictValue) or value.is_open:
            return True
        held = value.entries.get(flag.key)
        if held is not None and not (isinstance(held, DictValue) and not held.entries):
            return True
    return False


def _may_set(use: StateUse, flag: _Flag) -> bool:
    if any(place.key == flag.key for place in use.changes):
        return True
    writes = (write for update in use.updates for write in update.writes if write.key == flag.key)
    return any(update.is_open for update in use.updates) or any(
        not flag.name or write.is_inner_open or flag.name in write.inner for write in writes
    )


def _ways_to(node: str, ways: Ways) -> set[str]:
    """Return the node and all from which a way leads to it."""
    reached = [node]
    for name in reached:  # the list grows while it is read
        reached += [start for start, end in ways if end == name and start not in reached]
    return {*reached}
