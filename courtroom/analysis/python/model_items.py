"""Items of objects that have none: `opinion["judge"] = name` where the opinion is a Pydantic model.

An object is known where a name is set once: to a new object of the work's class, or to what a model
that is bound to that class answers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.missing_methods import PLAIN_BASES, PLAIN_DECORATORS
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    values_set_once,
    walk,
)

_BASES = PLAIN_BASES | {"pydantic.BaseModel"}
_ASKS = frozenset({"invoke", "ainvoke"})
# What these return asks the same model.
_SAME_MODEL = frozenset({"with_retry", "with_config"})
# What may give an object items.
_WITH_ITEMS = re.compile(r"__(?:get|set|del|class_get)item|__new__|metaclass")
_LOOKS = frozenset({"hasattr", "isinstance", "type"})
_CATCHES = frozenset({"AttributeError", "KeyError", "TypeError"})
VERBS = {ast.Load: "reads", ast.Store: "sets", ast.Del: "deletes"}
MOST_STEPS = 12
MOST_PARENTS = 8
# Names that a file sets once, with their values, by the path of the file.
TopNames = dict[str, dict[str, ast.expr]]


def items_of_objects(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite, tops: TopNames
) -> Iterator[FailingLine]:
    """Yield where a function reads or sets an item of an object of the work's class.

    `tops` keeps the names of files from one function to the next.
    """
    if function.outer is not None:
        return
    objects = _objects(_Place(symbols, source, function.node, tops))
    caught = {id(node) for node in caught_nodes(function.node)} if objects else set()
    for node in walk(function.node) if objects else ():
        if id(node) in caught:
            continue
        owner = node.value if isinstance(node, ast.Subscript) else None
        site = objects.get(owner.id) if isinstance(owner, ast.Name) else None
        if site is not None and isinstance(node, ast.Subscript):
            key = constant_text(node.slice)
            item = "an item" if key is None else f"the item {key!r}"
            verb = VERBS[type(node.ctx)]
            why = f"{verb} {item} of an object of {site.node.name}, which has no items"
            yield FailingLine(node.lineno, why, mark_of(node))


def _objects(place: _Place) -> dict[str, ClassSite]:
    """Return the class of each name of a function that holds only objects without items."""
    objects = {}
    for name, value in values_set_once(place.function).items():
        site = _class_of(place, value)
        if site is not None and _has_no_items(place.symbols, site):
            objects[name] = site
    looked_at = {
        last_name(node.args[0])
        for node in walk(place.function)
        if isinstance(node, ast.Call) and called_name(node) in _LOOKS and node.args
    }
    return {name: site for name, site in objects.items() if name not in looked_at}


@dataclass(frozen=True, slots=True)
class _Place:
    """Scopes of an expression: the names of the function, then those of the file."""

    symbols: SymbolTable
    source: SourceFile
    function: ast.AST
    tops: TopNames


def _class_of(place: _Place, value: ast.expr) -> ClassSite | None:
    """Return the class of a new object, or of the answer of a model that is bound to the class."""
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call):
        return None
    if isinstance(call.func, ast.Attribute) and call.func.attr in _ASKS:
        return _bound_class(place, call.func.value)
    return place.symbols.find_class(place.source, call.func)


def _bound_class(place: _Place, node: ast.expr, steps: int = MOST_STEPS) -> ClassSite | None:
    """Return the class that `prompt | llm.with_structured_output(Opinion)` answers with."""
    if steps == 0:
        return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _bound_class(place, node.right, steps - 1)
    if isinstance(node, ast.Name):
        path = place.source.path
        if path not in place.tops:
            place.tops[path] = values_set_once(place.source.tree)
        value = values_set_once(place.function).get(node.id) or place.tops[path].get(node.id)
        return _bound_class(place, value, steps - 1) if value is not None else None
    if not isinstance(node, ast.Call):
        return None
    if called_name(node) == "with_structured_output":
        schema = node.args[0] if node.args else keyword_of(node, "schema")
        is_raw = keyword_of(node, "include_raw") is not None
        return None if is_raw or schema is None else place.symbols.find_class(place.source, schema)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_MODEL:
        return _bound_class(place, node.func.value, steps - 1)
    return _returned_class(place, node, steps) if isinstance(node.func, ast.Name) else None


def _returned_class(place: _Place, call: ast.Call, steps: int) -> ClassSite | None:
    """Return the class of the model that the work's own function returns."""
    sites = place.symbols.functions_by_name.get(called_name(call), [])
    if len(sites) != 1:
        return None
    source, site = sites[0]
    returns = [node.value for node in walk(site.node) if isinstance(node, ast.Return)]
    if len(returns) != 1 or returns[0] is None or site.owner is not None:
        return None
    return _bound_class(_Place(place.symbols, source, site.node, place.tops), returns[0], steps - 1)


def _has_no_items(symbols: SymbolTable, site: ClassSite) -> bool:
    homes = [site]
    for home in homes:
        node = home.node
        text = "\n".join(home.source.text.split("\n")[node.lineno - 1 : node.end_lineno])
        is_twice = sum(other.name == node.name for other in home.source.classes) > 1
        decorators = {last_name(getattr(d, "func", d)) for d in node.decorator_list}
        if _WITH_ITEMS.search(text) or is_twice or decorators - PLAIN_DECORATORS:
            return False
        for base in node.bases:
            base = base.value if isinstance(base, ast.Subscript) else base
            parent = symbols.find_class(home.source, base)
            if parent is not None and len(homes) < MOST_PARENTS:
                homes.append(parent)
            elif symbols.dotted_name(home.source, base) not in _BASES:
                return False
    return True


def caught_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes around which such a failure is caught by its name."""
    for node in walk(function):
        if isinstance(node, ast.Try | ast.TryStar):
            kinds = {last_name(n) for h in node.handlers if h.type for n in walk(h.type)}
            if kinds & _CATCHES:
                for statement in node.body:
                    yield from walk(statement)
