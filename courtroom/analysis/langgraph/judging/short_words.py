"""Short words for security that the Chief Justice's code looks for within ordinary words.

`"rce" in argument.lower()` holds for “source” and “enforce” too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.judging.loose_rules import LooseRule
from courtroom.analysis.langgraph.judging.rule_words import SECURITY
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)
from courtroom.analysis.security.value_origins import assigned_values

# An ordinary word in which a short one stands.
ORDINARY = {
    "rce": "source",
    "eval": "evaluation",
    "exec": "execution",
    "auth": "author",
    "lfi": "fulfil",
    "idor": "corridor",
    "os": "those",
    "sec": "section",
    "api": "rapid",
    "key": "keyword",
}
# These are about security wherever they stand.
CERTAIN = frozenset({"rce", "lfi", "idor"})
LOWERING = frozenset({"lower", "casefold"})
PIECES = frozenset({"split", "findall", "set", "words"})
# Assignments and sums that are followed.
MOST_STEPS = 4
MOST_SEARCHES, MOST_NAMED = 60, 3


def short_words(justice: Sequence[FunctionRef]) -> Iterator[LooseRule]:
    """Yield the first search for such words in each function; they are one rule."""
    lines: set[tuple[str, int]] = set()
    for function in justice:
        for line, words in _searches(function):
            short = [word for word in words if word in ORDINARY]
            is_secure = not SECURITY.isdisjoint(words_of(" ".join(words)))
            place = function.source.path, line
            if not short or not (is_secure or CERTAIN & {*short}) or place in lines:
                continue
            # A nested function is read with the one around it.
            lines.add(place)
            yield LooseRule(function, line, _sentence(function, short[:MOST_NAMED]))
            break


def _sentence(function: FunctionRef, words: Sequence[str]) -> str:
    listing = " and ".join(f"“{word}”" for word in words)
    held = " and ".join(f"“{ORDINARY[word]}”" for word in words)
    have, what = ("has", "it") if len(words) == 1 else ("have", "them")
    return (
        f"{function.shown_name}() looks for {listing} in a text as a part of any word, and {held}"
        f" {have} {what} too"
    )


def _searches(function: FunctionRef) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the words of `"rce" in text` and of `any(word in text for word in ...)`."""
    rows = {
        last_name(loop.target): loop.iter
        for node in walk(function.site.node)
        if isinstance(node, ast.GeneratorExp | ast.ListComp)
        for loop in node.generators
    }
    tried = 0
    for node in walk(function.site.node):
        match node:
            case ast.Compare(left=left, ops=[ast.In()], comparators=[text]):
                name, word = last_name(left), constant_text(left)
            case _:
                continue
        if name in rows or word in ORDINARY:
            tried += 1
            words = _texts_of(rows[name], function) if name in rows else [word or ""]
            if words and _is_text(text, function):
                yield node.lineno, words
        if tried == MOST_SEARCHES:
            return


def _texts_of(node: ast.expr, function: FunctionRef, steps: int = MOST_STEPS) -> list[str]:
    """Return the texts of a list, a set or a sum of them, also under a name."""
    if not steps:
        return []
    if isinstance(node, ast.BinOp):
        sides = node.left, node.right
        return [text for side in sides for text in _texts_of(side, function, steps - 1)]
    if isinstance(node, ast.Name):
        values = assigned_values(function.site, node.id) or _at_the_top(node.id, function)
        return _texts_of(values[0], function, steps - 1) if len(values) == 1 else []
    if isinstance(node, ast.Call) and called_name(node) in {"set", "frozenset", "tuple"}:
        return [text for part in node.args for text in _texts_of(part, function, steps - 1)]
    members = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else []
    return [text for member in members if (text := constant_text(member))]


def _at_the_top(name: str, function: FunctionRef) -> list[ast.expr]:
    return [
        statement.value
        for statement in function.source.tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value
        for target in (
            statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        )
        if last_name(target) == name
    ]


def _is_text(node: ast.expr, function: FunctionRef) -> bool:
    """Return true for what is made lower case, and is no list of words and no id."""
    values = [node, *assigned_values(function.site, last_name(node))]
    parts = [part for value in values for part in walk(value)]
    calls = {called_name(part) for part in parts if isinstance(part, ast.Call)}
    is_id = any("id" in words_of(last_name(part)) for part in parts)
    return bool(calls & LOWERING) and not calls & PIECES and not is_id
