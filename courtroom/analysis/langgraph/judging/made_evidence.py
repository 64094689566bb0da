"""Evidence that the product makes, and conditions that none of it can meet.

A cap that waits for `found=False` of a piece that is always made with `found=True` never applies.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from courtroom.analysis.python.model_fields import model_fields
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import called_name, keyword_of, last_name, walk, words_of

COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda part, whole: part in whole,
    ast.NotIn: lambda part, whole: part not in whole,
}
FOLDS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "casefold": str.casefold,
    "upper": str.upper,
    "strip": str.strip,
}
TEXT_TESTS: dict[str, Callable[[str, Any], bool]] = {
    "startswith": str.startswith,
    "endswith": str.endswith,
}
# Calls that make a changed copy of a model.
COPIES = frozenset({"model_copy", "copy"})
# Calls whose value is empty where no member passes the filter of what they are given.
FILTERS = (ast.GeneratorExp, ast.ListComp, ast.SetComp)

# Conditions of so many levels are not followed.
MAX_DEPTH = 8

# Constants that a field may have; None where it may have any.
Values = tuple[Any, ...] | None
Record = Mapping[str, Values]


@dataclass
class MadeEvidence:
    """Reader of the constructions of the work's evidence models in its product.

    A model of which instances may come from elsewhere (an answer, a file, a changed copy) is left
    out: nothing is certain of them.
    """

    symbols: SymbolTable
    _idle: dict[int, frozenset[int]] = field(default_factory=dict)

    def idle_nodes(self, function: ast.AST) -> frozenset[int]:
        """Return ids of the nodes of a function under a condition that no evidence meets."""
        if id(function) not in self._idle:
            self._idle[id(function)] = frozenset(
                id(inner)
                for node in walk(function)
                if isinstance(node, ast.If) and self.none_meets(node.test)
                for statement in node.body
                for inner in walk(statement)
            )
        return self._idle[id(function)]

    def none_meets(self, test: ast.expr) -> bool:
        """Return true for a test of one piece of evidence that holds for none that is made."""
        parts = _conjuncts(test)
        for receiver in sorted({name for part in parts for name, _ in _reads(part)}):
            own = [part for part in parts if {name for name, _ in _reads(part)} == {receiver}]
            fields = {field for part in own for _, field in _reads(part)}
            records = self._records_with(fields) if own else []
            is_met = not records or any(_may_meet(record, own) for record in records)
            # All code is walked for what assigns these fields later: only where it decides.
            if not is_met and fields.isdisjoint(self._assigned_attributes):
                return True
        return False

    def _records_with(self, fields: set[str]) -> list[Record]:
        """Return the records of the only class with these fields; [] where it is not certain."""
        homes = [entry for entry in self._classes if fields <= entry[1]]
        if len(homes) != 1 or not _is_evidence(homes[0][0]):
            return []
        return next((rows for names, rows in self._made if names is homes[0][1]), [])

    @cached_property
    def _classes(self) -> list[tuple[ClassSite, frozenset[str]]]:
        return [
            (ClassSite(source, node), frozenset(self.symbols.field_names(source, node)))
            for source in self.symbols.codebase.production
            for node in source.classes
        ]

    @cached_property
    def _made(self) -> list[tuple[frozenset[str], list[Record]]]:
        models = [(site, names) for site, names in self._classes if _is_evidence(site)]
        if not models or self._has_changed_copies():
            return []
        return [(names, self._records_of(site, names)) for site, names in models]

    def _has_changed_copies(self) -> bool:
        calls = (site.node for source in self.symbols.codebase.production for site in source.calls)
        return any(
            called_name(call) == "setattr"
            or (called_name(call) in COPIES and keyword_of(call, "update") is not None)
            for call in calls
        )

    def _records_of(self, model: ClassSite, names: frozenset[str]) -> list[Record]:
        """Return what each construction gives each field; [] where not all are known."""
        fields = model_fields(self.symbols, model)
        if fields is None or model.node.decorator_list:
            return []
        calls = self._constructions(model.node.name)
        # An answer or a file may hold a model that holds the evidence.
        if calls is None or any(self._constructions(name) is None for name in self._holders(model)):
            return []
        return [{name: _given(call, name, fields.get(name)) for name in names} for call in calls]

    def _holders(self, model: ClassSite) -> list[str]:
        """Return the names of Pydantic models with a field of the evidence's type."""
        return [
            site.node.name
            for site, _ in self._classes
            if site.node is not model.node
            and model.node.name in site.source.text
            and any(
                last_name(node) == model.node.name
                for field in (model_fields(self.symbols, site) or {}).values()
                for node in walk(field.annotation)
            )
        ]

    def _constructions(self, model: str) -> list[ast.Call] | None:
        """Return all calls of a model; None where it is used otherwise, or what it gets is open."""
        calls = []
        for source in self.symbols.codebase.production:
            if model not in source.text:
                continue
            if any(
                name != model and dotted.endswith(f".{model}")
                for name, dotted in source.imports.items()
            ):
                return None
            built = {id(site.node.func): site.node for site in source.calls}
            for node in _values_of(source.tree):
                if last_name(node) != model:
                    continue
                call = built.get(id(node))
                if call is None or call.args or any(k.arg is None for k in call.keywords):
                    return None
                calls.append(call)
        return calls

    @cached_property
    def _assigned_attributes(self) -> frozenset[str]:
        return frozenset(
            node.attr
            for source in self.symbols.codebase.production
            for node in walk(source.tree)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        )


