"""Content of a dissent: what the judges argue, their scores alone, or a fixed text.

Each text of a dissent is followed to the values it is made of, through names, loops and the
functions that make it. A value whose content is not known leaves the answer open.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from courtroom.analysis.langgraph.judging.rule_words import (
    DEFENSE,
    PROSECUTION,
    SECURITY,
    SPREAD,
)
from courtroom.analysis.langgraph.judging.score_changes import words_in
from courtroom.analysis.langgraph.judging.text_values import (
    FILLING,
    Part,
    Text,
    ValueReader,
    first_places,
    named_texts,
    places_holding,
    returned_by,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, constant_text, walk, words_of

Content = Literal["arguments", "scores", "fixed"]
HEADING_MARKS = ("#", "**")


@dataclass(frozen=True, slots=True)
class DissentContent:
    """Content of all texts of dissents, and where they are; null where it is not known.

    `notes` are places that write what a judge argues as a note on security, in place of a dissent.
    """

    content: Content | None
    places: list[tuple[FunctionRef, int]]
    notes: list[tuple[FunctionRef, int]] = field(default_factory=list)


def read_dissent_content(functions: list[FunctionRef]) -> DissentContent | None:
    """Return what the dissents in the Chief Justice's code hold; None without a text of one."""
    reader = ValueReader(functions, "dissent")
    texts, notes = _texts_in(functions)
    parts = {id(text): reader.parts_of((text.value, text.function)) for text in texts}
    made = [text for text in texts if parts[id(text)] - {"own"}]
    if not made:
        return None
    kinds = set[Part]().union(*parts.values())
    if "arguments" in kinds:
        return DissentContent("arguments", places_holding(made, frozenset({"arguments"}), reader))
    content: Content | None
    if "open" in kinds or not any(text.is_kept for text in made):
        content = None
    else:
        # A heading and a constant beside them fill in no score.
        filled = [text for text in made if {"plain", "evidence"} & parts[id(text)]]
        content = "scores" if filled else "fixed"
        made = filled or made
    quoting = places_holding(notes, frozenset({"arguments"}), reader)
    return DissentContent(content, first_places(made, parts), quoting)


def _texts_in(functions: list[FunctionRef]) -> tuple[list[Text], list[Text]]:
    rows = [_texts_and_notes(function) for function in functions]
    texts, notes = ([text for row in rows for text in row[part]] for part in (0, 1))
    return texts, notes


def _texts_and_notes(function: FunctionRef) -> tuple[list[Text], list[Text]]:
    """Return the values that are kept or shown as a dissent, and notes on the rule of security.

    A note is what stands under a test for security, where there are others.
    """
    texts: list[Text] = []
    if "dissent" in words_of(function.name):
        texts += [Text(value, function) for value in returned_by(function)]
    notes: set[int] = set()
    for node in walk(function.site.node):
        texts += [Text(value, function, is_kept) for value, is_kept in named_texts(node, "dissent")]
        for body in _blocks_of(node):
            texts += [Text(value, function, is_kept=True) for value in _shown_dissent(body)]
        if isinstance(node, ast.If):
            added = list(_added_texts(node.body)) if words_in(node.test) & SPREAD else []
            words = frozenset[str]().union(*map(words_in, added))
            if words & PROSECUTION and words & DEFENSE:
                texts += [Text(value, function, is_kept=True) for value in added]
            if words_in(node.test) & SECURITY:
                notes |= {id(inner) for statement in node.body for inner in walk(statement)}
    dissents = [text for text in texts if id(text.value) not in notes]
    has_text = any(not isinstance(text.value, ast.Name) for text in dissents)
    # A name has the notes too.
    dissents = [t for t in dissents if not (notes and has_text and _is_dissent_name(t.value))]
    kept = any(text.is_kept for text in texts)
    beside = [text for text in texts if id(text.value) in notes] if has_text else []
    return [replace(text, is_kept=kept) for text in (dissents if has_text else texts)], beside


def _is_dissent_name(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and "dissent" in words_of(value.id)


def _blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _shown_dissent(body: list[ast.stmt]) -> Iterator[ast.expr]:
    """Yield the texts on a dissent that a block adds to a report.

    A heading on dissents has the texts below it, up to the next heading.
    """
    is_below = False
    for statement in body:
        for text in _added_texts([statement]):
            words = _fixed_words(text)
            is_heading = words.lstrip().startswith(HEADING_MARKS)
            if "dissent" in words_of(words):
                is_below = is_heading and isinstance(text, ast.Constant)
                yield text
            elif is_heading:
                is_below = False
            elif is_below:
                yield text


def _fixed_words(text: ast.expr) -> str:
    return " ".join(filter(None, map(constant_text, walk(text))))


def _added_texts(statements: Iterable[ast.stmt]) -> Iterator[ast.expr]:
    """Yield what `report += text`, lines.append() and lines.extend() add."""
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
                added = [node.value]
            elif isinstance(node, ast.Call) and called_name(node) in FILLING:
                added = node.args
            else:
                continue
            parts = [part for value in added for part in getattr(value, "elts", [value])]
            yield from (part for part in parts if isinstance(part, ast.JoinedStr | ast.Constant))
