"""Keys of the dicts that a function of the repository returns, where all of them are written out."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from courtroom.analysis.langgraph.state_flow.flow_fault import Place
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.missing_methods import objects_in
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import called_name, constant_text, last_name, push_children

# Functions that return what another one returns, which are followed.
MOST_STEPS = 3
# Nodes that are looked at for all names.
TOTAL_FUEL = 2_000_000
# Calls that leave a dict as it is.
READERS = frozenset(
    {"len", "print", "dumps", "sorted", "str", "bool", "isinstance", "list", "any", "all", "repr"}
) | {"debug", "info", "warning", "error"}
READING_METHODS = frozenset({"get", "items", "keys", "values", "copy", "sort", "pop"})
# Decorators that leave a method what it returns.
PLAIN = frozenset({"staticmethod", "classmethod"})
Names = frozenset[str]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Shape:
    """Keys of a dict, or of the dicts in a list; `name` is of the function that returns it.

    `inner` are the shapes of dicts in it that are written out, by key.
    """

    keys: frozenset[str]
    is_list: bool
    name: str = ""
    place: Place = ("", 0)
    inner: Mapping[str, Shape] = field(default_factory=dict)

    def under(self, keys: Sequence[str]) -> Shape | None:
        """Return the shape of what lies under keys, one inside the other."""
        shape: Shape | None = self
        for key in keys:
            shape = shape.inner.get(key) if shape and not shape.is_list else None
        return replace(shape, name=self.name, place=self.place) if shape else None


@dataclass(slots=True)
class ReturnedShapes:
    """Shapes of what functions return, by name; null where it may be anything else."""

    symbols: SymbolTable
    _shapes: dict[tuple[str, int], Shape | None] = field(default_factory=dict)
    _objects: dict[tuple[str, int], Mapping[str, ClassSite]] = field(default_factory=dict)
    fuel: int = TOTAL_FUEL

    def of_call(self, node: ast.expr, caller: FunctionRef, steps: int = MOST_STEPS) -> Shape | None:
        call = node.value if isinstance(node, ast.Await) else node
        function = self._called(call, caller) if isinstance(call, ast.Call) else None
        if function is None:
            return None
        if function.key not in self._shapes:
            self._shapes[function.key] = None  # a function that calls itself
            self._shapes[function.key] = self._of_function(function, steps)
        return self._shapes[function.key]

    def _called(self, call: ast.Call, caller: FunctionRef) -> FunctionRef | None:
        """Return the function of the repository that is called, which is the only possible one."""
        homes = self.symbols.functions_by_name.get(called_name(call), [])
        functions = [FunctionRef(*home) for home in homes]
        if isinstance(call.func, ast.Name):
            if len(functions) > 1:
                dotted = self.symbols.dotted_name(caller.source, call.func)
                functions = [f for f in functions if f"{f.source.module}.{f.name}" == dotted]
            return functions[0] if len(functions) == 1 and not functions[0].site.owner else None
        if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
            return None
        if call.func.value.id == "self":
            is_own = len(functions) == 1 and functions[0].site.owner is caller.site.owner
            return functions[0] if is_own else None
        if caller.key not in self._objects:
            self._objects[caller.key] = objects_in(self.symbols, caller.source, caller.site)
        home = self._objects[caller.key].get(call.func.value.id)
        own = [f for f in functions if home is not None and f.site.owner is home.node]
        return own[0] if len(own) == 1 else None

    def _of_function(self, function: FunctionRef, steps: int) -> Shape | None:
        site = function.site
        nodes = list(own_nodes(site.node)) if steps else []
        is_generator = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)
        if is_generator or not {*map(last_name, site.node.decorator_list)} <= PLAIN:
            return None
        reader = _Reader(self, function, nodes)
        values = [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]
        shape = _joined(reader.of_value(v, steps) for v in values if not _is_none(v))
        if shape is None or not shape.keys:
            return None
        place = function.source.path, site.node.lineno
        return replace(shape, name=function.shown_name, place=place)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reader of what one function returns."""

    shapes: ReturnedShapes
    function: FunctionRef
    nodes: list[ast.AST]

    def of_value(self, value: ast.expr, steps: int) -> Shape | None:
        if isinstance(value, ast.IfExp):
            return _joined(self.of_value(part, steps) for part in (value.body, value.orelse))
        if isinstance(value, ast.Name):
            return self._of_name(value.id, steps)
        if isinstance(value, ast.List):
            shape = _joined(self.of_value(member, steps) for member in value.elts)
            return _in_list(shape) if value.elts else Shape(frozenset(), is_list=True)
        if isinstance(value, ast.ListComp):
            return _in_list(literal_shape(value.elt))
        return literal_shape(value) or self.shapes.of_call(value, self.function, steps - 1)

    def _of_name(self, name: str, steps: int) -> Shape | None:
        """Return the shape of a local name that holds literals and gets written keys only, with
        those of its second names: `images = rows` makes them one.
        """
        self.shapes.fuel -= len(self.nodes)
        if steps == 0 or self.shapes.fuel < 0:
            return None
        names = _same_names(name, self.nodes)
        shapes: list[Shape | None] = []
        for node in self.nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                shapes += self._assigned(node, names, steps - 1)
            elif isinstance(node, ast.Call):
                shapes += _changed(node, names)
            elif any(_is_named(part, names) for part in _handed_on(node)):
                return None
        shape = _joined(shapes)
        if shape is None or not shape.inner:
            return shape
        used = _used_inside(self.nodes, names)
        return replace(shape, inner={k: part for k, part in shape.inner.items() if k not in used})

    def _assigned(
        self, node: ast.Assign | ast.AnnAssign, names: Names, steps: int
    ) -> Iterator[Shape | None]:
        value = node.value
        for target in _targets(node):
            if _is_named(target, names) and value is not None:
                if not isinstance(value, ast.Name):
                    yield self.of_value(value, steps)
                elif not _is_named(value, names):
                    yield None
            elif isinstance(target, ast.Subscript) and _is_named(target.value, names):
                key = constant_text(target.slice)
                inner = {key: part} if key and value and (part := literal_shape(value)) else {}
                keys = frozenset({key} if key else ())
                yield Shape(keys, is_list=False, inner=inner) if key else None
            elif isinstance(target, ast.Subscript) and _key_inside(target.value, names):
                yield _stored_inside(target, names)
            elif isinstance(target, ast.Tuple) and any(_is_named(t, names) for t in target.elts):
                yield None
            elif value is not None and _is_named(value, names):
                yield None  # what holds it may change it


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _same_names(name: str, nodes: list[ast.AST]) -> Names:
    """Return the name and those that are other names of what it holds."""
    pairs = [
        {last_name(target), node.value.id}
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Name)
        for target in _targets(node)
        if isinstance(target, ast.Name)
    ]
    names, count = {name}, 0
    while count < len(names):
        count = len(names)
        names = names.union(*(pair for pair in pairs if names & pair))
    return frozenset(names)


