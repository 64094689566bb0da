"""Expressions in a run of the Chief Justice's code: numbers are computed, the rest stays open."""

from __future__ import annotations

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Protocol

from courtroom.analysis.langgraph.judging.dead_conditions import parameter_names
from courtroom.analysis.langgraph.judging.persona_names import persona_in
from courtroom.analysis.langgraph.judging.score_values import (
    SPELLINGS,
    Judge,
    Lambda,
    Left,
    NotCovered,
    Open,
    Opinion,
    Scores,
    bounded,
    in_table,
    is_known,
    is_list,
    is_number,
    is_same_judge,
    joined,
    key_of,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    keyword_of,
    words_of,
)

MOST_PLACES = 6
_PERSONA_FIELDS = frozenset(words_of("judge persona role"))
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_SUMS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_NUMBERS: dict[str, Callable[[list[Any]], Any]] = {
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "fmean": lambda values: sum(values) / len(values),
    "median": median,
}
_CONVERSIONS: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "round": lambda value, places=0: round(value, min(max(int(places), 0), MOST_PLACES) or None),
    "abs": abs,
}
_FOLDS = frozenset({"lower", "casefold", "strip", "upper", "title"})


Names = dict[str, Any]
# Readers of expressions by type; what has none is one open value.
_READERS: dict[str, str] = {
    "Constant": "_constant",
    "Lambda": "_lambda",
    "Name": "_name",
    "Await": "_awaited",
    "IfExp": "_choice",
    "BoolOp": "_junction",
    "UnaryOp": "_unary",
    "BinOp": "_sum_of",
    "Compare": "_comparison",
    **dict.fromkeys(("List", "Tuple", "Set"), "_listed"),
    "Dict": "_table",
    "Attribute": "_attribute",
    "Subscript": "_item",
    **dict.fromkeys(("ListComp", "GeneratorExp", "SetComp"), "_comprehension"),
    "DictComp": "_table_comprehension",
    "Call": "_called",
}


class Search(Protocol):
    """Search that a run is a part of: it counts steps, and numbers what is open."""

    functions: Mapping[str, FunctionRef]

    def step(self) -> None: ...

    def open_value(self, *key: Hashable) -> Open: ...

    def names_in(self, node: ast.AST) -> tuple[list[str], bool]: ...

    def names_set_in(self, loop: ast.For | ast.AsyncFor) -> set[str]: ...

    def is_generator(self, function: ast.AST) -> bool: ...

    def constant(self, function: FunctionRef, name: str) -> Any: ...


