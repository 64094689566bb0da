"""Model calls bound to a schema, and retries after a malformed answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from courtroom.analysis.langgraph.node_roles import JUDGE_WORDS
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import (
    as_written,
    called_name,
    keyword_of,
    last_name,
    line_of_call,
    walk,
    words_of,
)

SCHEMA_BINDERS = frozenset({"with_structured_output", "bind_tools"})
# Methods that send a request to a model.
MODEL_METHODS = frozenset(
    {
        "invoke",
        "ainvoke",
        "create",
        "parse",
        "generate",
        "generate_content",
        "predict",
        "complete",
        "chat",
        "achat",
    }
)
PARSER = "PydanticOutputParser"
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
PARSE_WORDS = frozenset(words_of("parse validate loads extract coerce"))
# Words of errors of a busy or broken service.
TRANSIENT_WORDS = frozenset(
    words_of("rate limit timeout connection api status service overloaded quota exhausted http")
)
# Words of names in code that may ask a model, by a library, over HTTP or through an object.
MODEL_WORDS = frozenset(
    words_of(
        """llm llms model models chat chain chains agent agents prompt prompts runnable pipeline
        openai anthropic claude gemini gpt groq ollama mistral cohere bedrock vertex deepseek
        litellm instructor completion completions invoke ainvoke generate predict complete ask
        requests httpx aiohttp urlopen post client provider structured tool tools"""
    )
)
PYDANTIC_METHODS = re.compile(r"model_(?:dump|validate|copy|fields|construct|config)\w*")
TOOL_WORDS = frozenset({"tool", "tools"})
# Beside a word for tools these name a model that tools were offered to: llm_with_tools.
OFFERED_WORDS = frozenset(
    words_of("llm model chat chain agent judge client runnable with bound bind enabled")
)
OTHER_LAYERS = frozenset(words_of("justice synthesis chief detective detectives tools"))
# Calls between a function and the model that it asks.
MAX_CALLS = 4
MAX_CLASSES = 20


@dataclass(frozen=True, slots=True)
class BoundCall:
    """Call that binds a model, or parses its answer; `schema` as written, "" if no plain name."""

    source: SourceFile
    line: int
    argument: ast.expr | None
    binder: str = ""

    @property
    def is_of_tools(self) -> bool:
        """Return true for `bind_tools(tools)`: the variable holds tools, no schema."""
        return self.binder == "bind_tools" and self.schema.rsplit(".", 1)[-1].islower()

    @property
    def schema(self) -> str:
        return as_written(self.argument) if self.argument is not None else ""

    @property
    def is_named_after_judges(self) -> bool:
        return bool(set(words_of(self.source.module.replace(".", " "))) & JUDGE_WORDS)

    def is_in(self, functions: Iterable[FunctionRef]) -> bool:
        """Return true in one of the functions, or at the top of a module that holds one."""
        own = [function for function in functions if function.source is self.source]
        around = [site.node for site in self.source.functions if _holds(site.node, self.line)]
        return bool(own) and (
            not around or any(_holds(function.site.node, self.line) for function in own)
        )


def _holds(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def structured_calls(symbols: SymbolTable) -> list[BoundCall]:
    return [
        BoundCall(
            source, line_of_call(site.node), _schema_argument(site.node), called_name(site.node)
        )
        for source in symbols.codebase.production
        if any(binder in source.text for binder in SCHEMA_BINDERS)
        for site in source.calls
        if isinstance(site.node.func, ast.Attribute) and site.node.func.attr in SCHEMA_BINDERS
    ]


def parsing_calls(symbols: SymbolTable) -> list[BoundCall]:
    """Return the parsers that raise where an answer does not fit their class."""
    return [
        BoundCall(source, line_of_call(site.node), argument, PARSER)
        for source in symbols.codebase.production
        if PARSER in source.text
        for site in source.calls
        if called_name(site.node) == PARSER
        if (argument := _parsed_class(site.node)) is not None
    ]


def _parsed_class(call: ast.Call) -> ast.expr | None:
    return keyword_of(call, "pydantic_object") or (call.args[0] if call.args else None)


def _schema_argument(call: ast.Call) -> ast.expr | None:
    schema = call.args[0] if call.args else keyword_of(call, "schema", "tools")
    # bind_tools takes a list.
    return schema.elts[0] if isinstance(schema, ast.List) and schema.elts else schema


def classes_of(call: BoundCall, symbols: SymbolTable) -> list[ClassSite]:
    """Return the repository's class that the call binds, and those that its fields hold, in turn.

    At most MAX_CLASSES; empty where the schema is no class of the repository.
    """
    bound = symbols.find_class(call.source, call.argument) if call.argument is not None else None
    classes = [bound] if bound is not None else []
    # The list grows while it is walked; each class is in it once, so a cycle ends.
    for site in classes:
        for name in _annotated_names(site.node):
            held = symbols.find_class(site.source, name)
            if held is not None and held not in classes and len(classes) < MAX_CLASSES:
                classes.append(held)
    return classes


def _annotated_names(node: ast.ClassDef) -> Iterator[ast.expr]:
    for line in node.body:
        if isinstance(line, ast.AnnAssign):
            for part in ast.walk(line.annotation):
                if isinstance(part, ast.Name | ast.Attribute):
                    yield part
                elif isinstance(part, ast.Constant) and str(part.value).isidentifier():
                    # A name in quotes is a class that is defined further down.
                    yield ast.Name(str(part.value))


def judging_calls(in_use: Iterable[FunctionRef]) -> list[FunctionRef]:
    """Return running functions that bind a model to a schema, outside the Chief Justice."""
    return [
        function
        for function in in_use
        if function.site.mentions & SCHEMA_BINDERS
        # A path is one word: its module is several.
        and not set(words_of(f"{function.source.module.replace('.', ' ')} {function.name}"))
        & OTHER_LAYERS
    ]


def model_name(functions: Iterable[FunctionRef]) -> str:
    """Return a name in these functions that may ask a model; "" where nothing can."""
    names = (
        name for function in functions for name in sorted({function.name, *function.site.mentions})
    )
    return next(filter(_may_ask_model, names), "")


def _may_ask_model(name: str) -> bool:
    words = words_of(name)
    # AgentState is the usual name of a graph's state.
    is_harmless = words[-1:] == ["state"] or PYDANTIC_METHODS.fullmatch(name)
    return not is_harmless and not MODEL_WORDS.isdisjoint(words)


def retries(functions: Iterable[FunctionRef]) -> Iterator[tuple[SourceFile, int]]:
    """Yield where, in the functions that judge, the model is called again after a bad answer."""
    functions = list(functions)
    callers = _model_callers(functions)
    for function in functions:
        node = function.site.node
        if not any(_calls_model(inner, callers) for inner in walk(node)):
            continue

        if any(_is_retry_maker(decorator) for decorator in node.decorator_list):
            yield function.source, node.lineno
        reader = _RetryReader(function, callers)
        for inner in walk(node):
            if reader.is_retry(inner):
                yield function.source, reader.line_of_retry(inner)


def judges_by_retry(
    judges: Mapping[str, Sequence[FunctionRef]], lines: Sequence[tuple[SourceFile, int]]
) -> tuple[list[str], list[str]]:
    """Return the judges that come to one of these lines, and those that ask a model without.

    `judges` holds for each judge the functions that it may run.
    """
    again: list[str] = []
    once: list[str] = []
    for name, functions in judges.items():
        if any(
            function.source is source and _holds(function.site.node, line)
            for function in functions
            for source, line in lines
        ):
            again.append(name)
        elif any(True for _ in model_calls(functions)):
            once.append(name)
    return again, once


def model_calls(functions: Iterable[FunctionRef]) -> Iterator[tuple[SourceFile, int]]:
    """Yield where these functions send a request to a model, not where an answer is parsed."""
    for function in functions:
        for node in walk(function.site.node):
            if is_model_call(node):
                yield function.source, line_of_call(node)


def is_model_call(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return true for a request to a model; `parse` reads its answer."""
    is_call = isinstance(node, ast.Call) and called_name(node) != "parse"
    return is_call and _calls_model(node)


