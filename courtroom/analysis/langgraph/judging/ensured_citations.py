"""Code of the judges that gives every opinion a citation from the evidence, whatever it cited.

A rule of the Chief Justice that waits for an opinion without such a citation then never applies.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.judging.rule_inputs import CITED
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    walk,
    words_of,
)
from courtroom.analysis.security.value_origins import assigned_values

ADDING = frozenset({"append", "extend", "add"})
OPINIONS = frozenset({"opinion", "opinions"})
# Assignments that are followed back.
MOST_STEPS = 3
# Returns, settings of citations and additions to opinions of one function that are looked at.
MOST_PLACES = 20

Place = tuple[FunctionRef, int]
# The statement or record that sets the citations of an opinion, and what it sets them to.
Write = tuple[ast.AST, ast.expr]


def ensured_citations(call_graph: CallGraph, judges: Sequence[FunctionRef]) -> Place | None:
    """Return the line that stands in for what a judge cited; None where it does not for all."""
    by_name = {function.name: function for function in judges}
    writes = {f.key: list(_writes(f.site.node)) for f in judges}
    ensuring: dict[tuple[str, int], tuple[FunctionRef, Place]] = {}
    for function in judges:
        if len(writes[function.key]) > MOST_PLACES:
            continue
        rows = [(node, _replaced(value, function, by_name)) for node, value in writes[function.key]]
        kept = [(node, place) for node, place in rows if place and _is_for_all(node, function)]
        if kept and len(kept) == len(rows):
            ensuring[function.key] = function, kept[0][1]
    # What an ensuring function calls hands it opinions that it has yet to complete.
    before = {f.key for f in call_graph.reachable_from([f for f, _ in ensuring.values()])}
    raw = [f for f in judges if writes[f.key] and f.key not in before]
    return next((place for _, place in ensuring.values()), None) if not raw else None


def _writes(function: ast.AST) -> Iterator[Write]:
    """Yield what sets citations, but for an opinion on a criterion of a fixed name: of none."""
    for node in walk(function):
        fields = fields_of(node)
        if constant_text(fields.get("criterion_id")) is None:
            yield from ((node, value) for name, value in fields.items() if _is_cited(name))
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Attribute):
            yield from [(node, node.value)] * _is_cited(target.attr)


def _is_cited(name: str) -> bool:
    return not CITED.isdisjoint(words_of(name))


def _replaced(
    value: ast.expr, function: FunctionRef, by_name: dict[str, FunctionRef], steps: int = MOST_STEPS
) -> Place | None:
    """Return the line that takes citations from a list where none of the given ones is in it."""
    if isinstance(value, ast.Name) and steps:
        values = assigned_values(function.site, value.id)
        return _replaced(values[0], function, by_name, steps - 1) if len(values) == 1 else None
    called = by_name.get(called_name(value)) if isinstance(value, ast.Call) else None
    if called is None or not isinstance(value, ast.Call):
        # `[c for c in cited if c in allowed] or allowed[:1]`
        names = {
            last_name(node.comparators[0])
            for node in walk(value)
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In)
        }
        lines = (_stand_in(value, name, function, frozenset({name})) for name in sorted(names))
        line = next(filter(None, lines), None)
        return (function, line) if line else None
    for name in parameter_names(called):
        argument = argument_of(value, name, called)
        if argument is None:
            continue
        given = [argument, *assigned_values(function.site, last_name(argument))]
        if any(_is_cited(last_name(node)) for part in given for node in walk(part)):
            continue
        line = _always_from(name, called)
        if line:
            return called, line
    return None


def _always_from(allowed: str, function: FunctionRef) -> int | None:
    """Return the line of the stand-in where all that a function returns is taken from a list."""
    derived = _derived(allowed, function)
    returns = [n for n in walk(function.site.node) if isinstance(n, ast.Return) and n.value]
    last = max(returns, key=lambda node: node.lineno, default=None)
    if last is None or last.value is None or len(returns) > MOST_PLACES:
        return None
    for node in returns:
        value = node.value
        if value is None or node is last or _is_under_none(node, allowed, function):
            continue
        # A list that may be empty gives none.
        names = [n.id for n in _tests_of(node, function) if isinstance(n, ast.Name)]
        if last_name(value) not in derived or derived.isdisjoint(names):
            return None
    return _stand_in(last.value, allowed, function, derived)


def _derived(name: str, function: FunctionRef) -> frozenset[str]:
    """Return the names whose values are made of what this one holds."""
    made: dict[str, set[str]] = {}
    for node in walk(function.site.node):
        parts: list[ast.AST] = []
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets, parts = node.targets, [node.value]
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value:
            targets, parts = [node.target], [node.value]
        elif isinstance(node, ast.For | ast.comprehension):
            targets, parts = [node.target], [node.iter]
        elif _is_added(node) and isinstance(node, ast.Call):
            targets, parts = [node.func], [*node.args]
        names = {n.id for t in targets for n in walk(t) if isinstance(n, ast.Name)}
        for inner in (inner for part in parts for inner in walk(part)):
            if isinstance(inner, ast.Name):
                made.setdefault(inner.id, set()).update(names)

    derived, waiting = {name}, [name]
    while waiting:
        new = made.get(waiting.pop(), set()) - derived
        derived |= new
        waiting += new
    return frozenset(derived)


def _is_added(node: ast.AST) -> bool:
    """Return true for `close.append(ref)`."""
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in ADDING


def _stand_in(
    value: ast.expr, allowed: str, function: FunctionRef, derived: frozenset[str]
) -> int | None:
    """Return the line of `valid or allowed[:1]`, of `[allowed[0]]`, and of such a name."""
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
        rests = any(_mentions(part, derived) for part in value.values[:-1])
        return _stand_in(value.values[-1], allowed, function, derived) if rests else None
    if isinstance(value, ast.IfExp):
        rests = _mentions(value.body, derived)
        return _stand_in(value.orelse, allowed, function, derived) if rests else None
    if _takes_first(value, allowed):
        return value.lineno
    owner = value.value if isinstance(value, ast.Subscript) else value
    if not isinstance(owner, ast.Name) or owner.id not in derived:
        return None
    taken = (v for v in assigned_values(function.site, owner.id) if _takes_first(v, allowed))
    return next((v.lineno for v in taken if _is_under_none(v, owner.id, function)), None)


def _mentions(node: ast.AST, names: frozenset[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in walk(node))


def _takes_first(node: ast.expr, name: str) -> bool:
    """Return true for `allowed[0]`, `[allowed[0]]`, `allowed[:2]` and `list(allowed[:2])`."""
    if isinstance(node, ast.List) and len(node.elts) == 1:
        node = node.elts[0]
    elif isinstance(node, ast.Call) and called_name(node) == "list" and len(node.args) == 1:
        node = node.args[0]
    if not isinstance(node, ast.Subscript) or last_name(node.value) != name:
        return False
    if isinstance(node.slice, ast.Slice):
        return node.slice.lower is None
    return isinstance(node.slice, ast.Constant) and node.slice.value == 0


def _is_under_none(node: ast.expr | ast.stmt, name: str, function: FunctionRef) -> bool:
    """Return true in the body of `if not name:`."""
    return any(
        isinstance(test, ast.UnaryOp)
        and isinstance(test.op, ast.Not)
        and last_name(test.operand) == name
        for test in _tests_of(node, function)
    )


def _tests_of(node: ast.expr | ast.stmt, function: FunctionRef) -> Iterator[ast.expr]:
    for branch in walk(function.site.node):
        if isinstance(branch, ast.If):
            last = branch.body[-1].end_lineno or 0
            if branch.body[0].lineno <= node.lineno <= last:
                yield branch.test


def _is_for_all(write: ast.AST, function: FunctionRef) -> bool:
    """Return whether a write stands under no condition, and each kept opinion went through it."""
    line = getattr(write, "lineno", 0)
    added: list[ast.expr] = []
    for node in walk(function.site.node):
        if isinstance(node, ast.If) and node.lineno <= line <= (node.end_lineno or 0):
            return False
        if _is_added(node) and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_list = not OPINIONS.isdisjoint(words_of(last_name(node.func.value)))
            added += node.args[:1] if is_list else []
    return len(added) <= MOST_PLACES and all(_holds(item, write, function) for item in added)


def _holds(added: ast.expr, write: ast.AST, function: FunctionRef) -> bool:
    if isinstance(write, ast.Assign) and isinstance(write.targets[0], ast.Attribute):
        return last_name(added) == last_name(write.targets[0].value)
    values = [added, *assigned_values(function.site, last_name(added))]
    return any(node is write for value in values for node in walk(value))
