"""Words for which a cap for security looks in evidence, and which a tool writes where all is well.

`"os.system" in evidence.rationale` holds for “No os.system calls were found” too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.awaited_words import ARGUMENTS
from courtroom.analysis.langgraph.judging.rule_words import SECURITY
from courtroom.analysis.langgraph.judging.score_changes import assignments_in, words_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    constant_text,
    fields_of,
    keyword_of,
    last_name,
    tests_around,
    walk,
    words_of,
)

# Fields of evidence that hold text.
TEXTS = frozenset({"rationale", "content", "snippet", "finding", "details", "summary"})
# Names of what a record is about, and of what there is to look at.
OF_SUBJECT = frozenset(
    words_of(
        "dim dimension dimensions criterion criteria id goal name target artifact repo path clone state"
        " get rubric"
    )
)
DENIED = re.compile(r"\b(?:no|not|without|never|zero|none)\b[^.;:!?]{0,80}$", re.IGNORECASE)
DENIED_BEHIND = re.compile(
    r"^[^.;:!?]{0,60}\b(?:not found|not detected|not used|absent)\b", re.IGNORECASE
)
# A shorter word stands in others.
LEAST_LETTERS = 4
MOST_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Search:
    """Word that a rule looks for; `found` is what it asks of the evidence, None for nothing."""

    function: FunctionRef
    line: int
    word: str
    found: bool | None
    is_lower: bool


@dataclass(frozen=True, slots=True)
class TrippingText:
    """Text of a tool at a line, which denies what a rule looks for by its words.

    `is_constant`: the tool writes it whatever it looks at.
    """

    search: Search
    writer: FunctionRef
    line: int
    text: str
    is_constant: bool = False

    @property
    def sentence(self) -> str:
        always = " whatever it looks at" if self.is_constant else ""
        effect = ", and applies to every work" if self.is_constant else ""
        return (
            f"{self.search.function.shown_name}() looks for `{self.search.word}` in evidence, and"
            f" {self.writer.shown_name}() writes “{_quoted(self.text, self.search.word)}” there{always}:"
            f" the rule matches a word, and no flaw{effect}"
        )


def tripping_texts(
    justice: Sequence[FunctionRef], tools: Iterable[FunctionRef]
) -> Iterator[TrippingText]:
    """Yield the first text of the tools that denies a danger and meets a search for its words."""
    searches = [search for function in justice for search in _searches(function)]
    deciding = {function.key for function in justice}
    writers = [function for function in tools if function.key not in deciding] if searches else []
    for writer in writers:
        for line, text, found in _texts(writer):
            for search in searches:
                if _denies(text, search) and _may_be(found, search.found):
                    yield TrippingText(
                        search, writer, line, text, _is_constant(writer, line, found)
                    )
                    return


def _is_constant(writer: FunctionRef, line: int, found: ast.expr | None) -> bool:
    """Return true for a record of constants under no test but of the criterion and the clone."""
    if not isinstance(found, ast.Constant):
        return False
    tests = list(tests_around(writer.site.node, line))
    words = {
        word
        for test in tests
        for node in walk(test)
        if isinstance(node, ast.Name | ast.Attribute)
        for word in words_of(last_name(node))
    }
    record = next(
        (
            n
            for n in walk(writer.site.node)
            if isinstance(n, ast.Call) and keyword_of(n, "found") is found
        ),
        None,
    )
    texts = [keyword_of(record, name) for name in TEXTS] if record else []
    given = [text for text in texts if text is not None]
    is_written = bool(given) and all(isinstance(text, ast.Constant) for text in given)
    return is_written and words <= OF_SUBJECT


def _searches(function: FunctionRef) -> Iterator[Search]:
    node = function.site.node
    assigned = assignments_in(node)
    for part in walk(node):
        if not isinstance(part, ast.Compare) or not isinstance(part.ops[0], ast.In):
            continue
        word, held = constant_text(part.left) or "", part.comparators[0]
        names = [n.id for n in walk(held) if isinstance(n, ast.Name)]
        values = [held, *(value for name in names for value in assigned.get(name, []))]
        words = frozenset(word for value in values for word in words_in(value))
        is_dangerous = len(word) >= LEAST_LETTERS and not SECURITY.isdisjoint(words_of(word))
        if not is_dangerous or not words & TEXTS or words & ARGUMENTS:
            continue
        awaited = _awaited_value([*tests_around(node, part.lineno), *_ands_around(node, part)])
        # A test of it elsewhere may leave out what is searched here.
        if awaited is not None or "found" not in function.site.mentions:
            yield Search(function, part.lineno, word, awaited, "lower" in words)


def _ands_around(function: ast.AST, part: ast.expr) -> Iterator[ast.expr]:
    """Yield the conditions that hold beside a part of an `and`."""
    for node in walk(function):
        if not isinstance(node, ast.BoolOp) or not isinstance(node.op, ast.And):
            continue
        if any(inner is part for inner in walk(node)):
            yield from node.values


def _awaited_value(tests: Iterable[ast.expr]) -> bool | None:
    """Return what tests that hold ask of `found`; None where they do not ask."""
    for test in tests:
        for part in test.values if isinstance(test, ast.BoolOp) else [test]:
            is_denied = isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)
            if last_name(part.operand if isinstance(part, ast.UnaryOp) else part) == "found":
                return not is_denied
    return None


def _texts(function: FunctionRef) -> Iterator[tuple[int, str, ast.expr | None]]:
    """Yield the texts of a function, each with what its evidence, or the last one, says of `found`."""
    records = [
        (node, found)
        for node in walk(function.site.node)
        if (found := fields_of(node).get("found")) is not None
    ]
    last = max(records, key=lambda row: getattr(row[0], "lineno", 0), default=(None, None))[1]
    for node in walk(function.site.node):
        text = constant_text(node)
        if text and " " in text:
            own = (f for record, f in records if any(part is node for part in walk(record)))
            yield getattr(node, "lineno", 1), text, next(own, last)


def _denies(text: str, search: Search) -> bool:
    word, whole = search.word, text.lower() if search.is_lower else text
    before, middle, behind = whole.partition(word)
    return bool(middle) and bool(DENIED.search(before) or DENIED_BEHIND.search(behind))


def _may_be(value: ast.expr | None, awaited: bool | None) -> bool:
    """Return whether evidence that denies a danger may say of `found` what the rule asks for."""
    if value is None or awaited is None:
        return value is not None
    if isinstance(value, ast.Constant):
        return value.value is awaited
    if awaited:
        return isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    # More than the danger decides: `has_folder and not has_danger`.
    return isinstance(value, ast.BoolOp) and isinstance(value.op, ast.And)


def _quoted(text: str, word: str) -> str:
    """Return the clause with the word, or its end."""
    clauses = re.split(r"[.;!?]\s", text)
    clause = next((part for part in clauses if word in part.lower() or word in part), text)
    short = " ".join(clause.split())
    return short if len(short) <= MOST_CHARACTERS else f"…{short[-MOST_CHARACTERS:].lstrip()}"
