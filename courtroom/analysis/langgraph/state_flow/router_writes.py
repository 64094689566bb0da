"""Routers that set keys of the state: LangGraph hands them a copy and takes names of nodes alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.state_access import StateAccess, site_of
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, listed
from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, walk


def router_writes(symbols: SymbolTable, access: StateAccess) -> Iterator[FlowFault]:
    """Yield routers that set declared keys; what they change inside a value stays."""
    for use in access.routers:
        site = site_of(symbols, use)
        writes = list(_writes(site.node)) if site is not None else []
        keys = dict.fromkeys(key for key, _ in writes if key in (access.declared or ()))
        if keys:
            sentence = (
                f"{use.name} sets {listed(keys)}, and LangGraph takes no update from a router: what it"
                " sets is lost"
            )
            yield FlowFault("router_write", sentence, use.path, writes[0][1])


def _writes(router: FunctionNode) -> Iterator[tuple[str, int]]:
    """Yield the keys that a router sets in its parameter, with the lines; none where that is bound
    anew.
    """
    parameters = [argument.arg for argument in router.args.args if argument.arg != "self"]
    state = next(iter(parameters), "")
    nodes = list(walk(router))
    if any(
        isinstance(n, ast.Name) and n.id == state and isinstance(n.ctx, ast.Store) for n in nodes
    ):
        return
    for node in sorted(
        (n for n in nodes if isinstance(n, ast.Subscript | ast.Attribute)), key=lambda n: n.lineno
    ):
        if not isinstance(node.ctx, ast.Store):
            continue
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=key) if name == state:
                yield constant_text(key) or "", node.lineno
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == state:
                yield attribute, node.lineno