@dataclass
class ExpressionReader(ABC):
    """Reader of expressions under three scores; `decided` are the answers of open tests.

    `given` is what the code hands on, `calls` are the functions that are being run.
    """

    search: Search
    scores: Scores
    decided: dict[int, bool]
    given: list[Hashable] = field(default_factory=list)
    calls: list[FunctionRef] = field(default_factory=list)

    @abstractmethod
    def call(self, function: FunctionRef, names: Names) -> Any:
        """Return what a function of the work returns."""

    @abstractmethod
    def parameter(self, name: str, function: FunctionRef) -> Any:
        """Return the value of a parameter that nothing is handed for."""

    @abstractmethod
    def set(self, target: ast.expr, value: Any, names: Names) -> None:
        """Set the names of a target."""

    # -- values -----------------------------------------------------------------------------------

    def opened(self, *key: Hashable) -> Open:
        return self.search.open_value(*key)

    def give(self, *values: Any) -> None:
        self.given.append(key_of(values))

    def holds(self, test: ast.expr, names: Names) -> bool:
        return self.truth(self.value(test, names))

    def truth(self, value: Any) -> bool:
        if not isinstance(value, Open):
            return bool(value)
        if value.number not in self.decided:
            self.decided[value.number] = True
        return self.decided[value.number]

    def value(self, node: ast.expr, names: Names) -> Any:
        self.search.step()
        reader = _READERS.get(type(node).__name__, "_whole")
        return getattr(self, reader)(node, names)

    def _whole(self, node: ast.AST, names: Names) -> Open:
        """Return an open value that is the same wherever this expression reads the same values."""
        read, has_score = self.search.names_in(node)
        # What an opinion holds beside its score is open, and its score is not.
        scores = tuple(self.scores.values()) if has_score else ()
        held = ((name, key_of(names[name])) for name in read if name in names)
        return self.opened(id(node), scores, *held)

    def _constant(self, node: ast.Constant, _: Names) -> Any:
        return node.value

    def _lambda(self, node: ast.Lambda, _: Names) -> Any:
        return Lambda(node)

    def _awaited(self, node: ast.Await, names: Names) -> Any:
        return self.value(node.value, names)

    def _name(self, node: ast.Name, names: Names) -> Any:
        if node.id in names:
            return names[node.id]
        return self.search.constant(self.calls[-1], node.id)

    def _choice(self, node: ast.IfExp, names: Names) -> Any:
        return self.value(node.body if self.holds(node.test, names) else node.orelse, names)

    def _junction(self, node: ast.BoolOp, names: Names) -> Any:
        stops_at = isinstance(node.op, ast.Or)
        value: Any = None
        for part in node.values:
            value = self.value(part, names)
            if self.truth(value) is stops_at:
                return value
        return value

    def _unary(self, node: ast.UnaryOp, names: Names) -> Any:
        value = self.value(node.operand, names)
        if isinstance(node.op, ast.Not):
            return not self.truth(value)
        if isinstance(node.op, ast.USub) and is_number(value):
            return -value
        return self.opened("unary", type(node.op).__name__, key_of(value))

    def _sum_of(self, node: ast.BinOp, names: Names) -> Any:
        return self.joined(node.op, self.value(node.left, names), self.value(node.right, names))

    def joined(self, sign: ast.operator, left: Any, right: Any) -> Any:
        compute = _SUMS.get(type(sign))
        if compute and is_number(left) and is_number(right):
            if not right and isinstance(sign, ast.Div | ast.FloorDiv | ast.Mod):
                raise Left("raise", "raise")
            return bounded(compute(left, right))
        if isinstance(sign, ast.Add) and isinstance(left, list) and isinstance(right, list):
            return joined(left, right)
        return self.opened(type(sign).__name__, key_of(left), key_of(right))

    def _comparison(self, node: ast.Compare, names: Names) -> Any:
        left = self.value(node.left, names)
        for sign, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, names)
            result = self._compared(sign, left, right)
            if not self.truth(result):
                return False
            left = right
        return True

    def _compared(self, sign: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(sign, ast.In | ast.NotIn):
            is_in = self._is_in(left, right)
            if isinstance(is_in, Open):
                return is_in if isinstance(sign, ast.In) else not self.truth(is_in)
            return is_in is isinstance(sign, ast.In)
        if isinstance(left, Judge) or isinstance(right, Judge):
            is_same = is_same_judge(left, right)
            if is_same is not None and isinstance(sign, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
                return is_same is isinstance(sign, ast.Eq | ast.Is)
        if isinstance(left, Open) or isinstance(right, Open) or isinstance(left, Judge):
            return self.opened(type(sign).__name__, key_of(left), key_of(right))
        key_of((left, right))  # Not too much to compare.
        try:
            return _COMPARISONS[type(sign)](left, right)
        except TypeError:
            raise NotCovered from None

    def _is_in(self, left: Any, right: Any) -> Any:
        if isinstance(left, Judge) and isinstance(right, list):
            results = [is_same_judge(left, member) for member in right]
            if None not in results:
                return any(results)
        if isinstance(right, Judge) and isinstance(left, str):
            return left.lower() in SPELLINGS[right.persona]
        if isinstance(right, dict):
            return bool(in_table(right, left))
        if isinstance(right, list) and is_number(left) and all(map(is_number, right)):
            return left in right
        return self.opened("in", key_of(left), key_of(right))

    def _listed(self, node: ast.List, names: Names) -> Any:
        if any(isinstance(member, ast.Starred) for member in node.elts):
            return self._whole(node, names)
        return [self.value(member, names) for member in node.elts]

    def _table(self, node: ast.Dict, names: Names) -> Any:
        table: dict[Hashable, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                return self._whole(node, names)
            name = self.value(key, names)
            table[key_of(name) if isinstance(name, list) else name] = self.value(value, names)
        return table

    def _attribute(self, node: ast.Attribute, names: Names) -> Any:
        value = self.value(node.value, names)
        if isinstance(value, Opinion):
            return self._field(value, node.attr)
        if isinstance(value, Judge) and node.attr == "value":
            return value
        persona = persona_in(node.attr)
        if persona and node.attr.isupper():
            return Judge(persona)
        return self.opened("attribute", node.attr, key_of(value))

    def _field(self, opinion: Opinion, name: str) -> Any:
        if name == "score":
            return self.scores[opinion.persona]
        if _PERSONA_FIELDS.intersection(words_of(name)):
            return Judge(opinion.persona)
        return self.opened("field", opinion.persona, name)

    def _item(self, node: ast.Subscript, names: Names) -> Any:
        value = self.value(node.value, names)
        if isinstance(node.slice, ast.Slice):
            return self._whole(node, names)
        key = self.value(node.slice, names)
        if isinstance(value, Opinion) and isinstance(key, str):
            return self._field(value, key)
        if isinstance(value, dict):
            known = in_table(value, key)
            if known:
                return known[0]
        if isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            return value[key]
        return self.opened("item", key_of(value), key_of(key))

    def _comprehension(self, node: Any, names: Names) -> Any:
        rows = self._rows(node, names)
        if rows is None:
            return self._whole(node, names)
        return [self.value(node.elt, row) for row in rows]

    def _table_comprehension(self, node: ast.DictComp, names: Names) -> Any:
        rows = self._rows(node, names)
        if rows is None:
            return self._whole(node, names)
        return {self.value(node.key, row): self.value(node.value, row) for row in rows}

    def _rows(self, node: Any, names: Names) -> list[Names] | None:
        """Return the names of each round of a comprehension; None where its source is open."""
        loop = node.generators[0]
        members = self.value(loop.iter, names) if len(node.generators) == 1 else None
        if not isinstance(members, list):
            return None
        rows = []
        for member in members:
            row = dict(names)
            self.set(loop.target, member, row)
            if all(self.holds(test, row) for test in loop.ifs):
                rows.append(row)
        return rows

    # -- calls ------------------------------------------------------------------------------------

    def _called(self, node: ast.Call, names: Names) -> Any:
        name = called_name(node)
        if any(isinstance(a, ast.Starred) for a in node.args):
            return self._handed(node, names, [])
        given = [self.value(argument, names) for argument in node.args]
        if isinstance(node.func, ast.Attribute):
            holder = self.value(node.func.value, names)
            value = self._method(name, holder, given)
            if value is not NotCovered:
                return value
        value = self._builtin(node, name, given, names)
        if value is not NotCovered:
            return value
        function = self.search.functions.get(name)
        if function is not None and any(map(is_known, given)):
            return self._own_call(function, node, given, names)
        return self._handed(node, names, given)

    def _own_call(
        self, function: FunctionRef, node: ast.Call, given: list[Any], names: Names
    ) -> Any:
        parameters = parameter_names(function)
        if function.site.owner is not None and parameters[:1] in (["self"], ["cls"]):
            parameters = parameters[1:]
        inner = {name: self.parameter(name, function) for name in parameter_names(function)}
        arguments = function.site.node.args
        defaults = arguments.defaults
        for name, value in zip(
            parameters[len(parameters) - len(defaults) :], defaults, strict=False
        ):
            inner[name] = self.value(value, {})
        inner |= dict(zip(parameters, given, strict=False))
        inner |= {k.arg: self.value(k.value, names) for k in node.keywords if k.arg}
        return self.call(function, inner)

    def _handed(self, node: ast.Call, names: Names, given: list[Any]) -> Open:
        """Return the open value of a call of other code, and record what it is handed."""
        named = [(k.arg or "", self.value(k.value, names)) for k in node.keywords]
        value = self._whole(node, names)
        self.give("call", value, given, named)
        return value

    def _method(self, name: str, holder: Any, given: list[Any]) -> Any:
        if isinstance(holder, Judge) and name in _FOLDS:
            return holder
        if isinstance(holder, list) and name in {"append", "extend"} and len(given) == 1:
            more = given[0] if name == "extend" and is_list(given[0]) else given
            holder[:] = joined(holder, more)
            return None
        if isinstance(holder, Opinion) and name == "get" and isinstance(given[0], str):
            return self._field(holder, given[0])
        if isinstance(holder, dict):
            if name == "get" and given:
                known = in_table(holder, given[0])
                return known[0] if known else given[1] if given[1:] else None
            if name in {"values", "keys"}:
                return [*(holder.values() if name == "values" else holder)]
            if name == "items":
                return [[key, value] for key, value in holder.items()]
        return NotCovered

    def _builtin(self, node: ast.Call, name: str, given: list[Any], names: Names) -> Any:
        if name in {"max", "min", "sorted"} and given:
            return self._ranked(node, given[0] if len(given) == 1 else given, names)
        if name in _CONVERSIONS and given and all(map(is_number, given)):
            return _CONVERSIONS[name](*given)
        first = given[0] if given else None
        if isinstance(first, list):
            return self._of_list(name, first, given[1:])
        if name == "bool" and len(given) == 1:
            return self.truth(first)
        if name == "len" and isinstance(first, dict):
            return len(first)
        if name == "getattr" and isinstance(first, Opinion) and isinstance(given[1], str):
            return self._field(first, given[1])
        return first if name == "str" and isinstance(first, Judge) else NotCovered

    def _of_list(self, name: str, members: list[Any], others: list[Any]) -> Any:
        """Return what a builtin makes of a list."""
        if name in _NUMBERS and all(map(is_number, members)):
            return _NUMBERS[name](members) if members else self.opened("empty", name)
        if name == "len":
            return len(members)
        if name in {"list", "tuple", "set"}:
            return [*members]
        if name == "next":
            return members[0] if members else others[0] if others else None
        if name in {"any", "all"}:
            return (any if name == "any" else all)(map(self.truth, members))
        return NotCovered

    def _ranked(self, node: ast.Call, members: Any, names: Names) -> Any:
        """Return what max, min and sorted make of numbers, also by a lambda."""
        name = called_name(node)
        key, default = keyword_of(node, "key"), keyword_of(node, "default")
        if not is_list(members):
            return NotCovered
        if not members and default is not None:
            return self.value(default, names)
        ranks = members
        if isinstance(key, ast.Lambda) and len(key.args.args) == 1:
            ranks = [self.value(key.body, {**names, key.args.args[0].arg: m}) for m in members]
        elif key is not None:
            return NotCovered
        if not members or not all(map(is_number, ranks)):
            return NotCovered
        order = sorted(range(len(members)), key=lambda place: ranks[place])
        if name == "sorted":
            return [members[place] for place in order]
        best = min(ranks) if name == "min" else max(ranks)
        return members[ranks.index(best)]
