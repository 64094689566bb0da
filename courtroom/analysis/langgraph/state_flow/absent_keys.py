"""Lookups in the result of a function, or in an entry of the rubric, under a key that it never has."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache

from courtroom.analysis.langgraph.state_flow.flow_fault import MOST_NAMES, FlowFault, joined, listed
from courtroom.analysis.langgraph.state_flow.other_keys import objects_in
from courtroom.analysis.langgraph.state_flow.returned_shapes import (
    MOST_STEPS,
    ReturnedShapes,
    Shape,
    joined_shapes,
    literal_shape,
    own_nodes,
)
from courtroom.analysis.project.unjudged_criteria import rubrics_of
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    line_of_key,
    walk,
    words_of,
)

# Methods that put keys into a dict.
ADDING = frozenset({"update", "setdefault"})
WORD = re.compile(r"\w+")
# Names of one entry of a rubric, and of the list of them.
ENTRY_WORDS = frozenset({"criterion", "dimension", "dim", "crit"})
LIST_WORDS = frozenset({"criteria", "dimensions", "dims", "crits"})
# What code asks for in case it is there.
OPTIONAL_WORDS = frozenset(
    words_of("error errors status success ok message failed warning reason note notes")
)


@dataclass(frozen=True, slots=True)
class Lookup:
    """Constant key that code asks a name for, or what lies in it `under` further keys.

    A lookup that fails where the key is missing `is_sure`.
    """

    name: str
    key: str
    line: int
    is_sure: bool
    under: tuple[str, ...] = ()


def absent_keys(
    symbols: SymbolTable,
    in_use: Sequence[FunctionRef],
    judges: Iterable[FunctionRef],
    data: Mapping[str, str],
    shapes: ReturnedShapes,
) -> Iterator[FlowFault]:
    """Yield lookups of missing keys; of the rubric only those of judges.

    Where the fuel of `shapes` is used up, further results are not looked at.
    """
    judging = {function.key for function in judges}
    stored = cache(lambda: _set_keys(symbols))
    tables = rubrics_of(symbols.codebase)
    texts = [*data.values(), *symbols.codebase.rubrics.values()]
    words = cache(lambda: frozenset(w for text in texts for w in WORD.findall(text)))
    written = cache(lambda: stored() | _literal_keys(symbols))
    rubric = {path: _keys_in(path, text) for path, text in tables.items()}
    for function in in_use:
        nodes = list(own_nodes(function.site.node))
        lookups = list(_lookups(nodes))
        if not lookups:
            continue
        names = _Names(shapes, function, nodes)
        for shape, rows in _of_results(stored, names, lookups):
            keys = listed(dict.fromkeys(row.key for row in rows))
            whole = f"what {shape.name}() returns"
            part = ".".join(rows[0].under)
            sought = f"`{part}` of {whole}" if part else whole
            sentence = (
                f"{function.shown_name} asks {sought} for {keys}; it only has"
                f" {listed(_nearest_first(shape.keys, [row.key for row in rows]))}"
            )
            place = function.source.path, rows[0].line
            yield FlowFault("absent_key", sentence, *place, shape.place)
        if function.key not in judging:
            continue
        for table, row in _of_entries(
            rubric, nodes, lookups, lambda key: key in words() or key in written()
        ):
            sentence = (
                f"{function.shown_name} asks `{row.name}` for `{row.key}`, which no entry of"
                f" {table} has: {'the lookup fails' if row.is_sure else 'it gets nothing'}"
            )
            kind = "other_key" if row.is_sure else "empty_entry"
            path = function.source.path
            yield FlowFault(kind, sentence, path, row.line, is_failing=row.is_sure)


def _of_results(
    stored: Callable[[], AbstractSet[str]], names: _Names, lookups: list[Lookup]
) -> Iterator[tuple[Shape, list[Lookup]]]:
    """Yield the shape of each function's result that lacks keys, with the lookups of these keys."""
    for (name, under), of_name in _by_name(lookups).items():
        held = names.held(name)
        shape = held.under(under) if held else None
        if shape is None or shape.is_list:
            continue
        rows = [row for row in of_name if row.key not in shape.keys and row.key not in stored()]
        if rows:
            yield shape, rows


def _nearest_first(keys: Iterable[str], asked: Iterable[str]) -> list[str]:
    """Return the keys in order, those first that have most words of the keys that are asked for."""
    words = {word for key in asked for word in words_of(key)}
    return sorted(keys, key=lambda key: (-len(words.intersection(words_of(key))), key))


