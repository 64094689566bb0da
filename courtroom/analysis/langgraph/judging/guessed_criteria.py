"""Criteria whose id the judges' model has to guess, though the Chief Justice joins opinions by it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.prompt_inputs import RUBRIC, PromptReader
from courtroom.analysis.langgraph.judging.refused_values import CRITERION, sets_criterion
from courtroom.analysis.langgraph.judging.structured_calls import (
    classes_of,
    is_model_call,
    structured_calls,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place, joined
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import (
    constant_text,
    last_name,
    line_of_call,
    walk,
    words_of,
)


def guessed_criteria(call_graph: CallGraph, layers: Layers) -> Iterator[FlowFault]:
    """Yield the judges whose requests name no id of a criterion, where answers must give one.

    Nothing is said where a judge's code sets the id, or hands a criterion on as a whole, nor where
    a prompt speaks of the field.
    """
    join = next(_joins(layers.justice), None)
    if join is None or not _asks_for_criterion(call_graph):
        return
    rows: list[tuple[str, Place]] = []
    for name, node in layers.nodes.items():
        if layers.roles[name] != "judge":
            continue
        functions = call_graph.reachable_from([node])
        requests = [
            (function, call)
            for function in functions
            for call in walk(function.site.node)
            if is_model_call(call)
        ]
        if not requests or any(map(_tells_criterion, functions)):
            return
        reader = PromptReader(call_graph, node, functions)
        inputs = [reader.inputs_of(call, function) for function, call in requests]
        texts = (text for row in inputs for text in row.texts)
        if any(row.has_id or row.gap for row in inputs) or any(CRITERION in t for t in texts):
            return
        function, call = requests[0]
        rows.append((name, (function.source.path, line_of_call(call))))
    if rows:
        (path, line), *places = [place for _, place in rows]
        which = joined([name for name, _ in rows])
        sentence = (
            f"No request of {which} names the id of the criterion, which the model has to answer as"
            f" `{CRITERION}`: {join[0]} joins opinions by it, so one under another id is lost"
        )
        yield FlowFault("guessed_criterion", sentence, path, line, join[1], places=tuple(places))


def _joins(justice: Iterable[FunctionRef]) -> Iterator[tuple[str, Place]]:
    """Yield where the Chief Justice's code compares the criterion of an opinion."""
    for function in justice:
        for node in walk(function.site.node):
            if isinstance(node, ast.Compare) and any(
                isinstance(part, ast.Attribute) and part.attr == CRITERION
                for part in (node.left, *node.comparators)
            ):
                yield function.shown_name, (function.source.path, node.lineno)


def _asks_for_criterion(call_graph: CallGraph) -> bool:
    """Return true where a schema that a model is bound to has the id of a criterion."""
    symbols = call_graph.symbols
    return any(
        CRITERION in symbols.field_names(site.source, site.node)
        for call in structured_calls(symbols)
        for site in classes_of(call, symbols)
    )


def _tells_criterion(function: FunctionRef) -> bool:
    """Return true for code that sets or speaks of the id, or hands on a criterion as a whole."""
    nodes = list(walk(function.site.node))
    texts = (constant_text(node) or "" for node in nodes)
    if sets_criterion(function.site.node) or any(CRITERION in t.split() for t in texts if " " in t):
        return True
    owners = {id(node.value) for node in nodes if isinstance(node, ast.Attribute | ast.Subscript)}
    return any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and id(node) not in owners
        and not RUBRIC.isdisjoint(words_of(last_name(node)))
        and "id" not in words_of(node.id)
        for node in nodes
    )
