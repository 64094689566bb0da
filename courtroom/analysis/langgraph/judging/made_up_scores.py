"""Scores written in the judges' code that stand in for an answer that failed, or for none."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.missing_answers import without_answer
from courtroom.analysis.langgraph.judging.score_changes import assignments_in, words_in
from courtroom.analysis.langgraph.judging.structured_calls import MODEL_METHODS
from courtroom.analysis.langgraph.judging.written_numbers import written_numbers
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    BLOCK_ENDS,
    called_name,
    fields_of,
    last_name,
    walk,
    words_of,
)

# A record with a score and one of these is an opinion.
OF_OPINION = frozenset(
    {"judge", "argument", "reasoning", "rationale", "criterion_id", "cited_evidence"}
)
# A lower score lies under every scale: it marks a failure.
LOWEST = 1
# A score of such a name is written for want of an answer.
DEFAULT_WORDS = frozenset({"default", "fallback", "neutral"})
# Calls that read an answer: where one fails, a default that was set before stays.
READERS = frozenset({"loads", "model_validate", "model_validate_json", "parse", "parse_raw", "int"})
# Words of a loop that goes over what is judged, answer by answer.
CRITERIA = frozenset(words_of("dimension dimensions dim dims criterion criteria"))
# Words of the name of a model, in whatever it is wrapped.
MODEL_NAMES = frozenset(words_of("llm model client chain"))
LOOPS = (ast.For, ast.AsyncFor, ast.While)
IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True, slots=True)
class _Score:
    """Score in words, and the highest number that it can be; 0 where the code names none."""

    words: str
    highest: float = 0


Row = tuple[FunctionRef, int, str]


def made_up_scores(judges: Sequence[FunctionRef]) -> list[Row]:
    """Return opinions with a written score, each with its function, line and a sentence.

    The highest score comes first: a low one may pass for a mark of the failure. They stand where a
    model's call has failed: in the handler of an exception, after a loop of attempts, where a
    function returned no answer, or in a function that one of these calls.
    """
    functions = {function.name: function for function in judges}
    rows: list[tuple[float, Row]] = []
    for function in judges:
        behind_all = _behind_all_answers(function.site.node, functions)
        for node in _after_failure(function.site.node, functions):
            failed = "all answers, once one" if node in behind_all else "an answer that"
            rows += _scores_in(node, function, functions, f"in place of {failed} failed")
        for line, number in _kept_defaults(function.site.node):
            sentence = (
                f"{function.shown_name} gives the score {number} in place of an answer that cannot"
                " be read."
            )
            rows.append((number, (function, line, sentence)))
    return _highest_first(rows)


def unasked_scores(judges: Sequence[FunctionRef]) -> list[Row]:
    """Return such opinions of judges whose model could not be made: no answer was requested."""
    functions = {function.name: function for function in judges}
    words = "where the request cannot be prepared: no answer was requested"
    return _highest_first(
        [
            row
            for function in judges
            for attempt in _preparations(function.site.node, functions)
            for handler in attempt.handlers
            for node in handler.body
            for row in _scores_in(node, function, functions, words)
        ]
    )


def _scores_in(
    node: ast.AST, function: FunctionRef, functions: Mapping[str, FunctionRef], words: str
) -> Iterator[tuple[float, Row]]:
    for place, opinion in _opinions(node, function, functions):
        score = _score(opinion, place)
        if score is not None:
            sentence = f"{place.shown_name} gives the score {score.words} {words}."
            yield score.highest, (place, getattr(opinion, "lineno", 1), sentence)


def _highest_first(rows: Sequence[tuple[float, Row]]) -> list[Row]:
    """Return each place once, the first time that it comes, by the highest score."""
    once: dict[tuple[str, int], tuple[float, Row]] = {}
    for highest, row in rows:
        once.setdefault((row[0].source.path, row[1]), (highest, row))
    return [row for _, row in sorted(once.values(), key=lambda scored: -scored[0])]


def computed_stand_in(judges: Sequence[FunctionRef]) -> str:
    """Return in words where code computes the score of an opinion for an answer that failed.

    "" for nowhere, and where that opinion may be another answer.
    """
    functions = {function.name: function for function in judges}
    for function in judges:
        for node in _after_failure(function.site.node, functions):
            for call in walk(node):
                called = functions.get(called_name(call)) if isinstance(call, ast.Call) else None
                if called is None or called.key == function.key or _may_ask(called):
                    continue
                if any(_is_opinion(part, called) for part in _returned(called)):
                    place = f"{called.source.path}:{called.site.node.lineno}"
                    return (
                        f"{called.shown_name} ({place}) computes a score for an answer that failed"
                    )
    return ""


def _may_ask(function: FunctionRef) -> bool:
    return not MODEL_METHODS.isdisjoint(function.site.mentions)


def _is_opinion(node: ast.AST, function: FunctionRef) -> bool:
    """Return true for an opinion whose score is no written one, and no mark of a failure."""
    fields = fields_of(node)
    score = fields.get("score")
    is_computed = score is not None and not isinstance(score, ast.Constant)
    return is_computed and not OF_OPINION.isdisjoint(fields) and _score(node, function) is None


def _returned(function: FunctionRef) -> Iterator[ast.AST]:
    for part in function.site.node.body:
        if isinstance(part, ast.Return):
            yield from walk(part)


def _after_failure(function: ast.AST, functions: Mapping[str, FunctionRef]) -> Iterator[ast.AST]:
    """Yield what runs when an exception was caught, after a loop of attempts, and for no answer.

    An import that fails is no answer, and before a request there is none. A handler may leave
    nothing for the end of the loop.
    """
    before = list(_preparations(function, functions))
    for node in walk(function):
        if isinstance(node, ast.Try) and node not in before and not _imports(node):
            for handler in node.handlers:
                yield from handler.body
    for node in walk(function):
        body = getattr(node, "body", None)
        block = body if isinstance(body, list) else []
        for position, statement in enumerate(block):
            if isinstance(statement, LOOPS) and _is_of_attempts(statement):
                yield from _in_last_attempt(statement)
                yield from block[position + 1 :]
    yield from without_answer(function, functions)


def _imports(node: ast.Try) -> bool:
    return all(isinstance(part, IMPORTS) for part in node.body)


def _preparations(function: ast.AST, functions: Mapping[str, FunctionRef]) -> Iterator[ast.Try]:
    """Yield where the model of a later request is made: `try: llm = make_model()`."""
    calls = [node for node in walk(function) if isinstance(node, ast.Call)]
    requests = [call for call in calls if _asks(call, functions)]
    for node in walk(function):
        if not isinstance(node, ast.Try) or _imports(node):
            continue
        inner = [part for statement in node.body for part in walk(statement)]
        made = {last_name(n) for n in inner if isinstance(getattr(n, "ctx", None), ast.Store)}
        later = [call for call in requests if call.lineno > (node.end_lineno or 0)]
        models = {name for call in later for name in _asked_by(call)}
        if (made & models) - {""} and not any(call in inner for call in requests):
            yield node


def _asked_by(call: ast.Call) -> Iterator[str]:
    """Yield the names that may be those of the model: `llm.invoke(text)`, `ask(llm, text)`."""
    if isinstance(call.func, ast.Attribute):
        yield last_name(call.func.value)
    names = (last_name(argument) for argument in call.args)
    yield from (name for name in names if not MODEL_NAMES.isdisjoint(words_of(name)))


def _asks(call: ast.Call, functions: Mapping[str, FunctionRef]) -> bool:
    names, queue = set[str](), [called_name(call)]
    while queue:
        name = queue.pop()
        if name in MODEL_METHODS:
            return True
        if name not in names and name in functions:
            queue += functions[name].site.mentions
        names.add(name)
    return False


def _behind_all_answers(
    function: ast.AST, functions: Mapping[str, FunctionRef]
) -> frozenset[ast.stmt]:
    """Return what handlers do around a loop over the criteria: one failure costs all answers."""
    return frozenset(
        statement
        for node in walk(function)
        if isinstance(node, ast.Try)
        for inner in node.body
        for loop in walk(inner)
        if isinstance(loop, ast.For | ast.AsyncFor) and _lets_failures_out(loop, functions)
        for handler in node.handlers
        for statement in handler.body
    )


def _lets_failures_out(loop: ast.For | ast.AsyncFor, functions: Mapping[str, FunctionRef]) -> bool:
    """Return true for a loop over criteria with calls of a model whose errors leave it."""
    if CRITERIA.isdisjoint(words_in(loop.target) | words_in(loop.iter)):
        return False
    names = {called_name(part) for part in walk(loop) if isinstance(part, ast.Call)}
    called = [functions[name] for name in sorted(names & functions.keys())]
    asking: list[ast.AST] = [function.site.node for function in called if _may_ask(function)]
    if not MODEL_METHODS.isdisjoint(names):
        asking.append(loop)
    parts = [part for node in asking for part in walk(node)]
    is_caught = any(isinstance(part, ast.Try) for part in parts)
    return bool(asking) and (not is_caught or any(isinstance(part, ast.Raise) for part in parts))


def _in_last_attempt(loop: ast.For | ast.AsyncFor | ast.While) -> Iterator[ast.stmt]:
    """Yield what a loop does by the number of its attempt: `if attempt == MOST - 1`."""
    counter = last_name(loop.target) if isinstance(loop, ast.For | ast.AsyncFor) else ""
    for node in walk(loop) if counter else ():
        if isinstance(node, ast.If) and any(last_name(n) == counter for n in walk(node.test)):
            yield from node.body


def _kept_defaults(function: ast.AST) -> Iterator[tuple[int, float]]:
    """Yield line and number of a score set before the answer is read, which stays if that fails.

    `score = 4; try: score = json.loads(text)["score"]; except ValueError: pass`.
    """
    for node in walk(function):
        if not isinstance(node, ast.Try) or not _reads_answer(node) or _is_left(node):
            continue
        names = {
            part.id
            for statement in node.body
            for part in walk(statement)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        for place in walk(function):
            fields = fields_of(place)
            score = fields.get("score")
            name = score.id if isinstance(score, ast.Name) else ""
            is_after = getattr(place, "lineno", 0) > (node.end_lineno or 0)
            if is_after and name in names and not OF_OPINION.isdisjoint(fields):
                yield from _last_written(name, function, node.lineno)


def _reads_answer(node: ast.Try) -> bool:
    calls = (part for statement in node.body for part in walk(statement))
    return any(isinstance(call, ast.Call) and called_name(call) in READERS for call in calls)


def _is_left(node: ast.Try) -> bool:
    """Return true where a handler leaves the function, or sets a name: then no default stays."""
    parts = [part for handler in node.handlers for part in walk(handler)]
    stores = (isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) for part in parts)
    return not parts or any(stores) or any(isinstance(part, BLOCK_ENDS) for part in parts)


def _last_written(name: str, function: ast.AST, line: int) -> Iterator[tuple[int, float]]:
    """Yield line and number of the last assignment before a line, if it is a written score."""
    earlier = [
        node
        for node in walk(function)
        if isinstance(node, ast.Assign) and node.lineno < line
        if any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]
    last = max(earlier, key=lambda node: node.lineno, default=None)
    number = last.value.value if last and isinstance(last.value, ast.Constant) else None
    if last and isinstance(number, int | float) and number is not True and number >= LOWEST:
        yield last.lineno, number


def _is_of_attempts(loop: ast.AST) -> bool:
    """Return true for a loop of calls that is left inside a `try`: after it, all may have failed.

    What is written after it is no answer, also where a break leads there.
    """
    for part in walk(loop):
        if not isinstance(part, ast.Try):
            continue
        inner = list(walk(part))
        asks = any(isinstance(n, ast.Call) and called_name(n) in MODEL_METHODS for n in inner)
        if any(isinstance(n, ast.Return) or (asks and isinstance(n, ast.Break)) for n in inner):
            return True
    return False


def _opinions(
    node: ast.AST, function: FunctionRef, functions: Mapping[str, FunctionRef]
) -> Iterator[tuple[FunctionRef, ast.AST]]:
    """Yield the opinions in a statement, and those that the judges' functions it calls return.

    `return fallback` is the opinion that the name is assigned once.
    """
    for inner in walk(node):
        if _score(inner, function) is not None:
            yield function, inner
        if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Name):
            values = assignments_in(function.site.node).get(inner.value.id, [])
            if len(values) == 1 and _score(values[0], function) is not None:
                yield function, values[0]
        called = functions.get(called_name(inner)) if isinstance(inner, ast.Call) else None
        if called is None or called.key == function.key:
            continue
        returned = [part for part in called.site.node.body if isinstance(part, ast.Return)]
        for part in returned:
            yield from ((called, item) for item in walk(part) if _score(item, called) is not None)


def _score(node: ast.AST, function: FunctionRef) -> _Score | None:
    """Return the score of an opinion as the function writes it, or the name of a default."""
    fields = fields_of(node)
    score = fields.get("score")
    if score is None or OF_OPINION.isdisjoint(fields):
        return None
    written = written_numbers(score, function.site.node) or ()
    numbers = sorted(number for number in written if number >= LOWEST)
    if numbers:
        *lower, highest = map(str, numbers)
        words = f"{', '.join(lower)} or {highest}" if lower else highest
        return _Score(words, numbers[-1])
    is_named = isinstance(score, ast.Subscript | ast.Attribute | ast.Name)
    is_default = is_named and bool(words_in(score) & DEFAULT_WORDS)
    return _Score(f"of `{ast.unparse(score)}`") if is_default else None
