"""Lines of detectives that report evidence as found without depending on what was examined."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.langgraph.access_guards import (
    CRITERIA,
    DEFINITIONS,
    NO_GUARDS,
    AccessGuards,
    guards_of,
)
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.search_gaps import reading_gap
from courtroom.analysis.langgraph.routers import vocabulary
from courtroom.analysis.locations import shown
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    push_children,
    walk,
    words_of,
)

# Values that only sometimes are computed.
CONDITIONAL_VALUES = (
    ast.IfExp,
    ast.BoolOp,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
)
BLOCKS = (ast.Try, ast.TryStar, ast.While, ast.Match)
# Fields that hold what was seen; a goal and a rationale may come from the rubric.
SHOWN_FIELDS = ("content", "location")
SAID_FIELDS = ("content", "rationale")
# Words of code that reports something to the judges.
REPORTED = frozenset(words_of("evidence evidences finding findings found"))
# Words of the name of a detective that looks at pictures.
PICTURES = frozenset(words_of("vision visual image images picture pictures diagram diagrams"))
# By these a text says that what it is about was not looked at.
NO_LOOK = frozenset({"unavailable", "deferred", "placeholder", "pending"})
# What was examined where evidence says that the work was reached.
REACHED = frozenset(words_of("cloned downloaded fetched accessible reachable"))
# Calls that look at nothing: of the state, or of what they are given.
PLAIN_CALLS = frozenset({"get", "str", "len", "list", "dict", "join", "format", "setdefault"})
FILLING = frozenset({"append", "extend"})

Nodes = Iterator[tuple[ast.AST, bool]]


@dataclass(frozen=True, slots=True)
class AssumedEvidence:
    """Evidence with `found=True` and a written `confidence`, or none, at `line` of the function."""

    function: FunctionRef
    line: int
    confidence: str


def always_found(
    call_graph: CallGraph, layers: Layers, *, on_pictures: bool = False
) -> tuple[list[dict[str, Any]], str]:
    """Return the detectives' assumed evidence as facts, and why the search is incomplete or "".

    With `on_pictures` it is that of the detectives that look at pictures alone, else of the others.
    """
    names = [name for name, role in layers.roles.items() if role == "detective"]
    of_pictures = [name for name in names if not PICTURES.isdisjoint(words_of(name))]
    other_detectives = [layers.nodes[name] for name in names if name not in of_pictures]
    elsewhere = {function.key for function in call_graph.reachable_from(other_detectives)}
    detectives = [layers.nodes[name] for name in of_pictures] if on_pictures else other_detectives
    reached = [
        function
        for function in call_graph.reachable_from(detectives)
        if not on_pictures or function.key not in elsewhere
    ]
    rows = [
        shown(text, (function.source.path, line))
        for text, function, line in _statements(call_graph, detectives, reached)
    ]
    return rows, _gap(call_graph, layers)


def found_in_any_clone(call_graph: CallGraph, layers: Layers) -> tuple[list[dict[str, Any]], str]:
    """Return evidence that hangs only on whether there is a work to read; detectives for pictures
    apart. The second value says why the search is incomplete, or "".
    """
    detectives = [
        layers.nodes[name]
        for name, role in layers.roles.items()
        if role == "detective" and PICTURES.isdisjoint(words_of(name))
    ]
    always = {(item.function.key, item.line) for item in assumed_evidence(call_graph, detectives)}
    rows = [
        shown(
            f"{item.function.shown_name} reports evidence with found=True{_written(item)} written in"
            " the code, wherever there is a work to read; nothing that was examined in it leads to it.",
            (item.function.source.path, item.line),
        )
        for item in assumed_evidence(call_graph, detectives, is_read=True)
        if (item.function.key, item.line) not in always
    ]
    return rows, _gap(call_graph, layers)


def _written(item: AssumedEvidence) -> str:
    return f" and confidence {item.confidence}, both" if item.confidence else ","


def _statements(
    call_graph: CallGraph, detectives: Sequence[FunctionRef], reached: Sequence[FunctionRef]
) -> Iterator[tuple[str, FunctionRef, int]]:
    """Yield what is said of each assumed evidence in the code that detectives reach, with its place."""
    keys = {function.key for function in reached}
    for item in assumed_evidence(call_graph, detectives):
        text = (
            f"{item.function.shown_name} reports evidence with found=True{_written(item)} written in the"
            " code; no condition on what was examined leads to it, and its content shows nothing of"
            " it."
        )
        if item.function.key in keys:
            yield text, item.function, item.line
    for function, line, word in unexamined_evidence(reached):
        text = "reports evidence with found=True whose own text says"
        yield f"{function.shown_name} {text} “{word}”.", function, line
    for function, line in turned_evidence(reached):
        text = "sets found=True on evidence that says it was not found."
        yield f"{function.shown_name} {text}", function, line


def _gap(call_graph: CallGraph, layers: Layers) -> str:
    """Return why the search for assumed evidence is incomplete, "" where it is not."""
    detectives = [layers.nodes[name] for name, role in layers.roles.items() if role == "detective"]
    if not detectives:
        return "no node of a detective was found"
    if layers.unfollowed.get("detective"):
        return f"the code of the node {layers.unfollowed['detective'][0]} could not be followed"
    reached = call_graph.reachable_from(detectives)
    if not any(vocabulary(function.site.node) & REPORTED for function in reached):
        return "the detectives report no evidence"
    return reading_gap(call_graph.symbols.codebase)


def unexamined_evidence(functions: Iterable[FunctionRef]) -> Iterator[tuple[FunctionRef, int, str]]:
    """Yield evidence with a written `found=True` whose text says that the look did not happen.

    Content with what a call gave, such as the number of pictures, shows that something was. A list
    as content is what it is filled with.
    """
    for function in functions:
        given = _given_names(function)
        for node in walk(function.site.node):
            fields = fields_of(node)
            is_found = fields.get("found")
            if not isinstance(is_found, ast.Constant) or is_found.value is not True:
                continue
            members = _members_of(fields.get("content"), function)
            texts = [fields[name] for name in SAID_FIELDS if name in fields] + members
            words = [word for text in texts for word in _written_words(text)]
            word = next((word for word in words if word in NO_LOOK), "")
            if (
                word
                and not any(_is_given(m, given) for m in members)
                and not _shows_a_result(node, given)
            ):
                yield function, getattr(node, "lineno", 1), word


def turned_evidence(functions: Iterable[FunctionRef]) -> Iterator[tuple[FunctionRef, int]]:
    """Yield `item.found = True` under `not item.found`, and the same of a key."""
    for function in functions:
        for node in walk(function.site.node):
            if not isinstance(node, ast.If):
                continue
            denied = {
                ast.unparse(part.operand)
                for part in _joined_tests(node.test)
                if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)
            }
            for statement in node.body if denied else ():
                if isinstance(statement, ast.Assign) and denied & _found_targets(statement):
                    yield function, statement.lineno


def _joined_tests(test: ast.expr) -> list[ast.expr]:
    is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return test.values if isinstance(test, ast.BoolOp) and is_and else [test]


def _found_targets(statement: ast.Assign) -> set[str]:
    """Return the targets that are named found and set to True, as they are written."""
    value = statement.value
    if not (isinstance(value, ast.Constant) and value.value is True):
        return set()
    targets = (t for t in statement.targets if isinstance(t, ast.Attribute | ast.Subscript))
    return {ast.unparse(t) for t in targets if _last_part(t) == "found"}


def _last_part(target: ast.Attribute | ast.Subscript) -> str | None:
    return target.attr if isinstance(target, ast.Attribute) else constant_text(target.slice)


def _members_of(content: ast.expr | None, function: FunctionRef) -> list[ast.expr]:
    """Return what a local list that is the content is filled with, one by one."""
    if not isinstance(content, ast.Name):
        return []
    return [
        node.args[0]
        for node in walk(function.site.node)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and len(node.args) == 1
        if node.func.attr == "append" and last_name(node.func.value) == content.id
    ]


def _written_words(text: ast.expr) -> list[str]:
    parts = (constant_text(inner) for inner in walk(text))
    return [word.strip(".,;:()") for part in parts if part for word in words_of(part)]


def assumed_evidence(
    call_graph: CallGraph, starts: Iterable[FunctionRef], *, is_read: bool = False
) -> Iterator[AssumedEvidence]:
    """Yield evidence in `starts`, and in what they always call, that no condition leads to.

    The choice of a criterion, by a test, a loop or a table of lambdas, counts as no condition. With
    `is_read` nor does that there is a work to read, unless the evidence says so.
    Evidence that shows what a call gave is none of it. A `try` around the evidence counts as a
    condition, since an exception may decide, but not where every text is written in the code.
    """
    visited: set[tuple[str, int]] = set()
    queue = list(starts)
    while queue:
        function = queue.pop(0)
        if function.key in visited:
            continue
        visited.add(function.key)
        always = list(
            _always(function.site.node.body, guards_of(function) if is_read else NO_GUARDS)
        )
        always += _chosen_lambdas(call_graph, function, always)
        given = _given_names(function)
        calls = {called_name(node) for node, _ in always if isinstance(node, ast.Call)}
        queue += [callee for callee in call_graph.callees(function) if callee.name in calls]
        for node, is_tried in always:
            confidence = _assumed_confidence(node)
            is_shown = _shows_a_result(node, given)
            if confidence is None or is_shown or (is_read and _says_reached(node)):
                continue
            if not (is_tried and _says_something_examined(node)):
                yield AssumedEvidence(function, getattr(node, "lineno", 1), confidence)


def _chosen_lambdas(
    call_graph: CallGraph, function: FunctionRef, always: Iterable[tuple[ast.AST, bool]]
) -> Nodes:
    """Yield what the lambdas of a module's table compute where one of them is always called."""
    statements = call_graph.symbols.top_level_names(function.source)
    for node, is_tried in always:
        called = node.func if isinstance(node, ast.Call) else None
        if not isinstance(called, ast.Subscript) or not isinstance(called.value, ast.Name):
            continue
        table = getattr(statements.get(called.value.id), "value", None)
        for option in table.values if isinstance(table, ast.Dict) else ():
            if isinstance(option, ast.Lambda):
                yield from ((inner, is_tried) for inner in _values(option.body))


