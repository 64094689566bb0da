"""State schema of the graph: its class and kind, its reducers, and the Pydantic models."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.langgraph.graph_values import GraphBuilder
from courtroom.analysis.langgraph.own_reducers import applied_operator
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.symbolic_execution.values import CallResult, Class, External
from courtroom.analysis.python.tree_walk import (
    as_written,
    called_name,
    constant_text,
    last_name,
)

KINDS = {"TypedDict": "TypedDict", "MessagesState": "TypedDict", "BaseModel": "BaseModel"}
WRAPPERS = frozenset({"Required", "NotRequired", "ReadOnly", "Optional"})
USUAL_NAMES = frozenset({"AgentState", "GraphState", "State"})
# Characters of a lambda that the report shows.
# Bases without a key of their own.
CLOSED_BASES = frozenset({"TypedDict", "BaseModel", "object"})
REDUCER_MAKERS = frozenset({"functools.partial"})
MAX_REDUCER = 120
# Calls in an annotation that describe a field and reduce nothing.
DESCRIPTIONS = frozenset({"Field", "Doc", "Body", "Query", "Path", "Depends", "Option", "Argument"})
# Quotes, wrappers and aliases around an annotation; a longer chain is a circle.
MAX_WRAPPERS = 4


@dataclass(frozen=True, slots=True)
class StateReading:
    """State schema of the main graph, with the `reason` when the fact is null.

    `site` is null when the state is no class of the repository: a plain dict, an imported class.
    """

    fact: dict[str, Any] | None
    site: ClassSite | None
    reason: str = ""


def read_state(symbols: SymbolTable, builder: GraphBuilder | None) -> StateReading:
    """Return the class the main graph is built on; without a graph, a class named as a state."""
    if builder is None:
        return _state_by_name(symbols)
    value = builder.state
    if isinstance(value, Class):
        return _state_of_class(symbols, ClassSite(value.source, value.node))

    if isinstance(value, External):
        name = value.dotted.rpartition(".")[2]
        if value.dotted in {"dict", "builtins.dict"}:
            return _state_elsewhere(builder, "dict", "dict")
        if name in KINDS:
            return _state_elsewhere(builder, name, KINDS[name])
    if isinstance(value, CallResult) and value.dotted.endswith("TypedDict"):
        # The functional form, TypedDict("State", {...}), names the class itself.
        called_name = value.first()
        if isinstance(called_name, str):
            return _state_elsewhere(builder, called_name, "TypedDict", value.line)
    return _state_by_expression(symbols, builder)


def _state_elsewhere(
    builder: GraphBuilder, name: str, kind: str, line: int | None = None
) -> StateReading:
    fact = {"name": name, "kind": kind, "path": builder.path, "line": line or builder.line}
    return StateReading(fact, None)


def _state_by_expression(symbols: SymbolTable, builder: GraphBuilder) -> StateReading:
    """Return the class that the expression in the call names, when its value is not known."""
    source = symbols.codebase.files[builder.path]
    expression = builder.state_expression
    site = symbols.find_class(source, expression) if expression else None
    if site is not None:
        return _state_of_class(symbols, site)
    if isinstance(expression, ast.Name) and expression.id == "dict":
        return _state_elsewhere(builder, "dict", "dict")
    return StateReading(
        None, None, "the class the graph is built on is not written in the repository"
    )


def _state_by_name(symbols: SymbolTable) -> StateReading:
    sites = [
        ClassSite(source, node)
        for source in symbols.codebase.production
        for node in source.classes
        if node.name.endswith("State")
        and _kind_of(symbols, source, node) in {"TypedDict", "BaseModel"}
    ]
    if not sites:
        return StateReading(None, None, "no graph is built and no class is named as a state")
    # The sort is stable: without a usual name, the first class counts.
    sites.sort(key=lambda site: site.node.name not in USUAL_NAMES)
    return _state_of_class(symbols, sites[0])


def _state_of_class(symbols: SymbolTable, site: ClassSite) -> StateReading:
    fact = {
        "name": site.node.name,
        "path": site.source.path,
        "line": site.node.lineno,
        "kind": _kind_of(symbols, site.source, site.node),
    }
    return StateReading(fact, site)


def _kind_of(symbols: SymbolTable, source: SourceFile, node: ast.ClassDef) -> str:
    base_names = symbols.base_names(source, node)
    for base in base_names:
        kind = KINDS.get(base.rpartition(".")[2])
        if kind:
            return kind

    decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    names = (symbols.dotted_name(source, decorator) for decorator in decorators)
    if any(name.rpartition(".")[2] == "dataclass" for name in names):
        return "dataclass"
    return "dict" if "dict" in base_names else "none"


def reducers_of(symbols: SymbolTable, site: ClassSite | None) -> list[dict[str, Any]]:
    """Return every field declared Annotated[type, reducer], inherited ones first.

    Each is {field, reducer, path, line} with the reducer as written, and what it applies.
    """
    if site is None:
        return []
    reducers: dict[str, dict[str, Any]] = {}
    for home in class_and_ancestors(symbols, site):
        for field in home.node.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            reducer = _reducer(symbols, home.source, field.annotation)
            if reducer:
                applies = applied_operator(symbols, reducer)
                reducers[field.target.id] = {
                    "field": field.target.id,
                    "reducer": reducer,
                    **({"applies": applies} if applies else {}),
                    "path": home.source.path,
                    "line": field.lineno,
                }
    return list(reducers.values())


def declared_keys(symbols: SymbolTable, site: ClassSite | None) -> frozenset[str] | None:
    """Return the keys of a state class; None where it may have keys that are not known."""
    if site is None:
        return None
    homes = class_and_ancestors(symbols, site)
    for home in homes:
        for base in home.node.bases:
            is_own = symbols.find_class(home.source, base) is not None
            if not is_own and last_name(base) not in CLOSED_BASES:
                return None
    return frozenset(
        field.target.id
        for home in homes
        for field in home.node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    )


def class_and_ancestors(symbols: SymbolTable, site: ClassSite) -> list[ClassSite]:
    """Return a class and its ancestors in the repository, the oldest first."""
    sites = [site]
    # The list grows while it is read.
    for current in sites:
        for base in current.node.bases:
            parent = symbols.find_class(current.source, base)
            if parent and all(parent.node is not listed.node for listed in sites):
                sites.append(parent)
    return list(reversed(sites))


def _reducer(symbols: SymbolTable, source: SourceFile, annotation: ast.expr) -> str | None:
    annotation, source = _unwrap(symbols, source, annotation)
    if not isinstance(annotation, ast.Subscript):
        return None
    if symbols.dotted_name(source, annotation.value).rpartition(".")[2] != "Annotated":
        return None

    arguments = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
    # LangGraph takes the last one that is callable.
    for candidate in reversed(arguments[1:]):
        if isinstance(candidate, ast.Lambda) or _makes_reducer(symbols, source, candidate):
            text = ast.get_source_segment(source.text, candidate) or ast.unparse(candidate)
            return " ".join(text.split())[:MAX_REDUCER]
        if as_written(candidate):
            return as_written(candidate)
        if isinstance(candidate, ast.Call) and called_name(candidate) not in DESCRIPTIONS:
            # A channel, or what a factory of reducers returns.
            text = ast.get_source_segment(source.text, candidate) or called_name(candidate)
            return " ".join(text.split())[:MAX_REDUCER]
    return None


def _makes_reducer(symbols: SymbolTable, source: SourceFile, node: ast.expr) -> bool:
    """Return true for a channel with an operator, a partial, or a function's result.

    Field(description=...) and the like are none.
    """
    if not isinstance(node, ast.Call):
        return False
    dotted = symbols.dotted_name(source, node.func)
    is_own = last_name(node.func) in symbols.functions_by_name
    return dotted in REDUCER_MAKERS or dotted.endswith(".BinaryOperatorAggregate") or is_own


def _unwrap(
    symbols: SymbolTable, source: SourceFile, annotation: ast.expr
) -> tuple[ast.expr, SourceFile]:
    """Remove quotes, Required[...] and aliases of the module: `Opinions = Annotated[list, add]`."""
    for _ in range(MAX_WRAPPERS):
        quoted = constant_text(annotation)
        if quoted is not None:
            quoted_source = SourceFile(
                source.path, quoted, source.tree, source.module, imports=source.imports
            )
            return _parse_expression(quoted) or annotation, quoted_source

        if isinstance(annotation, ast.Subscript) and last_name(annotation.value) in WRAPPERS:
            annotation = annotation.slice
        elif isinstance(annotation, ast.Name):
            target, home = _alias_target(symbols, source, annotation)
            if target is None:
                return annotation, source
            annotation, source = target, home
        else:
            return annotation, source
    return annotation, source


def _alias_target(
    symbols: SymbolTable, source: SourceFile, name: ast.Name
) -> tuple[ast.expr | None, SourceFile]:
    module, _, last = symbols.dotted_name(source, name).rpartition(".")
    home = (symbols.find_module(module, source) or source) if module else source
    statement = symbols.top_level_names(home).get(last)
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    return (value if isinstance(value, ast.Subscript) else None), home


def _parse_expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def pydantic_models(symbols: SymbolTable) -> list[ClassSite]:
    """Return the classes under src/ that are Pydantic models, also by inheritance.

    Without a src/ folder, all production code counts.
    """
    production = symbols.codebase.production
    in_src = [source for source in production if "src" in PurePosixPath(source.path).parts[:-1]]
    return list(_models_in(symbols, in_src or production))


def _models_in(symbols: SymbolTable, sources: list[SourceFile]) -> Iterator[ClassSite]:
    for source in sources:
        for node in source.classes:
            if node.bases and any(
                base.rpartition(".")[2] == "BaseModel" for base in symbols.base_names(source, node)
            ):
                yield ClassSite(source, node)