def _handed_on(node: ast.AST) -> Sequence[ast.AST]:
    """Return the parts of a node that get another name or are bound by more than an assignment."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, ast.AugAssign | ast.For | ast.NamedExpr):
        return [node.target]
    if isinstance(node, ast.withitem):
        return [node.optional_vars] if node.optional_vars else []
    return [node.value] if isinstance(node, ast.Starred) else []


def _changed(call: ast.Call, names: Names) -> Iterator[Shape | None]:
    """Yield what a call adds to the names; reading it adds nothing, other code may add anything."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if isinstance(call.func, ast.Attribute) and _is_named(call.func.value, names):
        if call.func.attr == "append" and call.args:
            yield _in_list(literal_shape(call.args[0]))
        elif call.func.attr == "update" and len(given) == 1:
            yield literal_shape(given[0])
        elif call.func.attr not in READING_METHODS:
            yield None
    elif called_name(call) not in READERS and any(_is_named(value, names) for value in given):
        yield None


def _key_inside(node: ast.expr, names: Names) -> str | None:
    """Return the key of `name["key"]`."""
    is_inside = isinstance(node, ast.Subscript) and _is_named(node.value, names)
    return constant_text(node.slice) if isinstance(node, ast.Subscript) and is_inside else None


def _stored_inside(target: ast.Subscript, names: Names) -> Shape:
    """Return what `name["key"]["inner"] = ...` adds."""
    key, inner = _key_inside(target.value, names) or "", constant_text(target.slice)
    parts = {key: Shape(frozenset({inner}), is_list=False)} if inner else {}
    return Shape(frozenset({key}), is_list=False, inner=parts)


def _used_inside(nodes: Iterable[ast.AST], names: Names) -> frozenset[str]:
    """Return the keys of the names under which other code gets what lies there, and may fill it."""
    rows = list(nodes)
    looked_at: set[int] = set()
    for node in rows:
        if isinstance(node, ast.Subscript | ast.FormattedValue):
            looked_at.add(id(node.value))
        elif isinstance(node, ast.Compare):
            looked_at.update(map(id, node.comparators))
        elif isinstance(node, ast.Call) and called_name(node) in READERS:
            looked_at.update(map(id, node.args))
        elif isinstance(node, ast.Attribute) and node.attr in READING_METHODS:
            looked_at.add(id(node.value))
    gets = (n for n in rows if isinstance(n, ast.Call) and called_name(n) == "get" and n.args)
    got = {
        constant_text(call.args[0])
        for call in gets
        if isinstance(call.func, ast.Attribute) and _is_named(call.func.value, names)
    }
    kept = {
        _key_inside(node, names)
        for node in rows
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and id(node) not in looked_at
    }
    return frozenset(key for key in got | kept if key)


def literal_shape(value: ast.expr) -> Shape | None:
    """Return the shape of a dict that is written out."""
    if not isinstance(value, ast.Dict):
        return None
    keys = [constant_text(key) for key in value.keys]
    if None in keys:
        return None
    parts = zip(keys, map(literal_shape, value.values), strict=True)
    inner = {key: part for key, part in parts if key and part}
    return Shape(frozenset(key for key in keys if key), is_list=False, inner=inner)


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of functions inside it."""
    stack: list[ast.AST] = []
    push_children(function, stack)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            push_children(node, stack)


def _joined(shapes: Iterable[Shape | None]) -> Shape | None:
    rows = list(shapes)
    known = [row for row in rows if row is not None]
    if not known or len(known) < len(rows) or len({row.is_list for row in known}) > 1:
        return None
    return joined_shapes(known)


def joined_shapes(shapes: Sequence[Shape]) -> Shape:
    """Return what is known of a value that has one of the shapes."""
    keys = frozenset().union(*(shape.keys for shape in shapes))
    parts = {key: [s.inner.get(key) for s in shapes if key in s.keys] for key in keys}
    inner = {key: part for key, rows in parts.items() if (part := _joined(rows))}
    return Shape(keys, shapes[0].is_list, inner=inner)


def _in_list(shape: Shape | None) -> Shape | None:
    return replace(shape, is_list=True) if shape and not shape.is_list else None


def _is_named(node: ast.AST, names: Names) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
