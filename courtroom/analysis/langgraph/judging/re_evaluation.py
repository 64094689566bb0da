"""Second looks at scores that lie far apart: calls, nodes and loops that read or ask again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from courtroom.analysis.langgraph.graph_values import Route
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.rule_inputs import InputReader
from courtroom.analysis.langgraph.judging.rule_words import (
    CERTAIN_SPREAD,
    EVIDENCE,
    JUDGED,
    SPREAD,
)
from courtroom.analysis.langgraph.judging.score_changes import (
    ChangeReader,
    assignments_in,
    is_score_name,
    names_never_read,
    words_in,
)
from courtroom.analysis.langgraph.judging.structured_calls import MODEL_METHODS
from courtroom.analysis.langgraph.routers import vocabulary
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    line_of_text,
    walk,
    words_of,
)

RE_EVALUATION_PREFIXES = tuple(
    words_of(
        """reeval reexam recheck reassess revisit rehear reconsider rejudge reinvestigat redeliberat
        mediat debat deliberat"""
    )
)
# The same after a separate "re": re_evaluate has the words "re" and "evaluate".
PREFIXES_AFTER_RE = tuple(
    words_of("eval exam check assess visit hear consider judge investigat deliberat")
)
# What a text says was done, with the words before it in its clause.
_TOLD = re.compile(
    r"\b[^.;:!?\n|]{0,60}\bre-?(?:evaluat|examin|assess|consider|review)ed\b(?:[^.;:!?\n|]{0,40}\b)?"
    r"|\bre-?(?:evaluation|examination|assessment|hearing) (?:rules? )?(?:was |were |has been )?"
    r"(?:applied|performed|done|conducted|completed|carried out|triggered(?! (?:if|when|by)\b))\b"
    r"|\b[^.;:!?\n|]{0,60}\btriggered (?:\w+ ){0,2}re-?(?:evaluation|examination|assessment)\b"
    # Within a sentence, what follows a second look may be a demand.
    r"|(?<![\w,] )\bafter (?:\w+ ){0,2}re-?(?:evaluation|examination|assessment)\b",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:not|never|no|should|must|needs?|may|might|could|can|to|will|if|when|unless) (?:\w+ ){0,3}"
    r"re-?(?:evaluat|examin|assess|consider|review)",
    re.IGNORECASE,
)
LOGGING = frozenset({"print", "debug", "info", "warning", "error"})
MAX_TEXT = 2000
REMOVALS = frozenset({"remove", "pop", "discard"})


def re_evaluations(
    call_graph: CallGraph, functions: list[FunctionRef]
) -> Iterator[tuple[FunctionRef, int]]:
    """Yield calls, under a test of the spread, of code that re-reads evidence or asks a model."""
    by_name = {function.name: function for function in functions}
    reader = ChangeReader(functions)

    for function in functions:
        assigned = assignments_in(function.site.node)
        for node in walk(function.site.node):
            if not isinstance(node, ast.If):
                continue
            if not _tests_spread(reader.words_of_test(node.test, assigned)):
                continue
            for call in _calls_in(node.body):
                target = by_name.get(called_name(call))
                if target is not None and _is_re_evaluation(call_graph, target):
                    yield function, call.lineno
            calls = _weighings(node, by_name)
            yield from ((function, c.lineno) for c in calls if _is_only_call(c, function))
            if reader.words_of_test(node.test, assigned) & CERTAIN_SPREAD:
                inputs = InputReader(by_name)
                yield from ((function, line) for line in _left_out(node.body, inputs, function))


def _weighings(rule: ast.If, by_name: dict[str, FunctionRef]) -> Iterator[ast.Call]:
    """Yield calls by which a test of the spread gets its score from a function that asks evidence."""
    if not words_in(rule.test) & CERTAIN_SPREAD:
        return
    inputs = InputReader(by_name)
    for statement in rule.body:
        call = statement.value if isinstance(statement, ast.Assign | ast.Return) else None
        target = by_name.get(called_name(call)) if isinstance(call, ast.Call) else None
        is_score = isinstance(statement, ast.Return) or (
            isinstance(statement, ast.Assign) and any(map(is_score_name, statement.targets))
        )
        if target is None or not is_score or not isinstance(call, ast.Call):
            continue
        tests = [node.test for node in walk(target.site.node) if isinstance(node, ast.If)]
        if inputs.reads_evidence(tests, target):
            yield call


def _left_out(
    body: Iterable[ast.stmt], inputs: InputReader, function: FunctionRef, *, is_asked: bool = False
) -> Iterator[int]:
    """Yield the lines that take a judge, an opinion or a score out of a list by what evidence says."""
    for statement in body:
        if isinstance(statement, ast.If):
            asks = is_asked or inputs.reads_passed_evidence([statement.test], function)
            yield from _left_out(statement.body, inputs, function, is_asked=asks)
            yield from _left_out(statement.orelse, inputs, function, is_asked=asks)
        elif isinstance(statement, ast.For):
            yield from _left_out(statement.body, inputs, function, is_asked=is_asked)
        elif is_asked and _takes_out(statement):
            yield statement.lineno


def _takes_out(statement: ast.stmt) -> bool:
    """Return true for `valid_judges.remove(outlier)`, `scores.pop(judge)` and `del scores[judge]`."""
    if isinstance(statement, ast.Delete):
        holders = [t.value for t in statement.targets if isinstance(t, ast.Subscript)]
    else:
        call = statement.value if isinstance(statement, ast.Expr) else None
        is_removal = isinstance(call, ast.Call) and called_name(call) in REMOVALS
        holder = getattr(call.func, "value", None) if isinstance(call, ast.Call) else None
        holders = [holder] if is_removal and holder is not None else []
    return any(JUDGED.intersection(words_in(holder)) for holder in holders)


def writes_text_alone(
    function: FunctionRef, line: int, functions: Mapping[str, FunctionRef]
) -> bool:
    """Return whether the second look at a line is a call that gives a text: `dissent = recheck(p)`."""
    calls = (
        node.value
        for node in walk(function.site.node)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.lineno == line
    )
    callee = next((functions.get(called_name(call)) for call in calls), None)
    return_type = callee.site.node.returns if callee else None
    return return_type is not None and last_name(return_type) == "str"


def _is_only_call(call: ast.Call, function: FunctionRef) -> bool:
    """Return true where a function's score comes in no other way from what it calls here."""
    calls = [inner for inner in walk(function.site.node) if isinstance(inner, ast.Call)]
    return [called_name(inner) for inner in calls].count(called_name(call)) == 1


