"""Scores written in the judges' code that stand in for an answer that failed, or for none."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from courtroom.analysis.langgraph.judging.averaged_scores import averaged_values
from courtroom.analysis.langgraph.judging.bound_fields import BY_FIELD, bound_fields
from courtroom.analysis.langgraph.judging.last_rounds import leaves_by_last_round
from courtroom.analysis.langgraph.judging.missing_answers import unlike_answers, without_answer
from courtroom.analysis.langgraph.judging.read_defaults import read_defaults
from courtroom.analysis.langgraph.judging.score_changes import assignments_in, words_in
from courtroom.analysis.langgraph.judging.score_defaults import (
    LOWEST,
    OF_OPINION,
    defaults_of_answers,
    left_out_by_answers,
    written_number,
)
from courtroom.analysis.langgraph.judging.structured_calls import MODEL_METHODS, PYDANTIC_METHODS
from courtroom.analysis.langgraph.judging.written_numbers import written_numbers
from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    BLOCK_ENDS,
    called_name,
    constant_text,
    fields_of,
    last_name,
    walk,
    words_of,
)

# A score of such a name is written for want of an answer.
DEFAULT_WORDS = frozenset({"default", "fallback", "neutral"})
# Calls that read an answer: where one fails, a default that was set before stays.
READERS = frozenset({"loads", "model_validate", "model_validate_json", "parse", "parse_raw", "int"})
READING_WORDS = frozenset(words_of("parse extract json coerce validate"))
# Words of a loop that goes over what is judged, answer by answer.
CRITERIA = frozenset(words_of("dimension dimensions dim dims criterion criteria"))
# Words of the name of a model, in whatever it is wrapped.
MODEL_NAMES = frozenset(words_of("llm model client chain"))
# Words of a test on whether there is a model to ask.
OF_MODEL = frozenset(words_of("llm llms model client provider api"))
UNREAD = "in place of an answer that cannot be read"
# What is added where the mean counts a score that lies under the scale.
COUNTED_IN_MEAN = ", and the mean of the scores counts it"
# Errors of the machine, its settings and its packages: an answer that does not fit raises none.
OF_MACHINE = frozenset(
    {"EnvironmentError", "OSError", "IOError", "ImportError", "ModuleNotFoundError"}
)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True, slots=True)
class _Score:
    """Score in words, and the highest number that it can be; 0 where the code names none."""

    words: str
    highest: float = 0


Row = tuple[FunctionRef, int, str]


@dataclass(frozen=True, slots=True)
class _MadeUp:
    """Opinion with a written score; `is_at_once`: it comes without a second request."""

    row: Row
    highest: float
    is_at_once: bool = False


def made_up_scores(judges: Sequence[FunctionRef], justice: Sequence[FunctionRef] = ()) -> list[Row]:
    """Return opinions with a written score, each with its function, line and a sentence.

    The highest score comes first: a low one may pass for a mark of the failure. They stand where a
    model's call has failed: in the handler of an exception, after a loop of attempts, where a
    function returned no answer or one of another type, where an answer lacks a score or a
    criterion, or in a function that one of these calls. A 0 is one where the mean of `justice` counts
    it.
    """
    lowest = 0 if _counts_zero(judges, justice) else LOWEST
    return _highest_first(_all_made_up(judges, lowest))


def scores_at_once(
    judges: Sequence[FunctionRef], asking_once: Sequence[FunctionRef] = ()
) -> list[Row]:
    """Return those of them that stand for an answer which is not requested again before.

    `asking_once` are functions of judges that never repeat a request.
    """
    once = {function.key for function in asking_once}
    made_up = _all_made_up(judges)
    return _highest_first([m for m in made_up if m.is_at_once or m.row[0].key in once])


def _counts_zero(judges: Sequence[FunctionRef], justice: Sequence[FunctionRef]) -> bool:
    """Return true where the Chief Justice takes a mean of all scores, and no code asks for a 0."""
    nodes = [node for function in (*judges, *justice) for node in walk(function.site.node)]
    asks_for_zero = any(
        isinstance(part, ast.Constant) and part.value in {0, 1} and "score" in words_in(node)
        for node in nodes
        if isinstance(node, ast.Compare)
        for part in (node.left, *node.comparators)
    )
    means = (
        averaged_values(node)
        for function in justice
        for node in walk(function.site.node)
        if isinstance(node, ast.Call | ast.BinOp)
    )
    return not asks_for_zero and any(
        values is not None and _are_all_scores(values) for values in means
    )


def _are_all_scores(values: ast.expr) -> bool:
    """Return true for `op.score for op in opinions`, without a condition."""
    return (
        isinstance(values, ast.GeneratorExp | ast.ListComp)
        and last_name(values.elt) == "score"
        and not any(generator.ifs for generator in values.generators)
    )


def _all_made_up(judges: Sequence[FunctionRef], lowest: float = LOWEST) -> list[_MadeUp]:
    functions = {function.name: function for function in judges}
    found: list[_MadeUp] = []
    # What a caller does for want of an answer comes after what stands at the request.
    by_callers: list[_MadeUp] = []
    fields = bound_fields(judges)
    for field in fields:
        if field.default is not None:
            text = f"{field.owner} gives the score {field.default} {BY_FIELD}"
            row = (field.function, field.line, text)
            found.append(_MadeUp(row, field.default, is_at_once=True))
    for function in judges:
        tree = function.site.node
        absent = {id(node) for node in without_answer(tree, functions)}
        behind_all = _behind_all_answers(tree, functions)
        of_machine = _of_machine(tree)
        for node, is_at_once in _after_failure(tree, functions):
            failed = "all answers, once one" if node in behind_all else "an answer that"
            words = of_machine.get(id(node), f"in place of {failed} failed")
            rows = by_callers if id(node) in absent else found
            rows += _scores_in(
                node, function, functions, words, is_at_once=is_at_once, lowest=lowest
            )
        for statement in _left_out(tree, functions):
            words = "in place of an opinion that the answer lacks"
            found += _scores_in(statement, function, functions, words, is_at_once=True)
        # An answer that has passed its model holds a score.
        found += _defaults(function, is_held=bool(fields))
    for function, line, number in read_defaults(judges):
        row = _row(function, line, f"{number}", UNREAD)
        found.append(_MadeUp(row, number, is_at_once=True))
    return [*found, *by_callers]


def _of_machine(function: ast.AST) -> dict[int, str]:
    """Return the words on what handlers do that wait for errors of the machine alone."""
    return {
        id(statement): f"where {caught} is raised"
        for handler in _handlers(function)
        if handler.type is not None
        for types in [getattr(handler.type, "elts", [handler.type])]
        for caught in [" or ".join(map(last_name, types))]
        if OF_MACHINE.issuperset(map(last_name, types))
        for statement in handler.body
    }


def _defaults(function: FunctionRef, *, is_held: bool) -> Iterator[_MadeUp]:
    """Yield the scores that are written for an answer which cannot be read, or has none."""
    tree = function.site.node
    again = {id(part) for node in _after_last_request(tree) for part in walk(node)}
    for line, number in _kept_defaults(tree):
        yield _MadeUp(_row(function, line, f"{number}", UNREAD), number)
    for node, number in () if is_held else defaults_of_answers(tree):
        row = _row(function, getattr(node, "lineno", 1), f"{number}", "to an answer that has none")
        yield _MadeUp(row, number, is_at_once=id(node) not in again)


def _row(function: FunctionRef, line: int, score: str, words: str) -> Row:
    return function, line, f"{function.shown_name} gives the score {score} {words}."


def _handlers(function: ast.AST) -> Iterator[ast.ExceptHandler]:
    return (node for node in walk(function) if isinstance(node, ast.ExceptHandler))


def _left_out(function: ast.AST, functions: Mapping[str, FunctionRef]) -> Iterator[ast.stmt]:
    """Yield what runs, after the request, for a criterion that the answer does not name."""
    calls = (node for node in walk(function) if isinstance(node, ast.Call))
    requests = [call for call in calls if _asks(call, functions)]
    first = min((call.lineno for call in requests), default=None)
    if first is None:
        return
    for node in left_out_by_answers(function):
        # Where it is requested again, the answer decides.
        if node.lineno > first and {*requests}.isdisjoint(walk(node)):
            yield node


def unasked_scores(
    judges: Sequence[FunctionRef], silent: Mapping[str, Sequence[FunctionRef]] | None = None
) -> list[Row]:
    """Return such opinions for which no answer was requested.

    The model could not be made, the code goes another way without one, or a node asks none:
    `silent` are the functions of such nodes, by the name of the node, its own first.
    """
    functions = {function.name: function for function in judges}
    words = "where the request cannot be prepared: no answer was requested"
    rows = [
        row
        for function in judges
        for attempt in _preparations(function.site.node, functions)
        for handler in attempt.handlers
        for node in handler.body
        for row in _scores_in(node, function, functions, words)
    ]
    words = "where it has no model: no answer was requested"
    for function in judges:
        for node in _without_model(function.site.node, functions):
            rows += _scores_at_calls(node, function, functions, words)
    for name, (own, *others) in (silent or {}).items():
        inner = {function.name: function for function in (own, *others)}
        rows += (
            replace(made, row=(own, made.row[1], f"The node {name} {_deed(made.row[2])}"))
            for made in _scores_at_calls(own.site.node, own, inner, "and asks no model")
        )
    return _highest_first(rows)


def _deed(sentence: str) -> str:
    return sentence.partition(" ")[2]


def _without_model(function: ast.AST, functions: Mapping[str, FunctionRef]) -> Iterator[ast.stmt]:
    """Yield the branches on a model, its key or its provider in which none is asked."""
    calls = (node for node in walk(function) if isinstance(node, ast.Call))
    asking = {id(call) for call in calls if _asks(call, functions)}
    for node in walk(function) if asking else ():
        if isinstance(node, ast.If) and not _words_of_models(node.test).isdisjoint(OF_MODEL):
            for branch in (node.body, node.orelse):
                parts = {id(part) for statement in branch for part in walk(statement)}
                if parts.isdisjoint(asking):
                    yield from branch


def _words_of_models(test: ast.expr) -> frozenset[str]:
    """Return the words of a test, without those of pydantic's methods: `model_dump`."""
    names = {last_name(part) for part in walk(test)}
    return words_in(test) if not any(map(PYDANTIC_METHODS.fullmatch, names)) else frozenset()