def _given_names(function: FunctionRef) -> frozenset[str]:
    """Return the local names that hold what a call gave; reading the state is no look."""
    names: set[str] = set()
    count = -1
    # A list that is filled below the place of its reading in the tree needs a second walk.
    while len(names) > count:
        count = len(names)
        for node in walk(function.site.node):
            targets, value = _assigned(node)
            if isinstance(value, ast.Call) and called_name(value) == "enumerate":
                # The number of a round shows nothing.
                targets = [
                    t.elts[-1] if isinstance(t, ast.Tuple) and t.elts else t for t in targets
                ]
            if isinstance(value, ast.expr) and _is_given(value, names):
                named = (inner for target in targets if target for inner in walk(target))
                names |= {inner.id for inner in named if isinstance(inner, ast.Name)}
    return frozenset(names)


def _assigned(node: ast.AST) -> tuple[list[Any], ast.AST | None]:
    """Return the targets that the node fills, and with what: also a list by `append` or `extend`."""
    if isinstance(node, ast.With):
        return [item.optional_vars for item in node.items], node.items[0].context_expr
    if isinstance(node, ast.Assign):
        return node.targets, node.value
    filled = _filled(node)
    if isinstance(node, ast.Call) and filled:
        return [filled], node.args[0]
    value = getattr(node, "value", None) or getattr(node, "iter", None)
    return [getattr(node, "target", None)], value