def _model_callers(functions: list[FunctionRef]) -> frozenset[str]:
    """Return the names of the functions that call a model, by themselves or through others."""
    names: set[str] = set()
    for _ in range(MAX_CALLS):
        more = {
            function.name
            for function in functions
            if function.name not in names
            and any(_calls_model(inner, names) for inner in walk(function.site.node))
        }
        names |= more
        if not more:
            break
    return frozenset(names - MODEL_METHODS)


def _is_retry_maker(node: ast.AST) -> bool:
    """Return true for tenacity's retry and its like, unless it waits for a busy service only."""
    maker = node.func if isinstance(node, ast.Call) else node
    if last_name(maker) not in RETRY_DECORATORS:
        return False
    condition = keyword_of(node, "retry") if isinstance(node, ast.Call) else None
    errors = [inner for inner in walk(condition) if _is_error(inner)] if condition else []
    return not errors or not all(map(_is_transient, errors))


def _is_error(node: ast.AST) -> bool:
    return last_name(node).endswith(("Error", "Exception", "Timeout"))


def _is_transient(error: ast.AST) -> bool:
    """Return true for RateLimitError and APITimeoutError: no malformed answer raises them."""
    return bool(set(words_of(last_name(error))) & TRANSIENT_WORDS)


@dataclass(frozen=True, slots=True)
class _RetryReader:
    """Reader of one function; `callers` are names of functions that call a model."""

    function: FunctionRef
    callers: frozenset[str]

    def line_of_retry(self, node: ast.AST) -> int:
        """Return the line of the call that a handler repeats; of all else its first."""
        calls = [
            inner.lineno
            for handler in (node.handlers if isinstance(node, ast.Try) else ())
            for inner in walk(handler)
            if isinstance(inner, ast.Call)
            and (_calls_model(inner, self.callers) or called_name(inner) == self.function.name)
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

    def _repeats_call(self, loop: ast.For | ast.AsyncFor | ast.While) -> bool:
        """Return true when the loop calls the model and a malformed answer does not end it."""
        for node in walk(loop):
            if isinstance(node, ast.Try) and self._has_model_call(node.body):
                return self._detects_malformed(loop) and any(
                    not _always_leaves(handler.body) and not _waits_only(handler)
                    for handler in node.handlers
                )

        # Without a try, a test of the answer must decide; what tools return is sent on, not again.
        has_test = any(isinstance(node, ast.If) for node in walk(loop))
        return has_test and self._has_model_call([loop]) and not _sends_tool_results(loop)

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
            if _calls_model(inner, self.callers)
        }
        return bool(methods) and any(
            self._calls_again(handler, methods) for handler in node.handlers
        )

    def _calls_again(self, handler: ast.ExceptHandler, methods: set[str]) -> bool:
        is_for_malformed = any(
            last_name(error) in PARSE_ERRORS for error in walk(handler.type or ast.Pass())
        )
        for inner in (inner for statement in handler.body for inner in walk(statement)):
            if _calls_model(inner, self.callers) and (
                is_for_malformed or _method_text(inner) in methods
            ):
                return True
            if isinstance(inner, ast.Call) and called_name(inner) == self.function.name:
                return True
        return False

    def _has_model_call(self, body: Iterable[ast.AST]) -> bool:
        return any(_calls_model(inner, self.callers) for part in body for inner in walk(part))