def _scores_at_calls(
    node: ast.AST, function: FunctionRef, functions: Mapping[str, FunctionRef], words: str
) -> Iterator[_MadeUp]:
    """Yield the opinions with a written score at the place that chooses them, here: no fallback."""
    for part in walk(node):
        score = _score(part, function)
        if score is not None and not _is_of_no_judge(part):
            row = _row(function, getattr(part, "lineno", 1), score.words, words)
            yield _MadeUp(row, score.highest)
        called = functions.get(called_name(part)) if isinstance(part, ast.Call) else None
        if called is None or called.key == function.key:
            continue
        scores = [s for inner in _returned(called) if (s := _score(inner, called)) is not None]
        for score in scores[:1]:
            written = f"{score.words} by {called.name}"
            yield _MadeUp(_row(function, getattr(part, "lineno", 1), written, words), score.highest)


def _is_of_no_judge(opinion: ast.AST) -> bool:
    """Return true for an opinion under the written name of a node that joins: "Aggregator"."""
    name = constant_text(fields_of(opinion).get("judge"))
    return name is not None and role_by_name(name) == "join"


def _scores_in(
    node: ast.AST,
    function: FunctionRef,
    functions: Mapping[str, FunctionRef],
    words: str,
    *,
    is_at_once: bool = False,
    lowest: float = LOWEST,
) -> Iterator[_MadeUp]:
    for place, opinion in _opinions(node, function, functions, lowest):
        score = _score(opinion, place, lowest)
        if score is not None:
            sentence = f"{words}{COUNTED_IN_MEAN if score.words == '0' else ''}"
            row = _row(place, getattr(opinion, "lineno", 1), score.words, sentence)
            yield _MadeUp(row, score.highest, is_at_once)


