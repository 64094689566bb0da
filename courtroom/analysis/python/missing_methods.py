"""Calls of a method that a new object does not have: its class is the work's own and lacks it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import last_name, walk

OF_OBJECT = frozenset(dir(object))
# Bases that bring no method that a work calls.
PLAIN_BASES = frozenset({"object", "abc.ABC", "typing.Generic", "typing.Protocol"})
PLAIN_DECORATORS = frozenset({"dataclass", "final", "runtime_checkable"})
# What may give a class or its objects more names than its text shows.
_DYNAMIC = re.compile(r"__getattr|__dict__|setattr|__slots__|__new__|\bexec\b|\bvars\b")
MOST_PARENTS = 8


def calls_without_method(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite
) -> Iterator[FailingLine]:
    """Yield calls of a method that neither the class nor a parent of it has."""
    objects = objects_in(symbols, source, function)
    for node in walk(function.node) if objects else ():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner, method = node.func.value, node.func.attr
        site = objects.get(owner.id) if isinstance(owner, ast.Name) else None
        members = _members(symbols, site) if site is not None else None
        if members is None or site is None or method in members:
            continue
        if not _is_set_elsewhere(symbols, function, method):
            why = f"calls {method}() of {site.node.name}, which has no such method"
            yield FailingLine(node.lineno, why, mark_of(node))


def objects_in(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite
) -> dict[str, ClassSite]:
    """Return the class of each name in a function that only holds a new object of the work's class."""
    return {
        **_objects_of_file(symbols, source, function),
        **_objects(symbols, source, function.node),
    }


def _objects(symbols: SymbolTable, source: SourceFile, function: ast.AST) -> dict[str, ClassSite]:
    """Return the class of each local name that is set once, to a new object of the work's class."""
    stored = [
        node.id for node in walk(function) if isinstance(node, ast.Name) if not _is_read(node)
    ]
    objects: dict[str, ClassSite] = {}
    for node in walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            target, site = node.targets[0], symbols.find_class(source, node.value.func)
            if isinstance(target, ast.Name) and stored.count(target.id) == 1 and site is not None:
                objects[target.id] = site
    return objects


def _objects_of_file(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite
) -> dict[str, ClassSite]:
    """Return the class of each name that the function uses and that only the file's top sets."""
    objects: dict[str, ClassSite] = {}
    for node in source.tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        value = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(target, ast.Name) or not isinstance(value, ast.Call):
            continue
        site = symbols.find_class(source, value.func) if target.id in function.mentions else None
        if site is not None and _times_set(source.tree)[target.id] == 1:
            objects[target.id] = site
    return objects


@lru_cache(maxsize=4)
def _times_set(tree: ast.Module) -> Counter[str]:
    """Return how often a file gives each name, as a variable, a parameter or an import."""
    times: Counter[str] = Counter()
    for node in walk(tree):
        if isinstance(node, ast.arg):
            times[node.arg] += 1
        elif isinstance(node, ast.alias):
            times[node.asname or node.name] += 1
        elif isinstance(node, ast.Name) and not _is_read(node):
            times[node.id] += 1
    return times


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _members(symbols: SymbolTable, site: ClassSite) -> frozenset[str] | None:
    """Return the names that objects of a class have; None where its text does not show them all."""
    homes, names = [site], set(OF_OBJECT)
    for home in homes:
        if _may_have_more(home):
            return None
        for base in home.node.bases:
            base = base.value if isinstance(base, ast.Subscript) else base
            parent = symbols.find_class(home.source, base)
            if parent is not None and len(homes) < MOST_PARENTS:
                homes.append(parent)
            elif symbols.dotted_name(home.source, base) not in PLAIN_BASES:
                return None
        names |= set(_names_in(home.node))
    return frozenset(names)


def _may_have_more(home: ClassSite) -> bool:
    node = home.node
    decorators = (last_name(getattr(d, "func", d)) for d in node.decorator_list)
    is_twice = sum(other.name == node.name for other in home.source.classes) > 1
    text = "\n".join(home.source.text.split("\n")[node.lineno - 1 : node.end_lineno])
    return (
        bool(node.keywords)
        or is_twice
        or node.name in home.source.imports
        or any(name not in PLAIN_DECORATORS for name in decorators)
        or _DYNAMIC.search(text) is not None
    )


def _names_in(node: ast.ClassDef) -> Iterator[str]:
    for inner in walk(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield inner.name
        elif isinstance(inner, ast.Name | ast.Attribute) and not isinstance(inner.ctx, ast.Load):
            yield last_name(inner)
        elif isinstance(inner, ast.alias):
            yield inner.asname or inner.name


def _is_set_elsewhere(symbols: SymbolTable, function: FunctionSite, method: str) -> bool:
    """Return whether code may give the object this method, or the function asks whether it has it."""
    asks = (isinstance(node, ast.Constant) and node.value == method for node in walk(function.node))
    is_set = re.compile(
        rf"\.{re.escape(method)}\b *(?::[^=\n]{{1,80}})?=(?!=)|[\"']{re.escape(method)}[\"']"
    )
    files = symbols.codebase.files.values()
    return any(asks) or any(is_set.search(source.text) for source in files)
