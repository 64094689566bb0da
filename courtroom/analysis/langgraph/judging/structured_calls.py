"""Model calls, and those that are bound to a schema."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from courtroom.analysis.langgraph.node_roles import JUDGE_WORDS
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.mentions import is_mentioned
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import (
    as_written,
    called_name,
    constant_text,
    keyword_of,
    last_name,
    line_of_call,
    tests_around,
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
# Words of names in code that may ask a model, by a library, over HTTP or through an object.
MODEL_WORDS = frozenset(
    words_of(
        """llm llms model models chat chain chains agent agents prompt prompts runnable pipeline
        openai anthropic claude gemini gpt groq ollama mistral cohere bedrock vertex deepseek
        litellm instructor completion completions invoke ainvoke generate predict complete ask
        requests httpx aiohttp urlopen post client provider structured tool tools"""
    )
)
PROMPT_WORDS = frozenset({"prompt", "prompts"})
PYDANTIC_METHODS = re.compile(r"model_(?:dump|validate|copy|fields|construct|config)\w*")
TOOL_WORDS = frozenset({"tool", "tools"})
# Beside a word for tools these name a model that tools were offered to: llm_with_tools.
OFFERED_WORDS = frozenset(
    words_of("llm model chat chain agent judge client runnable with bound bind enabled")
)
OTHER_LAYERS = frozenset(words_of("justice synthesis chief detective detectives tools"))
MAX_CLASSES = 20


@dataclass(frozen=True, slots=True)
class BoundCall:
    """Call that binds a model, or parses its answer; `schema` as written, "" if no plain name.

    `model`: the expression that is bound, in words; "" for a parser.
    """

    source: SourceFile
    line: int
    argument: ast.expr | None
    binder: str = ""
    model: str = ""

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
        around = [site.node for site in self.source.functions if holds_line(site.node, self.line)]
        return bool(own) and (
            not around or any(holds_line(function.site.node, self.line) for function in own)
        )


def is_idle(call: BoundCall, symbols: SymbolTable, idle_files: Container[str]) -> bool:
    """Return true for a call in a file that no run imports, and in a function that nothing names.

    It is for calls outside the functions that a run reaches.
    """
    around = [site for site in call.source.functions if holds_line(site.node, call.line)]
    outer = around[0] if around else None
    is_plain = outer is not None and not (outer.owner or outer.node.decorator_list)
    is_named = outer is None or is_mentioned(symbols, call.source, outer.node.name)
    return call.source.path in idle_files or (is_plain and not is_named)


def holds_line(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def structured_calls(symbols: SymbolTable) -> list[BoundCall]:
    return [
        BoundCall(
            source,
            line_of_call(site.node),
            _schema_argument(site.node),
            site.node.func.attr,
            ast.unparse(site.node.func.value),
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


def judging_calls(
    in_use: Iterable[FunctionRef], judges: Sequence[FunctionRef]
) -> list[FunctionRef]:
    """Return running functions that bind a model to a schema, outside the Chief Justice.

    Where the judges ask a model themselves, what other files bind is a router's or a detective's.
    """
    files = {judge.source.path for judge in judges} if any(model_calls(judges)) else set()
    return [
        function
        for function in in_use
        if function.site.mentions & SCHEMA_BINDERS
        and (not files or function.source.path in files)
        # A path is one word: its module is several.
        and not set(words_of(f"{function.source.module.replace('.', ' ')} {function.name}"))
        & OTHER_LAYERS
    ]


def model_name(functions: Iterable[FunctionRef]) -> str:
    """Return a name in these functions that may ask a model; "" where nothing can.

    A prompt asks only where it is called: what builds one is read here, and a text asks nothing.
    """
    functions = list(functions)
    own = {function.name for function in functions}
    called = {
        called_name(node)
        for function in functions
        for node in walk(function.site.node)
        if isinstance(node, ast.Call)
    }
    names = (
        name for function in functions for name in sorted({function.name, *function.site.mentions})
    )
    asking = [name for name in names if _may_ask_model(name, is_run=name in called - own)]
    # A method that sends a request says it best.
    return next((name for name in asking if name in MODEL_METHODS), next(iter(asking), ""))


def _may_ask_model(name: str, *, is_run: bool) -> bool:
    words = set(words_of(name))
    # AgentState is the usual name of a graph's state.
    is_harmless = words_of(name)[-1:] == ["state"] or PYDANTIC_METHODS.fullmatch(name)
    asking = MODEL_WORDS if is_run else MODEL_WORDS - PROMPT_WORDS
    return not is_harmless and not asking.isdisjoint(words)


def model_calls(functions: Iterable[FunctionRef]) -> Iterator[tuple[SourceFile, int]]:
    """Yield where these functions send a request to a model, not where an answer is parsed."""
    functions = list(functions)
    chosen = _chosen_texts(functions)
    for function in functions:
        for node in walk(function.site.node):
            if is_model_call(node) and not (chosen and _is_of_other(node, function, chosen)):
                yield function.source, line_of_call(node)


def _chosen_texts(functions: Iterable[FunctionRef]) -> dict[str, set[str]]:
    """Return the texts of each keyword that the functions pass, where all that is passed are texts."""
    texts: dict[str, set[str | None]] = {}
    for function in functions:
        for node in walk(function.site.node):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                texts.setdefault(keyword.arg or "", set()).add(constant_text(keyword.value))
    return {name: {*filter(None, some)} for name, some in texts.items() if None not in some}


def _is_of_other(call: ast.Call, function: FunctionRef, chosen: Mapping[str, set[str]]) -> bool:
    """Return true below `if self.provider == "a":` where the functions ask for `provider="b"`."""
    for test in tests_around(function.site.node, call.lineno):
        match test:
            case ast.Compare(
                left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=str(text))]
            ):
                if text not in chosen.get(last_name(left), {text}):
                    return True
    return False


def is_model_call(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return true for a request to a model; `parse` reads its answer."""
    is_call = isinstance(node, ast.Call) and called_name(node) != "parse"
    return is_call and calls_model(node)


def calls_model(node: ast.AST, callers: Container[str] = ()) -> bool:
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
