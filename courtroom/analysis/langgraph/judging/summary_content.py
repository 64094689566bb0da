"""Executive summaries of the Chief Justice that are fixed words, the same in every audit."""

from __future__ import annotations

from courtroom.analysis.langgraph.judging.text_values import (
    Text,
    ValueReader,
    first_places,
    named_texts,
    returned_by,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import walk, words_of

WORD = "executive"


def fixed_summaries(functions: list[FunctionRef]) -> list[tuple[FunctionRef, int]]:
    """Return the lines of the summaries where none holds a score, an argument or another value."""
    reader = ValueReader(functions, WORD)
    texts = [text for function in functions for text in _texts_in(function)]
    parts = {id(text): reader.parts_of((text.value, text.function)) for text in texts}
    kinds = set[str]().union(*parts.values())
    return first_places(texts, parts) if "fixed" in kinds and kinds <= {"fixed", "own"} else []


def _texts_in(function: FunctionRef) -> list[Text]:
    texts = [
        Text(value, function)
        for node in walk(function.site.node)
        for value, _ in named_texts(node, WORD)
    ]
    if WORD in words_of(function.name):
        texts += [Text(value, function) for value in returned_by(function)]
    return texts
