"""Retries of the judges' model after an answer that does not fit its schema."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.bypassed_calls import is_for_misfits, is_never_misfit
from courtroom.analysis.langgraph.judging.structured_calls import (
    MODEL_METHODS,
    calls_model,
    holds_line,
    model_calls,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.tree_walk import called_name, keyword_of, last_name, walk, words_of

RETRY_DECORATORS = frozenset({"retry", "on_exception", "retrying", "Retrying", "AsyncRetrying"})
RETRY_CALLS = frozenset(
    {
        "with_retry",
        "RetryOutputParser",
        "RetryWithErrorOutputParser",
        "OutputFixingParser",
    }
)
# Errors that only a malformed answer raises.
PARSE_ERRORS = frozenset(
    {"ValidationError", "OutputParserException", "OutputParsingError", "JSONDecodeError"}
)
# Errors of reading an answer, not of a service that does not answer.
READING_ERRORS = PARSE_ERRORS | {"ValueError", "TypeError", "KeyError", "AttributeError"}
PARSE_WORDS = frozenset(words_of("parse validate loads extract coerce"))
# Words of errors of a busy or broken service.
TRANSIENT_WORDS = frozenset(
    words_of("rate limit timeout connection api status service overloaded quota exhausted http")
)
# A word for a malformed answer in the same test.
MALFORMED_WORDS = PARSE_WORDS | frozenset(words_of("json parsing validation schema output format"))
_TRANSIENT_STATUS = re.compile(r"\b(?:429|50[0234]|529)\b")
# Calls between a function and the model that it asks.
MAX_CALLS = 4
MAX_DEPTH = 50
LOOPS = (ast.For, ast.AsyncFor, ast.While)
# Turns of a loop that asks again.
LEAST_TURNS = 2


def retries(functions: Iterable[FunctionRef]) -> Iterator[tuple[SourceFile, int]]:
    """Yield where, in the functions that judge, the model is called again after a bad answer."""
    functions = list(functions)
    callers = _model_callers(functions)
    by_name = {function.name: function for function in functions}
    for function in functions:
        node = function.site.node
        if not any(calls_model(inner, callers) for inner in walk(node)):
            continue

        if any(_is_retry_maker(decorator) for decorator in node.decorator_list):
            yield function.source, node.lineno
        reader = _RetryReader(function, callers, by_name)
        for inner in walk(node):
            if reader.is_retry(inner):
                yield function.source, reader.line_of_retry(inner)


def blind_loops(functions: Iterable[FunctionRef]) -> list[tuple[SourceFile, int]]:
    """Return the loops that repeat a request where it fails, and test no answer."""
    functions = list(functions)
    callers = _model_callers(functions)
    by_name = {function.name: function for function in functions}
    return [
        (function.source, node.lineno)
        for function in functions
        for reader in [_RetryReader(function, callers, by_name)]
        for node in walk(function.site.node)
        if isinstance(node, ast.For | ast.AsyncFor) and reader.is_blind(node)
    ]


def narrow_retries(
    functions: Iterable[FunctionRef], lines: Sequence[tuple[SourceFile, int]]
) -> list[tuple[SourceFile, int]]:
    """Return the loops of attempts among these lines that a request which fails itself leaves."""
    loops = {
        (function.source.path, node.lineno): (function.source, node.lineno)
        for function in functions
        for node in walk(function.site.node)
        if isinstance(node, LOOPS) and (function.source, node.lineno) in lines and _is_narrow(node)
    }
    return [*loops.values()]


def _is_narrow(loop: ast.AST) -> bool:
    """Return true where all handlers of the call itself wait for an answer that cannot be read."""
    types = [
        handler.type
        for node in walk(loop)
        if isinstance(node, ast.Try)
        and any(calls_model(inner, ()) for part in node.body for inner in walk(part))
        for handler in node.handlers
    ]
    return bool(types) and all(map(_of_reading, types))


def judges_by_retry(
    judges: Mapping[str, Sequence[FunctionRef]], lines: Sequence[tuple[SourceFile, int]]
) -> tuple[list[str], list[str]]:
    """Return the judges that come to one of these lines, and those that ask a model without.

    `judges`: the functions that a judge may run, by its name.
    """
    again: list[str] = []
    once: list[str] = []
    for name, functions in judges.items():
        if any(
            function.source is source and holds_line(function.site.node, line)
            for function in functions
            for source, line in lines
        ):
            again.append(name)
        elif any(True for _ in model_calls(functions)):
            once.append(name)
    return again, once


def _model_callers(functions: list[FunctionRef]) -> frozenset[str]:
    """Return the names of the functions that call a model, by themselves or through others."""
    names: set[str] = set()
    for _ in range(MAX_CALLS):
        more = {
            function.name
            for function in functions
            if function.name not in names
            and any(calls_model(inner, names) for inner in walk(function.site.node))
        }
        names |= more
        if not more:
            break
    return frozenset(names - MODEL_METHODS)


def _names_in(node: ast.AST) -> set[str]:
    return {inner.id for inner in walk(node) if isinstance(inner, ast.Name)}


def _is_retry_maker(node: ast.AST) -> bool:
    """Return true for tenacity's retry and its like, unless it waits for a busy service only."""
    maker = node.func if isinstance(node, ast.Call) else node
    if last_name(maker) not in RETRY_DECORATORS:
        return False
    condition = keyword_of(node, "retry") if isinstance(node, ast.Call) else None
    errors = [inner for inner in walk(condition) if _is_error(inner)] if condition else []
    return not errors or not all(map(_is_transient, errors))


