"""Conditions of a function whose names are known in part: a criterion, a piece of evidence, a text."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

CHANGING = frozenset(words_of("append extend insert update add remove pop clear discard"))
FOLDS = frozenset(words_of("lower upper strip casefold"))
MAX_DEPTH = 12
UNKNOWN = object()


@dataclass
class ConditionReader:
    """Reader of the conditions in a function, with the values that its names have."""

    symbols: SymbolTable
    function: FunctionRef

    def assigned(self, name: str) -> ast.expr | None:
        """Return the only value of a name, in the function or at the top of its file."""
        nodes = list(walk(self.function.site.node))
        stores = [
            n
            for n in nodes
            if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        ]
        stores_of_arguments = [n for n in nodes if isinstance(n, ast.arg) and n.arg == name]
        values = [
            node.value
            for node in nodes
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and target.id == name
        ]
        if len(values) == len(stores) == 1 and not stores_of_arguments:
            return values[0]
        if stores or stores_of_arguments:
            return None
        statement = self.symbols.top_level_names(self.function.source).get(name)
        return statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None

    def _is_changed(self, name: str) -> bool:
        """Return true for a value with a method that is called or an item that is set: a list."""
        return any(
            (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))
            or (isinstance(node, ast.Attribute) and node.attr in CHANGING)
            for node in walk(self.function.site.node)
            if isinstance(node, ast.Subscript | ast.Attribute) and last_name(node.value) == name
        )

    def truth(
        self, test: ast.expr, names: Mapping[str, Any], depth: int = MAX_DEPTH
    ) -> bool | None:
        """Return whether a test holds; None where it is not known."""
        if depth < 0:
            return None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.truth(test.operand, names, depth - 1)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            parts = [self.truth(part, names, depth - 1) for part in test.values]
            decisive = isinstance(test.op, ast.Or)
            return decisive if decisive in parts else None if None in parts else not decisive
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            left = self.value(test.left, names, depth - 1)
            right = self.value(test.comparators[0], names, depth - 1)
            return _compared(test.ops[0], left, right)
        if isinstance(test, ast.Call) and called_name(test) == "any" and len(test.args) == 1:
            return self._truth_of_any(test.args[0], names, depth - 1)
        value = self.value(test, names, depth - 1)
        return None if value is UNKNOWN else bool(value)

    def _truth_of_any(self, rows: ast.expr, names: Mapping[str, Any], depth: int) -> bool | None:
        """Return whether `any(word in text for word in ("safe", "security"))` holds."""
        if not isinstance(rows, ast.GeneratorExp | ast.ListComp) or len(rows.generators) != 1:
            return None
        (loop,) = rows.generators
        members = self.value(loop.iter, names, depth)
        if not isinstance(members, list) or not isinstance(loop.target, ast.Name) or loop.ifs:
            return None
        truths = [self.truth(rows.elt, {**names, loop.target.id: m}, depth) for m in members]
        return True if True in truths else None if None in truths else False

    def value(self, node: ast.expr, names: Mapping[str, Any], depth: int = MAX_DEPTH) -> Any:
        if depth < 0:
            return UNKNOWN
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            members = [self.value(part, names, depth - 1) for part in node.elts]
            return UNKNOWN if UNKNOWN in members else members
        if isinstance(node, ast.Name):
            if node.id in names:
                return names[node.id]
            own = None if self._is_changed(node.id) else self.assigned(node.id)
            return self.value(own, names, depth - 1) if own is not None else UNKNOWN
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            first = self.value(node.values[0], names, depth - 1)
            return first if first is not UNKNOWN and first else UNKNOWN
        key = key_of(node)
        if key is not None:
            owner = self.value(key[1], names, depth - 1)
            return owner.get(key[0], UNKNOWN) if isinstance(owner, Mapping) else UNKNOWN
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            text = self.value(node.func.value, names, depth - 1)
            is_read = node.func.attr in {*FOLDS, "split"} and isinstance(text, str)
            return getattr(text, node.func.attr)() if is_read else UNKNOWN
        if isinstance(node, ast.Call) and called_name(node) == "str" and len(node.args) == 1:
            return self.value(node.args[0], names, depth - 1)
        return UNKNOWN


def key_of(node: ast.expr) -> tuple[str, ast.expr] | None:
    """Return key and owner of `row["id"]`, `row.id` and `row.get("id", "")`."""
    if isinstance(node, ast.Attribute):
        return node.attr, node.value
    if isinstance(node, ast.Subscript):
        key = constant_text(node.slice)
        return (key, node.value) if key is not None else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        key = constant_text(node.args[0]) if node.func.attr == "get" else None
        return (key, node.func.value) if key is not None else None
    return None


def _compared(operator: ast.cmpop, left: Any, right: Any) -> bool | None:
    if left is UNKNOWN or right is UNKNOWN:
        return None
    try:
        if isinstance(operator, ast.Eq | ast.NotEq):
            return bool((left == right) is isinstance(operator, ast.Eq))
        if isinstance(operator, ast.In | ast.NotIn):
            return bool((left in right) is isinstance(operator, ast.In))
    except TypeError:
        pass
    return None
