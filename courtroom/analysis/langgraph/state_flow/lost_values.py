"""Values that code of a run makes and loses: nobody reads them, or a rule replaces them.

Those on which a route or the verdict hangs count: what the Chief Justice takes from the state, and
evidence, opinions and rules; what a join puts together. The others are minor.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.langgraph.state_flow.idle_reads import (
    HANDED_ON,
    idle_reads,
    unread_parameters,
)
from courtroom.analysis.langgraph.state_flow.undeclared_keys import is_used
from courtroom.analysis.langgraph.state_flow.unused_work import (
    CHECK_WORDS,
    FRAME_READERS,
    SHARING,
    only_answers,
    prompt_name,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.mentions import is_mentioned
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, last_name, walk, words_of

# Calls that only read; a name for what they give has no other purpose.
READING = frozenset(
    words_of("get len sum max min round sorted any all join strip lower upper split mean median")
)
# Builtins that copy what they get, or look at it.
COPYING = frozenset({"dict", "list", "set", "tuple", "frozenset", "bool", "str"})
# Names of what a verdict rests on.
VERDICT_GROUNDS = frozenset(
    words_of("evidence evidences opinion opinions rule rules dissent remediation")
)
# First words of functions that look at a work.
ANALYSES = frozenset(
    words_of("analyze analyse extract scan parse find detect inspect search examine classify")
)
COLLECTIONS = ast.Dict | ast.List | ast.DictComp | ast.ListComp
# Fields of an object that are looked up in all code.
MOST_FIELDS = 50
# Names of texts that tell what spoke against a verdict.
DISSENT_WORDS = frozenset({"dissent", "conflict", "explanation", "rationale"})
# Expressions that do more than make a value.
STEPS = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda
Names = frozenset[str]


def unread_results(symbols: SymbolTable, layers: Layers) -> Iterator[FlowFault]:
    """Yield results of the repository's functions that are kept under a name nobody reads.

    In the Chief Justice's code such a result is a part of the verdict that is dropped. Elsewhere
    nothing hangs on it, unless it is such a part, or tells whether something may be used.
    """
    deciding = {function.key for function in layers.justice}
    for function in layers.in_use:
        kind = "unused_verdict" if function.key in deciding else "unused_result"
        node = function.site.node
        read = _loaded(node)
        if read & FRAME_READERS or any(isinstance(n, SHARING) for n in walk(node)):
            continue
        for statement in walk(node):
            if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
                continue
            target, called = statement.targets[0], called_name(statement.value)
            name = last_name(target) if isinstance(target, ast.Name) else ""
            homes = symbols.functions_by_name.get(called, [])
            if len(homes) != 1:
                continue
            home = FunctionRef(*homes[0])
            if function.key in deciding:
                yield from _unread_parts(function, target, read, home)
            if not name.strip("_") or name in read:
                continue
            is_set_aside = name.startswith("_") and not _is_analysis(home)
            if not is_set_aside and (only_answers(symbols, home) or _is_analysis(home)):
                sentence = f"{function.shown_name}() keeps what {called}() returns as `{name}` and never uses it"
                weight = VERDICT_GROUNDS.intersection(words_of(name)) or CHECK_WORDS.intersection(
                    words_of(called)
                )
                is_minor = kind == "unused_result" and not weight
                place = function.source.path, statement.lineno
                other = home.source.path, home.site.node.lineno
                yield FlowFault(kind, sentence, *place, other, is_minor=is_minor)


def _unread_parts(
    function: FunctionRef, target: ast.expr, read: Names, home: FunctionRef
) -> Iterator[FlowFault]:
    """Yield the parts of what a function returns that nobody reads, and the verdict rests on."""
    for part in target.elts if isinstance(target, ast.Tuple) else []:
        name = part.id if isinstance(part, ast.Name) else "_"
        is_set_aside = name.startswith("_") or VERDICT_GROUNDS.isdisjoint(words_of(name))
        if name not in read and not is_set_aside:
            sentence = (
                f"{function.shown_name}() keeps a part of what {home.name}() returns as `{name}`"
                " and never uses it"
            )
            place = function.source.path, part.lineno
            yield FlowFault("unused_verdict", sentence, *place, home.key)


def _is_analysis(function: FunctionRef) -> bool:
    """Return whether a function is there for what it returns of a work, whatever it does for that."""
    returns = (n.value for n in walk(function.site.node) if isinstance(n, ast.Return))
    is_named = not ANALYSES.isdisjoint(words_of(function.name)[:1])
    return is_named and any(not isinstance(value, ast.Constant | None) for value in returns)


def unread_values(layers: Layers) -> Iterator[FlowFault]:
    """Yield local names for what code makes without a change, and never uses."""
    deciding = {function.key for function in layers.justice}
    functions = {f.key: f for f in (*layers.judges, *layers.justice, *layers.in_use)}
    unread = unread_parameters(functions.values())
    reported: set[tuple[str, int]] = set()
    # A function inside another one first: the outer one holds its lines as well.
    for key, function in sorted(functions.items(), key=lambda row: row[1].site.outer is None):
        kind = "unused_verdict" if key in deciding else "unused_result"
        node = function.site.node
        read = _loaded(node) | _renewed(node)
        idle = idle_reads(node, unread)
        # What a module gives may be more than a lookup: requests.get.
        imports = function.source.imports.keys()
        if read & FRAME_READERS or any(isinstance(inner, SHARING) for inner in walk(node)):
            continue
        named: set[str] = set()
        # What a function gives under a name is lost, not the None before it.
        by_calls = {name for name, value, _ in _assignments(node) if isinstance(value, ast.Call)}
        for name, value, line in _assignments(node):
            # A flag that is set anew is named once.
            is_again = name in named | by_calls and not _loaded(value)
            is_lost = name not in read and not name.startswith("_") and not is_again
            end = ""
            if is_lost and _only_reads(value) and not _loaded(value) & imports:
                end = "never uses it"
            # Whatever makes it, what is handed over and never read decides nothing.
            elif name in idle and (_only_reads(value) or _is_given(value, idle[name])):
                end = idle.pop(name)
            place = function.source.path, line
            if end and place not in reported:
                reported.add(place)
                named.add(name)
                sentence = f"{function.name}() makes `{name}` and {end}"
                is_minor = not (_loaded(value) and _is_weighty(layers, function, name, value))
                yield FlowFault(kind, sentence, *place, is_minor=is_minor)


def _is_weighty(layers: Layers, function: FunctionRef, name: str, value: ast.expr) -> bool:
    """Return true for a value on which a route or the verdict hangs."""
    is_ground = bool(VERDICT_GROUNDS.intersection(words_of(name)))
    if any(function.key == other.key for other in layers.justice):
        return is_ground or _takes_from_state(value)
    if any(function.key == other.key for other in layers.judges):
        return is_ground
    roles = (layers.roles[node] for node, f in layers.nodes.items() if f.key == function.key)
    return "join" in roles and isinstance(value, COLLECTIONS)


def _takes_from_state(value: ast.expr) -> bool:
    """Return true for `state["key"]` and `state.get("key") or []`."""
    return any(
        isinstance(node, ast.Subscript | ast.Attribute) and last_name(node.value) == "state"
        for node in walk(value)
    )


def unread_constants(symbols: SymbolTable, layers: Layers) -> Iterator[FlowFault]:
    """Yield written values that no code reads, in the files of the code that a run reaches."""
    justice = {f.source.path for n, f in layers.nodes.items() if layers.roles[n] == "justice"}
    sources = {f.source.path: f.source for f in (*layers.nodes.values(), *layers.in_use)}
    for path, source in sorted(sources.items()):
        kind = "unused_verdict" if path in justice else "unused_result"
        for name, statement in symbols.top_level_names(source).items():
            value = getattr(statement, "value", None)
            is_data = isinstance(statement, ast.Assign | ast.AnnAssign) and _is_written(value)
            if is_data and name.isupper() and not is_mentioned(symbols, source, name):
                sentence = f"the constant `{name}` is set, and no code reads it"
                yield FlowFault(kind, sentence, path, statement.lineno, is_minor=True)


def _is_written(value: ast.expr | None) -> bool:
    """Return true for numbers, texts, and collections of them; a long text may be a prompt."""
    if isinstance(value, ast.Constant):
        return not isinstance(value.value, str | bytes)
    if not isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
        return False
    return not any(isinstance(part, ast.Name | ast.Call) for part in walk(value))


def _loaded(node: ast.AST) -> Names:
    return frozenset(
        n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    )


def _renewed(node: ast.AST) -> Names:
    """Return the names that are counted up or deleted, or are fields of a class in the function."""
    targets = [n.target for n in walk(node) if isinstance(n, ast.AugAssign)]
    fields = (part for n in walk(node) if isinstance(n, ast.ClassDef) for part in n.body)
    for field in fields:
        targets += getattr(field, "targets", None) or [getattr(field, "target", None)]
    deleted = {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}
    return frozenset(deleted.union(n.id for n in targets if isinstance(n, ast.Name)))


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr, int]]:
    for inner in walk(node):
        # A text for a model is a fault of its own.
        if prompt_name(inner):
            continue
        if isinstance(inner, ast.Assign) and len(inner.targets) == 1:
            target, value = inner.targets[0], inner.value
        elif isinstance(inner, ast.AnnAssign) and inner.value is not None:
            target, value = inner.target, inner.value
        else:
            continue
        if isinstance(target, ast.Name):
            yield target.id, value, inner.lineno


def _only_reads(value: ast.expr) -> bool:
    """Return true for what is made without a change; a plain name is a second name."""
    calls = [inner for inner in walk(value) if isinstance(inner, ast.Call)]
    return not isinstance(value, ast.Name | STEPS) and all(
        called_name(c) in READING or _is_copy(c) for c in calls
    )


def _is_copy(call: ast.Call) -> bool:
    """Return true for `dict(rows)`; a list of a plain name may be made to run what it holds."""
    runs = any(isinstance(argument, ast.Name) for argument in call.args)
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    return name in COPYING and not (runs and name in {"list", "set", "tuple", "frozenset"})


def _is_given(value: ast.expr, end: str) -> bool:
    return isinstance(value, ast.Call) and end.startswith(HANDED_ON)


def unread_fields(symbols: SymbolTable, justice: Iterable[FunctionRef]) -> Iterator[FlowFault]:
    """Yield what the Chief Justice's object keeps for itself and no code reads."""
    owners = {
        id(function.site.owner): (function.source, function.site.owner)
        for function in justice
        if function.site.owner is not None and not function.site.owner.bases
    }
    for source, owner in owners.values():
        visited: set[str] = set()
        for node in walk(owner):
            is_own = isinstance(node, ast.Attribute) and last_name(node.value) == "self"
            if not is_own or not isinstance(node, ast.Attribute):
                continue
            is_kept = isinstance(node.ctx, ast.Store) and not node.attr.startswith("__")
            if not is_kept or node.attr in visited or len(visited) >= MOST_FIELDS:
                continue
            visited.add(node.attr)
            if not is_used(symbols, node.attr):
                sentence = f"{owner.name} keeps `self.{node.attr}`, which no code reads"
                is_minor = VERDICT_GROUNDS.isdisjoint(words_of(node.attr))
                path = source.path
                yield FlowFault("unused_verdict", sentence, path, node.lineno, is_minor=is_minor)