def _tests_spread(words: frozenset[str]) -> bool:
    return bool(words & SPREAD) or _names_re_evaluation(words) or {"max", "min"} <= words


def _calls_in(body: list[ast.stmt]) -> Iterator[ast.Call]:
    for statement in body:
        for node in walk(statement):
            if isinstance(node, ast.Call):
                yield node


def _names_re_evaluation(words: Iterable[str]) -> bool:
    """Return true for re_evaluate, reconsider, mediation, debate; score_check is none of them."""
    unique = set(words)
    return any(word.startswith(RE_EVALUATION_PREFIXES) for word in unique) or (
        "re" in unique and any(word.startswith(PREFIXES_AFTER_RE) for word in unique)
    )


def _is_re_evaluation(call_graph: CallGraph, function: FunctionRef) -> bool:
    """Return true when the name says so, and the code asks a model or reads evidence."""
    if not _names_re_evaluation(words_of(function.name)):
        return False
    reached = call_graph.reachable_from([function])
    asks_model = any(
        called_name(call) in MODEL_METHODS
        for other in reached
        for call in _calls_in(other.site.node.body)
    )
    return asks_model or any(vocabulary(other.site.node) & EVIDENCE for other in reached)


def loops_to_judges(
    call_graph: CallGraph, layers: Layers, graph: GraphReading
) -> Iterator[tuple[FunctionRef, int]]:
    """Yield judges to which the graph goes back when the scores lie far apart."""
    steps: dict[str, set[str]] = {}
    for start, end in graph.builder.edges if graph.builder else ():
        steps.setdefault(start, set()).add(end)
    for route in graph.routes:
        steps.setdefault(route.start, set()).update(route.targets)

    # In the loop, the route that leaves the Chief Justice decides on the scores.
    by_start = sorted(graph.routes, key=lambda route: layers.roles.get(route.start) != "justice")
    for route in by_start:
        words = route.words | _words_of_router(call_graph, route)
        if not words & SPREAD and not _names_re_evaluation(words):
            continue
        for target in route.targets:
            way = _reachable(steps, target)
            judges = [name for name in sorted(way) if layers.roles.get(name) == "judge"]
            if route.start in way and judges and route.start not in judges:
                yield _place_of(call_graph, route, layers.nodes[judges[0]])


