"""Keys of an update that a node fills whatever it runs into: `return {"errors": [...]}` on each way.

The statements are followed with what is known to hold something; where ways meet, what both know is
left. What a call of the work's own functions returns is known under the text of the call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from courtroom.analysis.python.call_graph import OWN_OBJECT, FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    walk,
)

# Names of what holds something, `updates['evidences']`: True where a value in it does so as well.
Filled = dict[str, bool]
COPIES = frozenset({"list", "dict", "tuple", "sorted", "copy", "deepcopy"})
ADDING = frozenset({"append", "add", "insert"})
JOINING = frozenset({"extend", "update"})
EMPTYING = frozenset({"clear", "pop", "popitem", "remove", "discard"})
# Names of a function that are followed.
MOST_NAMES = 200
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_IS_KEY = re.compile(r"\['[^'\[\]]{1,80}'\]").fullmatch


@dataclass(frozen=True, slots=True)
class _Result:
    """Keys that hold something in all that a function returns, and `rich` for what it returns."""

    keys: Filled = field(default_factory=dict)
    rich: bool | None = None


class FilledKeys:
    """Keys that functions fill on all of their ways."""

    def __init__(self, symbols: SymbolTable) -> None:
        self._symbols = symbols
        self._results: dict[tuple[str, int], _Result] = {}

    def of(self, function: FunctionRef) -> Filled:
        """Return the keys that hold something in all that the function returns.

        What lies under a key of such a key has a name of its own: `evidences['repo']`.
        Raises RecursionError where the function is nested too deeply to be followed.
        """
        return self._result(function).keys

    def _result(self, function: FunctionRef) -> _Result:
        if function.key not in self._results:
            # A function that calls itself is not followed into itself.
            self._results[function.key] = _Result()
            self._results[function.key] = self._follow(function)
        return self._results[function.key]

    def _follow(self, function: FunctionRef) -> _Result:
        node = function.site.node
        inner = list(walk(node))
        if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in inner):
            return _Result()
        ways = _Ways()
        calls = [part for part in inner if isinstance(part, ast.Call)]
        if ways.follow(node.body, self._by_calls(function, calls)) is not None:
            return _Result()
        if not ways.returned:
            return _Result()
        riches = [way.rich for way in ways.returned]
        rich = None if None in riches else all(riches)
        return _Result(_in_both(*(way.keys for way in ways.returned)), rich)

    def _by_calls(self, function: FunctionRef, calls: Sequence[ast.Call]) -> Filled:
        """Return what the calls of the work's own functions return, under the text of each call."""
        filled: Filled = {}
        for call in calls:
            callee = self._callee(function, call)
            result = self._result(callee) if callee else _Result()
            if not result.keys and result.rich is None:
                continue
            text = ast.unparse(call)
            filled |= {_under(text, key): rich for key, rich in result.keys.items()}
            if result.rich is not None:
                filled[text] = result.rich
        return filled

    def _callee(self, function: FunctionRef, call: ast.Call) -> FunctionRef | None:
        """Return the only function that a call can mean."""
        source, head = function.source, call.func
        if isinstance(head, ast.Attribute) and last_name(head.value) in OWN_OBJECT:
            methods = self._symbols.functions_by_name.get(head.attr, [])
            is_own = len(methods) == 1 and methods[0][1].owner is function.site.owner
            return FunctionRef(*methods[0]) if is_own and function.site.owner else None
        base, _, name = self._symbols.dotted_name(source, head).rpartition(".")
        origin = self._symbols.find_module(base, source) if base else source
        return _defined_in(origin, name, self._symbols) if origin and name else None


def _defined_in(source: SourceFile, name: str, symbols: SymbolTable) -> FunctionRef | None:
    node = symbols.top_level_names(source).get(name)
    site = next((site for site in source.functions if site.node is node), None)
    return FunctionRef(source, site) if site and not site.node.decorator_list else None


def _in_both(first: Filled, *more: Filled) -> Filled:
    """Return what is known on all ways."""
    for way in more:
        first = {name: first[name] and way[name] for name in first if name in way}
    return first


@dataclass(slots=True)
class _Ways:
    """Ways through a function, with what each of them returns."""

    returned: list[_Result] = field(default_factory=list)

    def follow(self, body: Sequence[ast.stmt], filled: Filled) -> Filled | None:
        """Return what is known behind the statements; None where no way leads there."""
        for statement in body:
            if isinstance(statement, ast.Return):
                value = statement.value
                rich = None if value is None else _rich(value, filled)
                self.returned.append(_Result(_keys_of(value, filled), rich))
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
    """Return the keys of an update: a dict, a name of one, a call for one, or a Command with one."""
    if isinstance(value, ast.Await):
        value = value.value
    if isinstance(value, ast.Call) and called_name(value) == "Command":
        value = keyword_of(value, "update")
    if isinstance(value, ast.Dict):
        return _entries("", value, filled)
    if not isinstance(value, ast.Name | ast.Call):
        return {}
    # `updates['evidences']` holds something: the key of the update is `evidences`.
    start = f"{ast.unparse(value)}['"
    names = {name: name[len(start) :].partition("']") for name in filled if name.startswith(start)}
    return {
        key + inner: filled[name]
        for name, (key, end, inner) in names.items()
        if end and (not inner or _IS_KEY(inner))
    }


def _under(owner: str, key: str) -> str:
    """Return the name of what lies under a key of an update: `evidences['repo']` of `run(state)`."""
    head, bracket, inner = key.partition("[")
    return f"{owner}[{head!r}]{bracket}{inner}"


def _entries(owner: str, node: ast.Dict, filled: Filled) -> Filled:
    """Return which written keys of a dict hold something, under the owner's name."""
    entries: Filled = {}
    for key, value in zip(node.keys, node.values, strict=True):
        text, rich = constant_text(key), _rich(value, filled)
        if text is None:
            continue
        name = f"{owner}[{text!r}]" if owner else text
        if rich is not None:
            entries[name] = rich
        if isinstance(value, ast.Dict):
            entries |= _entries(name, value, filled)
    return entries


def _rich(node: ast.expr, filled: Filled) -> bool | None:
    """Return whether a value in what this holds does hold something too; None where it may be empty."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return False if any(not isinstance(part, ast.Starred) for part in node.elts) else None
    if isinstance(node, ast.Dict):
        if not any(node.keys):
            return None
        return any(_rich(value, filled) is not None for value in node.values)
    if isinstance(node, ast.Await):
        return _rich(node.value, filled)
    if isinstance(node, ast.Call) and called_name(node) in COPIES and len(node.args) == 1:
        return _rich(node.args[0], filled)
    if isinstance(node, ast.Name | ast.Subscript | ast.Attribute | ast.Call):
        return filled.get(ast.unparse(node))
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
