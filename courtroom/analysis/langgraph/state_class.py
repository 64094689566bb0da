"""The graph's state: its class and kind, its reducers, and the repository's Pydantic models."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.python.names import ClassSite, Names
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbolic_execution.values import Builder, Called, Class, Outside
from courtroom.analysis.python.tree_walk import as_written, constant_text

KINDS = {"TypedDict": "TypedDict", "MessagesState": "TypedDict", "BaseModel": "BaseModel"}
WRAPPERS = frozenset({"Required", "NotRequired", "ReadOnly", "Optional"})
LONGEST_REDUCER = 120


@dataclass(frozen=True, slots=True)
class StateReading:
    """`site` is null when the state is no class of the repository (a plain dict, a class from elsewhere)."""

    fact: dict[str, Any] | None
    site: ClassSite | None
    reason: str = ""


def read_state(names: Names, builder: Builder | None) -> StateReading:
    """The class the main graph is built on; without a graph, the class that is named as the state."""
    if builder is None:
        return _by_name(names)
    value = builder.state
    if isinstance(value, Class):
        return _of_class(names, ClassSite(value.source, value.node))
    place = {"path": builder.path, "line": builder.line}
    if isinstance(value, Outside) and value.dotted in {"dict", "builtins.dict"}:
        return StateReading({"name": "dict", "kind": "dict", **place}, None)
    if isinstance(value, Outside) and value.dotted.rpartition(".")[2] in KINDS:
        name = value.dotted.rpartition(".")[2]
        return StateReading({"name": name, "kind": KINDS[name], **place}, None)
    if (
        isinstance(value, Called)
        and value.dotted.endswith("TypedDict")
        and isinstance(value.first(), str)
    ):
        return StateReading(
            {"name": value.first(), "kind": "TypedDict", **place, "line": value.line}, None
        )
    return _by_expression(names, builder)


def _by_expression(names: Names, builder: Builder) -> StateReading:
    """The interpreter lost the value; the name in the call may still say which class is meant."""
    source = names.codebase.files[builder.path]
    site = (
        names.classes_named(source, builder.state_expression) if builder.state_expression else None
    )
    if site is not None:
        return _of_class(names, site)
    if isinstance(builder.state_expression, ast.Name) and builder.state_expression.id == "dict":
        return StateReading(
            {"name": "dict", "kind": "dict", "path": builder.path, "line": builder.line}, None
        )
    return StateReading(
        None, None, "the class the graph is built on is not written in the repository"
    )


def _by_name(names: Names) -> StateReading:
    named = [
        ClassSite(source, node)
        for source in names.codebase.production
        for node in source.classes
        if node.name.endswith("State")
        and kind_of(names, source, node) in {"TypedDict", "BaseModel"}
    ]
    named.sort(key=lambda site: site.node.name not in {"AgentState", "GraphState", "State"})
    if not named:
        return StateReading(None, None, "no graph is built and no class is named as a state")
    return _of_class(names, named[0])


def _of_class(names: Names, site: ClassSite) -> StateReading:
    fact = {
        "name": site.node.name,
        "path": site.source.path,
        "line": site.node.lineno,
        "kind": kind_of(names, site.source, site.node),
    }
    return StateReading(fact, site)


def kind_of(names: Names, source: SourceFile, node: ast.ClassDef) -> str:
    for base in names.bases(source, node):
        kind = KINDS.get(base.rpartition(".")[2])
        if kind:
            return kind
    decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    if any(names.dotted(source, one).rpartition(".")[2] == "dataclass" for one in decorators):
        return "dataclass"
    return "dict" if "dict" in names.bases(source, node) else "none"


def reducers_of(names: Names, site: ClassSite | None) -> list[dict[str, Any]]:
    """Every field declared Annotated[type, reducer], inherited ones first, the reducer as written."""
    if site is None:
        return []
    found: dict[str, dict[str, Any]] = {}
    for home in _lineage(names, site):
        for field in home.node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                reducer = _reducer(names, home.source, field.annotation)
                if reducer:
                    found[field.target.id] = {
                        "field": field.target.id,
                        "reducer": reducer,
                        "path": home.source.path,
                        "line": field.lineno,
                    }
    return list(found.values())


def _lineage(names: Names, site: ClassSite) -> list[ClassSite]:
    line = [site]
    for home in line:
        for base in home.node.bases:
            parent = names.classes_named(home.source, base)
            if parent and all(parent.node is not known.node for known in line):
                line.append(parent)
    return list(reversed(line))


def _reducer(names: Names, source: SourceFile, annotation: ast.expr) -> str | None:
    annotation, source = _unwrapped(names, source, annotation)
    if not isinstance(annotation, ast.Subscript):
        return None
    if names.dotted(source, annotation.value).rpartition(".")[2] != "Annotated":
        return None
    arguments = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
    for candidate in reversed(arguments[1:]):
        if isinstance(candidate, ast.Lambda):
            return " ".join((ast.get_source_segment(source.text, candidate) or "lambda").split())[
                :LONGEST_REDUCER
            ]
        if as_written(candidate):
            return as_written(candidate)
    return None


def _unwrapped(
    names: Names, source: SourceFile, annotation: ast.expr
) -> tuple[ast.expr, SourceFile]:
    """Through quotes, Required[...] and an alias of the module: `Opinions = Annotated[list, add]`."""
    for _ in range(4):
        quoted = constant_text(annotation)
        if quoted is not None:
            return _parsed(quoted) or annotation, SourceFile(
                source.path, quoted, source.tree, source.module, imports=source.imports
            )
        if isinstance(annotation, ast.Subscript) and _last(annotation.value) in WRAPPERS:
            annotation = annotation.slice
        elif isinstance(annotation, ast.Name):
            meant, home = _alias(names, source, annotation)
            if meant is None:
                return annotation, source
            annotation, source = meant, home
        else:
            return annotation, source
    return annotation, source


def _alias(names: Names, source: SourceFile, name: ast.Name) -> tuple[ast.expr | None, SourceFile]:
    module, _, last = names.dotted(source, name).rpartition(".")
    home = (names.module(module, source) or source) if module else source
    statement = names.bound_in(home).get(last)
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    return (value if isinstance(value, ast.Subscript) else None), home


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _last(node: ast.expr) -> str:
    return (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else ""
    )


def pydantic_models(names: Names) -> list[ClassSite]:
    """Classes under src/ (anywhere but tests when there is no src/) that are Pydantic models, also by inheritance."""
    production = names.codebase.production
    inside = [source for source in production if "src" in PurePosixPath(source.path).parts[:-1]]
    return list(_models_in(names, inside or production))


def _models_in(names: Names, sources: list[SourceFile]) -> Iterator[ClassSite]:
    for source in sources:
        for node in source.classes:
            if node.bases and any(
                base.rpartition(".")[2] == "BaseModel" for base in names.bases(source, node)
            ):
                yield ClassSite(source, node)