def _by_name(lookups: Iterable[Lookup]) -> dict[tuple[str, tuple[str, ...]], list[Lookup]]:
    rows: dict[tuple[str, tuple[str, ...]], list[Lookup]] = {}
    for row in lookups:
        rows.setdefault((row.name, row.under), []).append(row)
    return rows


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of a function, with the shapes of what they hold."""

    shapes: ReturnedShapes
    function: FunctionRef
    nodes: list[ast.AST]

    def held(self, name: str, steps: int = MOST_STEPS) -> Shape | None:
        """Return the shape of a name that only results of one function, and literals, are bound to."""
        held: list[Shape | None] = []
        self.shapes.fuel -= len(self.nodes)
        if steps == 0 or self.shapes.fuel < 0:
            return None
        for node in self.nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(_binds(target, name) for target in targets):
                    is_plain = all(isinstance(target, ast.Name) for target in targets)
                    value = node.value if is_plain else None
                    held.append(self._value(value, steps - 1) if value else None)
            elif isinstance(node, ast.For | ast.comprehension) and _binds(node.target, name):
                held.append(self._member(_looped(node, name), steps - 1))
            elif _may_change(node, name):
                return None
        return _of_one_function(held)

    def _value(self, value: ast.expr, steps: int) -> Shape | None:
        if steps and isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
            return _of_one_function([self._value(part, steps - 1) for part in value.values])
        if isinstance(value, ast.List) and not value.elts:
            return Shape(frozenset(), is_list=True)
        shape = literal_shape(value) or self.shapes.of_call(value, self.function)
        part = _lookup(value) if shape is None else None
        whole = self.held(part.name, steps) if part else None
        return whole.under([*part.under, part.key]) if part and whole else shape

    def _member(self, row: ast.expr | None, steps: int) -> Shape | None:
        """Return the shape of what a loop over the expression gives."""
        if row is None:
            return None
        is_name = isinstance(row, ast.Name)
        of_call = self.shapes.of_call
        shape = self.held(last_name(row), steps) if is_name else of_call(row, self.function)
        return replace(shape, is_list=False) if shape and shape.is_list else None


def _of_one_function(shapes: Sequence[Shape | None]) -> Shape | None:
    """Return what is known of results of one function, beside literals that stand in for them."""
    present = [shape for shape in shapes if shape]
    first = next((shape for shape in present if shape.name), None)
    origins = {shape.name for shape in present if shape.name}
    if first is None or len(present) < len(shapes) or len(origins) != 1:
        return None
    return replace(
        joined_shapes(present), is_list=first.is_list, name=first.name, place=first.place
    )


def _looped(loop: ast.For | ast.comprehension, name: str) -> ast.expr | None:
    """Return what gives the name its values, one by one: also in enumerate(rows[:5])."""
    target, row = loop.target, loop.iter
    is_counted = isinstance(row, ast.Call) and called_name(row) == "enumerate"
    if is_counted and isinstance(row, ast.Call) and isinstance(target, ast.Tuple) and row.args:
        target, row = target.elts[-1], row.args[0]
    if isinstance(row, ast.Subscript) and isinstance(row.slice, ast.Slice):
        row = row.value
    return row if _is_name(target, name) else None


def _may_change(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.With | ast.NamedExpr | ast.AugAssign):
        return _binds(node, name)
    method = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(method, ast.Attribute) and method.attr in ADDING and _is_name(method.value, name)
    )


def _of_entries(
    rubric: Mapping[str, AbstractSet[str]],
    nodes: list[ast.AST],
    lookups: list[Lookup],
    is_known: Callable[[str], bool],
) -> Iterator[tuple[str, Lookup]]:
    """Yield keys that no JSON file holds, of names whose other keys are in the rubrics."""
    reported: set[str] = set()
    for (name, under), rows in _by_name(lookups).items():
        is_entry = not under and _is_entry(name, nodes)
        keys = _asked_of(name, nodes) if is_entry else frozenset()
        for row in rows if is_entry else ():
            if row.key in reported:
                continue
            paths = [path for path, known in rubric.items() if known & keys - {row.key}]
            if paths and not is_known(row.key):
                reported.add(row.key)
                yield joined(paths[:MOST_NAMES]), _first_of(row, lookups, nodes)


def _is_entry(name: str, nodes: Sequence[ast.AST]) -> bool:
    """Return whether the name, or the list that a loop takes it from, is called after criteria."""
    lists = (words_of(row) for row in _lists_of(name, nodes))
    return bool(ENTRY_WORDS & {*words_of(name)}) or any(LIST_WORDS & {*words} for words in lists)


def _first_of(row: Lookup, lookups: Sequence[Lookup], nodes: Sequence[ast.AST]) -> Lookup:
    """Return the first lookup of the same key that fails, in an entry of the same list."""
    lists = _lists_of(row.name, nodes)
    same = (
        other
        for other in lookups
        if (other.key, other.is_sure, other.under) == (row.key, row.is_sure, row.under)
        if other.name == row.name or not lists.isdisjoint(_lists_of(other.name, nodes))
    )
    return min(same, key=lambda lookup: lookup.line)


def _lists_of(name: str, nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names of the lists over which a loop or a comprehension leads the name."""
    loops = (node for node in nodes if isinstance(node, ast.For | ast.comprehension))
    rows = (_looped(loop, name) for loop in loops)
    return frozenset(row.id for row in rows if isinstance(row, ast.Name))


