"""Targets of a router: every value its function may return, Send and Command included."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from courtroom.analysis.langgraph.graph_values import END_NAMES, node_name
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.evaluator import Evaluator
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    CallResult,
    DictValue,
    External,
    Function,
    Instance,
    ListValue,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import constant_text, last_name, walk, words_of

# A router may be read inside calls; deeper than this it is not followed.
MAX_DEPTH = 20
# Tests by which a router fills its list, of which each case is followed.
MOST_TESTS = 4
# What a router returns whose map has True and False as its keys.
TRUTHS = (("True",), ("False",))
# Characters of a string that count for a vocabulary: a prompt would bring any word.
MAX_STRING = 400


@dataclass(slots=True)
class Routing:
    """Targets that a router may choose.

    `outcomes` are sets of nodes (or of map keys) that run together. `words` is the vocabulary of
    its tests, `texts` are the strings in its code. Not `is_complete`: it may lead elsewhere too;
    `is_send_open`: by Send. `is_single`: its annotation says that it returns no list.
    """

    outcomes: list[tuple[str, ...]] = field(default_factory=list)
    sends: list[str] = field(default_factory=list)
    is_complete: bool = True
    is_send_open: bool = False
    is_single: bool = False
    words: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()

    def add(self, outcome: tuple[str, ...]) -> None:
        if outcome and outcome not in self.outcomes:
            self.outcomes.append(outcome)


def read_router(evaluator: Evaluator, router: Value, state: Value = UNKNOWN) -> Routing:
    """Return what a router may choose; `state` is what is known of the graph's state."""
    if isinstance(router, External) and router.dotted.endswith(".tools_condition"):
        # LangGraph's own router.
        return Routing([("tools",), ("END",)])
    arguments: list[Value] = []
    if isinstance(router, CallResult) and router.positional and router.dotted in _AROUND:
        router, *arguments = router.positional
    if isinstance(router, Instance):
        router = attribute_of(evaluator, router, "__call__")
    if not isinstance(router, Function):
        return Routing(is_complete=False)

    texts = frozenset(text for node in walk(router.node) if (text := constant_text(node)))
    routing = Routing(words=_words_of_router(evaluator, router, arguments), texts=texts)
    values = returned_values(evaluator, router, [*arguments, state])
    if any(isinstance(value, ListValue) and value.doubt is not None for value in values):
        values = _by_cases(evaluator, router, [*arguments, state]) or values
    for value in values:
        _add_outcome(value, routing)
    routing.is_send_open = not routing.is_complete and _may_start_several(router)
    routing.is_single = _returns_no_list(router)
    if not routing.is_complete and _returns_truth(router):
        routing.outcomes, routing.is_complete = [*TRUTHS], True
    elif not routing.is_complete:
        _complete_from_annotation(evaluator, router, routing)
    return routing


def _returns_truth(router: Function) -> bool:
    """Return whether a router returns True and False alone, by its annotation or by all its returns."""
    if isinstance(router.node, ast.Lambda):
        return _is_truth(router.node.body)
    if router.node.returns is not None and ast.unparse(router.node.returns) == "bool":
        return True
    returns = [node.value for node in walk(router.node) if isinstance(node, ast.Return)]
    return bool(returns) and all(map(_is_truth, returns))


def _is_truth(node: ast.expr | None) -> bool:
    if isinstance(node, ast.BoolOp):
        return all(map(_is_truth, node.values))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in {"bool", "any", "all", "isinstance"}
    is_constant = isinstance(node, ast.Constant) and isinstance(node.value, bool)
    return is_constant or isinstance(node, ast.Compare)


def _by_cases(evaluator: Evaluator, router: Function, arguments: list[Value]) -> list[Value]:
    """Return what a router returns that fills its list by several tests, each holding or not.

    Tests of the same text hold together; none of them where there are too many.
    """
    tests: dict[str, list[int]] = {}
    for function in (router, *_functions_behind(evaluator, router)):
        for statement in _filling_tests(getattr(function.node, "body", [])):
            tests.setdefault(ast.unparse(statement.test), []).append(id(statement))
    if not tests or len(tests) > MOST_TESTS:
        return []
    values: list[Value] = []
    for case in product((True, False), repeat=len(tests)):
        evaluator.assumed = {
            name: holds for names, holds in zip(tests.values(), case, strict=True) for name in names
        }
        try:
            values += returned_values(evaluator, router, arguments)
        finally:
            evaluator.assumed = {}
    return values


def _functions_behind(evaluator: Evaluator, router: Function) -> Iterator[Function]:
    """Yield the functions of which a router returns or keeps what they return."""
    for node in walk(router.node):
        call = node.value if isinstance(node, ast.Return | ast.Assign) else None
        callee = evaluator.evaluate(call.func, router.scope) if isinstance(call, ast.Call) else None
        if isinstance(callee, Function):
            yield callee


