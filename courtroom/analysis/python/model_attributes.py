"""Attributes that a Pydantic model lacks: `opinion.dimension` for `opinions: list[Opinion]`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.missing_methods import OF_OBJECT
from courtroom.analysis.python.model_fields import MOST_PARENTS, model_fields
from courtroom.analysis.python.model_items import caught_nodes
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import last_name, values_set_once, walk

_MANY = frozenset({"List", "list", "Sequence", "Iterable", "Tuple", "tuple", "Set", "set"})
# What every model has; names with "model_" are Pydantic's own.
_OF_MODEL = OF_OBJECT | {"construct", "copy", "dict", "json", "schema"}
# Names from a loop back to the parameter.
MOST_STEPS = 4
_ASKS = frozenset({"hasattr", "getattr", "isinstance", "vars"})


@dataclass(frozen=True, slots=True)
class _Typed:
    """Annotation of a value, and the file in which its names stand."""

    source: SourceFile
    annotation: ast.expr


def attributes_without_field(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite
) -> Iterator[FailingLine]:
    """Yield reads of an attribute that no class of the work has, on values of a model's type.

    These are parameters, and what a state that is one holds. A function that looks at the kind of
    what it got is left out.
    """
    if function.outer is not None or _ASKS & function.mentions:
        return
    parameters = _parameters(source, function)
    if not parameters:
        return
    values = values_set_once(function.node)
    caught = {id(node) for node in caught_nodes(function.node)}
    for name, typed in parameters.items():
        site = _class_of(symbols, typed.source, typed.annotation)
        if site is not None:
            yield from _missing(symbols, function.node, name, site, caught)
    for node in walk(function.node):
        loops = [node] if isinstance(node, ast.For) else getattr(node, "generators", [])
        for loop in loops if len(loops) == 1 else ():
            rows = _type_of(symbols, parameters, values, loop.iter)
            model = _class_of(symbols, rows.source, _element(rows.annotation)) if rows else None
            if model is not None and isinstance(loop.target, ast.Name):
                yield from _missing(symbols, node, loop.target.id, model, caught)


def _parameters(source: SourceFile, function: FunctionSite) -> dict[str, _Typed]:
    """Return the annotated parameters that the function gives no other value."""
    arguments = function.node.args
    set_again = {
        node.id
        for node in walk(function.node)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    return {
        argument.arg: _Typed(source, argument.annotation)
        for argument in (*arguments.args, *arguments.kwonlyargs)
        if argument.annotation is not None and argument.arg not in set_again
    }


def _type_of(
    symbols: SymbolTable,
    parameters: Mapping[str, _Typed],
    values: Mapping[str, ast.expr],
    value: ast.expr,
    steps: int = MOST_STEPS,
) -> _Typed | None:
    """Return the type of a parameter, a part of it, or what a state holds under a key."""
    match value:
        case ast.Name(id=name):
            inner = values.get(name)
            if inner is None or steps == 0:
                return parameters.get(name)
            return _type_of(symbols, parameters, values, inner, steps - 1)
        case ast.Subscript(value=rows, slice=ast.Slice()):
            return _type_of(symbols, parameters, values, rows, steps)
        case ast.Call(func=ast.Name(id="sorted" | "reversed" | "list"), args=[rows]):
            return _type_of(symbols, parameters, values, rows, steps)
        case (
            ast.Subscript(value=ast.Name(id=state), slice=ast.Constant(value=str() as key))
            | ast.Call(
                func=ast.Attribute(value=ast.Name(id=state), attr="get"),
                args=[ast.Constant(value=str() as key), *_],
            )
        ):
            held = parameters.get(state)
            site = _class_of(symbols, held.source, held.annotation) if held else None
            return _field(site, key) if site is not None else None
    return None


def _field(site: ClassSite, key: str) -> _Typed | None:
    for statement in site.node.body:
        if isinstance(statement, ast.AnnAssign) and last_name(statement.target) == key:
            annotation = statement.annotation
            if isinstance(annotation, ast.Subscript) and last_name(annotation.value) == "Annotated":
                parts = annotation.slice
                annotation = parts.elts[0] if isinstance(parts, ast.Tuple) else annotation
            return _Typed(site.source, annotation)
    return None


def _element(annotation: ast.expr) -> ast.expr | None:
    is_many = isinstance(annotation, ast.Subscript) and last_name(annotation.value) in _MANY
    return annotation.slice if isinstance(annotation, ast.Subscript) and is_many else None


def _class_of(
    symbols: SymbolTable, source: SourceFile, annotation: ast.expr | None
) -> ClassSite | None:
    is_name = isinstance(annotation, ast.Name | ast.Attribute)
    return symbols.find_class(source, annotation) if is_name and annotation is not None else None


def _missing(
    symbols: SymbolTable, scope: ast.AST, name: str, site: ClassSite, caught: set[int]
) -> Iterator[FailingLine]:
    members = _members(symbols, site) if model_fields(symbols, site) else set()
    named = [
        node
        for node in walk(scope)
        if isinstance(node, ast.Name | ast.arg)
        and name in (last_name(node), getattr(node, "arg", ""))
    ]
    stores = sum(isinstance(getattr(node, "ctx", None), ast.Store) for node in named)
    if not members or site.node.keywords or stores > 1:
        return
    reads = [
        node
        for node in walk(scope)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id == name and id(node) not in caught
    ]
    wanted = {node.attr for node in reads} - _OF_MODEL
    lacking = {word for word in wanted - members if not word.startswith(("model_", "_"))}
    if not lacking or _may_have(symbols, wanted, lacking):
        return
    for node in reads:
        if node.attr in lacking:
            why = f"reads {node.attr} of an object of {site.node.name}, which has no such field"
            yield FailingLine(node.lineno, why, mark_of(node))


def _may_have(symbols: SymbolTable, wanted: set[str], lacking: set[str]) -> bool:
    """Return whether some class of the work has all the attributes, or code sets one of them."""
    is_set = re.compile(
        rf"\.(?:{'|'.join(map(re.escape, sorted(lacking)))})\b *(?::[^=\n]{{1,80}})?=(?!=)"
    )
    for source in symbols.codebase.files.values():
        if is_set.search(source.text):
            return True
        for home in source.classes:
            if wanted <= _members(symbols, ClassSite(source, home)):
                return True
    return False


def _members(symbols: SymbolTable, site: ClassSite) -> set[str]:
    """Return the names that a class and those above it declare."""
    homes, names = [site], set[str]()
    for home in homes:
        names |= set(_declared(home.node))
        parents = (symbols.find_class(home.source, base) for base in home.node.bases)
        homes += [parent for parent in parents if parent and len(homes) < MOST_PARENTS]
    return names


def _declared(home: ast.ClassDef) -> Iterator[str]:
    for statement in home.body:
        if isinstance(statement, ast.Assign):
            yield from map(last_name, statement.targets)
        elif isinstance(statement, ast.AnnAssign):
            yield last_name(statement.target)
        else:
            yield getattr(statement, "name", "")