def _asked_of(name: str, nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the keys that code asks a name for, with any default."""
    subscripts = (n for n in nodes if isinstance(n, ast.Subscript) and _is_name(n.value, name))
    gets = (
        node.args[0]
        for node in nodes
        if isinstance(node, ast.Call) and node.args and called_name(node) == "get"
        if isinstance(node.func, ast.Attribute) and _is_name(node.func.value, name)
    )
    keys = map(constant_text, (*(node.slice for node in subscripts), *gets))
    return frozenset(key for key in keys if key)


def _keys_in(path: str, text: str) -> frozenset[str]:
    return frozenset(key for _, entry in objects_in({path: text}) for key in entry)


# -- what code asks for -----------------------------------------------------------------------------


def _lookups(nodes: Iterable[ast.AST]) -> Iterator[Lookup]:
    """Yield lookups of written keys, without those that have a second try."""
    rows = list(nodes)
    tried: set[int] = set()
    for node in rows:
        # What is inside such a part is in it already.
        if id(node) not in tried:
            tried.update(id(inner) for part in _tries(node) for inner in walk(part))
    for node in rows:
        lookup = _lookup(node)
        if lookup and id(node) not in tried and not OPTIONAL_WORDS & {*words_of(lookup.key)}:
            yield lookup


def _tries(node: ast.AST) -> Sequence[ast.AST]:
    """Return what runs in case something is there, or because something is not."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return [] if all(map(_is_empty, node.values[1:])) else node.values
    if isinstance(node, ast.Call) and called_name(node) == "get":
        return node.args[1:]
    if isinstance(node, ast.If) and any(_lookup(inner) for inner in walk(node.test)):
        return [*node.body, *node.orelse]
    if isinstance(node, ast.IfExp) and any(_lookup(inner) for inner in walk(node.test)):
        # It has a value for either case.
        return [node]
    return ()


def _lookup(node: ast.AST, steps: int = MOST_STEPS) -> Lookup | None:
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        owner, key, is_sure = node.value, constant_text(node.slice), True
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_get = node.func.attr == "get" and bool(node.args) and all(map(_is_empty, node.args[1:]))
        owner, key = node.func.value, constant_text(node.args[0]) if is_get else None
        is_sure = False
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
        owner, key, is_sure = node.comparators[0], constant_text(node.left), False
    else:
        return None
    if not key:
        return None
    line = line_of_key(node)
    if isinstance(owner, ast.Name):
        return Lookup(owner.id, key, line, is_sure)
    outer = _lookup(owner, steps - 1) if steps and not isinstance(owner, ast.Compare) else None
    if outer is None:
        return None
    return Lookup(outer.name, key, line, is_sure, (*outer.under, outer.key))


def _is_empty(value: ast.expr) -> bool:
    """Return true for a default that is nothing; another one is meant to be used."""
    if isinstance(value, ast.Constant):
        return not value.value
    return not (value.elts if isinstance(value, ast.List) else getattr(value, "keys", [value]))


def _set_keys(symbols: SymbolTable) -> frozenset[str]:
    """Return the keys that any code puts into a dict after it is made."""
    keys = (
        constant_text(node.slice)
        for source in symbols.codebase.production
        for node in walk(source.tree)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    )
    return frozenset(key for key in keys if key)


def _literal_keys(symbols: SymbolTable) -> frozenset[str]:
    """Return the keys of every dict that the code writes out: entries may be made anew."""
    dicts = (
        node
        for source in symbols.codebase.production
        for node in walk(source.tree)
        if isinstance(node, ast.Dict)
    )
    keys = (constant_text(key) for node in dicts for key in node.keys)
    return frozenset(key for key in keys if key)


def _binds(target: ast.AST, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in walk(target)
    )


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
