"""Clones in a temporary directory that is deleted before its path reaches a reader.

Python deletes a TemporaryDirectory at the end of its `with`, and with its last reference.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, FlowReading
from courtroom.analysis.langgraph.state_flow.shallow_history import is_clone
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, constant_text, walk, words_of

FOLDER = "tempfile.TemporaryDirectory"
# Calls that make one path of another, and the clone of GitPython, which lives in its folder.
PATH_CALLS = frozenset(
    {"Path", "str", "join", "joinpath", "resolve", "absolute", "fspath", "abspath", "realpath"}
) | {"clone_from"}
# Words of a key or field that hands a path on; elsewhere it is a text for a reader.
PATH_WORDS = frozenset({"path", "dir", "directory", "folder", "repo", "clone"})
# Names of one path, each made of another one, that are followed.
MOST_ROUNDS = 10
# Methods of a path that read nothing of the clone.
UNREAD = frozenset({"exists", "is_dir", "mkdir"})
# Calls that keep their argument: a list, a set, an exit stack.
KEEPING = frozenset({"append", "add", "register", "push", "callback", "enter_context"})


def deleted_clones(
    symbols: SymbolTable, in_use: Iterable[FunctionRef], reading: FlowReading
) -> None:
    """Add functions that clone into a TemporaryDirectory and return no more than its path."""
    for function in in_use:
        inner = _inner_nodes(function.site.node)
        nodes = own_nodes(function.site.node)
        is_generator = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)
        if is_generator or not any(map(clones, nodes)):
            continue
        for name, line, is_entered in folders(symbols, function, nodes):
            paths = paths_from(nodes, {name if is_entered else f"{name}.name"}, name)
            exits = [n for n in nodes if isinstance(n, ast.Return) and _hands_on(n.value, paths)]
            uses = [] if is_entered else list(other_uses(nodes, name))
            is_shared = any(isinstance(n, ast.Name) and n.id == name for n in inner.values())
            if not exits or is_shared or _is_kept(nodes, name, uses) or _is_read(nodes, paths):
                continue
            path = function.source.path
            if uses:
                place = f"{path}:{uses[0].lineno}"
                reading.leave_open(["deleted_clone"], f"{place}: where `{name}` goes is not known")
                continue
            end = "at the end of its `with`" if is_entered else "when the function returns"
            sentence = (
                f"{function.name}() clones into a TemporaryDirectory and returns only its path: the"
                f" folder is deleted {end}, before anything can read the clone"
            )
            reading.add([FlowFault("deleted_clone", sentence, path, line, (path, exits[0].lineno))])


def own_nodes(function: ast.AST) -> list[ast.AST]:
    """Return the nodes of a function without those of functions inside it."""
    inner = _inner_nodes(function)
    return [node for node in walk(function) if id(node) not in inner]


def _inner_nodes(function: ast.AST) -> dict[int, ast.AST]:
    """Return what stands in functions inside the function, by identity."""
    inner = (
        node
        for node in walk(function)
        if node is not function
        and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )
    return {id(other): other for node in inner for other in walk(node)}


def clones(node: ast.AST) -> bool:
    is_helper = isinstance(node, ast.Call) and "clone" in words_of(called_name(node))
    return is_helper or is_clone(node)


def _assignments(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def folders(
    symbols: SymbolTable, function: FunctionRef, nodes: Sequence[ast.AST]
) -> Iterator[tuple[str, int, bool]]:
    """Yield local names of a TemporaryDirectory, or of its path in a `with`, with their lines."""
    entered = [
        (item.optional_vars.id, item.context_expr)
        for node in nodes
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.optional_vars, ast.Name)
    ]
    makers = [(row, False) for row in _assignments(nodes)] + [(row, True) for row in entered]
    for (name, maker), is_path in makers:
        if not isinstance(maker, ast.Call):
            continue
        if symbols.dotted_name(function.source, maker.func) == FOLDER:
            yield name, maker.lineno, is_path


def paths_from(nodes: Sequence[ast.AST], paths: AbstractSet[str], folder: str) -> frozenset[str]:
    """Return the names that only ever hold a path made of these, but not the folder itself."""
    assigned = [row for row in _assignments(nodes) if not isinstance(row[1], ast.Constant)]
    # Each round adds the names that the one before led to.
    for _ in range(MOST_ROUNDS):
        more = {target for target, value in assigned if is_path(value, paths)} - paths
        if not more:
            break
        paths = paths | more
    others = {
        target for target, value in assigned if not is_path(value, paths) and target != folder
    }
    return frozenset(paths - others)


def is_path(node: ast.expr | None, paths: AbstractSet[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in paths
    if isinstance(node, ast.Attribute):
        return ast.unparse(node) in paths
    if isinstance(node, ast.BinOp):
        return is_path(node.left, paths)
    if isinstance(node, ast.Call) and called_name(node) in PATH_CALLS:
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return any(is_path(part, paths) for part in (*owner, *node.args))
    return False


def _hands_on(node: ast.expr | None, paths: AbstractSet[str]) -> bool:
    """Return true for a path, or a tuple or dict that holds one."""
    if isinstance(node, ast.Tuple | ast.List):
        return any(is_path(member, paths) for member in node.elts)
    if isinstance(node, ast.Dict):
        rows = zip(node.keys, node.values, strict=True)
        return any(_names_path(constant_text(key)) and is_path(v, paths) for key, v in rows)
    if isinstance(node, ast.IfExp):
        return _hands_on(node.body, paths) or _hands_on(node.orelse, paths)
    return is_path(node, paths)


def _is_read(nodes: Sequence[ast.AST], paths: AbstractSet[str]) -> bool:
    """Return true where anything but the clone gets a path in the folder."""
    for node in nodes:
        if isinstance(node, ast.List) and not clones(node):
            given = node.elts
        elif isinstance(node, ast.Call) and called_name(node) not in PATH_CALLS | UNREAD:
            owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            given = owner if clones(node) else [*owner, *values]
        else:
            continue
        if any(is_path(part, paths) for part in given):
            return True
    return False


def _names_path(key: str | None) -> bool:
    return not PATH_WORDS.isdisjoint(words_of(key or ""))


def other_uses(nodes: Sequence[ast.AST], name: str) -> Iterator[ast.Name]:
    """Yield where the folder itself is used for more than its path and its end."""
    harmless: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "name":
            harmless.add(id(node.value))
        elif isinstance(node, ast.Call) and called_name(node) == "cleanup":
            harmless.add(id(getattr(node.func, "value", None)))
    names = (node for node in nodes if isinstance(node, ast.Name) and node.id == name)
    yield from (n for n in names if isinstance(n.ctx, ast.Load) and id(n) not in harmless)


def _is_kept(nodes: Sequence[ast.AST], name: str, uses: Sequence[ast.Name]) -> bool:
    """Return true where the folder outlives the call: returned, stored or listed."""
    given = {
        id(argument)
        for node in nodes
        if isinstance(node, ast.Call) and called_name(node) not in KEEPING
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
    }
    is_global = any(
        isinstance(node, ast.Global | ast.Nonlocal) and name in node.names for node in nodes
    )
    return is_global or any(id(use) not in given for use in uses)
