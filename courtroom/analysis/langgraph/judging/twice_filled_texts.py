"""Texts that are filled with evidence or arguments and then read as a template of LangChain.

A brace in what was filled in is taken for a variable, and the request fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.text_values import EVIDENCE_NAMES, REASONS, values_in
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    walk,
    words_of,
)

TEMPLATES = frozenset({"from_messages", "from_template"})
# Values in which the code of a work may stand.
OPEN = EVIDENCE_NAMES | REASONS
# Words of a value, or of a function that makes it, whose braces are doubled.
ESCAPED = frozenset(words_of("escape escaped safe sanitized quoted"))


def twice_filled_texts(layers: Layers) -> Iterator[FlowFault]:
    """Yield the functions of judges and the Chief Justice that send such a text."""
    functions = {function.key: function for function in (*layers.judges, *layers.justice)}
    for function in functions.values():
        for call in walk(function.site.node):
            if not isinstance(call, ast.Call) or called_name(call) not in TEMPLATES:
                continue
            if keyword_of(call, "template_format") is not None:
                continue
            names = dict.fromkeys(n for text in _texts(call) for n in _open_values(text, function))
            if names:
                values = joined([f"`{name}`" for name in names])
                sentence = (
                    f"{function.shown_name} fills {values} into a text that {called_name(call)} fills"
                    " once more: a brace in it is read as the name of a variable, and the request"
                    " fails"
                )
                yield FlowFault("twice_filled", sentence, function.source.path, call.lineno)


def _texts(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the texts of the messages: the second part of each pair, or the template itself."""
    if called_name(call) == "from_template":
        yield from call.args[:1]
        return
    for node in walk(call):
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            yield node.elts[1]


def _open_values(text: ast.expr, function: FunctionRef) -> Iterator[str]:
    """Yield the names of evidence and arguments that a text is filled with, their braces as they are."""
    values = values_in(function)
    texts = values.get(text.id, []) if isinstance(text, ast.Name) else []
    text = texts[0] if len(texts) == 1 else text
    if isinstance(text, ast.JoinedStr):
        fillings = [part.value for part in text.values if isinstance(part, ast.FormattedValue)]
    elif isinstance(text, ast.Call) and called_name(text) == "format":
        fillings = [*text.args, *(keyword.value for keyword in text.keywords)]
    else:
        return
    for value in fillings:
        is_open = isinstance(value, ast.Name) and bool(OPEN & {*words_of(value.id)})
        origins = values.get(last_name(value), [])
        if is_open and not any(map(_is_escaped, (value, *origins))):
            yield last_name(value)


def _is_escaped(value: ast.expr) -> bool:
    """Return true where a name speaks of it, or braces are replaced."""
    names = (last_name(node) for node in walk(value))
    replaced_texts = (
        (constant_text(node.args[0]) or "")
        for node in walk(value)
        if isinstance(node, ast.Call) and called_name(node) == "replace" and node.args
    )
    return any(ESCAPED & {*words_of(name)} for name in names) or any(
        "{" in text for text in replaced_texts
    )
