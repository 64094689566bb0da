"""Collections and counts that the Chief Justice's code fills and never reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.langgraph.state_flow.unused_work import FRAME_READERS, SHARING
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, last_name, walk, words_of

FILLING = frozenset(words_of("append extend add update insert"))
# Calls that make a new collection: what another one holds is filled for that one.
MAKING = frozenset({"dict", "list", "set", "defaultdict", "Counter", "OrderedDict", "deque"})
NEW = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)


def unread_collections(justice: Iterable[FunctionRef]) -> Iterator[FlowFault]:
    """Yield each at its first filling; nothing hangs on it."""
    for function in justice:
        nodes = list(walk(function.site.node))
        names = [node for node in nodes if isinstance(node, ast.Name)]
        is_shared = any(isinstance(node, SHARING) for node in nodes)
        if is_shared or any(name.id in FRAME_READERS for name in names):
            continue
        filled, counted = _filled(nodes), _counted(nodes)
        in_filling = {id(name) for name in filled}
        read = {n.id for n in names if isinstance(n.ctx, ast.Load) and id(n) not in in_filling}
        first = {name.id: (name.lineno, "fills") for name in reversed(filled)}
        first |= {name.id: (name.lineno, "counts") for name in reversed(counted)}
        for name, (line, verb) in first.items():
            if name not in read and _is_made_here(name, nodes):
                sentence = f"{function.name}() {verb} `{name}` and never reads it"
                yield FlowFault(
                    "unused_verdict", sentence, function.source.path, line, is_minor=True
                )


def _filled(nodes: Iterable[ast.AST]) -> list[ast.Name]:
    """Return the names in `names[key] = value` and in `names.append(value)` as a statement."""
    targets = [
        target.value
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Subscript)
    ]
    calls = [
        node.value.func.value
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        if isinstance(node.value.func, ast.Attribute) and node.value.func.attr in FILLING
    ]
    return [owner for owner in (*targets, *calls) if isinstance(owner, ast.Name)]


def _counted(nodes: Iterable[ast.AST]) -> list[ast.Name]:
    steps = (node.target for node in nodes if isinstance(node, ast.AugAssign))
    return [target for target in steps if isinstance(target, ast.Name)]


def _is_made_here(name: str, nodes: Iterable[ast.AST]) -> bool:
    """Return true where all that the name is set to is a new collection or a constant."""
    values = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == name
    ]
    stores = [
        node
        for node in nodes
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    steps = sum(isinstance(n, ast.AugAssign) and last_name(n.target) == name for n in nodes)
    # What a loop or a `with` sets is made elsewhere.
    return bool(values) and len(stores) == len(values) + steps and all(map(_is_new, values))


def _is_new(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return called_name(value) in MAKING
    return isinstance(value, (*NEW, ast.Constant))
