"""Patterns in f-strings whose repeat is read as a value: `rf"\\d{4}"` looks for “\\d4”."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import last_name, walk

MATCHERS = frozenset(
    f"re.{name}"
    for name in [
        "compile",
        "search",
        "match",
        "fullmatch",
        "findall",
        "finditer",
        "sub",
        "subn",
        "split",
    ]
)


def dead_patterns(symbols: SymbolTable, in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield the first such repeat of each pattern that a function hands to `re`."""
    for function in in_use:
        nodes = list(walk(function.site.node))
        texts = [node for node in nodes if isinstance(node, ast.JoinedStr)]
        wrong = {id(text): field for text in texts if (field := _repeat_in(text)) is not None}
        if not wrong:
            continue
        names = {
            target.id: node.value
            for node in nodes
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in nodes:
            if not isinstance(call, ast.Call) or not call.args:
                continue
            pattern = names.get(last_name(call.args[0]), call.args[0])
            field = wrong.get(id(pattern))
            if field is None or symbols.dotted_name(function.source, call.func) not in MATCHERS:
                continue
            written = ast.unparse(field.value)
            counts = "{" + written.strip("()").replace(" ", "") + "}"
            sentence = (
                f"{function.shown_name}() has `{counts}` in the f-string of a pattern, which is there the"
                f" text “{written}” and no repeat: braces are doubled in an f-string"
            )
            place = function.source.path, field.lineno
            yield FlowFault("dead_pattern", sentence, *place)


def _repeat_in(text: ast.JoinedStr) -> ast.FormattedValue | None:
    """Return the first `{4}` or `{1,6}` of an f-string: a number, or several."""
    for part in text.values:
        if isinstance(part, ast.FormattedValue) and part.format_spec is None:
            value = part.value
            counts = value.elts if isinstance(value, ast.Tuple) else [value]
            if counts and all(isinstance(n, ast.Constant) and type(n.value) is int for n in counts):
                return part
    return None
