"""Attributes that a Pydantic model lacks: `opinion.dimension` for `opinions: list[Opinion]`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.missing_methods import OF_OBJECT
from courtroom.analysis.python.model_fields import MOST_PARENTS, model_fields
from courtroom.analysis.python.model_items import caught_nodes
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import last_name, walk

_MANY = frozenset({"List", "list", "Sequence", "Iterable", "Tuple", "tuple", "Set", "set"})
# What every model has; names with "model_" are Pydantic's own.
_OF_MODEL = OF_OBJECT | {"construct", "copy", "dict", "json", "schema"}
_ASKS = frozenset({"hasattr", "getattr", "isinstance", "vars"})


def attributes_without_field(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite
) -> Iterator[FailingLine]:
    """Yield reads of an attribute that no class of the work has, on parameters of a model's type.

    A function that looks at the kind of what it got is left out.
    """
    if function.outer is not None or _ASKS & function.mentions:
        return
    single, many = _typed_parameters(symbols, source, function)
    caught = {id(node) for node in caught_nodes(function.node)} if single or many else set()
    for name, site in single.items():
        yield from _missing(symbols, function.node, name, site, caught)
    for node in walk(function.node) if many else ():
        loops = [node] if isinstance(node, ast.For) else getattr(node, "generators", [])
        for loop in loops:
            rows, target = loop.iter, loop.target
            model = many.get(rows.id) if isinstance(rows, ast.Name) else None
            if model is not None and isinstance(target, ast.Name):
                yield from _missing(symbols, node, target.id, model, caught)


Typed = dict[str, ClassSite]


def _typed_parameters(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite
) -> tuple[Typed, Typed]:
    """Return the models of parameters by their names: of those that are one, and those with many."""
    arguments = function.node.args
    set_again = {
        node.id
        for node in walk(function.node)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    single, many = Typed(), Typed()
    for argument in (*arguments.args, *arguments.kwonlyargs):
        annotation, is_many = argument.annotation, False
        if isinstance(annotation, ast.Subscript) and last_name(annotation.value) in _MANY:
            annotation, is_many = annotation.slice, True
        site = (
            symbols.find_class(source, annotation)
            if isinstance(annotation, ast.Name | ast.Attribute) and argument.arg not in set_again
            else None
        )
        if site is not None:
            (many if is_many else single)[argument.arg] = site
    return single, many


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
