"""Words for which a cap for security looks in evidence, and which a tool writes where all is well.

`"os.system" in evidence.rationale` holds for “No os.system calls were found” too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.awaited_words import ARGUMENTS
from courtroom.analysis.langgraph.judging.rule_words import SECURITY
from courtroom.analysis.langgraph.judging.score_changes import (
    Assignments,
    assignments_in,
    words_in,
)
from courtroom.analysis.python.call_graph import FunctionRef, is_of_inner
from courtroom.analysis.python.tree_walk import (
    BLOCK_ENDS,
    called_name,
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
LISTS = (ast.List, ast.Tuple, ast.Set)

Functions = Mapping[str, FunctionRef]


@dataclass(frozen=True, slots=True)
class Search:
    """Word that a rule looks for; `found` is what it asks of the evidence, None for nothing.

    `reads_goal`: what the evidence looked for is part of the text.
    """

    function: FunctionRef
    line: int
    word: str
    found: bool | None
    is_lower: bool
    reads_goal: bool


@dataclass(frozen=True, slots=True)
class TrippingText:
    """Text of a tool at a line, which denies what a rule looks for by its words.

    `is_constant`: the tool writes it whatever it looks at. `is_reversed`: the evidence is found
    where the code lacks the word, and the rule asks for what is found.
    """

    search: Search
    writer: FunctionRef
    line: int
    text: str
    is_constant: bool = False
    is_reversed: bool = False

    @property
    def sentence(self) -> str:
        always = " whatever it looks at" if self.is_constant else ""
        effect = ", and applies to every work" if self.is_constant else ""
        if self.is_reversed:
            effect = (
                f", and by this evidence it applies where `{self.search.word}` is absent, not where"
                " it is there"
            )
        return (
            f"{self.search.function.shown_name}() looks for `{self.search.word}` in evidence, and"
            f" {self.writer.shown_name}() writes “{_quoted(self.text, self.search.word)}” there{always}:"
            f" the rule matches a word, and no flaw{effect}"
        )


def tripping_texts(
    justice: Sequence[FunctionRef], tools: Iterable[FunctionRef]
) -> Iterator[TrippingText]:
    """Yield the first text of the tools that denies a danger and meets a search for its words."""
    functions = {function.name: function for function in justice}
    searches = [search for function in justice for search in _searches(function, functions)]
    deciding = {function.key for function in justice}
    writers = [function for function in tools if function.key not in deciding] if searches else []
    for writer in writers:
        for line, text, found, is_goal in _texts(writer):
            for search in searches:
                is_read = (search.reads_goal or not is_goal) and not is_of_inner(
                    line, writer, writers
                )
                if is_read and _denies(text, search) and _may_be(found, search.found):
                    is_constant = _is_constant(writer, line, found)
                    is_reversed = _is_reversed(writer, found, search)
                    yield TrippingText(search, writer, line, text, is_constant, is_reversed)
                    return


def _is_reversed(writer: FunctionRef, found: ast.expr | None, search: Search) -> bool:
    """Return true for `found=not has_shell` of `has_shell = "os.system" in text`, if found counts."""
    is_not = isinstance(found, ast.UnaryOp) and isinstance(found.op, ast.Not)
    if not search.found or not isinstance(found, ast.UnaryOp) or not is_not:
        return False
    name = found.operand.id if isinstance(found.operand, ast.Name) else ""
    values = assignments_in(writer.site.node).get(name, []) if name else [found.operand]
    return len(values) == 1 and _looks_for(values[0], search.word)


def _looks_for(value: ast.expr, word: str) -> bool:
    is_search = isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.In)
    text = constant_text(value.left) if isinstance(value, ast.Compare) and is_search else None
    return bool(text) and word in (text or "").lower()


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


def _searches(function: FunctionRef, functions: Functions) -> Iterator[Search]:
    node = function.site.node
    assigned = assignments_in(node)
    for part in walk(node):
        if not isinstance(part, ast.Compare) or not isinstance(part.ops[0], ast.In):
            continue
        held = part.comparators[0]
        names = [n.id for n in walk(held) if isinstance(n, ast.Name)]
        values = [held, *(value for name in names for value in assigned.get(name, []))]
        words = frozenset(word for value in values for word in _words_read(value, functions))
        if not words & TEXTS or words & ARGUMENTS:
            continue
        tests = [
            *tests_around(node, part.lineno),
            *_ands_around(node, part),
            *_passed_tests(node, part.lineno),
        ]
        awaited = _awaited_value(tests)
        # A test of it elsewhere may leave out what is searched here.
        if awaited is None and "found" in function.site.mentions:
            continue
        for word in _dangerous(part.left, function, assigned):
            yield Search(function, part.lineno, word, awaited, "lower" in words, "goal" in words)


def _words_read(value: ast.expr, functions: Functions) -> frozenset[str]:
    """Return the words of a text, and of the functions of the same layer that make it."""
    called = (called_name(node) for node in walk(value) if isinstance(node, ast.Call))
    makers = (functions[name].site.node for name in called if name in functions)
    return words_in(value).union(*map(words_in, makers))


def _dangerous(looked_for: ast.expr, function: FunctionRef, assigned: Assignments) -> Iterator[str]:
    """Yield the words of a danger that `word in text` looks for: a constant, or those of a list."""
    own = constant_text(looked_for)
    listed = [] if own or not isinstance(looked_for, ast.Name) else [looked_for.id]
    texts = [own] if own else [t for name in listed for t in _members(name, function, assigned)]
    for text in texts:
        if len(text) >= LEAST_LETTERS and not SECURITY.isdisjoint(words_of(text)):
            yield text


def _members(name: str, function: FunctionRef, assigned: Assignments) -> list[str]:
    """Return the constants of the list that a loop's variable takes its values from."""
    loops = (
        node
        for node in walk(function.site.node)
        if isinstance(node, ast.comprehension | ast.For) and last_name(node.target) == name
    )
    top = {
        last_name(target): statement.value
        for statement in function.source.tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    }
    texts: list[str] = []
    for loop in loops:
        source = last_name(loop.iter)
        options = assigned.get(source) or [top.get(source, loop.iter)]
        members = options[0].elts if isinstance(options[0], LISTS) else []
        texts += filter(None, map(constant_text, members))
    return texts