def _filled(node: ast.AST) -> ast.Name | None:
    """Return the list of a call `list.append(member)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as filled, attr=word), args=[_]):
            return filled if word in FILLING else None
    return None


def _is_given(value: ast.expr, names: AbstractSet[str]) -> bool:
    return any(
        (isinstance(node, ast.Call) and called_name(node) not in PLAIN_CALLS)
        or (isinstance(node, ast.Name) and node.id in names)
        for node in walk(value)
    )


def _shows_a_result(node: ast.AST, given: AbstractSet[str]) -> bool:
    """Return whether the content holds what a call of the function gave."""
    content = fields_of(node).get("content")
    return content is not None and _is_given(content, given)


def _says_reached(node: ast.AST) -> bool:
    texts = (value for name, value in fields_of(node).items() if name in (*SAID_FIELDS, "goal"))
    return any(not REACHED.isdisjoint(_written_words(text)) for text in texts)


def _always(body: Iterable[ast.stmt], guards: AccessGuards, *, is_tried: bool = False) -> Nodes:
    """Yield the nodes that run however the conditions turn out, and whether a `try` is around."""
    for statement in body:
        if isinstance(statement, DEFINITIONS):
            continue
        yield from ((node, is_tried) for part in _heads(statement) for node in _values(part))
        is_tried_inside = is_tried or isinstance(statement, ast.Try)
        yield from _always(_bodies(statement, guards), guards, is_tried=is_tried_inside)
        # Code below runs only when no condition above leaves; the choice of a criterion may.
        if not _is_choice(statement, guards) and guards.may_leave(statement):
            return


def _heads(statement: ast.stmt) -> list[ast.AST]:
    """Return what a statement computes before its body, or the whole of a simple one."""
    if isinstance(statement, ast.If):
        return [statement.test]
    if isinstance(statement, ast.For | ast.AsyncFor):
        return [statement.iter]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.context_expr for item in statement.items]
    return [] if isinstance(statement, BLOCKS) else [statement]


def _bodies(statement: ast.stmt, guards: AccessGuards) -> list[ast.stmt]:
    """Return the statements inside that no condition but the choice of a criterion leads to."""
    if isinstance(statement, ast.If) and (
        _is_choice(statement, guards) or guards.is_guard(statement.test)
    ):
        return [*statement.body, *statement.orelse]
    if isinstance(statement, ast.For | ast.AsyncFor) and _is_choice(statement, guards):
        return statement.body
    if isinstance(statement, ast.With | ast.AsyncWith | ast.Try):
        return statement.body
    return []


def _is_choice(statement: ast.stmt, guards: AccessGuards) -> bool:
    if isinstance(statement, ast.If):
        parts = [part for part in _joined_tests(statement.test) if not guards.is_guard(part)]
        return bool(parts) and all(map(_chooses_criterion, parts))
    return isinstance(statement, ast.For | ast.AsyncFor) and _goes_over_criteria(statement)


def _values(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the node and all inside it that is always computed with it."""
    stack: list[ast.AST] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, CONDITIONAL_VALUES):
            continue
        yield current
        push_children(current, stack)


