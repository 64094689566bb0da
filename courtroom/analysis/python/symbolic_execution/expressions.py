"""The value of an expression, as far as it can be known (see interpreter.py)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from courtroom.analysis.python.symbolic_execution import calls, comprehensions, data_files
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of, item_of, module_of
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    Class,
    Compiled,
    Function,
    Items,
    OneOf,
    Outside,
    Pending,
    Scope,
    Table,
    Template,
    Value,
    choices_of,
    join,
)

if TYPE_CHECKING:
    from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter

MAX_NESTING = 120
MAX_TURNS = 64
MAX_TEXT = 60_000


def evaluate(run: Interpreter, node: ast.expr, scope: Scope) -> Value:
    run.burn()
    handler = _EXPRESSIONS.get(type(node))
    if handler is None or run.nesting >= MAX_NESTING:
        return UNKNOWN
    run.nesting += 1
    try:
        return handler(run, node, scope)
    finally:
        run.nesting -= 1


def truth(value: Value) -> bool | None:
    """Whether a test holds; None when it depends on the run."""
    if value is None or isinstance(value, str | int | float | bool):
        return bool(value)
    if isinstance(value, Items):
        return (
            (True if value.is_sure else None) if value.members else None if value.is_open else False
        )
    if isinstance(value, Table):
        return True if value.entries else None if value.is_open else False
    if isinstance(value, Function | Class | Compiled):
        return True
    return None


def turns(value: Value) -> list[Value]:
    """What a loop over the value (an enum is a class) would see; one unknown turn when that cannot be known."""
    if isinstance(value, Items):
        return [*value.members, *([UNKNOWN] if value.is_open else [])]
    if isinstance(value, Table) and not value.is_open:
        return list(value.entries)
    if isinstance(value, OneOf):
        return [turn for choice in value.choices for turn in turns(choice)]
    if isinstance(value, Class):
        return [member for member in value.scope.names.values() if isinstance(member, str)]
    return [UNKNOWN]


def as_text(value: Value) -> str:
    """The value inside an f-string, with a hole for what is not known."""
    if isinstance(value, Template):
        return value.text
    return str(value) if isinstance(value, str | int | float) else HOLE


def _name(run: Interpreter, node: ast.Name, scope: Scope) -> Value:
    home = scope.find(node.id)
    if home is None:
        return Outside(node.id)
    value = home.names[node.id]
    return module_of(run, value) if isinstance(value, Pending) else value


def _attribute(run: Interpreter, node: ast.Attribute, scope: Scope) -> Value:
    owner = evaluate(run, node.value, scope)
    return attribute_of(run, owner, node.attr)


def _subscript(run: Interpreter, node: ast.Subscript, scope: Scope) -> Value:
    owner = evaluate(run, node.value, scope)
    key = evaluate(run, node.slice, scope)
    if isinstance(owner, Outside | Class):
        return owner  # a generic such as list[str] or StateGraph[State]
    return join([item_of(choice, key) for choice in choices_of(owner)])


def _sequence(run: Interpreter, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
    items = Items([])
    for member in node.elts:
        if isinstance(member, ast.Starred):
            extend(items, evaluate(run, member.value, scope))
        else:
            items.members.append(evaluate(run, member, scope))
    return items


def extend(items: Items, value: Value) -> None:
    if isinstance(value, Items):
        items.members.extend(value.members)
        items.is_open = items.is_open or value.is_open
    elif isinstance(value, Table) and not value.is_open:
        items.members.extend(value.entries)
    else:
        items.is_open = True


def _dict(run: Interpreter, node: ast.Dict, scope: Scope) -> Value:
    table = Table()
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = evaluate(run, value_node, scope)
        if key_node is None:
            merge(table, value)
            continue
        key = evaluate(run, key_node, scope)
        if isinstance(key, str | int | Outside):
            table.entries[key] = value
        else:
            table.is_open = True
    return table


def merge(table: Table, value: Value) -> None:
    if isinstance(value, Table):
        table.entries.update(value.entries)
        table.is_open = table.is_open or value.is_open
    else:
        table.is_open = True


def _formatted(run: Interpreter, node: ast.JoinedStr, scope: Scope) -> Value:
    parts: list[str] = []
    for part in node.values:
        value = (
            evaluate(run, part.value, scope)
            if isinstance(part, ast.FormattedValue)
            else evaluate(run, part, scope)
        )
        parts.append(as_text(value))
    return made_text("".join(parts), exact=not any(HOLE in part for part in parts))


def made_text(value: str, *, exact: bool) -> Value:
    if len(value) > MAX_TEXT:
        return UNKNOWN
    return value if exact else Template(value)


def _binary(run: Interpreter, node: ast.BinOp, scope: Scope) -> Value:
    left, right = evaluate(run, node.left, scope), evaluate(run, node.right, scope)
    if isinstance(node.op, ast.Add):
        return _sum(left, right)
    if isinstance(node.op, ast.BitOr) and isinstance(left, Table) and isinstance(right, Table):
        return Table({**left.entries, **right.entries}, left.is_open or right.is_open)
    if isinstance(node.op, ast.Mod) and isinstance(left, str | Template):
        return Template(as_text(left))
    return data_files.below(left, right, node.lineno) if isinstance(node.op, ast.Div) else UNKNOWN


def _sum(left: Value, right: Value) -> Value:
    if isinstance(left, Items):
        total = Items(list(left.members), left.is_open)
        extend(total, right)
        return total
    if isinstance(left, str | Template) or isinstance(right, str | Template):
        return made_text(
            as_text(left) + as_text(right), exact=isinstance(left, str) and isinstance(right, str)
        )
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left + right
    return UNKNOWN


def _either(run: Interpreter, node: ast.BoolOp, scope: Scope) -> Value:
    """`a or b`, `a and b`: decided as soon as an operand is known to decide it."""
    decides = isinstance(node.op, ast.Or)
    open_values: list[Value] = []
    for operand in node.values:
        value = evaluate(run, operand, scope)
        verdict = truth(value)
        if verdict is decides:
            return join([*open_values, value])
        if verdict is None:
            open_values.append(value)
    return join([*open_values, value] if verdict is not None else open_values)


def _conditional(run: Interpreter, node: ast.IfExp, scope: Scope) -> Value:
    verdict = truth(evaluate(run, node.test, scope))
    if verdict is not None:
        return evaluate(run, node.body if verdict else node.orelse, scope)
    return join([evaluate(run, node.body, scope), evaluate(run, node.orelse, scope)])


def _comparison(run: Interpreter, node: ast.Compare, scope: Scope) -> Value:
    left = evaluate(run, node.left, scope)
    rights = [evaluate(run, right, scope) for right in node.comparators]
    plain = (str, int, float, bool)
    if len(rights) != 1 or not isinstance(left, plain):
        return UNKNOWN if left is not None else _is_none(node, rights)
    if isinstance(rights[0], plain):
        return _compared(node.ops[0], left, rights[0])
    return UNKNOWN


def _is_none(node: ast.Compare, rights: list[Value]) -> Value:
    if rights != [None]:
        return UNKNOWN
    return isinstance(node.ops[0], ast.Is | ast.Eq)


def _compared(operator: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(operator, ast.Eq):
        return left == right
    if isinstance(operator, ast.NotEq):
        return left != right
    if (
        isinstance(operator, ast.In | ast.NotIn)
        and isinstance(left, str)
        and isinstance(right, str)
    ):
        return (left in right) is isinstance(operator, ast.In)
    return UNKNOWN


def _unary(run: Interpreter, node: ast.UnaryOp, scope: Scope) -> Value:
    value = evaluate(run, node.operand, scope)
    if isinstance(node.op, ast.Not):
        verdict = truth(value)
        return UNKNOWN if verdict is None else not verdict
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        return -value
    return UNKNOWN


def _call(run: Interpreter, node: ast.Call, scope: Scope) -> Value:
    return calls.call(run, node, scope)


def _inner(
    run: Interpreter, node: ast.Await | ast.FormattedValue | ast.YieldFrom, scope: Scope
) -> Value:
    return evaluate(run, node.value, scope)


def _named(run: Interpreter, node: ast.NamedExpr, scope: Scope) -> Value:
    value = evaluate(run, node.value, scope)
    scope.names[node.target.id] = value
    return value


def _constant(_run: Interpreter, node: ast.Constant, _scope: Scope) -> Value:
    value = node.value
    return value if value is None or isinstance(value, str | int | float | bool) else UNKNOWN


def _lambda(_run: Interpreter, node: ast.Lambda, scope: Scope) -> Value:
    return Function(node, scope.source, scope)


_EXPRESSIONS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.JoinedStr: _formatted,
    ast.BinOp: _binary,
    ast.BoolOp: _either,
    ast.IfExp: _conditional,
    ast.Compare: _comparison,
    ast.UnaryOp: _unary,
    ast.ListComp: comprehensions.of_sequence,
    ast.SetComp: comprehensions.of_sequence,
    ast.GeneratorExp: comprehensions.of_sequence,
    ast.DictComp: comprehensions.of_dict,
    ast.Call: _call,
    ast.Await: _inner,
    ast.FormattedValue: _inner,
    ast.NamedExpr: _named,
    ast.Lambda: _lambda,
}