def _sends_tool_results(loop: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Call)
        and (called_name(node) == "ToolMessage" or keyword_of(node, "tool_call_id") is not None)
        for node in walk(loop)
    )


def _parses_answer(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and bool(set(words_of(called_name(node))) & PARSE_WORDS)


def _waits_only(handler: ast.ExceptHandler) -> bool:
    errors = [inner for inner in walk(handler.type) if _is_error(inner)] if handler.type else []
    return bool(errors) and all(map(_is_transient, errors))


def _counts_attempts(iterable: ast.expr) -> bool:
    """Return true for range(3) or range(MAX).

    range(len(criteria)) is one iteration for each of several questions.
    """
    if not isinstance(iterable, ast.Call) or last_name(iterable.func) != "range":
        return False
    return not any(
        isinstance(node, ast.Call) and called_name(node) == "len"
        for node in walk(iterable)
        if node is not iterable
    )


def _always_leaves(body: list[ast.stmt]) -> bool:
    goes_on = any(isinstance(node, ast.Continue) for part in body for node in walk(part))
    return bool(body) and isinstance(body[-1], ast.Raise | ast.Return | ast.Break) and not goes_on


def _calls_model(node: ast.AST, callers: Container[str] = ()) -> bool:
    if not isinstance(node, ast.Call):
        return False
    is_method = isinstance(node.func, ast.Attribute) and node.func.attr in MODEL_METHODS
    return (is_method and not _is_tool(node.func)) or called_name(node) in callers


def _is_tool(method: ast.expr) -> bool:
    """Return true for `tool.invoke` and `tools[name].invoke`: a tool that a model called runs."""
    receiver = method.value if isinstance(method, ast.Attribute) else method
    while isinstance(receiver, ast.Subscript):
        receiver = receiver.value
    if isinstance(receiver, ast.Call) and called_name(receiver) == "get":
        receiver = receiver.func.value if isinstance(receiver.func, ast.Attribute) else receiver
    words = set(words_of(last_name(receiver)))
    return bool(words & TOOL_WORDS) and not words & OFFERED_WORDS


def _method_text(node: ast.AST) -> str:
    """Return the called method with its receiver, so that two calls can be compared."""
    return ast.dump(node.func) if isinstance(node, ast.Call) else ""