def _highest_first(rows: Sequence[_MadeUp]) -> list[Row]:
    """Return each place once, the first time that it comes, by the highest score."""
    once: dict[tuple[str, int], _MadeUp] = {}
    for made in rows:
        once.setdefault((made.row[0].source.path, made.row[1]), made)
    return [made.row for made in sorted(once.values(), key=lambda made: -made.highest)]


def computed_stand_in(judges: Sequence[FunctionRef]) -> str:
    """Return in words where code computes the score of an opinion for an answer that failed.

    "" for nowhere, and where that opinion may be another answer.
    """
    functions = {function.name: function for function in judges}
    for function in judges:
        for node, _ in _after_failure(function.site.node, functions):
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


def _after_failure(
    function: ast.AST, functions: Mapping[str, FunctionRef]
) -> Iterator[tuple[ast.AST, bool]]:
    """Yield what runs when an exception was caught, after a loop of attempts, and for no answer.

    With each, whether it is certain that the answer was not requested again. An import that fails
    is no answer, and before a request there is none. A handler may leave nothing for the end of
    the loop.
    """
    before = list(_preparations(function, functions))
    behind = {id(part) for node in _retried(function) for part in walk(node)}
    for node in walk(function):
        if isinstance(node, ast.Try) and node not in before and not _imports(node):
            is_at_once = id(node) not in behind and _only_reads(node, functions)
            for handler in node.handlers:
                yield from ((part, is_at_once) for part in handler.body)
    for node in walk(function):
        body = getattr(node, "body", None)
        block = body if isinstance(body, list) else []
        for position, statement in enumerate(block):
            if isinstance(statement, LOOPS) and _is_of_attempts(statement):
                yield from ((part, False) for part in _in_last_attempt(statement))
                behind_loop = [] if leaves_by_last_round(statement) else block[position + 1 :]
                yield from ((part, False) for part in behind_loop)
    yield from ((part, False) for part in without_answer(function, functions))
    yield from unlike_answers(function)


