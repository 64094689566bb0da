"""Evidence that detectives report as found though its own text says that they did not look."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

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

SAID_FIELDS = ("content", "rationale")
# By these a text says that what it is about was not looked at.
NO_LOOK = frozenset({"unavailable", "deferred", "placeholder", "pending"})
# A look at pictures, what keeps it from happening, and what was then not done.
LOOKS = frozenset(words_of("analysis classification inspection examination"))
STOPS = frozenset(words_of("pending skipped unavailable deferred failed disabled placeholder"))
DONE = frozenset(words_of("available performed implemented run done"))
LOOKED = frozenset(words_of("analyzed analysed classified inspected examined"))
# Words between the two: "analysis was not yet performed".
MOST_BETWEEN = 3
# Names from the text of evidence back to the call that made it.
MOST_NAMES = 20
# Calls that look at nothing: of the state, or of what they are given.
PLAIN_CALLS = frozenset(
    {"get", "str", "len", "list", "dict", "join", "format", "setdefault", "dumps"}
)
# Words of functions that take criteria out of the auditor's own rubric.
OF_RUBRIC = frozenset(words_of("rubric rubrics dimension dimensions criterion criteria"))
TAKING = frozenset(words_of("load get read filter select"))
# Functions of pdf2image: they draw the pages of a PDF, whatever stands on them.
RENDERING = frozenset({"convert_from_path", "convert_from_bytes"})
MISSING = frozenset({"ImportError", "ModuleNotFoundError"})
# Texts that say that something is there.
AFFIRMING = re.compile(
    r"^(?:Detected|Confirmed|Found|Identified|Verified that)\b|^[\w ]{1,40} confirmed\b"
)
FILLING = frozenset({"append", "extend"})


def unexamined_evidence(functions: Iterable[FunctionRef]) -> Iterator[tuple[FunctionRef, int, str]]:
    """Yield evidence with a written `found=True` whose text says that the look did not happen.

    Content with what a call gave, such as the number of pictures, shows that something was. A list
    as content is what it is filled with.
    """
    for function in functions:
        given = given_names(function)
        for node, fields in _evidence_called_found(function):
            members = _members_of(fields.get("content"), function)
            texts = [fields[name] for name in SAID_FIELDS if name in fields] + members
            words = [word for text in texts for word in written_words(text)]
            word = next((word for word in words if word in NO_LOOK), "")
            if (
                word
                and not any(_is_given(m, given) for m in members)
                and not shows_a_result(node, given)
            ):
                yield function, getattr(node, "lineno", 1), word


def unexamined_pictures(
    call_graph: CallGraph, functions: Iterable[FunctionRef]
) -> Iterator[tuple[FunctionRef, int, str]]:
    """Yield evidence on pictures with a written `found=True` that may deny a look at them.

    Its text says so in its own words, or in those of a function that it calls. To name the pictures
    is no look at them.
    """
    for function in functions:
        for node, fields in _evidence_called_found(function):
            values = _values_behind(
                function, [fields[name] for name in SAID_FIELDS if name in fields]
            )
            texts = (text for value in values for text in _texts_in(value))
            line, said = getattr(node, "lineno", 1), next(filter(says_no_look, texts), "")
            if said:
                yield function, line, f"whose own text says “{said}”"
                continue
            for callee in call_graph.callees(function):
                said = _returned_failure(callee)
                if said and any(_is_unasked_call(function, v, callee.name) for v in values):
                    yield function, line, f"also where {callee.name}() returns “{said}”"


def shown_failures(
    call_graph: CallGraph, functions: Iterable[FunctionRef]
) -> Iterator[tuple[FunctionRef, int, str]]:
    """Yield evidence with a written `found=True` on a part of a record that may deny a look."""
    for function in functions:
        for node, fields in _evidence_called_found(function):
            values = [fields[name] for name in SAID_FIELDS if name in fields]
            for name, text in _failures_under(call_graph, function, values):
                words = f"{name}() returns “{text}”"
                yield function, getattr(node, "lineno", 1), words


def _evidence_called_found(
    function: FunctionRef,
) -> Iterator[tuple[ast.AST, dict[str, ast.expr]]]:
    """Yield the records of evidence with a written `found=True`, each with its fields."""
    for node in walk(function.site.node):
        fields = fields_of(node)
        value = fields.get("found")
        if isinstance(value, ast.Constant) and value.value is True:
            yield node, fields


def _failures_under(
    call_graph: CallGraph, function: FunctionRef, values: Sequence[ast.expr]
) -> Iterator[tuple[str, str]]:
    """Yield calls for a part of a record that evidence shows, with their text for no look.

    Evidence shows `row["kind"]`, and another function writes `{"kind": classify(picture)}`.
    """
    keys = {
        key
        for value in values
        for node in walk(value)
        if isinstance(node, ast.Subscript) and (key := constant_text(node.slice))
    }
    for maker in call_graph.reachable_from([function]) if keys else ():
        failures = {
            c.name: text for c in call_graph.callees(maker) if (text := _returned_failure(c))
        }
        if maker.key == function.key or not failures:
            continue
        records = [node for node in walk(maker.site.node) if isinstance(node, ast.Dict)]
        parts = [
            value for record in records for key, value in fields_of(record).items() if key in keys
        ]
        for value in _values_behind(maker, parts):
            name = called_name(value) if isinstance(value, ast.Call) else ""
            if name in failures and _is_unasked_call(maker, value, name):
                yield name, failures[name]


def rendered_pages(
    functions: Sequence[FunctionRef],
) -> Iterator[tuple[FunctionRef, int, str]]:
    """Yield evidence that is found where there are pictures, and these are the rendered pages."""
    makers: dict[str, list[tuple[FunctionRef, ast.expr]]] = {}
    for function in functions:
        for name, value in _values_by_name(function):
            if getattr(value, "elts", True):
                makers.setdefault(name, []).append((function, value))
    for function in functions:
        for node in walk(function.site.node):
            is_found = fields_of(node).get("found")
            counted = _counted(is_found) if is_found is not None else ""
            made = makers.get(counted, [])
            renderers = {called_name(v) if isinstance(v, ast.Call) else "" for _, v in made}
            if renderers and renderers <= RENDERING:
                home, words = made[0][0].shown_name, ast.unparse(is_found or node)
                filled_by = (
                    f"{home}() fills {counted} with every page, drawn by {renderers.pop()}()"
                )
                yield function, getattr(node, "lineno", 1), f"found={words}, where {filled_by}"


def _counted(test: ast.expr) -> str:
    """Return the name of the list in `len(images) > 0` and `bool(self.images)`."""
    value = test.left if isinstance(test, ast.Compare) else test
    match value:
        case ast.Call(
            func=ast.Name(id="len" | "bool"), args=[ast.Name() | ast.Attribute() as rows]
        ):
            return last_name(rows)
    return ""


def says_no_look(text: str) -> bool:
    """Return true for "placeholder analysis", "analysis skipped", "not yet analyzed"."""
    words = [word.strip(".,;:()") for word in words_of(text)]
    for place, word in enumerate(words):
        after = words[place + 1 : place + 1 + MOST_BETWEEN]
        if word in LOOKS and (
            not STOPS.isdisjoint(after) or ("not" in after and not DONE.isdisjoint(after))
        ):
            return True
        if (word == "placeholder" and LOOKS & {*after[:1]}) or (
            word == "not" and LOOKED & {*after}
        ):
            return True
    return False


def _values_behind(function: FunctionRef, texts: Iterable[ast.expr]) -> list[ast.expr]:
    """Return the texts with all that their local names are assigned, or are filled with."""
    values, names = list(texts), set[str]()
    assigned = list(_values_by_name(function))
    for value in values:
        new = {n.id for n in walk(value) if isinstance(n, ast.Name)} - names
        if len(names) < MOST_NAMES:
            names |= new
            values += [value for name, value in assigned if name in new]
    return values


def _values_by_name(function: FunctionRef) -> Iterator[tuple[str, ast.expr]]:
    """Yield what names and attributes are assigned, and what lists are filled with."""
    for node in walk(function.site.node):
        target = filled(node)
        if isinstance(node, ast.Call) and target is not None:
            yield target.id, node.args[0]
        elif isinstance(node, ast.Assign):
            yield from ((last_name(target), node.value) for target in node.targets)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield last_name(node.target), node.value


def _texts_in(value: ast.expr) -> Iterator[str]:
    """Yield the written texts of a value that stand in its words, not in a choice."""
    stack: list[ast.AST] = [value]
    while stack:
        node = stack.pop()
        text = constant_text(node)
        if text:
            yield text.strip(" []:")
        if not isinstance(node, ast.IfExp | ast.Dict | ast.Compare):
            push_children(node, stack)


def _is_unasked_call(function: FunctionRef, value: ast.expr, called: str) -> bool:
    """Return whether the value calls this, and no test asks more of the result than if it is there."""
    if not any(isinstance(n, ast.Call) and called_name(n) == called for n in walk(value)):
        return False
    assigned = [n for n in walk(function.site.node) if isinstance(n, ast.Assign)]
    names = {last_name(target) for n in assigned if n.value is value for target in n.targets}
    tests = (n.test for n in walk(function.site.node) if isinstance(n, ast.If | ast.IfExp))
    return not any(
        isinstance(test, ast.Compare | ast.Call | ast.BoolOp)
        and any(isinstance(n, ast.Name) and n.id in names for n in walk(test))
        for test in tests
    )


def _returned_failure(function: FunctionRef) -> str:
    """Return the text by which a function says that it did not look, "" where it returns none.

    That for a package that is not installed comes last.
    """
    nodes = list(walk(function.site.node))
    handlers = (n for n in nodes if isinstance(n, ast.ExceptHandler))
    uninstalled = {
        id(inner)
        for handler in handlers
        if handler.type is not None and last_name(handler.type) in MISSING
        for inner in walk(handler)
    }
    values = [n.value for n in nodes if isinstance(n, ast.Return) and n.value]
    returns = sorted(values, key=lambda value: id(value) in uninstalled)
    # Of a record, the values are the texts.
    parts = (part for value in returns for part in (*getattr(value, "values", ()), value))
    texts = (text for part in parts for text in _texts_in(part))
    said = next((text for text in texts if says_no_look(text)), "")
    first = said.partition(". ")[0]
    return first if says_no_look(first) else said


def affirming_evidence(
    functions: Iterable[FunctionRef],
) -> Iterator[tuple[FunctionRef, int, str, str]]:
    """Yield evidence whose written text says "Detected ..." whether it is found or not.

    Where a test asks the same before, the evidence is made only where it is found.
    """
    for function in functions:
        tests = [n for n in walk(function.site.node) if isinstance(n, ast.If | ast.IfExp)]
        for node in walk(function.site.node):
            fields = fields_of(node)
            is_found = fields.get("found")
            texts = (constant_text(fields[name]) for name in SAID_FIELDS if name in fields)
            text = next((t for t in texts if t and AFFIRMING.search(t)), "")
            if not text or is_found is None or isinstance(is_found, ast.Constant):
                continue
            written = ast.unparse(is_found)
            around = (t for t in tests if any(inner is node for inner in walk(t)))
            if not any(written in ast.unparse(test.test) for test in around):
                yield function, getattr(node, "lineno", 1), text, written


def turned_evidence(functions: Iterable[FunctionRef]) -> Iterator[tuple[FunctionRef, int]]:
    """Yield `item.found = True` under `not item.found`, and the same of a key."""
    for function in functions:
        for node in walk(function.site.node):
            if not isinstance(node, ast.If):
                continue
            denied = {
                ast.unparse(part.operand)
                for part in joined_tests(node.test)
                if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)
            }
            for statement in node.body if denied else ():
                if isinstance(statement, ast.Assign) and denied & _found_targets(statement):
                    yield function, statement.lineno


def joined_tests(test: ast.expr) -> list[ast.expr]:
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


def written_words(text: ast.expr) -> list[str]:
    parts = (constant_text(inner) for inner in walk(text))
    return [word.strip(".,;:()") for part in parts if part for word in words_of(part)]


def given_names(function: FunctionRef) -> frozenset[str]:
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
    target = filled(node)
    if isinstance(node, ast.Call) and target:
        return [target], node.args[0]
    value = getattr(node, "value", None) or getattr(node, "iter", None)
    return [getattr(node, "target", None)], value


def filled(node: ast.AST) -> ast.Name | None:
    """Return the list of a call `list.append(member)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as target, attr=word), args=[_]):
            return target if word in FILLING else None
    return None


def _is_given(value: ast.expr, names: AbstractSet[str]) -> bool:
    return any(
        (isinstance(node, ast.Call) and may_look(node))
        or (isinstance(node, ast.Name) and node.id in names)
        for node in walk(value)
    )


def may_look(call: ast.Call) -> bool:
    """Return false for a call that hands on what is there, or takes the auditor's own rubric."""
    words = set(words_of(called_name(call)))
    is_of_rubric = not (OF_RUBRIC.isdisjoint(words) or TAKING.isdisjoint(words))
    return called_name(call) not in PLAIN_CALLS and not is_of_rubric


def shows_a_result(node: ast.AST, given: AbstractSet[str]) -> bool:
    """Return whether the content holds what a call of the function gave."""
    content = fields_of(node).get("content")
    return content is not None and _is_given(content, given)
