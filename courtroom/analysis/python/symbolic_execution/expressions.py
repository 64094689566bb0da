"""Values of expressions, as far as they can be known: one handler for each kind of node."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from courtroom.analysis.python.compact_nodes import with_compact
from courtroom.analysis.python.symbolic_execution.calls import evaluate_call
from courtroom.analysis.python.symbolic_execution.class_bodies import enum_members
from courtroom.analysis.python.symbolic_execution.comprehensions import (
    dict_comprehension,
    sequence_comprehension,
)
from courtroom.analysis.python.symbolic_execution.data_files import join_path
from courtroom.analysis.python.symbolic_execution.evaluator import MAX_ITERATIONS, Evaluator
from courtroom.analysis.python.symbolic_execution.list_methods import combined_sets
from courtroom.analysis.python.symbolic_execution.text_format import (
    formatted_text,
    percent_formatted,
)
from courtroom.analysis.python.symbolic_execution.value_operations import (
    MAX_TEXT,
    as_text,
    extend_list,
    is_known,
    merge_dict,
    plain,
    set_item,
    sliced,
    text_value,
)
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    CallResult,
    Class,
    DictValue,
    Doubt,
    EnumText,
    External,
    Function,
    Instance,
    LibraryObject,
    ListValue,
    Positive,
    Scope,
    Template,
    Value,
    choices_of,
    join,
)

# Larger numbers are not calculated with.
MAX_NUMBER = 10**9
# Whether a member is kept, by whether it is in the left set and in the right one.
SET_OPERATIONS: dict[type[ast.operator], Callable[[bool, bool], bool]] = {
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.Sub: operator.gt,
    ast.BitXor: operator.xor,
}


def _name(evaluator: Evaluator, node: ast.Name, scope: Scope) -> Value:
    binding = scope.find(node.id)
    # A name that nothing binds is a builtin or comes from a star import.
    return External(node.id) if binding is None else evaluator.resolve(binding.names[node.id])


def _attribute(evaluator: Evaluator, node: ast.Attribute, scope: Scope) -> Value:
    owner = evaluator.evaluate(node.value, scope)
    return evaluator.attribute(owner, node.attr)


def _subscript(evaluator: Evaluator, node: ast.Subscript, scope: Scope) -> Value:
    owner = evaluator.evaluate(node.value, scope)
    if isinstance(node.slice, ast.Slice):
        bounds = [
            evaluator.evaluate(bound, scope)
            for bound in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        first, last, step = bounds
        return join([sliced(choice, first, last, step) for choice in choices_of(owner)])

    key = evaluator.evaluate(node.slice, scope)
    if isinstance(owner, External) and owner.dotted.rpartition(".")[2] == "Literal":
        members = key.members if isinstance(key, ListValue) else [key]
        return CallResult(owner.dotted, tuple(members), (), node.lineno)
    if isinstance(owner, External | Class):
        members = (
            [m for m in enum_members(owner) if _is_named(m, key)]
            if isinstance(owner, Class)
            else []
        )
        # A generic such as list[str] or StateGraph[State].
        return members[0] if members else owner
    return join([evaluator.item(choice, key) for choice in choices_of(owner)])


def _is_named(member: Value, name: Value) -> bool:
    if isinstance(member, Instance):
        return member.attributes.get("name") == name
    return isinstance(member, EnumText) and member.name == name


def _sequence(evaluator: Evaluator, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
    result = ListValue([], made_under=evaluator.doubts, is_ordered=not isinstance(node, ast.Set))
    for member in node.elts:
        if isinstance(member, ast.Starred):
            extend_list(result, evaluator.evaluate(member.value, scope))
        else:
            result.members.append(evaluator.evaluate(member, scope))
    return result


def _dict(evaluator: Evaluator, node: ast.Dict, scope: Scope) -> Value:
    result = DictValue(made_under=evaluator.doubts)
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
    size = 0
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            parts.append(_formatted(evaluator, part, scope))
        else:
            parts.append(as_text(evaluator.evaluate(part, scope)))
        size += len(parts[-1])
        if size > MAX_TEXT:
            return UNKNOWN
    return text_value("".join(parts), is_exact=not any(HOLE in part for part in parts))


def _formatted(evaluator: Evaluator, node: ast.FormattedValue, scope: Scope) -> str:
    value = evaluator.evaluate(node.value, scope)
    if node.conversion == -1 and node.format_spec is None:
        return as_text(value)
    specification = evaluator.evaluate(node.format_spec, scope) if node.format_spec else ""
    if not isinstance(value, str | int | float) or not isinstance(specification, str):
        return HOLE
    mark = "" if node.conversion == -1 else f"!{chr(node.conversion)}"
    text = formatted_text("{0" + mark + ":" + specification + "}", [value], {})
    return text if text is not None else HOLE


def _binary(evaluator: Evaluator, node: ast.BinOp, scope: Scope) -> Value:
    left, right = evaluator.evaluate(node.left, scope), evaluator.evaluate(node.right, scope)
    if isinstance(node.op, ast.Add):
        return _sum(left, right)
    if isinstance(node.op, ast.Mod) and isinstance(left, str | Template):
        return percent_formatted(left, right)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _calculated(node.op, left, right)
    if isinstance(left, ListValue) and isinstance(right, ListValue):
        is_kept = SET_OPERATIONS.get(type(node.op))
        return UNKNOWN if is_kept is None else combined_sets(is_kept, left, right)
    if (
        isinstance(node.op, ast.BitOr)
        and isinstance(left, DictValue)
        and isinstance(right, DictValue)
    ):
        entries = {**left.entries, **right.entries}
        return DictValue(entries, left.is_open or right.is_open, left.doubt or right.doubt)
    if isinstance(node.op, ast.Mult) and isinstance(right, int):
        return _repeated(left, right)
    # A division may join paths: folder / "rubric.json".
    return join_path(left, right, node.lineno) if isinstance(node.op, ast.Div) else UNKNOWN


def _sum(left: Value, right: Value) -> Value:
    if isinstance(left, ListValue):
        total = ListValue(list(left.members), left.is_open, doubt=left.doubt)
        extend_list(total, right)
        return total
    if isinstance(left, str | Template) or isinstance(right, str | Template):
        is_exact = isinstance(left, str) and isinstance(right, str)
        return text_value(as_text(left) + as_text(right), is_exact=is_exact)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _calculated(ast.Add(), left, right)
    is_counted = isinstance(left, Positive) and isinstance(right, int) and right >= 0
    return left if is_counted else UNKNOWN


def _calculated(sign: ast.operator, left: float, right: float) -> Value:
    function = _ARITHMETIC.get(type(sign))
    # Sums and products of themselves would grow without end.
    if function is None or max(abs(left), abs(right)) > MAX_NUMBER:
        return UNKNOWN
    try:
        result: Value = function(left, right)
    except (ZeroDivisionError, OverflowError):
        return UNKNOWN
    return result


def _repeated(value: Value, times: int) -> Value:
    if isinstance(value, str) and len(value) * times <= MAX_TEXT:
        return value * times
    if isinstance(value, ListValue) and len(value.members) * times <= MAX_ITERATIONS:
        return ListValue(value.members * times, value.is_open, doubt=value.doubt)
    return UNKNOWN


def _boolean(evaluator: Evaluator, node: ast.BoolOp, scope: Scope) -> Value:
    """Evaluate `a or b`, `a and b` up to the operand that is known to decide."""
    deciding_truth = isinstance(node.op, ast.Or)
    undecided: list[Value] = []
    doubts = evaluator.doubts
    for number, operand in enumerate(node.values):
        value = evaluator.evaluate(operand, scope)
        truth = evaluator.truth(value)
        if truth is deciding_truth:
            evaluator.doubts = doubts
            evaluator.skip(scope, node.values[number + 1 :])
            return join([*undecided, value])
        if truth is None and operand is not node.values[-1]:
            # Where it is the result, it has decided.
            choices = choices_of(value)
            undecided += [c for c in choices if evaluator.truth(c) in {deciding_truth, None}]
            # The operands after it may not be evaluated.
            evaluator.doubts = (*evaluator.doubts, Doubt(scope.source.path, node.lineno))

    evaluator.doubts = doubts
    return join([*undecided, value])


def _conditional(evaluator: Evaluator, node: ast.IfExp, scope: Scope) -> Value:
    truth = evaluator.truth(evaluator.evaluate(node.test, scope))
    if truth is not None:
        evaluator.skip(scope, [node.orelse if truth else node.body])
        return evaluator.evaluate(node.body if truth else node.orelse, scope)

    doubts = evaluator.doubts
    values: list[Value] = []
    for index, branch in enumerate((node.body, node.orelse)):
        evaluator.doubts = (*doubts, Doubt(scope.source.path, node.lineno, node, index, 2))
        values.append(evaluator.evaluate(branch, scope))
    evaluator.doubts = doubts
    return join(values)


def _comparison(evaluator: Evaluator, node: ast.Compare, scope: Scope) -> Value:
    """Evaluate `a < b < c` pair by pair; one pair that is false decides."""
    left = evaluator.evaluate(node.left, scope)
    results: list[Value] = []
    for comparison, operand in zip(node.ops, node.comparators, strict=True):
        right = evaluator.evaluate(operand, scope)
        results.append(evaluator.compare(comparison, left, right))
        left = right
    if any(result is False for result in results):
        return False
    return all(result is True for result in results) or UNKNOWN


# Comparisons that are settled for a number of at least one.
NOT_EMPTY: dict[tuple[type[ast.cmpop], int], bool] = {
    (ast.Gt, 0): True,
    (ast.NotEq, 0): True,
    (ast.GtE, 1): True,
    (ast.Eq, 0): False,
    (ast.LtE, 0): False,
    (ast.Lt, 1): False,
}


def compared(sign: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(left, Positive) and isinstance(right, int):
        return NOT_EMPTY.get((type(sign), right), UNKNOWN)
    is_negated = isinstance(sign, ast.NotEq | ast.NotIn | ast.IsNot)
    if isinstance(sign, ast.In | ast.NotIn):
        result = _contains(right, left)
    elif isinstance(sign, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
        result = _equals(left, right)
    else:
        result = _is_ordered(sign, left, right)
    return UNKNOWN if result is None else result is not is_negated


def _equals(left: Value, right: Value) -> bool | None:
    if is_known(left) and is_known(right):
        return bool(plain(left) == plain(right))
    if left is None or right is None:
        other = right if left is None else left
        # What is made is not None; what comes from outside may be.
        made_types = (Function, Class, Instance, ListValue, DictValue, LibraryObject, Template)
        return False if isinstance(other, made_types) else None
    if isinstance(left, External) and left == right:
        return True
    if isinstance(left, ListValue) and isinstance(right, ListValue):
        # What is in them may not be known; in a set it may be there twice.
        is_counted = all(rows.is_closed and rows.is_ordered for rows in (left, right))
        return False if is_counted and len(left.members) != len(right.members) else None
    return None


def _contains(owner: Value, member: Value) -> bool | None:
    if not is_known(member):
        return None
    if isinstance(owner, str):
        return member in owner if isinstance(member, str) else None
    members: list[Value] | None = None
    is_complete = False
    if isinstance(owner, ListValue):
        members, is_complete = owner.members, not owner.is_open
        is_doubtful = owner.doubt is not None
    elif isinstance(owner, DictValue):
        members, is_complete = list(owner.entries), not owner.is_open
        is_doubtful = owner.doubt is not None
    if members is None:
        return None
    if any(is_known(m) and plain(m) == plain(member) for m in members):
        return None if is_doubtful else True
    return False if is_complete and all(is_known(m) for m in members) else None


def _is_ordered(sign: ast.cmpop, left: Value, right: Value) -> bool | None:
    function = _ORDERINGS.get(type(sign))
    are_numbers = isinstance(left, int | float) and isinstance(right, int | float)
    are_texts = isinstance(left, str) and isinstance(right, str)
    if function is None or not (are_numbers or are_texts):
        return None
    return bool(function(left, right))


def _unary(evaluator: Evaluator, node: ast.UnaryOp, scope: Scope) -> Value:
    value = evaluator.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        truth = evaluator.truth(value)
        return UNKNOWN if truth is None else not truth
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        return -value
    if isinstance(node.op, ast.UAdd) and isinstance(value, int | float):
        return value
    return UNKNOWN


def _inner_value(evaluator: Evaluator, node: ast.Await | ast.FormattedValue, scope: Scope) -> Value:
    return evaluator.evaluate(node.value, scope)


def _named_expression(evaluator: Evaluator, node: ast.NamedExpr, scope: Scope) -> Value:
    value = evaluator.evaluate(node.value, scope)
    scope.names[node.target.id] = value
    return value


def _yield(evaluator: Evaluator, node: ast.Yield | ast.YieldFrom, scope: Scope) -> Value:
    """Keep the value for the call of the generator function, which returns all of them."""
    value = evaluator.evaluate(node.value, scope)
    home: Scope | None = scope
    while home is not None and home.yielded is None:
        home = home.parent
    if home is None or home.yielded is None:
        return UNKNOWN
    yielded = home.yielded
    yielded.doubt = yielded.doubt or evaluator.doubt_since(yielded.made_under)
    if isinstance(node, ast.YieldFrom):
        extend_list(yielded, value)
    else:
        yielded.members.append(value)
    return UNKNOWN


def _constant(_evaluator: Evaluator, node: ast.Constant, _scope: Scope) -> Value:
    value = node.value
    return value if value is None or isinstance(value, str | int | float | bool) else UNKNOWN


def _lambda(_evaluator: Evaluator, node: ast.Lambda, scope: Scope) -> Value:
    return Function(node, scope.source, scope)


_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
}
_ORDERINGS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
EXPRESSIONS: dict[type, Callable[..., Value]] = with_compact(
    {
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
        ast.Yield: _yield,
        ast.YieldFrom: _yield,
        ast.Lambda: _lambda,
    }
)