def _is_evidence(site: ClassSite) -> bool:
    return "evidence" in words_of(site.node.name)


def filter_of(node: ast.expr) -> ast.expr | None:
    """Return what a member must meet so that `any(...)`, a list or `len` of it is not empty."""
    if isinstance(node, ast.Call):
        name = called_name(node)
        first = node.args[0] if node.args else None
        if name not in {"any", "len", "list", "bool", "sum", "next"} or first is None:
            return None
        if not isinstance(first, FILTERS):
            return None
        parts = [test for loop in first.generators for test in loop.ifs]
        parts += [first.elt] if name == "any" else []
    elif isinstance(node, ast.ListComp | ast.SetComp):
        parts = [test for loop in node.generators for test in loop.ifs]
    else:
        return None
    return ast.BoolOp(ast.And(), parts) if parts else None


def _values_of(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the names that are evaluated: no annotation, no argument of isinstance, no state."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node
        if isinstance(node, ast.Call) and called_name(node) in {"isinstance", "StateGraph"}:
            continue
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns"}:
                continue
            children = value if isinstance(value, list) else [value]
            stack += [child for child in children if isinstance(child, ast.AST)]


def _given(call: ast.Call, name: str, field: ast.AnnAssign | None) -> Values:
    keyword = keyword_of(call, name)
    if keyword is not None:
        return _constants(keyword)
    default = field.value if field is not None else None
    if isinstance(default, ast.Call) and called_name(default) == "Field":
        default = default.args[0] if default.args else keyword_of(default, "default")
    return _constants(default) if default is not None else None


def _constants(value: ast.expr) -> Values:
    if isinstance(value, ast.Constant):
        return None if value.value is Ellipsis else (value.value,)
    if isinstance(value, ast.IfExp):
        first, second = _constants(value.body), _constants(value.orelse)
        return first + second if first is not None and second is not None else None
    return None


def _conjuncts(test: ast.expr) -> list[ast.expr]:
    waiting, parts = [test], []
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.BoolOp) and isinstance(part.op, ast.And):
            waiting += part.values
        else:
            parts.append(part)
    return parts


def _reads(test: ast.expr) -> set[tuple[str, str]]:
    """Return the attributes of local names that a test reads, as (name, attribute)."""
    methods = {id(node.func) for node in walk(test) if isinstance(node, ast.Call)}
    return {
        (node.value.id, node.attr)
        for node in walk(test)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if id(node) not in methods
    }


def _may_meet(record: Record, parts: list[ast.expr]) -> bool:
    return all(_truth(record, part, MAX_DEPTH) is not False for part in parts)


def _truth(record: Record, test: ast.expr, depth: int) -> bool | None:
    """Return whether a record meets a test; None where some value or a part is not known."""
    if not depth:
        return None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(record, test.operand, depth - 1)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        return _joined([_truth(record, part, depth - 1) for part in test.values], test.op)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        compare = COMPARISONS[type(test.ops[0])]
        return _decided(
            compare, _read(record, test.left, depth), _read(record, test.comparators[0], depth)
        )
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute):
        if test.func.attr in TEXT_TESTS and len(test.args) == 1:
            compare = TEXT_TESTS[test.func.attr]
            part = _read(record, test.args[0], depth)
            return _decided(compare, _read(record, test.func.value, depth), part)
        return None
    return _decided(lambda value, _: bool(value), _read(record, test, depth), (None,))


def _joined(parts: list[bool | None], joining: ast.boolop) -> bool | None:
    decisive = isinstance(joining, ast.Or)
    if decisive in parts:
        return decisive
    return None if None in parts else not decisive


def _decided(compare: Callable[[Any, Any], bool], left: Values, right: Values) -> bool | None:
    if left is None or right is None:
        return None
    try:
        results = {compare(first, second) for first in left for second in right}
    except TypeError:
        return None
    return results.pop() if len(results) == 1 else None


def _read(record: Record, node: ast.expr, depth: int) -> Values:
    """Return the values that an expression has for a record."""
    if not depth:
        return None
    if isinstance(node, ast.Constant):
        return (node.value,)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        members = tuple(member.value for member in node.elts if isinstance(member, ast.Constant))
        return (members,) if len(members) == len(node.elts) else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return record.get(node.attr)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        # The text of `(ev.goal or "").lower()` is that of the goal.
        first = _read(record, node.values[0], depth - 1)
        return first if first is not None and all(first) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        fold, values = FOLDS.get(node.func.attr), _read(record, node.func.value, depth - 1)
        if fold is None or values is None or not all(isinstance(v, str) for v in values):
            return None
        return tuple(map(fold, values))
    return None
