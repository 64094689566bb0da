"""Content of the remediation: what judges argue and detectives report, or fixed words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from courtroom.analysis.langgraph.judging.score_changes import words_in
from courtroom.analysis.langgraph.judging.text_values import (
    Part,
    Text,
    ValueReader,
    first_places,
    named_texts,
    places_holding,
    returned_by,
)
from courtroom.analysis.langgraph.judging.verdict_source import MODEL_CALLS
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.tree_walk import (
    constant_text,
    last_name,
    line_of_text,
    tests_around,
    walk,
    words_of,
)

WORD = "remediation"
PLAN = "plan"
FIXED: frozenset[Part] = frozenset({"fixed", "plain"})
CRITERIA = frozenset(words_of("criterion dimension dim"))
# What comes from a judge or a detective.
GIVEN: frozenset[Part] = frozenset({"arguments", "evidence"})
_HEADING = re.compile(r"^ {0,3}#{1,6} [^\n]{0,60}\bremediation", re.IGNORECASE | re.MULTILINE)
# Other names of a section on what to mend.
_NAMES = r"(?:recommendations?|improvements?|action items?|next steps?)\b"
_ADVICE_WORDS = re.compile(rf"#[^\n]{{0,80}}\b{_NAMES}", re.IGNORECASE)
_ADVICE = re.compile(
    r"^ {0,3}#{1,6} [^\n\w]{0,8}(?:\d{1,2}[.)] )?"
    rf"(?P<heading>[^\n#*:]{{0,60}}?\b{_NAMES}[^\n#*:]{{0,40}})",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class RemediationContent:
    """Content of all texts of remediation, and where they are; null where it is not known.

    "rubric": texts of the rubric on the criterion stand beside fixed words.
    """

    content: Literal["findings", "rubric", "fixed"] | None
    places: list[tuple[FunctionRef, int]]


def read_remediation(functions: list[FunctionRef]) -> RemediationContent | None:
    """Return what the remediation of the Chief Justice's code holds; None without a text of one."""
    reader = ValueReader(functions, WORD)
    texts = [text for function in functions for text in _texts_in(function)]
    parts = {id(text): reader.parts_of((text.value, text.function)) for text in texts}
    made = [text for text in texts if parts[id(text)] - {"own"}]
    kinds = set[Part]().union(*parts.values())
    if not made:
        return RemediationContent(None, []) if any(map(_has_heading, functions)) else None
    if kinds & GIVEN:
        return RemediationContent("findings", places_holding(made, GIVEN, reader))
    asks_model = any(function.site.mentions & MODEL_CALLS for function in functions)
    is_known = "open" not in kinds and (not asks_model or any(text.is_kept for text in texts))
    content: Literal["rubric", "fixed"] = "rubric" if "rubric" in kinds else "fixed"
    return RemediationContent(content if is_known else None, first_places(made, parts))


def fixed_remediations(functions: list[FunctionRef]) -> list[tuple[FunctionRef, int]]:
    """Return the lines of remediations that are fixed words, though others hold what is given.

    They are the plan of the whole report, what a function returns for a criterion by its name, or
    what stands before a test of scores that alone gives more.
    """
    reader = ValueReader(functions, WORD)

    def is_fixed(text: Text) -> bool:
        parts = reader.parts_of((text.value, text.function))
        return _names_criterion(text.value) or ("fixed" in parts and parts <= FIXED)

    plans = [
        Text(value, function)
        for function in functions
        for node in walk(function.site.node)
        for value, _ in named_texts(node, WORD)
        if PLAN in _name_of(node)
    ]
    texts = plans if all(map(is_fixed, plans)) else []
    for function in functions:
        texts += filter(is_fixed, _defaults_in(function))
        if WORD in words_of(function.name):
            returned = (Text(value, function) for value in returned_by(function))
            texts += [text for text in returned if is_fixed(text) and _is_of_criterion(text)]
    places = {(*text.function.key, text.value.lineno): text.function for text in texts}
    return [(function, key[-1]) for key, function in places.items()]


def _defaults_in(function: FunctionRef) -> Iterator[Text]:
    """Yield what a remediation is where the test behind it, which compares, does not hold."""
    for node in walk(function.site.node):
        body = getattr(node, "body", ())
        for first, second in pairwise(body if isinstance(body, list) else ()):
            # An empty text says nothing.
            given = [value for value, _ in named_texts(first, WORD) if constant_text(value) != ""]
            is_test = isinstance(second, ast.If) and not second.orelse
            if not given or not is_test or not any(_compares(part) for part in walk(second.test)):
                continue
            if any(_name_of(part) == _name_of(first) for part in second.body):
                yield Text(given[0], function)


def _compares(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and isinstance(
        node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE
    )


def _names_criterion(value: ast.expr) -> bool:
    """Return true for a template that only the criterion's own name stands in."""
    filled = [p.value for p in getattr(value, "values", ()) if isinstance(p, ast.FormattedValue)]
    return bool(filled) and all(
        isinstance(part, ast.Name) and CRITERIA.intersection(words_of(part.id)) for part in filled
    )


def _name_of(node: ast.AST) -> list[str]:
    """Return the words of the name that a keyword or an assignment gives its value."""
    if isinstance(node, ast.keyword):
        return words_of(node.arg or "")
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [word for target in targets for word in words_of(last_name(target))]


def _is_of_criterion(text: Text) -> bool:
    """Return whether a text stands under a test of the criterion's name."""
    tests = tests_around(text.function.site.node, text.value.lineno)
    compares = [n for test in tests for n in walk(test) if isinstance(n, ast.Compare)]
    return any(
        constant_text(node.left) is not None or constant_text(node.comparators[0]) is not None
        for node in compares
        if words_in(node) & CRITERIA
    )


def advice_heading(sources: Iterable[SourceFile]) -> tuple[str, SourceFile, int] | None:
    """Return the first heading of a section on what to mend that code writes, and its place."""
    for source in sources:
        if not _ADVICE_WORDS.search(source.text):
            continue
        for node in walk(source.tree):
            match = _ADVICE.search(constant_text(node) or "")
            if match:
                heading = match["heading"].strip()
                return heading, source, line_of_text(source.text, node, heading)
    return None


def is_asked_of_model(functions: Iterable[FunctionRef]) -> bool:
    """Return true where a function that calls a model names a remediation in what it may ask."""
    return any(
        WORD in words_of(constant_text(part) or "")
        for function in functions
        if function.site.mentions & MODEL_CALLS
        for node in (function.site.node, *_named_constants(function))
        for part in walk(node)
    )


def _named_constants(function: FunctionRef) -> Iterator[ast.expr]:
    """Yield the values of the module's constants that a function mentions."""
    for statement in function.source.tree.body:
        if isinstance(statement, ast.Assign) and function.site.mentions.intersection(
            map(last_name, statement.targets)
        ):
            yield statement.value


def _has_heading(function: FunctionRef) -> bool:
    """Return true for a report with a heading of a remediation, whatever stands below it."""
    texts = (constant_text(node) or "" for node in walk(function.site.node))
    return any(_HEADING.search(text) for text in texts)


def _texts_in(function: FunctionRef) -> list[Text]:
    texts = [
        Text(value, function, is_kept)
        for node in walk(function.site.node)
        for value, is_kept in named_texts(node, WORD)
    ]
    if WORD in words_of(function.name):
        texts += [Text(value, function) for value in returned_by(function)]
    return texts