def _filling_tests(body: Sequence[ast.stmt] | ast.expr) -> Iterator[ast.If]:
    """Yield the tests of a function, outside of loops, under which nothing is returned."""
    for statement in body if isinstance(body, list) else []:
        if isinstance(statement, ast.If):
            if not any(isinstance(node, ast.Return) for node in walk(statement)):
                yield statement
            yield from _filling_tests(statement.body)
            yield from _filling_tests(statement.orelse)


def _words_of_router(
    evaluator: Evaluator, router: Function, arguments: Sequence[Value]
) -> frozenset[str]:
    """Return the vocabulary of a router, of its functions and of the texts that it is given."""
    words = set(vocabulary(router.node))
    for value in [*arguments, *_values_used(evaluator, router)]:
        if isinstance(value, Function):
            words |= vocabulary(value.node)
        elif isinstance(value, str):
            words.update(words_of(value[:MAX_STRING]))
    return frozenset(words)


def _values_used(evaluator: Evaluator, router: Function) -> Iterator[Value]:
    """Yield the values of the names that a router loads, and the methods beside it that it calls."""
    loaded = {
        ast.unparse(node): node
        for node in walk(router.node)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    for node in loaded.values():
        if isinstance(node, ast.Name):
            yield evaluator.evaluate(node, router.scope)
        elif isinstance(router.bound, Instance) and isinstance(node.value, ast.Name):
            yield attribute_of(evaluator, router.bound, node.attr)


def _may_start_several(router: Function) -> bool:
    """Return true when what was not followed of a router may be a list, or Sends."""
    returns = None if isinstance(router.node, ast.Lambda) else router.node.returns
    annotation = ast.unparse(returns) if returns is not None else ""
    return any(word in annotation for word in ("list", "List", "Send", "Sequence")) or any(
        last_name(node) == "Send" for node in walk(router.node)
    )


def _returns_no_list(router: Function) -> bool:
    returns = None if isinstance(router.node, ast.Lambda) else router.node.returns
    annotation = "" if returns is None else ast.unparse(returns).strip("\"'")
    return annotation in {"bool", "str", "int"} or annotation.startswith(("Literal[", "t.Literal["))


# Calls around a function that leave it the router: partial(route, ...), RunnableLambda(route).
_AROUND = frozenset(
    {
        "functools.partial",
        "langchain_core.runnables.RunnableLambda",
        "langchain_core.runnables.base.RunnableLambda",
        "langchain.schema.runnable.RunnableLambda",
    }
)


def read_commands(
    evaluator: Evaluator, action: Value, *, to_parent: bool = False
) -> Routing | None:
    """Return where a node leads by Command(goto=...); None when it returns no Command.

    `to_parent`: only what it sends, with graph=Command.PARENT, to the graph around its own.
    """
    if not isinstance(action, Function) or isinstance(action.node, ast.Lambda):
        return None
    is_certain = _uses_command(action)
    if not is_certain and not _may_use_command(action):
        return None

    routing = Routing(words=vocabulary(action.node))
    has_parent_commands = False
    has_commands = is_certain
    leads_on = False
    for value in returned_values(evaluator, action, []):
        leads_on = leads_on or value is UNKNOWN
        if isinstance(value, CallResult) and value.dotted.endswith(".Command"):
            has_commands = True
            goto = value.keyword("goto")
            leads_on = leads_on or goto is not None
            is_for_parent = value.keyword("graph") is not None
            has_parent_commands |= is_for_parent
            if goto is not None and is_for_parent is to_parent:
                _add_outcome(goto, routing)

    if to_parent or (has_parent_commands and not routing.outcomes):
        return routing if routing.outcomes else None
    # A Command without goto only updates the state.
    if not has_commands or not leads_on:
        return None
    if not routing.outcomes or not routing.is_complete:
        routing.is_complete = False
        _complete_from_annotation(evaluator, action, routing)
    return routing


def _uses_command(action: Function) -> bool:
    names = {name for name, dotted in action.source.imports.items() if dotted.endswith(".Command")}
    return any(
        (isinstance(node, ast.Name) and node.id in names)
        or (isinstance(node, ast.Attribute) and node.attr == "Command")
        for node in walk(action.node)
    )


def _may_use_command(action: Function) -> bool:
    """Return true when a helper of the file may make the Command that a node returns."""
    return "Command(" in action.source.text


def returned_values(
    evaluator: Evaluator, function: Function, arguments: list[Value]
) -> list[Value]:
    if len(evaluator.active) >= MAX_DEPTH:
        return [UNKNOWN]
    bound = [] if function.bound is None else [function.bound]
    was_eager, evaluator.is_eager = evaluator.is_eager, True
    try:
        returned = evaluator.enter(function, [*bound, *arguments], {}).returned
    finally:
        evaluator.is_eager = was_eager
    return [choice for value in returned for choice in choices_of(value)]


def _add_outcome(value: Value, routing: Routing) -> None:
    """Add a name as one node, a list as nodes that run together, a Send as its node."""
    for choice in choices_of(value):
        if choice is None:
            continue  # a path through the function that returns nothing leads nowhere
        members = choice.members if isinstance(choice, ListValue) else [choice]
        if isinstance(choice, ListValue) and (choice.is_open or not choice.members):
            routing.is_complete = False
        names = [_target_names(member, routing) for member in members]
        routing.add(_together(names))
        if isinstance(choice, ListValue) and _may_stay_short(choice):
            routing.add(_together(names[: choice.settled]))


def _together(names: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in names for name in group))


