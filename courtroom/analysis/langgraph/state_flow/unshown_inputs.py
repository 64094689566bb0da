"""Requests to the judges' model that hold no evidence, or nothing that the rubric says."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.blank_texts import TEXTS
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.prompt_inputs import (
    PromptInputs,
    PromptReader,
)
from courtroom.analysis.langgraph.judging.structured_calls import (
    is_model_call,
    model_name,
    structured_calls,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import (
    FlowFault,
    FlowReading,
    Place,
    listed,
)
from courtroom.analysis.project.unjudged_criteria import criteria_of, rubrics_of
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    constant_text,
    fields_of,
    last_name,
    line_of_call,
    walk,
    words_of,
)

EVIDENCE, RUBRIC = "unshown_evidence", "unshown_rubric"
# Words beside those of a text in a key of a criterion; `total_patterns` is a number.
OF_TEXTS = frozenset(
    words_of("forensic success failure judicial evaluation scoring criterion rubric text")
)
# Criteria that a text names which is about more than one.
MANY_CRITERIA = 2


@dataclass(frozen=True, slots=True)
class _Request:
    judge: str
    place: Place
    inputs: PromptInputs


def unshown_inputs(call_graph: CallGraph, layers: Layers, reading: FlowReading) -> None:
    """Add the judges whose every request lacks evidence, or the rubric's words on the criterion.

    Another node that binds a model to the judges' schema writes opinions too, and needs evidence.
    """
    judges = {name: node for name, node in layers.nodes.items() if layers.roles[name] == "judge"}
    if not judges:
        reading.leave_open((EVIDENCE, RUBRIC), "no node of a judge is known")
    without: dict[str, list[_Request]] = {EVIDENCE: [], RUBRIC: []}
    gap = _rubric_gap(call_graph.symbols)
    for name, node in judges.items():
        functions = call_graph.reachable_from([node])
        requests = list(_requests(name, PromptReader(call_graph, node, functions)))
        if not requests and model_name(functions):
            reason = f"what the judge {name} tells its model could not be followed"
            reading.leave_open((EVIDENCE, RUBRIC), reason)
        if requests and not any(request.inputs.has_evidence for request in requests):
            _sort(EVIDENCE, requests, "", without, reading)
        if any(request.inputs.has_rubric for request in requests):
            continue
        if any(_has_own_texts(call_graph.symbols, request.inputs) for request in requests):
            reason = (
                f"what {name} tells its model names most criteria in texts of its own, and takes"
                " none of the rubric's"
            )
            reading.leave_open((RUBRIC,), reason)
        elif requests:
            _sort(RUBRIC, requests, gap, without, reading)
    for name, node, own in _judging_beside(call_graph, layers, judges):
        requests = list(_requests(name, PromptReader(call_graph, node, own)))
        if requests and not any(request.inputs.has_evidence for request in requests):
            _sort(EVIDENCE, requests, "", without, reading)
    reading.add(_fault(kind, rows) for kind, rows in without.items() if rows)


def _judging_beside(
    call_graph: CallGraph, layers: Layers, judges: Mapping[str, FunctionRef]
) -> Iterator[tuple[str, FunctionRef, list[FunctionRef]]]:
    """Yield other nodes that write opinions, with their functions that bind a judge's schema."""
    calls = structured_calls(call_graph.symbols)
    by_judges = [call for call in calls if call.is_in(layers.judges)]
    schemas = {call.schema for call in by_judges} - {""}
    bound = [call for call in calls if call.schema in schemas and call not in by_judges]
    for name, node in layers.nodes.items():
        reached = call_graph.reachable_from([node]) if name not in judges and bound else []
        own = [function for function in reached if any(call.is_in([function]) for call in bound)]
        if own:
            yield name, node, own


def _requests(judge: str, reader: PromptReader) -> Iterator[_Request]:
    for function in reader.functions:
        if reader.is_mistaken(function):
            continue
        for node in walk(function.site.node):
            if is_model_call(node):
                place = function.source.path, line_of_call(node)
                yield _Request(judge, place, reader.inputs_of(node, function))


def _sort(
    kind: str,
    requests: Sequence[_Request],
    gap: str,
    without: dict[str, list[_Request]],
    reading: FlowReading,
) -> None:
    """Keep the requests of a judge that lack something, unless a part of one is not known."""
    gap = next((request.inputs.gap for request in requests if request.inputs.gap), gap)
    if gap:
        reason = f"not all that {requests[0].judge} tells its model could be followed ({gap})"
        reading.leave_open((kind,), reason)
    else:
        without[kind] += requests


def _fault(kind: str, requests: Sequence[_Request]) -> FlowFault:
    judges = list(dict.fromkeys(request.judge for request in requests))
    (path, line), *further = dict.fromkeys(request.place for request in requests)
    is_one = len(judges) == 1
    holds = f"the request{'' if is_one else 's'} of {listed(judges)} to a model hold{'s' if is_one else ''}"
    if kind == EVIDENCE:
        sentence = f"{holds} nothing that a detective found"
    elif any(request.inputs.has_criterion for request in requests):
        sentence = f"{holds} the criterion's name and nothing else of the rubric"
    else:
        sentence = f"{holds} nothing of the rubric"
    return FlowFault(kind, sentence, path, line, places=tuple(further))


def _has_own_texts(symbols: SymbolTable, inputs: PromptInputs) -> bool:
    """Return true where a request has texts of the code's own on two criteria, and on most of them."""
    text = " ".join(" ".join(words_of(text)) for text in (*inputs.texts, *inputs.keys))
    rows = list(_criteria(symbols))
    named = sum(any(key in text for key in keys) for keys in rows)
    return named >= MANY_CRITERIA and 2 * named > len(rows)


def _criteria(symbols: SymbolTable) -> Iterator[set[str]]:
    for text in rubrics_of(symbols.codebase).values():
        for criterion in criteria_of(text):
            yield {" ".join(words_of(key)) for key in criterion.keys}


def _rubric_gap(symbols: SymbolTable) -> str:
    """Return why a request may hold a text of the rubric that does not come from there."""
    if not any(_criteria(symbols)):
        return "no rubric in JSON was recognised"
    for source in symbols.codebase.production:
        for site in source.calls:
            fields = fields_of(site.node)
            if "found" in fields and any(map(_holds_text, fields.values())):
                return f"evidence holds a text of the rubric at {source.path}:{site.node.lineno}"
    return ""


def _holds_text(value: ast.expr) -> bool:
    """Return true for `dimension["forensic_instruction"]` and `rubric.success_pattern`."""
    names = (constant_text(node) or last_name(node) for node in walk(value))
    words = (set(words_of(name)) for name in names if name.isidentifier() and not name.isupper())
    return any(some & TEXTS and some <= TEXTS | OF_TEXTS for some in words)
