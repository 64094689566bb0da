"""Keys of an update that a node fills whatever it runs into: `return {"errors": [...]}` on each way.

The statements are followed with what is known to hold something; where ways meet, what both know is
left.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.tree_walk import called_name, constant_text, keyword_of, walk

# Names of what holds something, `updates['evidences']`: True where a value in it does so as well.
Filled = dict[str, bool]
COPIES = frozenset({"list", "dict", "tuple", "sorted", "copy", "deepcopy"})
ADDING = frozenset({"append", "add", "insert"})
JOINING = frozenset({"extend", "update"})
EMPTYING = frozenset({"clear", "pop", "popitem", "remove", "discard"})
# Names of a function that are followed.
MOST_NAMES = 200
LOOPS = (ast.For, ast.AsyncFor, ast.While)


def filled_keys(node: FunctionNode) -> Filled:
    """Return the keys that hold something in all that the function returns.

    Raises RecursionError where the function is nested too deeply to be followed.
    """
    if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in walk(node)):
        return {}
    ways = _Ways()
    end = ways.follow(node.body, {})
    if end is not None or not ways.returned:
        return {}
    return _in_both(*ways.returned)


def _in_both(first: Filled, *more: Filled) -> Filled:
    """Return what is known on all ways."""
    for way in more:
        first = {name: first[name] and way[name] for name in first if name in way}
    return first


@dataclass(slots=True)
class _Ways:
    """Ways through a function; `returned` are the keys of each update that it returns."""

    returned: list[Filled] = field(default_factory=list)

    def follow(self, body: Sequence[ast.stmt], filled: Filled) -> Filled | None:
        """Return what is known behind the statements; None where no way leads there."""
        for statement in body:
            if isinstance(statement, ast.Return):
                self.returned.append(_keys_of(statement.value, filled))
                return None
            if isinstance(statement, ast.Raise | ast.Break | ast.Continue):
                return None
            after = self._behind(statement, filled)
            if after is None:
                return None
            filled = after
        return filled

    def _behind(self, statement: ast.stmt, filled: Filled) -> Filled | None:
        if isinstance(statement, ast.If):
            body = self.follow(statement.body, {**filled, **_filled_by(statement.test, is_so=True)})
            orelse = self.follow(
                statement.orelse, {**filled, **_filled_by(statement.test, is_so=False)}
            )
            return _joined([body, orelse])
        if isinstance(statement, ast.With | ast.AsyncWith):
            body = self.follow(statement.body, filled)
            suppresses = any("suppress" in ast.unparse(i.context_expr) for i in statement.items)
            return _joined([body, _without(filled, statement)]) if suppresses else body
        if isinstance(statement, ast.Try):
            return self._behind_try(statement, filled)
        if isinstance(statement, LOOPS):
            left = _without(filled, statement)
            self.follow(statement.body, left)
            # A loop of attempts is left by its returns alone: what follows it is read all the same.
            return self.follow(statement.orelse, left)
        if isinstance(statement, ast.Match):
            ways = [self.follow(case.body, filled) for case in statement.cases]
            return _joined([*ways, _without(filled, statement)])
        return _after(statement, filled)

    def _behind_try(self, statement: ast.Try, filled: Filled) -> Filled | None:
        # What the body has done when it fails is not known.
        broken = _without(filled, *statement.body)
        body = self.follow(statement.body, filled)
        if body is not None:
            body = self.follow(statement.orelse, body)
        ways = [body, *(self.follow(handler.body, broken) for handler in statement.handlers)]
        joined = _joined(ways)
        end = self.follow(statement.finalbody, joined if joined is not None else broken)
        return None if joined is None else end


def _joined(ways: Sequence[Filled | None]) -> Filled | None:
    open_ways = [way for way in ways if way is not None]
    return _in_both(*open_ways) if open_ways else None


def _keys_of(value: ast.expr | None, filled: Filled) -> Filled:
    """Return the keys of an update: a dict, a name of one, or a Command with one."""
    if isinstance(value, ast.Call) and called_name(value) == "Command":
        value = keyword_of(value, "update")
    if isinstance(value, ast.Dict):
        return _entries("", value, filled)
    if not isinstance(value, ast.Name):
        return {}
    # `updates['evidences']` holds something: the key of the update is `evidences`.
    start, end = f"{value.id}['", "']"
    names = {name: name[len(start) : -len(end)] for name in filled if name.startswith(start)}
    return {
        key: filled[name] for name, key in names.items() if name.endswith(end) and "[" not in key
    }


def _entries(owner: str, node: ast.Dict, filled: Filled) -> Filled:
    """Return which written keys of a dict hold something, under the owner's name."""
    entries: Filled = {}
    for key, value in zip(node.keys, node.values, strict=True):
        text, rich = constant_text(key), _rich(value, filled)
        if text is not None and rich is not None:
            entries[f"{owner}[{text!r}]" if owner else text] = rich
    return entries


