"""Texts that a router waits for under a key of the state, and that no run writes anywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.graph_values import Route
from courtroom.analysis.python.certain_nodes import certain_nodes, mark_of
from courtroom.analysis.python.failing_lines import failing_lines
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.values import Function
from courtroom.analysis.python.tree_walk import constant_text, last_name, walk

# Text that no router compares a key with.
OTHER_TEXT = "\0"


def unset_texts(symbols: SymbolTable, route: Route) -> Iterator[tuple[str, str]]:
    """Yield keys that the router only compares with texts that no run writes, with words for it."""
    router = route.router
    if not isinstance(router, Function) or isinstance(router.node, ast.Lambda):
        return
    for key, texts in _compared(router.node).items():
        places = [_only_place(symbols, text) for text in texts]
        is_known = all(place is not None for place in places)
        if texts and is_known and not _is_written_openly(symbols, key):
            words = [
                f"no code writes “{text}” to `{key}`"
                if not place
                else f"“{text}” is written only below {place}, which fails whenever it runs"
                for text, place in zip(texts, places, strict=True)
            ]
            yield key, " and ".join(words)


def _compared(router: ast.AST) -> dict[str, list[str]]:
    """Return the texts with which a router compares each key of its state, where it does no more."""
    nodes = list(walk(router))
    names = {
        target.id: key
        for node in nodes
        if isinstance(node, ast.Assign) and (key := _key_read(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    texts: dict[str, list[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
            left, text = node.left, constant_text(node.comparators[0])
            key = names.get(left.id, "") if isinstance(left, ast.Name) else _key_read(left)
            if key and text:
                texts.setdefault(key, []).append(text)
    reads = [_key_read(node) for node in nodes if isinstance(node, ast.expr)]
    loads = [names[n.id] for n in nodes if isinstance(n, ast.Name) and _is_load(n, names)]
    direct = {key: reads.count(key) - list(names.values()).count(key) for key in texts}
    return {key: own for key, own in texts.items() if loads.count(key) + direct[key] == len(own)}


def _is_load(node: ast.Name, names: dict[str, str]) -> bool:
    return node.id in names and isinstance(node.ctx, ast.Load)


def _key_read(node: ast.expr) -> str:
    """Return the key of `state["k"]` or `state.get("k")`; "" for anything else."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return constant_text(node.slice) or ""
    is_get = isinstance(node, ast.Call) and last_name(node.func) == "get" and bool(node.args)
    return (constant_text(node.args[0]) or "") if isinstance(node, ast.Call) and is_get else ""


def _is_written_openly(symbols: SymbolTable, key: str) -> bool:
    """Return whether some code sets the key to what is not written out, or handed on as it was."""
    for source in symbols.codebase:
        if key not in source.text:
            continue
        for node in walk(source.tree):
            values: list[ast.expr] = []
            if isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                values = [value for name, value in pairs if constant_text(name) == key]
            elif isinstance(node, ast.keyword | ast.Assign) and _sets_key(node, key):
                values = [node.value]
            if any(not isinstance(v, ast.Constant) and _key_read(v) != key for v in values):
                return True
    return False


def _sets_key(node: ast.keyword | ast.Assign, key: str) -> bool:
    if isinstance(node, ast.keyword):
        return node.arg == key
    return any(_names_key(target, key) for target in node.targets)


def _names_key(target: ast.expr, key: str) -> bool:
    if isinstance(target, ast.Subscript):
        return constant_text(target.slice) == key
    return isinstance(target, ast.Attribute) and target.attr == key


def _only_place(symbols: SymbolTable, text: str) -> str | None:
    """Return "" for a text that code only compares, and the place of the line above it that fails
    where that keeps it from being written; None where a run may write it.
    """
    place = ""
    for source in symbols.codebase:
        if text not in source.text:
            continue
        compared = {
            id(part)
            for node in walk(source.tree)
            if isinstance(node, ast.Compare)
            for part in (node.left, *node.comparators)
        }
        for node in walk(source.tree):
            held = constant_text(node) or ""
            if text not in held or id(node) in compared:
                continue
            line = _failing_above(source, node.lineno) if isinstance(node, ast.Constant) else 0
            if not line:
                return None
            place = f"{source.path}:{line}"
    return place


def _failing_above(source: SourceFile, line: int) -> int:
    """Return the line above in the same block that fails whenever it runs, 0 without one."""
    sites = [
        site
        for site in source.functions
        if site.node.lineno <= line <= (site.node.end_lineno or site.node.lineno)
    ]
    marks = {row.mark: row.line for rows in failing_lines(source, sites).values() for row in rows}
    block = list(sites[-1].node.body) if sites and marks else []
    while block:
        inner = next((s for s in block if s.lineno <= line <= (s.end_lineno or s.lineno)), None)
        if inner is None:
            return 0
        for node in certain_nodes(block[: block.index(inner)]):
            if isinstance(node, ast.expr) and mark_of(node) in marks:
                return marks[mark_of(node)]
        block = _block_with(inner, line)
    return 0


def _block_with(statement: ast.stmt, line: int) -> list[ast.stmt]:
    handlers = getattr(statement, "handlers", [])
    parts = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    parts += [handler.body for handler in handlers]
    for part in parts:
        if part and isinstance(part, list) and part[0].lineno <= line <= (part[-1].end_lineno or 0):
            return part
    return []