def _retried(function: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs after a failure, or inside a loop of attempts: there, a request came before."""
    yield from _handlers(function)
    yield from (
        node for node in walk(function) if isinstance(node, LOOPS) and _is_of_attempts(node)
    )


def _after_last_request(function: ast.AST) -> Iterator[ast.ExceptHandler]:
    """Yield what runs after a failure, unless a loop of attempts could request once more."""
    attempts = [node for node in walk(function) if isinstance(node, LOOPS)]
    within = {id(part) for loop in attempts if _is_of_attempts(loop) for part in walk(loop)}
    yield from (handler for handler in _handlers(function) if id(handler) not in within)


def _only_reads(node: ast.Try, functions: Mapping[str, FunctionRef]) -> bool:
    """Return true for a block that reads an answer, and requests none."""
    parts = (part for statement in node.body for part in walk(statement))
    calls = [part for part in parts if isinstance(part, ast.Call)]
    return any(map(_is_reader, calls)) and not any(_asks(call, functions) for call in calls)


def _is_reader(call: ast.Call) -> bool:
    """Return true for `loads(text)`, `extract_json(text)` and `Opinion(**answer)`."""
    name = called_name(call)
    is_filled = name[:1].isupper() and any(keyword.arg is None for keyword in call.keywords)
    return is_filled or name in READERS or not READING_WORDS.isdisjoint(words_of(name))


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
    number = written_number(last.value) if last else None
    if last and number is not None:
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
    node: ast.AST,
    function: FunctionRef,
    functions: Mapping[str, FunctionRef],
    lowest: float = LOWEST,
) -> Iterator[tuple[FunctionRef, ast.AST]]:
    """Yield the opinions in a statement, and those that the judges' functions it calls return.

    `return fallback` is the opinion that the name is assigned once.
    """
    for inner in walk(node):
        if _score(inner, function, lowest) is not None:
            yield function, inner
        if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Name):
            values = assignments_in(function.site.node).get(inner.value.id, [])
            if len(values) == 1 and _score(values[0], function, lowest) is not None:
                yield function, values[0]
        called = functions.get(called_name(inner)) if isinstance(inner, ast.Call) else None
        # A method that sends a request is that of a model, whatever class has one of its name.
        if called is None or called.key == function.key or called.name in MODEL_METHODS:
            continue
        returned = [part for part in called.site.node.body if isinstance(part, ast.Return)]
        for part in returned:
            items = (item for item in walk(part) if _score(item, called, lowest) is not None)
            yield from ((called, item) for item in items)


def _score(node: ast.AST, function: FunctionRef, lowest: float = LOWEST) -> _Score | None:
    """Return the score of an opinion as the function writes it, or the name of a default."""
    fields = fields_of(node)
    score = fields.get("score")
    if score is None or OF_OPINION.isdisjoint(fields):
        return None
    written = written_numbers(score, function.site.node) or ()
    numbers = sorted(number for number in written if number >= lowest)
    if numbers:
        *lower, highest = map(str, numbers)
        words = f"{', '.join(lower)} or {highest}" if lower else highest
        return _Score(words, numbers[-1])
    is_named = isinstance(score, ast.Subscript | ast.Attribute | ast.Name)
    is_default = is_named and bool(words_in(score) & DEFAULT_WORDS)
    return _Score(f"of `{ast.unparse(score)}`") if is_default else None