def _rich(node: ast.expr, filled: Filled) -> bool | None:
    """Return whether a value in what this holds does hold something too; None where it may be empty."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return False if any(not isinstance(part, ast.Starred) for part in node.elts) else None
    if isinstance(node, ast.Dict):
        if not any(node.keys):
            return None
        return any(_rich(value, filled) is not None for value in node.values)
    if isinstance(node, ast.Name | ast.Subscript | ast.Attribute):
        return filled.get(ast.unparse(node))
    if isinstance(node, ast.Call) and called_name(node) in COPIES and len(node.args) == 1:
        return _rich(node.args[0], filled)
    if isinstance(node, ast.IfExp):
        ways = [_rich(node.body, filled), _rich(node.orelse, filled)]
        return None if None in ways else all(ways)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return None if _rich(node.values[-1], filled) is None else False
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.BitOr):
        sides = [
            side
            for side in (_rich(node.left, filled), _rich(node.right, filled))
            if side is not None
        ]
        return any(sides) if sides else None
    return None


def _filled_by(test: ast.expr, *, is_so: bool) -> Filled:
    """Return what a test of a name tells: behind `if not rows: return` there are rows."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, is_so = test.operand, not is_so
    is_name = isinstance(test, ast.Name | ast.Subscript)
    return {ast.unparse(test): False} if is_name and is_so else {}


def _without(filled: Filled, *statements: ast.stmt) -> Filled:
    """Return what is filled of names that the statements leave alone."""
    changed = set[str]()
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                changed.add(node.id)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                changed.add(ast.unparse(node))
            elif isinstance(node, ast.Call) and called_name(node) in EMPTYING:
                changed.add(ast.unparse(getattr(node.func, "value", node)))
    return _left(filled, changed)


def _left(filled: Filled, changed: set[str]) -> Filled:
    return {
        name: rich
        for name, rich in filled.items()
        if not any(
            name == other or name.startswith((f"{other}[", f"{other}.")) for other in changed
        )
    }


def _after(statement: ast.stmt, filled: Filled) -> Filled:
    """Return what is known behind a plain statement."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _after_call(statement.value, filled)
    if isinstance(statement, ast.AugAssign):
        rich = _rich(statement.value, filled)
        return filled if rich is None else _holding(statement.target, rich, filled)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target, value = statement.target, statement.value
    else:
        return _without(filled, statement)
    rich, left = _rich(value, filled), _without(filled, statement)
    if isinstance(value, ast.Dict):
        left |= _entries(ast.unparse(target), value, filled)
    if isinstance(target, ast.Subscript) and rich is None:
        owner, is_new = ast.unparse(target.value), ast.unparse(target) not in filled
        return {**left, owner: is_new and left.get(owner, False)}
    return left if rich is None else _holding(target, rich, left)


def _after_call(call: ast.Call, filled: Filled) -> Filled:
    method, owner = called_name(call), getattr(call.func, "value", None)
    if owner is None:
        return filled
    if method in EMPTYING:
        return _left(filled, {ast.unparse(owner)})
    rich = _rich(call.args[0], filled) if method in JOINING and call.args else None
    rich = False if method in ADDING and call.args else rich
    if rich is None:
        return filled
    if isinstance(owner, ast.Call) and called_name(owner) == "setdefault":
        return _holding(getattr(owner.func, "value", owner), True, filled)
    return _holding(owner, rich, filled)


def _holding(place: ast.expr, rich: bool, filled: Filled) -> Filled:
    """Return what is filled where this place holds something: what it lies in does so as well."""
    name = ast.unparse(place)
    if len(filled) >= MOST_NAMES:
        return filled
    filled = {**filled, name: rich or filled.get(name, False)}
    if isinstance(place, ast.Subscript):
        return _holding(place.value, True, filled)
    return filled
