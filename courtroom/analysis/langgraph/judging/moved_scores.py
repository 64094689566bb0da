"""Scores of a judge's model that the judge's code lowers or raises after the answer."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.score_changes import Assignments, assignments_in
from courtroom.analysis.langgraph.judging.structured_calls import model_calls
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

SCORE = "score"
# Bounds of the scale: they hold a score inside it, and move none that is.
LOWEST, HIGHEST = 1, 5
LONGEST_QUOTE = 80
LOOKUPS = frozenset({"get", "getattr", "pop"})


def moved_scores(call_graph: CallGraph, layers: Layers) -> Iterator[FlowFault]:
    """Yield the functions of judges that change the score of the model's answer.

    A score that the code chose itself is none of the model's, and one that is held inside the
    scale is not changed.
    """
    deciding = {function.key for function in layers.justice}
    judges = [function for function in layers.judges if function.key not in deciding]
    if not any(model_calls(judges)):
        return
    for function in judges:
        assigned = assignments_in(function.site.node)
        dead = _behind_falsified(function.site.node)
        changes = [
            (statement, move)
            for statement in walk(function.site.node)
            if isinstance(statement, ast.Assign | ast.AugAssign)
            and id(statement) not in dead
            and (move := _move(statement))
            and _is_of_answer(_target(statement), function, assigned, call_graph)
        ]
        if changes:
            verbs = dict.fromkeys(move for _, move in changes)
            first = ast.unparse(changes[0][0])
            quote = f" (`{first}`)" if len(first) <= LONGEST_QUOTE else ""
            sentence = (
                f"{function.shown_name}() may {' and '.join(verbs)} the score that the model gave"
                f"{quote}"
            )
            lines = [statement.lineno for statement, _ in changes]
            path = function.source.path
            places = tuple((path, line) for line in lines[1:])
            yield FlowFault("moved_score", sentence, path, lines[0], places=places)


def _behind_falsified(function: ast.AST) -> set[int]:
    """Return ids of the nodes under a test that a branch of the same test has made false before.

    `if not op.cited: op.cited = [first]` and then `if not op.cited: ...`.
    """
    blocks = (getattr(node, "body", None) for node in walk(function))
    return {
        id(inner)
        for block in blocks
        if isinstance(block, list)
        for place, later in enumerate(block)
        if isinstance(later, ast.If)
        and any(_falsifies(block[at], block[at + 1 : place], later) for at in range(place))
        for statement in later.body
        for inner in walk(statement)
    }


def _falsifies(earlier: ast.stmt, between: Sequence[ast.stmt], later: ast.If) -> bool:
    if not isinstance(earlier, ast.If) or ast.dump(earlier.test) != ast.dump(later.test):
        return False
    test = later.test
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    denied = {
        ast.unparse(part.operand)
        for part in parts
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)
    }
    filled = {
        ast.unparse(statement.targets[0])
        for statement in earlier.body
        if isinstance(statement, ast.Assign)
        if isinstance(statement.value, ast.List) and statement.value.elts
    }
    read = {ast.unparse(n) for n in walk(test) if isinstance(n, ast.Name | ast.Attribute)}
    changed = {
        ast.unparse(n)
        for statement in (*earlier.orelse, *between)
        for n in walk(statement)
        if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Store)
    }
    return bool(denied & filled) and not read & changed


def _target(statement: ast.Assign | ast.AugAssign) -> ast.expr:
    return statement.targets[0] if isinstance(statement, ast.Assign) else statement.target


def _move(statement: ast.Assign | ast.AugAssign) -> str:
    """Return the verb for what a statement does to a score; "" where it does nothing to one."""
    target = _target(statement)
    if SCORE not in words_of(last_name(target)):
        return ""
    if isinstance(statement, ast.AugAssign):
        return _of_step(statement.op, statement.value)
    own = ast.unparse(target)
    value = statement.value
    if isinstance(value, ast.BinOp) and ast.unparse(value.left) == own:
        return _of_step(value.op, value.right)
    if not isinstance(value, ast.Call) or called_name(value) not in {"min", "max"}:
        return ""
    for argument in value.args:
        if isinstance(argument, ast.BinOp) and ast.unparse(argument.left) == own:
            return _of_step(argument.op, argument.right)
    bounds = [a.value for a in value.args if isinstance(a, ast.Constant)]
    texts = {ast.unparse(argument) for argument in value.args}
    is_inside = len(bounds) == 1 and _is_inside(bounds[0])
    if not is_inside or texts.isdisjoint({own, f"int({own})", f"float({own})"}):
        return ""
    return "lower" if called_name(value) == "min" else "raise"


def _is_inside(bound: object) -> bool:
    return isinstance(bound, int | float) and LOWEST < bound < HIGHEST


def _of_step(operator: ast.operator, step: ast.expr) -> str:
    if isinstance(step, ast.Constant) and isinstance(step.value, str):
        return ""
    return {ast.Sub: "lower", ast.Add: "raise"}.get(type(operator), "")


def _is_of_answer(
    target: ast.expr, function: FunctionRef, assigned: Assignments, call_graph: CallGraph
) -> bool:
    """Return true for the field of an opinion, and for a name that holds the score of an answer."""
    if not isinstance(target, ast.Name):
        return isinstance(target, ast.Attribute) and target.attr == SCORE
    values = assigned.get(target.id, [])
    names = [target.id, *(value.id for value in values if isinstance(value, ast.Name))]
    passed = [
        argument_of(call.node, name, function)
        for name in names
        if name in parameter_names(function)
        for _, call in call_graph.calls_by_name.get(function.name, ())
    ]
    return any(map(_reads_score, [*values, *filter(None, passed)]))


def _reads_score(value: ast.expr) -> bool:
    """Return true for `answer.get("score")`, `answer["score"]` and `answer.score`."""
    for node in walk(value):
        if isinstance(node, ast.Attribute) and node.attr == SCORE:
            return True
        if isinstance(node, ast.Subscript) and constant_text(node.slice) == SCORE:
            return True
        if (
            isinstance(node, ast.Call)
            and called_name(node) in LOOKUPS
            and any(constant_text(part) == SCORE for part in node.args[:2])
        ):
            return True
    return False
