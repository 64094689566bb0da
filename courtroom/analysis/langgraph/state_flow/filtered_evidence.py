"""Evidence that judges pick by its goal, and criteria for which no goal that is written passes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.state_flow.condition_values import key_of
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, FlowReading, listed
from courtroom.analysis.langgraph.state_flow.left_out_criteria import (
    RUBRIC_WORDS,
    Criterion,
    LoopReader,
    criterion_key,
    judging_loops,
    rubrics_in,
    words_in,
)
from courtroom.analysis.langgraph.state_flow.possible_goals import GOAL
from courtroom.analysis.project.unjudged_criteria import rubrics_of
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, constant_text, last_name, walk

KIND = "unshown_evidence"


def filtered_evidence(
    symbols: SymbolTable, call_graph: CallGraph, layers: Layers, reading: FlowReading
) -> None:
    """Add the criteria for which no evidence passes, and leave open what was not established."""
    rubrics = rubrics_in(rubrics_of(symbols.codebase))
    path, criteria = next(iter(rubrics.items())) if len(rubrics) == 1 else ("", [])
    judges = [node for name, node in layers.nodes.items() if layers.roles[name] == "judge"]
    functions = {f.key: f for node in judges for f in call_graph.reachable_from([node])}
    inner = {id(node) for f in functions.values() for node in _inner_functions(f)}
    for function in functions.values():
        if id(function.site.node) in inner:
            continue  # read with the function around it
        tests = [test for test in _tests(function) if not _is_written(test)]
        if _falls_back(function):
            continue
        loops = list(judging_loops(function))
        lists = [
            (LoopReader(symbols, function, loop), loop, name)
            for loop in loops
            for name in _lists_in(loop)
        ]
        picked = [row for row in lists if row[0].tests_into(row[2])]
        faults = [f for row in picked for f in _faults(*row, path, criteria)]
        reading.add(faults)
        if tests and not (faults or any(reader.has_goals for reader, *_ in picked)):
            place = f"{function.source.path}:{tests[0].lineno}"
            test = ast.unparse(tests[0])
            reason = f"{place}: it was not established which evidence passes the test `{test}`"
            reading.leave_open((KIND,), reason)


def _inner_functions(function: FunctionRef) -> Iterator[ast.AST]:
    for node in walk(function.site.node):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and node is not function.site.node:
            yield node


def _tests(function: FunctionRef) -> Iterator[ast.Compare]:
    """Yield the comparisons with a goal of a piece of evidence: `criterion_id in item.goal`."""
    tree = function.site.node
    names = {
        last_name(node.targets[0])
        for node in walk(tree)
        if isinstance(node, ast.Assign) and _is_goal(node.value)
    }
    for node in walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.Eq):
            sides = node.left, node.comparators[0]
            if any(_is_goal(p) or last_name(p) in names - {""} for s in sides for p in walk(s)):
                yield node


def _falls_back(function: FunctionRef) -> bool:
    """Return true for `picked or evidences`: where nothing passes, all is shown."""
    tree = function.site.node
    lists = set(_lists_in(tree))
    return any(
        isinstance(node, ast.BoolOp)
        and isinstance(node.op, ast.Or)
        and isinstance(node.values[0], ast.Name)
        and isinstance(node.values[-1], ast.Name)
        and node.values[0].id in lists
        for node in walk(tree)
    )


def _is_goal(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and called_name(node) == "getattr" and len(node.args) > 1:
        return constant_text(node.args[1]) == GOAL
    key = key_of(node) if isinstance(node, ast.expr) else None
    return key is not None and key[0] == GOAL


def _is_written(test: ast.Compare) -> bool:
    """Return true for a comparison with a written text: which goals have it is read elsewhere."""
    return any(constant_text(side) is not None for side in (test.left, test.comparators[0]))


def _lists_in(loop: ast.AST) -> list[str]:
    names = (
        last_name(target)
        for node in walk(loop)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.ListComp)
        for target in node.targets
    )
    return [*dict.fromkeys(filter(None, names))]


def _faults(
    reader: LoopReader,
    loop: ast.For | ast.AsyncFor,
    name: str,
    path: str,
    criteria: Sequence[Criterion],
) -> Iterator[FlowFault]:
    if not isinstance(loop.target, ast.Name) or RUBRIC_WORDS.isdisjoint(words_in(loop.iter)):
        return
    rows: list[Mapping[str, object]] = [{loop.target.id: criterion} for criterion in criteria]
    without = [
        criterion_key(criterion)
        for criterion, names in zip(criteria, rows, strict=True)
        if reader.is_empty(name, names) and reader.run(loop.body, names) is None
    ]
    if without:
        (test, *_), *_ = reader.tests_into(name)
        sentence = (
            f"{reader.function.shown_name} shows no evidence on {len(without)} of the"
            f" {len(criteria)} criteria of {path} ({listed(without)}): no goal that is written"
            " passes this test"
        )
        yield FlowFault(KIND, sentence, reader.function.source.path, test.lineno)