def _of_reading(caught: ast.expr | None) -> bool:
    errors = caught.elts if isinstance(caught, ast.Tuple) else [caught] if caught else []
    return bool(errors) and all(last_name(error) in READING_ERRORS for error in errors)


def _is_error(node: ast.AST) -> bool:
    return last_name(node).endswith(("Error", "Exception", "Timeout"))


def _is_transient(error: ast.AST) -> bool:
    """Return true for RateLimitError and APITimeoutError: no malformed answer raises them."""
    return bool(set(words_of(last_name(error))) & TRANSIENT_WORDS)


@dataclass(frozen=True, slots=True)
class _RetryReader:
    """Reader of one function among others; `callers` are names of functions that call a model."""

    function: FunctionRef
    callers: frozenset[str]
    functions: Mapping[str, FunctionRef]

    def line_of_retry(self, node: ast.AST) -> int:
        """Return the line of the call that a handler repeats; of all else its first."""
        calls = [
            inner.lineno
            for handler in (node.handlers if isinstance(node, ast.Try) else ())
            for inner in _without_waits(handler.body)
            if isinstance(inner, ast.Call)
            and (calls_model(inner, self.callers) or called_name(inner) == self.function.name)
        ]
        return min(calls, default=getattr(node, "lineno", self.function.site.node.lineno))

    def is_retry(self, node: ast.AST) -> bool:
        if isinstance(node, ast.For | ast.AsyncFor):
            return _counts_attempts(node.iter) and self._repeats_call(node)
        if isinstance(node, ast.While):
            return self._repeats_call(node)
        if isinstance(node, ast.Try):
            return self._handler_repeats_call(node)
        if not isinstance(node, ast.Call):
            return False
        # instructor asks again by itself.
        asks_again = keyword_of(node, "response_model") and keyword_of(node, "max_retries")
        return called_name(node) in RETRY_CALLS or asks_again is not None or _is_retry_maker(node)

    def is_blind(self, loop: ast.For | ast.AsyncFor) -> bool:
        """Return true for attempts whose handlers go on, and that are no retry of a bad answer."""
        asking = [n for n in walk(loop) if isinstance(n, ast.Try) and self._has_model_call(n.body)]
        return (
            _counts_attempts(loop.iter)
            and any(_goes_on(handler) for node in asking for handler in node.handlers)
            and not self._repeats_call(loop)
        )

    def _repeats_call(self, loop: ast.For | ast.AsyncFor | ast.While) -> bool:
        """Return true when the loop calls the model and a malformed answer does not end it."""
        for node in walk(loop):
            if isinstance(node, ast.Try) and self._has_model_call(node.body):
                return self._detects_malformed(loop) and (
                    any(_goes_on(handler) and not _waits_only(handler) for handler in node.handlers)
                    or self._tests_answer(loop)
                )

        # Without a try, a test of the answer must decide; what tools return is sent on, not again.
        has_test = any(isinstance(node, ast.If) for node in walk(loop))
        return has_test and self._has_model_call([loop]) and not _sends_tool_results(loop)

    def _tests_answer(self, loop: ast.For | ast.AsyncFor | ast.While) -> bool:
        """Return true when a good answer leaves the loop, and one that fails a test does not."""
        if not _ways(loop.body) > {"leave"} or _sends_tool_results(loop):
            return False
        answers = self._names_of_answers(loop)
        return any(
            isinstance(node, ast.If)
            and not answers.isdisjoint(_names_in(node.test))
            and _ways(node.body) != _ways(node.orelse)
            for node in walk(loop)
        )

    def _names_of_answers(self, loop: ast.AST) -> set[str]:
        """Return the variables that hold an answer of the model, or what is made of it."""
        names: set[str] = set()
        for _ in range(MAX_CALLS):
            for node in walk(loop):
                if isinstance(node, ast.Assign) and (
                    self._has_model_call([node.value])
                    or not names.isdisjoint(_names_in(node.value))
                ):
                    names.update(name for target in node.targets for name in _names_in(target))
        return names

    def _detects_malformed(self, loop: ast.AST) -> bool:
        """Return true unless the model is only offered a tool, and its answer read after the loop.

        An answer without a call of the tool raises nothing.
        """
        text = self.function.source.text
        if "bind_tools" not in text or "with_structured_output" in text:
            return True
        return any(
            _parses_answer(node) or (isinstance(node, ast.Attribute) and node.attr == "tool_calls")
            for node in walk(loop)
        )

    def _handler_repeats_call(self, node: ast.Try) -> bool:
        """Return true when the handler calls the same model, or its own function, again.

        After a failed validation any model may be asked.
        """
        methods = {
            _method_text(inner)
            for statement in node.body
            for inner in walk(statement)
            if calls_model(inner, self.callers)
        }
        return bool(methods) and any(
            self._calls_again(handler, methods)
            and not (
                is_for_misfits(handler) and is_never_misfit(node, self.function, self.functions)
            )
            for handler in node.handlers
            if not _waits_only(handler)
        )

    def _calls_again(self, handler: ast.ExceptHandler, methods: set[str]) -> bool:
        is_for_malformed = any(
            last_name(error) in PARSE_ERRORS for error in walk(handler.type or ast.Pass())
        )
        for inner in _without_waits(handler.body):
            if calls_model(inner, self.callers) and (
                is_for_malformed or _method_text(inner) in methods
            ):
                return True
            if isinstance(inner, ast.Call) and called_name(inner) == self.function.name:
                return True
        return False

    def _has_model_call(self, body: Iterable[ast.AST]) -> bool:
        return any(calls_model(inner, self.callers) for part in body for inner in walk(part))