def _passed_tests(function: ast.AST, line: int) -> Iterator[ast.expr]:
    """Yield what holds at a line because of a `continue` or a return before it in its block."""
    for node in walk(function):
        body = getattr(node, "body", None)
        is_around = isinstance(body, list) and body[0].lineno <= line <= (body[-1].end_lineno or 0)
        for statement in body if is_around and isinstance(body, list) else ():
            if not isinstance(statement, ast.If) or statement.orelse or statement.lineno >= line:
                continue
            denied = statement.test
            if not isinstance(statement.body[-1], BLOCK_ENDS):
                continue
            if isinstance(denied, ast.UnaryOp) and isinstance(denied.op, ast.Not):
                yield denied.operand
            else:
                yield ast.UnaryOp(ast.Not(), denied)


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
            condition = part.operand if isinstance(part, ast.UnaryOp) else part
            name = (
                called_name(condition) if isinstance(condition, ast.Call) else last_name(condition)
            )
            if name.strip("_") in {"found", "is_found"}:
                return not is_denied
    return None


def _texts(function: FunctionRef) -> Iterator[tuple[int, str, ast.expr | None, bool]]:
    """Yield the texts of a function, and whether they are the goal of a piece of evidence.

    Each comes with what its evidence, or the last one, says of `found`.
    """
    records = [
        (node, claim)
        for node in walk(function.site.node)
        if (claim := fields_of(node).get("found")) is not None
    ]
    last = max(records, key=lambda row: getattr(row[0], "lineno", 0), default=(None, None))[1]
    for node in walk(function.site.node):
        text = constant_text(node)
        if text and " " in text:
            own = (row for row in records if any(part is node for part in walk(row[0])))
            record, claim = next(own, (None, last))
            goal = fields_of(record).get("goal") if record is not None else None
            is_goal = goal is not None and any(part is node for part in walk(goal))
            yield getattr(node, "lineno", 1), text, claim, is_goal


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
