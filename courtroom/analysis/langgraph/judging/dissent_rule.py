"""Places where the Chief Justice's code makes a dissent and uses it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.judging.rule_words import (
    CERTAIN_SPREAD,
    DEFENSE,
    PROSECUTION,
    SPREAD,
)
from courtroom.analysis.langgraph.judging.score_changes import (
    Assignments,
    ChangeReader,
    assignments_in,
    words_in,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, last_name, tests_around, walk, words_of

DISSENT = frozenset({"dissent"})
# Names of texts that a model is given.
PROMPTS = frozenset({"prompt", "prompts"})
COUNTS = frozenset({"sum", "len", "any", "all", "bool", "int"})


def dissents(functions: list[FunctionRef]) -> Iterator[tuple[FunctionRef, int]]:
    """Yield where a dissent is made and used: in a field, a text, a list or a call.

    Where its text is assigned comes first: what stands under a test of the spread alone, where
    anything does.
    """
    reader = ChangeReader(functions)
    uses = list(_uses_of_dissent(functions, reader))
    using = {function.key for function, _ in uses}
    texts = [
        (function, line)
        for function in functions
        if function.key in using
        for line in _texts_of_dissent(function, reader)
    ]
    yield from texts
    # A text under a test of the spread may be a note on another rule where a dissent is named.
    named = [(function, node) for function, node in uses if not isinstance(node, ast.If)]
    for function, node in named or uses:
        # So may what is returned, or it is None.
        if not (texts and isinstance(node, ast.Return)):
            yield function, _line_of_use(node)


def _line_of_use(node: ast.AST) -> int:
    contrasts = [text for part in walk(node) for text in _added_texts(part)]
    proof = contrasts[0] if isinstance(node, ast.If) and contrasts else node
    return getattr(proof, "lineno", 1)


def is_for_model_alone(functions: list[FunctionRef]) -> bool:
    """Return true where a dissent goes into texts for a model, and nowhere else."""
    uses = list(_uses_of_dissent(functions, ChangeReader(functions)))
    in_dissents = {id(part) for function in functions for part in _named_parts(function, DISSENT)}
    in_prompts = {id(part) for function in functions for part in _named_parts(function, PROMPTS)}
    outputs = [node for _, node in uses if id(node) not in in_dissents]
    return bool(outputs) and all(id(node) in in_prompts for node in outputs)


def _named_parts(function: FunctionRef, words: frozenset[str]) -> Iterator[ast.AST]:
    """Yield the parts of what a function keeps under a name with one of these words."""
    for node in walk(function.site.node):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.Assign) and any(words_in(target) & words for target in targets):
            yield from walk(node.value)


def _texts_of_dissent(function: FunctionRef, reader: ChangeReader) -> list[int]:
    lines = [
        node.lineno
        for node in walk(function.site.node)
        if isinstance(node, ast.Assign)
        and not isinstance(node.value, ast.List | ast.Dict | ast.Constant)
        and "dissent" in words_of(last_name(node.targets[0]))
        and _may_be_text(node.value)
        and not reader.is_flag(node.value)
    ]
    assigned = assignments_in(function.site.node)
    by_spread = [
        range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)
        for node in walk(function.site.node)
        if isinstance(node, ast.If) and reader.words_of_test(node.test, assigned) & CERTAIN_SPREAD
    ]
    # `dissent = "capped for security"` elsewhere is a note on another rule.
    lines = [line for line in lines if any(line in body for body in by_spread)] or lines
    # What stands in for want of a text may never do so where there is another.
    return [line for line in lines if not _is_for_want(function, line)] or lines


def _is_for_want(function: FunctionRef, line: int) -> bool:
    """Return true below `if variance > 2 and not dissent:`."""
    return any(
        isinstance(part, ast.UnaryOp)
        and isinstance(part.op, ast.Not)
        and "dissent" in words_of(last_name(part.operand))
        for test in tests_around(function.site.node, line)
        for part in (test.values if isinstance(test, ast.BoolOp) else [test])
    )


def _uses_of_dissent(
    functions: list[FunctionRef], reader: ChangeReader
) -> Iterator[tuple[FunctionRef, ast.AST]]:
    for function in functions:
        assigned = assignments_in(function.site.node)
        text_names = {name for name, values in assigned.items() if any(map(_may_be_text, values))}
        for node in walk(function.site.node):
            if _uses_dissent(node, text_names) or _contrasts_judges(node, reader, assigned):
                yield function, node


def _uses_dissent(node: ast.AST, text_names: set[str]) -> bool:
    # A constant is a placeholder: dissent=None, {"dissent": ""}.
    if isinstance(node, ast.keyword):
        return "dissent" in words_of(node.arg or "") and not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Dict):
        return any(
            isinstance(key, ast.Constant)
            and "dissent" in words_of(str(key.value))
            and not isinstance(value, ast.Constant)
            for key, value in zip(node.keys, node.values, strict=True)
        )
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(
            isinstance(target, ast.Attribute | ast.Subscript) and "dissent" in words_in(target)
            for target in targets
        )
    if isinstance(node, ast.FormattedValue | ast.Return):
        return node.value is not None and _mentions_dissent(node.value, text_names)

    return (
        isinstance(node, ast.Call)
        and called_name(node) in {"append", "extend"}
        and any(_mentions_dissent(argument, text_names) for argument in node.args)
    )


def _contrasts_judges(node: ast.AST, reader: ChangeReader, assigned: Assignments) -> bool:
    """Return true for a test of the spread under which a text sets both sides side by side."""
    if not isinstance(node, ast.If) or not reader.words_of_test(node.test, assigned) & SPREAD:
        return False
    texts = [
        text for statement in node.body for inner in walk(statement) for text in _added_texts(inner)
    ]
    words = frozenset().union(*map(words_in, texts)) if texts else frozenset()
    return bool(words & PROSECUTION and words & DEFENSE)


def _added_texts(node: ast.AST) -> list[ast.expr]:
    """Return the texts that `report += f"..."`, lines.append() and lines.extend() add."""
    values: list[ast.expr] = []
    if isinstance(node, ast.AugAssign):
        values = getattr(node.value, "elts", [node.value])
    elif isinstance(node, ast.Call) and called_name(node) in {"append", "extend"}:
        values = [part for argument in node.args for part in getattr(argument, "elts", [argument])]
    return [value for value in values if isinstance(value, ast.JoinedStr)]


def _mentions_dissent(node: ast.expr, text_names: set[str]) -> bool:
    names = [inner.id for inner in walk(node) if isinstance(inner, ast.Name)]
    return any(name in text_names and "dissent" in words_of(name) for name in names)


def _may_be_text(value: ast.expr) -> bool:
    is_empty = isinstance(value, ast.Constant) and not value.value
    is_count = isinstance(value, ast.Call) and called_name(value) in COUNTS
    return not is_empty and not is_count and not isinstance(value, ast.Compare)