def _sends_tool_results(loop: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Call)
        and (called_name(node) == "ToolMessage" or keyword_of(node, "tool_call_id") is not None)
        for node in walk(loop)
    )


def _parses_answer(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and bool(set(words_of(called_name(node))) & PARSE_WORDS)


def _without_waits(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of a handler without those that only a busy service leads to."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.If) and _is_of_busy_service(node.test):
            stack += node.orelse
        else:
            stack += ast.iter_child_nodes(node)


def _waits_only(handler: ast.ExceptHandler) -> bool:
    errors = [inner for inner in walk(handler.type) if _is_error(inner)] if handler.type else []
    return bool(errors) and all(map(_is_transient, errors))


def _counts_attempts(iterable: ast.expr) -> bool:
    """Return true for range(3) or range(MAX).

    range(len(criteria)) counts questions, not attempts; range(1) is one attempt.
    """
    if not isinstance(iterable, ast.Call) or last_name(iterable.func) != "range":
        return False
    match iterable.args:
        case [ast.Constant(value=int(turns))] if turns < LEAST_TURNS:
            return False
    return not any(
        isinstance(node, ast.Call) and called_name(node) == "len"
        for node in walk(iterable)
        if node is not iterable
    )


def _goes_on(handler: ast.ExceptHandler) -> bool:
    """Return true when the loop may have another turn after a malformed answer."""
    return _ways(handler.body) != {"leave"}


def _ways(body: Sequence[ast.stmt], depth: int = 0) -> set[str]:
    """Return where control may go from a part of a loop: leave, next (turn), on (behind it).

    Nothing is raised on the way, and no service is busy. Deeper than MAX_DEPTH all goes on.
    """
    ways: set[str] = set()
    for statement in body if depth < MAX_DEPTH else ():
        ways |= _ways_of(statement, depth + 1)
        if "on" not in ways:
            return ways
        ways.remove("on")
    return ways | {"on"}


def _ways_of(statement: ast.stmt, depth: int) -> set[str]:
    if isinstance(statement, ast.Return | ast.Raise | ast.Break):
        return {"leave"}
    if isinstance(statement, ast.Continue):
        return {"next"}
    if isinstance(statement, ast.If):
        branches = [statement.orelse]
        if not _is_of_busy_service(statement.test):
            branches.append(statement.body)
        return set().union(*(_ways(branch, depth) for branch in branches))
    if isinstance(statement, ast.With | ast.AsyncWith):
        return _ways(statement.body, depth)
    if isinstance(statement, ast.Try):
        return _ways([*statement.body, *statement.orelse, *statement.finalbody], depth)
    return {"on"}


def _is_of_busy_service(test: ast.expr) -> bool:
    """Return true for a test that no malformed answer passes: `"429" in str(error)`."""
    if isinstance(test, ast.BoolOp):
        parts = map(_is_of_busy_service, test.values)
        return all(parts) if isinstance(test.op, ast.Or) else any(parts)
    nodes = list(walk(test))
    if any(map(_is_denied, nodes)):
        return False
    texts = [str(node.value) for node in nodes if isinstance(node, ast.Constant)]
    words = {word for text in [*texts, *map(last_name, nodes)] for word in words_of(text)}
    is_transient = words & TRANSIENT_WORDS or any(map(_TRANSIENT_STATUS.search, texts))
    return bool(is_transient) and words.isdisjoint(MALFORMED_WORDS)


def _is_denied(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return any(isinstance(operator, ast.NotIn | ast.NotEq) for operator in node.ops)
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _method_text(node: ast.AST) -> str:
    """Return the called method with its receiver, so that two calls can be compared."""
    return ast.dump(node.func) if isinstance(node, ast.Call) else ""
