"""Scores of the Chief Justice's code that only texts read."""

from __future__ import annotations

import ast

from courtroom.analysis.langgraph.judging.score_changes import ScoreChange, assignments_in
from courtroom.analysis.python.tree_walk import walk, words_of

# Names for a score that the report shows as the verdict.
VERDICT_NAMES = frozenset({"final", "overall", "aggregate", "total"})


def without_shown(changes: list[ScoreChange]) -> list[ScoreChange]:
    """Return the changes without those of a name that only texts read."""
    texts: dict[tuple[str, int], set[int]] = {}
    for change in changes:
        if change.function.key not in texts:
            texts[change.function.key] = _shown_values(change.function.site.node)
    return [change for change in changes if id(change.value) not in texts[change.function.key]]


def _shown_values(function: ast.AST) -> set[int]:
    """Return the values, by their ids, of names that are read, and in formatted texts only.

    A name for the verdict is none of them: the text is the report.
    """
    in_texts = {
        id(inner)
        for node in walk(function)
        if isinstance(node, ast.FormattedValue)
        for inner in walk(node)
    }
    reads = [n for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    in_text = {node.id for node in reads if id(node) in in_texts}
    used = {node.id for node in reads if id(node) not in in_texts}
    assigned = assignments_in(function)
    only_shown = (name for name in in_text - used if VERDICT_NAMES.isdisjoint(words_of(name)))
    return {id(value) for name in only_shown for value in assigned.get(name, ())}
