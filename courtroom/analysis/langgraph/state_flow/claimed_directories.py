"""Paths out of a text that are looked for where the auditor runs, and not in the clone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, last_name, walk

# Calls that take pieces out of a text by a pattern.
SEARCHES = frozenset({"findall", "finditer"})
TESTS = frozenset({"exists", "is_file", "isfile"})
OS_TESTS = frozenset({"os.path.exists", "os.path.isfile"})
# Calls that leave a path in the directory in which it is.
SAME_PATH = frozenset({"strip", "rstrip", "lstrip", "replace", "str"})
# Names that are followed from one to the next: they may lead to each other.
MOST_STEPS = 4
# Calls that change the directory, or that ask whether a path is absolute.
MOVES = ("chdir(", "os.path.isabs")


def claimed_directories(
    call_graph: CallGraph, in_use: Sequence[FunctionRef]
) -> Iterator[FlowFault]:
    """Yield tests of paths that a pattern finds in a text, without a folder before them."""
    symbols = call_graph.symbols
    if any(move in source.text for source in symbols.codebase.production for move in MOVES):
        return
    for function in in_use:
        nodes = list(walk(function.site.node))
        for node in nodes:
            name = _tested(symbols, function, node)
            rows = _rows_of(nodes, name) if name else None
            if rows is not None and _is_out_of_a_text(symbols, nodes, rows):
                sentence = (
                    f"{function.shown_name}() looks for the paths that it takes out of a text in the"
                    " auditor's own directory, not in the clone"
                )
                line = getattr(node, "lineno", 1)
                yield FlowFault("own_directory", sentence, function.source.path, line)
                break


def _tested(symbols: SymbolTable, function: FunctionRef, node: ast.AST) -> str:
    """Return the name in `Path(name).exists()` and `os.path.exists(name)`."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=maker, args=[ast.Name(id=name)]), attr=test),
            args=[],
        ) if test in TESTS and symbols.dotted_name(function.source, maker) == "pathlib.Path":
            return name
        case ast.Call(func=tests, args=[ast.Name(id=name)]):
            return name if symbols.dotted_name(function.source, tests) in OS_TESTS else ""
    return ""


def _rows_of(nodes: Sequence[ast.AST], name: str, steps: int = MOST_STEPS) -> ast.expr | None:
    """Return what the only loop over the name goes through, also where it is stripped first."""
    values = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        and any(last_name(target) == name for target in node.targets)
    ]
    if len(values) == 1:
        calls = {called_name(n) for n in walk(values[0]) if isinstance(n, ast.Call)}
        parts = {n.id for n in walk(values[0]) if isinstance(n, ast.Name)} - {"str"}
        if len(parts) != 1 or name in parts or not calls <= SAME_PATH:
            return None
        return _rows_of(nodes, parts.pop(), steps - 1) if steps else None
    loops = [
        node.iter
        for node in nodes
        if isinstance(node, ast.For | ast.comprehension) and last_name(node.target) == name
    ]
    texts = {ast.unparse(loop) for loop in loops}
    return loops[0] if len(texts) == 1 and not values else None


def _is_out_of_a_text(
    symbols: SymbolTable, nodes: Sequence[ast.AST], rows: ast.expr, steps: int = MOST_STEPS
) -> bool:
    """Return whether a search by a pattern gives the rows, here or in the function that is called."""
    if isinstance(rows, ast.Name):
        values = [
            node.value
            for node in nodes
            if isinstance(node, ast.Assign) and any(last_name(t) == rows.id for t in node.targets)
        ]
        is_known = len(values) == 1 and steps > 0
        return is_known and _is_out_of_a_text(symbols, nodes, values[0], steps - 1)
    calls = [node for node in walk(rows) if isinstance(node, ast.Call)]
    if any(called_name(call) in SEARCHES for call in calls):
        return True
    homes = symbols.functions_by_name.get(called_name(calls[0]), []) if calls else []
    return len(homes) == 1 and _searches(homes[0][1].node)


def _searches(node: FunctionNode) -> bool:
    """Return whether a function finds what it returns by a pattern, and puts no folder before it."""
    names = {called_name(inner) for inner in walk(node) if isinstance(inner, ast.Call)}
    joins = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in walk(node))
    return bool(names & SEARCHES) and "join" not in names and not joins
