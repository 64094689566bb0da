"""Words that code waits for in a text of the evidence under a key, which no writer puts there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.state_flow.condition_values import (
    CHANGING,
    FOLDS,
    ConditionReader,
    key_of,
)
from courtroom.analysis.python.call_graph import FunctionRef, functions_by_node
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    walk,
    words_of,
)

SETTING = CHANGING | {"setdefault", "__setitem__", "popitem", "sort", "reverse"}
# Ends of a format for numbers, and what such a number may be besides digits.
NUMBER_FORMATS = tuple("fdeg%")
NUMBERS = ["0", "nan", "inf"]
MOST_STEPS = 12
MOST_TEXTS = 200

Texts = list[str] | None
# Expressions with the functions in which they stand.
Values = list[tuple[ast.expr, FunctionRef]] | None


@dataclass(frozen=True, slots=True)
class VainWord:
    """A test for a word in a field of the evidence under a key."""

    function: FunctionRef
    test: ast.expr
    word: str
    field: str
    key: str


def vain_words(symbols: SymbolTable, functions: Sequence[FunctionRef]) -> Iterator[VainWord]:
    """Yield tests such as `"not found" in ev.rationale.lower()` that hold for no evidence.

    Every text that code writes into the field must be known, but for numbers and lists of texts.
    """
    for function in functions:
        for node in walk(function.site.node):
            sought = _sought(node)
            if sought is None or not isinstance(node, ast.expr):
                continue
            word, item, field = sought
            reader = _WordReader(symbols, field)
            place = reader.place_of_item(item, function)
            texts = reader.texts_under(*place) if place else None
            if place and texts and not any(word.lower() in text.lower() for text in texts):
                yield VainWord(function, node, word, field, place[1])


def _sought(node: ast.AST) -> tuple[str, str, str] | None:
    """Return word, name and field of `"word" in name.field`, whatever the case of its letters.

    A word of letters and spaces alone reaches over no number and no member of a list.
    """
    match node:
        case ast.Compare(
            left=ast.Constant(value=str() as word), ops=[ast.In()], comparators=[whole]
        ) if word.isascii() and word.replace(" ", "").isalpha():
            if isinstance(whole, ast.Call) and called_name(whole) in FOLDS and not whole.args:
                whole = getattr(whole.func, "value", whole)
            if isinstance(whole, ast.BoolOp) and isinstance(whole.op, ast.Or):
                whole = whole.values[0]
            if isinstance(whole, ast.Attribute) and isinstance(whole.value, ast.Name):
                return word, whole.value.id, whole.attr
    return None


@dataclass
class _WordReader:
    """Reader of the texts that the product writes into one field of its evidence."""

    symbols: SymbolTable
    field: str

    def place_of_item(self, item: str, function: FunctionRef) -> tuple[str, str] | None:
        """Return field and key of the state for the list that a loop names the members of."""
        nodes = list(walk(function.site.node))
        loops = [
            node.iter
            for node in nodes
            if isinstance(node, ast.For | ast.comprehension) and last_name(node.target) == item
        ]
        parts = self._parts(loops[0], function, MOST_STEPS) if len(loops) == 1 else None
        is_own = len(loops) == len(_stores(function, item))
        return (parts[0], parts[1]) if parts and len(parts) == 2 and is_own else None

    def _parts(self, rows: ast.expr, function: FunctionRef, steps: int) -> tuple[str, ...] | None:
        """Return the keys of `state["evidences"].get("doc")`, also of names and parameters."""
        if steps == 0:
            return None
        if isinstance(rows, ast.BoolOp) and isinstance(rows.op, ast.Or):
            return self._parts(rows.values[0], function, steps - 1)
        if (found := key_of(rows)) is not None:
            outer = self._parts(found[1], function, steps - 1)
            return None if outer is None else (*outer, found[0])
        if not isinstance(rows, ast.Name):
            return None
        if "state" in words_of(rows.id):
            return ()
        value = ConditionReader(self.symbols, function).assigned(rows.id)
        if value is not None:
            return self._parts(value, function, steps - 1)
        passed = self._passed(rows.id, function) or []
        places = {self._parts(value, caller, steps - 1) for value, caller in passed}
        return places.pop() if len(places) == 1 else None

    def _passed(self, name: str, function: FunctionRef) -> Values:
        """Return what every call hands over for a parameter; None where that is not known."""
        homes = self.symbols.functions_by_name.get(function.name, [])
        if name not in parameter_names(function) or len(homes) != 1:
            return None
        if len(_stores(function, name)) != 1:
            return None
        passed: list[tuple[ast.expr, FunctionRef]] = []
        for caller in self._functions():
            for node in walk(caller.site.node):
                if isinstance(node, ast.Call) and called_name(node) == function.name:
                    value = argument_of(node, name, function)
                    if value is None:
                        return None
                    passed.append((value, caller))
        return passed

    def _functions(self) -> Iterator[FunctionRef]:
        for source in self.symbols.codebase.production:
            yield from (FunctionRef(source, site) for site in source.functions)

    def texts_under(self, channel: str, key: str) -> Texts:
        """Return all texts of the field that evidence under a key may have; None where unknown."""
        if self._is_changed(channel):
            return None
        texts: list[str] = []
        for source in self.symbols.codebase.production:
            if channel not in source.text:
                continue
            homes = functions_by_node(source)
            for node in walk(source.tree):
                value = fields_of(node).get(channel)
                if value is None:
                    continue
                entries = fields_of(value)
                if not isinstance(value, ast.Dict) or "" in entries:
                    return None
                if key in entries:
                    home = homes.get(id(node))
                    more = self._texts_of(entries[key], home) if home else None
                    if more is None:
                        return None
                    texts += more
        return texts

    def _is_changed(self, channel: str) -> bool:
        """Return whether a text may be changed where it stands, or a list of the channel."""
        for function in self._functions():
            marks = self._names_of_channel(function, channel)
            for node in walk(function.site.node):
                if isinstance(node, ast.Call) and "setattr" in words_of(called_name(node)):
                    return True
                if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(
                    node.ctx, ast.Load
                ):
                    key = key_of(node)
                    if (key and key[0] == self.field) or _speaks_of(node.value, marks):
                        return True
                owner = _changed_by(node)
                if owner is not None and _speaks_of(owner, marks):
                    return True
                added = node.target if isinstance(node, ast.AugAssign) else None
                if added and _speaks_of(added, marks) and not _is_number(added, function):
                    return True
        return False

    def _names_of_channel(self, function: FunctionRef, channel: str) -> set[str]:
        """Return names for the channel and its parts, wherever a function takes them from."""
        marks = {channel, *(n for n in parameter_names(function) if _is_of_evidence(n))}
        for _ in range(MOST_STEPS):
            before = len(marks)
            for node in walk(function.site.node):
                value = getattr(node, "value", None) or getattr(node, "iter", None)
                targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
                if isinstance(value, ast.expr) and _speaks_of(value, marks):
                    marks |= {
                        name.id
                        for target in targets
                        if target is not None
                        for name in walk(target)
                        if isinstance(name, ast.Name)
                    }
            if len(marks) == before:
                break
        return marks

    def _texts_of(self, rows: ast.expr, function: FunctionRef) -> Texts:
        texts: list[str] = []
        for value, home in self._resolved(rows, function, MOST_STEPS) or [(rows, function)]:
            call = value if isinstance(value, ast.Call) else None
            model = self.symbols.find_class(home.source, call.func) if call else None
            written = fields_of(value)
            if model is None or "" in written or self.field not in written:
                return None
            if any(isinstance(part, ast.FunctionDef) for part in model.node.body):
                return None
            more = self._text(written[self.field], home, MOST_STEPS)
            if more is None:
                return None
            texts += more
        return texts

    def _resolved(self, value: ast.expr, function: FunctionRef, steps: int) -> Values:
        """Return the expressions that a value comes from, through names and own functions."""
        if steps == 0:
            return None
        match value:
            case ast.List(elts=parts) if parts:
                return self._all(parts, function, steps)
            case ast.IfExp(body=body, orelse=other):
                return self._all([body, other], function, steps)
            case ast.Name(id=name):
                parts = _assigned(function, name)
                return self._all(parts, function, steps) if parts else None
            case ast.Attribute(value=owner, attr=name):
                return self._handed(owner, name, function, steps - 1)
            case ast.Call(func=ast.Name(id=name)) if name in self.symbols.functions_by_name:
                return self._returned(name, steps)
        return [(value, function)]

    def _handed(self, owner: ast.expr, name: str, function: FunctionRef, steps: int) -> Values:
        """Return what the records of an owner get under a name."""
        rows: list[tuple[ast.expr, FunctionRef]] = []
        for made, home in self._resolved(owner, function, steps) or []:
            if not isinstance(made, ast.Call) or name not in fields_of(made):
                return None
            more = self._resolved(fields_of(made)[name], home, steps)
            if more is None:
                return None
            rows += more
        return rows or None

    def _returned(self, name: str, steps: int) -> Values:
        """Return what the only function of a name returns."""
        homes = self.symbols.functions_by_name[name]
        if len(homes) != 1 or homes[0][1].node.decorator_list:
            return None
        called = FunctionRef(*homes[0])
        nodes = list(walk(called.site.node))
        if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes):
            return None
        returns = [n.value for n in nodes if isinstance(n, ast.Return) and n.value]
        return self._all(returns, called, steps) if returns else None

    def _all(self, parts: Sequence[ast.expr], function: FunctionRef, steps: int) -> Values:
        rows: list[tuple[ast.expr, FunctionRef]] = []
        for part in parts:
            more = self._resolved(part, function, steps - 1)
            if more is None:
                return None
            rows += more
        return rows

    def _text(self, value: ast.expr, function: FunctionRef, steps: int) -> Texts:
        """Return the texts that an expression may be, with "0" for every number."""
        if steps == 0:
            return None
        match value:
            case ast.Constant(value=str() as text):
                return [text]
            case ast.JoinedStr(values=parts):
                return _joined([self._text(part, function, steps - 1) for part in parts])
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _joined([self._text(part, function, steps - 1) for part in (left, right)])
            case ast.IfExp(body=body, orelse=other):
                return _either([self._text(part, function, steps - 1) for part in (body, other)])
            case ast.FormattedValue(value=inner, format_spec=None):
                return self._text(inner, function, steps - 1)
            case ast.FormattedValue(format_spec=ast.expr() as spec):
                return (
                    [*NUMBERS] if ast.unparse(spec).rstrip("'\"").endswith(NUMBER_FORMATS) else None
                )
            case ast.Call() if _is_count(value):
                return ["0"]
            case ast.Name(id=name):
                return self._text_of_name(name, function, steps - 1)
        return None

    def _text_of_name(self, name: str, function: FunctionRef, steps: int) -> Texts:
        rows = self._members(name, function)
        if rows is not None:
            return ["[]", *(repr([row]) for row in rows)]
        return _either([self._text(part, function, steps) for part in _assigned(function, name)])

    def _members(self, name: str, function: FunctionRef) -> Texts:
        """Return the texts that are appended to `rows = []` from loops over lists of constants."""
        values = _assigned(function, name)
        if len(values) != 1 or not isinstance(values[0], ast.List) or values[0].elts:
            return None
        reader = ConditionReader(self.symbols, function)
        rows: list[str] = []
        uses = 0
        for node in walk(function.site.node):
            owner = _changed_by(node)
            if owner is not None and isinstance(node, ast.Call) and last_name(owner) == name:
                if called_name(node) != "append" or len(node.args) != 1:
                    return None
                item = last_name(node.args[0])
                loops = [
                    n.iter
                    for n in walk(function.site.node)
                    if isinstance(n, ast.For) and last_name(n.target) == item
                ]
                if len(loops) != 1 or len(_stores(function, item)) != 1:
                    return None
                members = reader.value(loops[0], {})
                if not isinstance(members, list) or not all(isinstance(m, str) for m in members):
                    return None
                rows += members
                uses += 1
        return rows if uses else None


def _stores(function: FunctionRef, name: str) -> list[ast.AST]:
    return [
        node
        for node in walk(function.site.node)
        if (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.arg) and node.arg == name)
    ]


def _assigned(function: FunctionRef, name: str) -> list[ast.expr]:
    """Return what a name is assigned; [] where it is also filled in another way."""
    values = [
        node.value
        for node in walk(function.site.node)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == name
    ]
    return values if len(values) == len(_stores(function, name)) else []


def _is_number(target: ast.expr, function: FunctionRef) -> bool:
    """Return whether a name begins as a number: `total = 0.0`."""
    name = last_name(target)
    return any(
        isinstance(node.value, ast.Constant) and isinstance(node.value.value, int | float)
        for node in walk(function.site.node)
        if isinstance(node, ast.Assign) and name in map(last_name, node.targets)
    )


def _changed_by(node: ast.AST) -> ast.expr | None:
    """Return what a method such as `append` changes in place."""
    method = node.func if isinstance(node, ast.Call) else None
    is_change = isinstance(method, ast.Attribute) and method.attr in SETTING
    return method.value if is_change and isinstance(method, ast.Attribute) else None


def _is_of_evidence(name: str) -> bool:
    return any(word.startswith("ev") for word in words_of(name))


def _speaks_of(node: ast.AST, marks: set[str]) -> bool:
    return any(
        (isinstance(part, ast.expr) and constant_text(part) in marks)
        or (isinstance(part, ast.Name) and part.id in marks)
        or (isinstance(part, ast.Attribute) and part.attr in marks)
        for part in walk(node)
    )


def _is_count(value: ast.expr) -> bool:
    """Return true for `len(rows)` and `sum(1 for row in rows)`."""
    if not isinstance(value, ast.Call) or len(value.args) != 1:
        return False
    counted = getattr(value.args[0], "elt", None)
    is_one = isinstance(counted, ast.Constant) and isinstance(counted.value, int)
    return called_name(value) == "len" or (called_name(value) == "sum" and is_one)


def _joined(parts: Sequence[Texts]) -> Texts:
    rows = [part for part in parts if part is not None]
    if len(rows) < len(parts):
        return None
    texts = ["".join(row) for row in islice(product(*rows), MOST_TEXTS)]
    return texts if len(texts) < MOST_TEXTS else None


def _either(parts: Sequence[Texts]) -> Texts:
    rows = [part for part in parts if part is not None]
    return [text for row in rows for text in row] if parts and len(rows) == len(parts) else None