def _place_of(call_graph: CallGraph, route: Route, judge: FunctionRef) -> tuple[FunctionRef, int]:
    """Return the line of a route in its function; that of the judge where it stands in none."""
    source = call_graph.symbols.codebase.files.get(route.path)
    if source is not None:
        for site in source.functions:
            if site.node.lineno <= route.line <= (site.node.end_lineno or 0):
                return FunctionRef(source, site), route.line
    return judge, judge.site.node.lineno


def _words_of_router(call_graph: CallGraph, route: Route) -> frozenset[str]:
    """Return the words of a router's function and of those that it calls."""
    source = call_graph.symbols.codebase.files.get(route.path)
    names = {
        last_name(argument)
        for site in (source.calls if source else ())
        if site.node.lineno <= route.line <= (site.node.end_lineno or 0)
        for argument in (*site.node.args, *(keyword.value for keyword in site.node.keywords))
    }
    routers = [
        FunctionRef(*entry)
        for name in sorted(names - {""})
        for entry in call_graph.symbols.functions_by_name.get(name, [])
    ]
    reached = call_graph.reachable_from(routers)
    return frozenset().union(*(vocabulary(function.site.node) for function in reached))


def claimed_re_evaluations(
    functions: Iterable[FunctionRef],
) -> Iterator[tuple[FunctionRef, int, str]]:
    """Yield texts, for a reader of the report, that say that something was looked at again."""
    for function in functions:
        unread = names_never_read(function.site.node)
        apart = {
            id(part)
            for node in walk(function.site.node)
            for part in (*_unread_parts(node), *_kept_in(node, unread))
        }
        for node in walk(function.site.node):
            text = constant_text(node)
            match = _TOLD.search(text[:MAX_TEXT]) if text and id(node) not in apart else None
            if match and not _NOT_DONE.search(match[0]):
                phrase = " ".join(match[0].split())
                yield function, line_of_text(function.source.text, node, phrase), phrase


def _unread_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of docstrings, and of what is logged or printed."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        first = node.body[0]
        yield from walk(first) if isinstance(first, ast.Expr) else ()
    elif isinstance(node, ast.Call) and (called_name(node) in LOGGING or _is_logger(node.func)):
        yield from walk(node)


def _kept_in(node: ast.AST, names: frozenset[str]) -> Iterator[ast.AST]:
    """Yield the parts of what is kept under one of these names."""
    if isinstance(node, ast.Assign) and all(last_name(target) in names for target in node.targets):
        yield from walk(node.value)


def _is_logger(function: ast.expr) -> bool:
    owner = function.value if isinstance(function, ast.Attribute) else None
    return owner is not None and bool({"log", "logger", "logging"} & {*words_of(last_name(owner))})


def _reachable(steps: Mapping[str, set[str]], start: str) -> set[str]:
    reached, queue = {start}, [start]
    while queue:
        further = steps.get(queue.pop(), set()) - reached
        reached |= further
        queue += further
    return reached


def re_evaluation_routes(
    layers: Layers, routes: Iterable[Route]
) -> Iterator[tuple[FunctionRef, int]]:
    """Yield nodes for re-evaluation to which the graph routes widely spread scores."""
    for route in routes:
        if not route.words & SPREAD and not _names_re_evaluation(route.words):
            continue
        for target in route.targets:
            function = layers.nodes.get(target)
            if (
                function is not None
                and function not in layers.justice
                and _names_re_evaluation(words_of(f"{target} {function.name}"))
            ):
                yield function, function.site.node.lineno
