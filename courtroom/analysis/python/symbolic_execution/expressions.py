"""Values of expressions, as far as they can be known: one handler for each kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable

from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.calls import evaluate_call
from courtroom.analysis.python.symbolic_execution.comprehensions import (
    dict_comprehension,
    sequence_comprehension,
)
from courtroom.analysis.python.symbolic_execution.data_files import join_path
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.value_operations import (
    as_text,
    extend_list,
    item_of,
    merge_dict,
    set_item,
    text_value,
    truth_of,
)
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    Class,
    DictValue,
    External,
    Function,
    ListValue,
    Scope,
    Template,
    Value,
    choices_of,
    join,
)


def _name(evaluator: Evaluator, node: ast.Name, scope: Scope) -> Value:
    binding = scope.find(node.id)
    # A name that nothing binds is a builtin or comes from a star import.
    return External(node.id) if binding is None else evaluator.resolve(binding.names[node.id])


def _attribute(evaluator: Evaluator, node: ast.Attribute, scope: Scope) -> Value:
    owner = evaluator.evaluate(node.value, scope)
    return attribute_of(evaluator, owner, node.attr)


def _subscript(evaluator: Evaluator, node: ast.Subscript, scope: Scope) -> Value:
    owner = evaluator.evaluate(node.value, scope)
    key = evaluator.evaluate(node.slice, scope)
    if isinstance(owner, External | Class):
        # A generic such as list[str] or StateGraph[State].
        return owner
    return join([item_of(choice, key) for choice in choices_of(owner)])


def _sequence(evaluator: Evaluator, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
    result = ListValue([])
    for member in node.elts:
        if isinstance(member, ast.Starred):
            extend_list(result, evaluator.evaluate(member.value, scope))
        else:
            result.members.append(evaluator.evaluate(member, scope))
    return result


def _dict(evaluator: Evaluator, node: ast.Dict, scope: Scope) -> Value:
    result = DictValue()
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = evaluator.evaluate(value_node, scope)
        if key_node is None:
            # An unpacked dict, as in {**other}.
            merge_dict(result, value)
        else:
            set_item(result, evaluator.evaluate(key_node, scope), value)
    return result


def _f_string(evaluator: Evaluator, node: ast.JoinedStr, scope: Scope) -> Value:
    parts: list[str] = []
    for part in node.values:
        expression = part.value if isinstance(part, ast.FormattedValue) else part
        parts.append(as_text(evaluator.evaluate(expression, scope)))
    return text_value("".join(parts), is_exact=not any(HOLE in part for part in parts))


def _binary(evaluator: Evaluator, node: ast.BinOp, scope: Scope) -> Value:
    left, right = evaluator.evaluate(node.left, scope), evaluator.evaluate(node.right, scope)
    if isinstance(node.op, ast.Add):
        return _sum(left, right)
    if (
        isinstance(node.op, ast.BitOr)
        and isinstance(left, DictValue)
        and isinstance(right, DictValue)
    ):
        return DictValue({**left.entries, **right.entries}, left.is_open or right.is_open)
    if isinstance(node.op, ast.Mod) and isinstance(left, str | Template):
        return Template(as_text(left))
    # A division may join paths: folder / "rubric.json".
    return join_path(left, right, node.lineno) if isinstance(node.op, ast.Div) else UNKNOWN


def _sum(left: Value, right: Value) -> Value:
    if isinstance(left, ListValue):
        total = ListValue(list(left.members), left.is_open)
        extend_list(total, right)
        return total
    if isinstance(left, str | Template) or isinstance(right, str | Template):
        is_exact = isinstance(left, str) and isinstance(right, str)
        return text_value(as_text(left) + as_text(right), is_exact=is_exact)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left + right
    return UNKNOWN


def _boolean(evaluator: Evaluator, node: ast.BoolOp, scope: Scope) -> Value:
    """Evaluate `a or b`, `a and b` up to the operand that is known to decide."""
    deciding_truth = isinstance(node.op, ast.Or)
    undecided: list[Value] = []
    for operand in node.values:
        value = evaluator.evaluate(operand, scope)
        truth = truth_of(value)
        if truth is deciding_truth:
            return join([*undecided, value])
        if truth is None:
            undecided.append(value)

    return join([*undecided, value] if truth is not None else undecided)


def _conditional(evaluator: Evaluator, node: ast.IfExp, scope: Scope) -> Value:
    truth = truth_of(evaluator.evaluate(node.test, scope))
    if truth is not None:
        return evaluator.evaluate(node.body if truth else node.orelse, scope)
    return join([evaluator.evaluate(node.body, scope), evaluator.evaluate(node.orelse, scope)])


def _comparison(evaluator: Evaluator, node: ast.Compare, scope: Scope) -> Value:
    left = evaluator.evaluate(node.left, scope)
    operands = [evaluator.evaluate(operand, scope) for operand in node.comparators]
    plain = (str, int, float, bool)
    if left is None:
        # Only `None is None` is decided; the operator tells the sign.
        return isinstance(node.ops[0], ast.Is | ast.Eq) if operands == [None] else UNKNOWN
    if len(operands) == 1 and isinstance(left, plain) and isinstance(operands[0], plain):
        return _compare(node.ops[0], left, operands[0])
    return UNKNOWN


def _compare(operator: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(operator, ast.Eq):
        return left == right
    if isinstance(operator, ast.NotEq):
        return left != right
    is_membership = isinstance(operator, ast.In | ast.NotIn)
    if is_membership and isinstance(left, str) and isinstance(right, str):
        return (left in right) is isinstance(operator, ast.In)
    return UNKNOWN


def _unary(evaluator: Evaluator, node: ast.UnaryOp, scope: Scope) -> Value:
    value = evaluator.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        truth = truth_of(value)
        return UNKNOWN if truth is None else not truth
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        return -value
    return UNKNOWN


def _inner_value(evaluator: Evaluator, node: ast.Await | ast.FormattedValue, scope: Scope) -> Value:
    return evaluator.evaluate(node.value, scope)


def _named_expression(evaluator: Evaluator, node: ast.NamedExpr, scope: Scope) -> Value:
    value = evaluator.evaluate(node.value, scope)
    scope.names[node.target.id] = value
    return value


def _constant(_evaluator: Evaluator, node: ast.Constant, _scope: Scope) -> Value:
    value = node.value
    return value if value is None or isinstance(value, str | int | float | bool) else UNKNOWN


def _lambda(_evaluator: Evaluator, node: ast.Lambda, scope: Scope) -> Value:
    return Function(node, scope.source, scope)


EXPRESSIONS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.JoinedStr: _f_string,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Compare: _comparison,
    ast.UnaryOp: _unary,
    ast.ListComp: sequence_comprehension,
    ast.SetComp: sequence_comprehension,
    ast.GeneratorExp: sequence_comprehension,
    ast.DictComp: dict_comprehension,
    ast.Call: evaluate_call,
    ast.Await: _inner_value,
    ast.FormattedValue: _inner_value,
    ast.NamedExpr: _named_expression,
    ast.Lambda: _lambda,
}