def _goes_over_criteria(loop: ast.For | ast.AsyncFor) -> bool:
    return _names_criterion(loop.iter) or any(
        isinstance(statement, ast.If) and _chooses_criterion(statement.test)
        for statement in loop.body
    )


def _chooses_criterion(test: ast.expr) -> bool:
    """Return true for a comparison of a criterion's name with texts, and nothing else."""
    if not isinstance(test, ast.Compare) or not _names_criterion(test.left):
        return False
    options = [
        option
        for side in test.comparators
        for option in (side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side])
    ]
    return all(constant_text(option) is not None for option in options)


def _names_criterion(node: ast.expr) -> bool:
    names = [last_name(inner) or constant_text(inner) or "" for inner in walk(node)]
    return any(CRITERIA & set(words_of(name)) for name in names)


def _assumed_confidence(node: ast.AST) -> str | None:
    """Return the written confidence of evidence with a written `found=True`, None for all else.

    "" is evidence without a confidence whose every text is written in the code.
    """
    fields = fields_of(node)
    is_found, confidence = fields.get("found"), fields.get("confidence")
    if not (isinstance(is_found, ast.Constant) and is_found.value is True):
        return None
    if confidence is None:
        texts = [fields[name] for name in SAID_FIELDS if name in fields]
        return "" if texts and all(constant_text(text) for text in texts) else None
    options = (
        [confidence.body, confidence.orelse] if isinstance(confidence, ast.IfExp) else [confidence]
    )
    numbers = [
        str(option.value)
        for option in options
        if isinstance(option, ast.Constant) and type(option.value) in (int, float)
    ]
    return " or ".join(numbers) if len(numbers) == len(options) else None


def _says_something_examined(node: ast.AST) -> bool:
    """Return whether a field for what was seen holds more than a text of the code."""
    fields = fields_of(node)
    texts = [fields[name] for name in SHOWN_FIELDS if name in fields]
    return not texts or any(constant_text(value) is None for value in texts)
