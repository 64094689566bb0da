"""Groups of opinions by a part of an id that names the judge: no two judges meet in one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    walk,
    words_of,
)

# Names of a judge in an id that is put together: f"{judge}_{criterion_id}".
JUDGE = frozenset(words_of("judge persona"))


@dataclass(frozen=True, slots=True)
class _Cut:
    """Cut of a field at a separator: `opinion.opinion_id.split("_")`."""

    field: str
    separator: str


def lone_groups(
    symbols: SymbolTable, functions: Iterable[FunctionRef]
) -> Iterator[tuple[FunctionRef, int]]:
    """Yield the lines of keys of groups that begin with the part of an id that names the judge.

    All ids that the code puts together have to begin so.
    """
    for function in functions:
        node = function.site.node
        cuts = {
            last_name(part.targets[0]): cut
            for part in walk(node)
            if isinstance(part, ast.Assign) and (cut := _cut_of(part.value))
        }
        if not cuts and ".split(" not in function.source.text:
            continue
        for line, cut in _keys(node, cuts):
            if _names_judges(symbols, cut):
                yield function, line
                break


def _cut_of(node: ast.expr) -> _Cut | None:
    if not isinstance(node, ast.Call) or called_name(node) != "split" or not node.args:
        return None
    separator = constant_text(node.args[0])
    field = getattr(node.func, "value", None)
    if not separator or not isinstance(field, ast.Attribute):
        return None
    return _Cut(field.attr, separator)


def _keys(node: ast.AST, cuts: dict[str, _Cut]) -> Iterator[tuple[int, _Cut]]:
    """Yield what opinions are appended under: keys that hold the first part of a cut."""
    assigned = {
        last_name(part.targets[0]): part.value
        for part in walk(node)
        if isinstance(part, ast.Assign)
    }
    for call in walk(node):
        if not isinstance(call, ast.Call) or called_name(call) != "append":
            continue
        key = _key_of(getattr(call.func, "value", None))
        key = assigned.get(last_name(key), key) if isinstance(key, ast.Name) else key
        if key is None:
            continue
        for part in walk(key):
            if not isinstance(part, ast.Subscript) or not _is_first(part.slice):
                continue
            cut = _cut_of(part.value) or cuts.get(last_name(part.value))
            if cut:
                yield key.lineno, cut


def _key_of(node: ast.expr | None) -> ast.expr | None:
    """Return the key of `groups[key]` and of `groups.setdefault(key, [])`."""
    if isinstance(node, ast.Subscript):
        return node.slice
    is_default = isinstance(node, ast.Call) and called_name(node) == "setdefault" and node.args
    return node.args[0] if isinstance(node, ast.Call) and is_default else None


def _is_first(index: ast.expr) -> bool:
    """Return true for `[0]` and for `[:2]`."""
    if isinstance(index, ast.Slice):
        index = index.lower or ast.Constant(0)
    return isinstance(index, ast.Constant) and index.value == 0


def _names_judges(symbols: SymbolTable, cut: _Cut) -> bool:
    values = [
        value
        for source in symbols.codebase.production
        if cut.field in source.text
        for node in walk(source.tree)
        if isinstance(node, ast.Call) and (value := keyword_of(node, cut.field)) is not None
    ]
    return bool(values) and all(_begins_with_judge(value, cut.separator) for value in values)


def _begins_with_judge(value: ast.expr, separator: str) -> bool:
    """Return true for f"prosecutor_{criterion_id}" and for f"{judge}_{criterion_id}"."""
    if not isinstance(value, ast.JoinedStr) or len(value.values) < 2:
        return False
    first, second = value.values[:2]
    text = constant_text(first)
    if text is not None:
        return separator in text and role_by_name(text.partition(separator)[0]) == "judge"
    is_judge = isinstance(first, ast.FormattedValue) and JUDGE & {*words_of(last_name(first.value))}
    return bool(is_judge) and (constant_text(second) or "").startswith(separator)