def _may_stay_short(nodes: ListValue) -> bool:
    """Return whether a list may hold its settled members alone: no other branch adds to it."""
    if nodes.doubt is None:
        return False
    branches = nodes.doubt.group
    return branches is None or (isinstance(branches, ast.If) and not branches.orelse)


def _target_names(member: Value, routing: Routing) -> list[str]:
    names: list[str] = []
    for choice in choices_of(member):
        target = choice
        is_send = isinstance(choice, CallResult) and choice.dotted.endswith(".Send")
        if isinstance(choice, CallResult) and is_send:
            target = choice.first("node")

        for node in choices_of(target):
            # A map turns True and False into nodes.
            name = str(node) if isinstance(node, bool) else node_name(node)
            if name is None:
                routing.is_complete = False
                continue
            names.append(name)
            if is_send and name not in routing.sends:
                routing.sends.append(name)
    return names


def _complete_from_annotation(evaluator: Evaluator, function: Function, routing: Routing) -> None:
    """Add `-> Literal["a", "b"]`, which LangGraph itself reads when there is no map."""
    returns = None if isinstance(function.node, ast.Lambda) else function.node.returns
    names = [
        END_NAMES.get(text, text)
        for literal in _literals(evaluator, function, returns)
        for text in literal
    ]
    for name in names:
        routing.add((name,))
    routing.is_complete = bool(names)


def _literals(
    evaluator: Evaluator, function: Function, returns: ast.expr | None
) -> Iterator[list[str]]:
    quoted = constant_text(returns)
    if quoted is not None:
        try:
            returns = ast.parse(quoted, mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            return
    for node in walk(returns or ast.Pass()):
        if isinstance(node, ast.Subscript) and last_name(node.value) == "Literal":
            texts = (constant_text(constant) for constant in walk(node.slice))
            yield [text for text in texts if text is not None]
        elif isinstance(node, ast.Name):
            # The Literal may stand under a name of its own.
            value = evaluator.evaluate(node, function.scope)
            if isinstance(value, CallResult) and value.dotted.endswith(".Literal"):
                yield [member for member in value.positional if isinstance(member, str)]


def map_outcomes(outcomes: list[tuple[str, ...]], path_map: DictValue) -> list[tuple[str, ...]]:
    """Turn outcomes named by the map's keys into node names; a key outside the map stays a name."""
    table = {node_name(key) or str(key): value for key, value in path_map.entries.items()}
    mapped: list[tuple[str, ...]] = []
    for outcome in outcomes:
        names = [node_name(table[key]) if key in table else key for key in outcome]
        known_names = tuple(name for name in names if name is not None)
        if known_names and known_names not in mapped:
            mapped.append(known_names)
    return mapped


def words_in_map(path_map: Value, unreturned: Collection[str] = ()) -> frozenset[str]:
    """Return the words of a map's keys, without those that the router never returns."""
    if not isinstance(path_map, DictValue):
        return frozenset()
    keys = {str(key) for key in path_map.entries} - {*unreturned}
    return frozenset(word for key in keys for word in words_of(key))


def unreturned_keys(routing: Routing, path_map: Value) -> dict[str, str]:
    """Return the keys of a map that the router never returns, each with its node.

    A key that stands in the router's code may be returned where it was not followed; a node that
    another key leads to is reached without it.
    """
    if not isinstance(path_map, DictValue) or not routing.is_complete or path_map.is_open:
        return {}
    nodes = {node_name(key) or str(key): node_name(end) for key, end in path_map.entries.items()}
    returned = {key for outcome in routing.outcomes for key in outcome}
    reached = {nodes.get(key, key) for key in returned} | {*routing.sends}
    unreached = {k: end for k, end in nodes.items() if k not in returned | routing.texts}
    return {k: end for k, end in unreached.items() if end and end not in reached}


# Several rules ask for the words of the same functions.
# It keeps the functions alive, in a reader that stays for many works.
@lru_cache(maxsize=256)
def vocabulary(node: ast.AST) -> frozenset[str]:
    """Return the words of a function's names and strings, without its docstring."""
    body = getattr(node, "body", [])
    statements = body if isinstance(body, list) else [body]
    if (
        statements
        and isinstance(statements[0], ast.Expr)
        and isinstance(statements[0].value, ast.Constant)
    ):
        statements = statements[1:]

    words: set[str] = set(words_of(getattr(node, "name", "")))
    for inner in (inner for statement in statements for inner in walk(statement)):
        text = last_name(inner) or constant_text(inner)
        if text:
            words.update(words_of(text[:MAX_STRING]))
    return frozenset(words)
