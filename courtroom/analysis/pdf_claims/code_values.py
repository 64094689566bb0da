"""Literal values in the sources of a work: what names are bound to, and how often loops try again."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from courtroom.analysis.python.syntax import parse_sources
from courtroom.analysis.python.tree_walk import constant_text, last_name, walk

# Null for what is no literal, or for a name that has several.
Value = float | str | bool | None
# A parameter may have a constant as its default, and a loop the parameter as its end.
_ALIASES = 3
_DEPTH = "--depth"
_JUDGES = ("prosecutor", "defense", "defence", "techlead")
_MAY_BE_SPREAD = re.compile(r"variance|spread|range|gap|diff|delta|disagree")
_WIDER = (ast.Gt, ast.LtE)  # "> 2" and "<= 2" part the same scores


@dataclass(frozen=True, slots=True)
class BoundValue:
    """Value that a name gets at a place; `alias` is the name that stands there instead.

    `is_sure`: it is what its name says, and not a value that may be.
    """

    name: str
    value: Value
    path: str
    line: int
    alias: str = ""
    is_sure: bool = True

    @property
    def shown(self) -> str:
        """Return place and value as a report can give them."""
        value = f"{self.value:g}" if isinstance(self.value, float) else repr(self.value)
        is_name = " " not in self.name
        words = f"{self.name} = {value}" if is_name else f"{value} as the {self.name}"
        return f"{self.path}:{self.line} has {words}"


def bound_values(sources: Mapping[str, str]) -> tuple[BoundValue, ...]:
    """Return all values that names get in the Python sources, by path; other names are resolved.

    "end of the loop over" a variable is that of a loop over numbers, "weight of" a judge the value
    beside that judge's name, "least spread" the least difference of scores above a bound.
    """
    python = {p: text.encode() for p, text in sources.items() if p.endswith(".py")}
    rows = [
        row
        for path, source in parse_sources(python).files.items()
        for nodes in [list(walk(source.tree))]
        for spreads in [frozenset(_spread_names(nodes))]
        for node in nodes
        for row in _rows(node, path, spreads)
    ]
    by_name: dict[str, list[BoundValue]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    for _ in range(_ALIASES):
        only = {name: _only(held) for name, held in by_name.items()}
        by_name = {name: [_read(row, only) for row in held] for name, held in by_name.items()}
    return tuple(row for held in by_name.values() for row in held)


def _only(rows: Sequence[BoundValue]) -> Value:
    """Return the value of a name that has one, wherever it is bound to anything but itself."""
    values = {row.value for row in rows if row.alias != row.name}
    return next(iter(values)) if len(values) == 1 else None


def _read(row: BoundValue, only: Mapping[str, Value]) -> BoundValue:
    return replace(row, value=only.get(row.alias)) if row.alias else row


def _rows(node: ast.AST, path: str, spreads: Collection[str]) -> Iterator[BoundValue]:
    for name, value in _bindings(node):
        yield BoundValue(name, _literal(value), path, value.lineno, _alias(value))
    if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        yield from _loops(node.target.id, node.iter, path)
    elif isinstance(node, ast.List):
        yield from _depths(node.elts, path)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _spreads(node, path, spreads)


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield names with the expressions that they are bound to by this node."""
    if isinstance(node, ast.Assign):
        yield from ((last_name(target), node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign) and node.value:
        yield last_name(node.target), node.value
    elif isinstance(node, ast.Call):
        yield from ((word.arg, word.value) for word in node.keywords if word.arg)
        if last_name(node.func) == "stop_after_attempt" and node.args:
            yield "stop_after_attempt", node.args[0]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        places = [*node.args.posonlyargs, *node.args.args]
        defaults = node.args.defaults
        yield from zip(
            (argument.arg for argument in places[len(places) - len(defaults) :]),
            defaults,
            strict=True,
        )
        words = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        yield from ((argument.arg, default) for argument, default in words if default)
    elif isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from ((f"weight of {judge}", v) for key, v in pairs for judge in _judge(key))
    elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
        yield from ((f"weight of {judge}", node.elts[1]) for judge in _judge(node.elts[0]))


def _alias(node: ast.expr) -> str:
    """Return a name that is read; what an object holds may be set anywhere."""
    return node.id if isinstance(node, ast.Name) else ""


def _literal(node: ast.AST) -> Value:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _literal(node.operand)
        return -number if isinstance(number, float) else None
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool | str):
        return value
    return float(value) if isinstance(value, int | float) else None


def _judge(key: ast.AST | None) -> Iterator[str]:
    """Yield the judge that a key or a name stands for."""
    text = constant_text(key) or ""
    if text.replace("_", "").replace(" ", "").lower() in _JUDGES:
        yield text


def _loops(name: str, loop: ast.expr, path: str) -> Iterator[BoundValue]:
    """Yield the number of runs of a loop over a range, whose bounds may be a sum with 1."""
    if not (isinstance(loop, ast.Call) and last_name(loop.func) == "range" and loop.args):
        return
    stop = loop.args[-1] if len(loop.args) < 3 else loop.args[1]
    if isinstance(stop, ast.BinOp) and isinstance(stop.right, ast.Constant):
        stop = stop.left
    yield BoundValue(
        f"end of the loop over {name}", _literal(stop), path, loop.lineno, _alias(stop)
    )


def _depths(items: Sequence[ast.expr], path: str) -> Iterator[BoundValue]:
    """Yield the depth in a list of words for git: "--depth", "1"."""
    for number, item in enumerate(items):
        text = constant_text(item) or ""
        if text.startswith(_DEPTH):
            after = "".join(constant_text(word) or "" for word in items[number + 1 : number + 2])
            word = text.removeprefix(_DEPTH).removeprefix("=") or after
            value = float(word) if word.isdecimal() else None
            yield BoundValue("depth", value, path, item.lineno)


def _spread_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that hold a difference of the highest and the lowest score."""
    for node in nodes:
        if isinstance(node, ast.Assign):
            value = node.value.body if isinstance(node.value, ast.IfExp) else node.value
            if _is_spread(value):
                yield from map(last_name, node.targets)


def _is_spread(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and isinstance(node.left, ast.Call)
        and last_name(node.left.func) == "max"
    )


def _spreads(node: ast.Compare, path: str, spreads: Collection[str]) -> Iterator[BoundValue]:
    """Yield the least spread of scores above a bound: 3 for "> 2" and for ">= 3"."""
    name = last_name(node.left)
    is_sure = _is_spread(node.left) or name in spreads
    if not (is_sure or _MAY_BE_SPREAD.search(name.lower())):
        return
    value = _literal(node.comparators[0])
    if isinstance(node.ops[0], _WIDER) and isinstance(value, float):
        value += 1
    # Scores are whole numbers from 1 to 5.
    if value is None or value in {1.0, 2.0, 3.0, 4.0}:
        yield BoundValue("least spread", value, path, node.lineno, is_sure=is_sure)