def replaced_texts(justice: Iterable[FunctionRef]) -> Iterator[FlowFault]:
    """Yield texts on dissent that a later rule, which may apply as well, replaces unread."""
    for function in justice:
        node = function.site.node
        sources = {name: _loaded(value) for name, value, _ in _assignments(node)}
        blocks = [
            block
            for inner in walk(node)
            for block in (getattr(inner, "body", None), getattr(inner, "orelse", None))
            if isinstance(block, list)
        ]
        for name, first, second in itertools.chain.from_iterable(
            _replacements(block, sources) for block in blocks
        ):
            sentence = (
                f"{function.name}() writes `{name}` and, by a second rule in line {second}, writes"
                " it anew: where both apply, the first text is lost"
            )
            yield FlowFault("unused_verdict", sentence, function.source.path, first)


def _replacements(
    block: Sequence[ast.stmt], sources: dict[str, Names]
) -> Iterator[tuple[str, int, int]]:
    """Yield names, with both lines, that two independent rules of a block write."""
    written: dict[str, tuple[int, Names]] = {}
    for statement in block:
        for name in _loaded(statement) & written.keys():
            del written[name]
        texts = _texts_of_rule(statement)
        tested = _tested(statement, sources) if isinstance(statement, ast.If) else frozenset()
        for name, line in texts.items():
            earlier = written.get(name)
            if earlier is not None and earlier[1].isdisjoint(tested):
                yield name, earlier[0], line
            written[name] = line, tested


def _texts_of_rule(statement: ast.stmt) -> dict[str, int]:
    """Return the names of texts on dissent that an `if` without other branches writes."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return {}
    if isinstance(statement.body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break):
        return {}
    return {
        last_name(inner.targets[0]): inner.lineno
        for inner in statement.body
        if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name)
        if DISSENT_WORDS & {*words_of(last_name(inner.targets[0]))} and _is_text(inner.value)
        if last_name(inner.targets[0]) not in _loaded(statement)
    }


def _is_text(value: ast.expr) -> bool:
    is_constant = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return isinstance(value, ast.JoinedStr) or (is_constant and bool(getattr(value, "value", "")))


def _tested(rule: ast.If, sources: dict[str, Names]) -> Names:
    """Return the names that a rule tests and those they are made of: without a shared one, two
    rules may apply together.
    """
    names = _loaded(rule.test)
    return names.union(*(sources.get(name, frozenset()) for name in names)) - READING
