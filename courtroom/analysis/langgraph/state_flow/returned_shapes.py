"""Keys of the dicts that a function of the repository returns, where all of them are written out."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.langgraph.state_flow.flow_fault import Place
from courtroom.analysis.python.symbol_table import SymbolTable
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
Names = frozenset[str]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Shape:
    """Keys of a dict, or of the dicts in a list; `name` is of the function that returns it."""

    keys: frozenset[str]
    is_list: bool
    name: str = ""
    place: Place = ("", 0)


@dataclass(slots=True)
class ReturnedShapes:
    """Shapes of what functions return, by name; null where it may be anything else."""

    symbols: SymbolTable
    _shapes: dict[str, Shape | None] = field(default_factory=dict)
    fuel: int = TOTAL_FUEL

    def of_call(self, node: ast.expr, steps: int = MOST_STEPS) -> Shape | None:
        call = node.value if isinstance(node, ast.Await) else node
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return None
        name = call.func.id
        if name not in self._shapes:
            self._shapes[name] = None  # a function that calls itself
            self._shapes[name] = self._of_function(name, steps)
        return self._shapes[name]

    def _of_function(self, name: str, steps: int) -> Shape | None:
        homes = self.symbols.functions_by_name.get(name, [])
        if len(homes) != 1 or steps == 0:
            return None
        source, site = homes[0]
        nodes = list(own_nodes(site.node))
        is_generator = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)
        if is_generator or site.node.decorator_list or site.owner:
            return None
        values = [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]
        shape = _joined(
            self._of_value(value, nodes, steps) for value in values if not _is_none(value)
        )
        if shape is None or not shape.keys:
            return None
        return Shape(shape.keys, shape.is_list, name, (source.path, site.node.lineno))

    def _of_value(self, value: ast.expr, nodes: list[ast.AST], steps: int) -> Shape | None:
        if isinstance(value, ast.IfExp):
            parts = (value.body, value.orelse)
            return _joined(self._of_value(part, nodes, steps) for part in parts)
        if isinstance(value, ast.Name):
            return self._of_name(value.id, nodes, steps)
        if isinstance(value, ast.List):
            shape = _joined(self._of_value(member, nodes, steps) for member in value.elts)
            return _in_list(shape) if value.elts else Shape(frozenset(), is_list=True)
        if isinstance(value, ast.ListComp):
            return _in_list(literal_shape(value.elt))
        return literal_shape(value) or self.of_call(value, steps - 1)

    def _of_name(self, name: str, nodes: list[ast.AST], steps: int) -> Shape | None:
        """Return the shape of a local name that holds literals and gets written keys only, with
        those of its second names: `images = rows` makes them one.
        """
        self.fuel -= len(nodes)
        if steps == 0 or self.fuel < 0:
            return None
        names = _same_names(name, nodes)
        shapes: list[Shape | None] = []
        for node in nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                shapes += self._assigned(node, names, nodes, steps - 1)
            elif isinstance(node, ast.Call):
                shapes += _changed(node, names)
            elif any(_is_named(part, names) for part in _handed_on(node)):
                return None
        return _joined(shapes)

    def _assigned(
        self, node: ast.Assign | ast.AnnAssign, names: Names, nodes: list[ast.AST], steps: int
    ) -> Iterator[Shape | None]:
        value = node.value
        for target in _targets(node):
            if _is_named(target, names) and value is not None:
                if not isinstance(value, ast.Name):
                    yield self._of_value(value, nodes, steps)
                elif not _is_named(value, names):
                    yield None
            elif isinstance(target, ast.Subscript) and _is_named(target.value, names):
                key = constant_text(target.slice)
                yield None if key is None else Shape(frozenset({key}), is_list=False)
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


def literal_shape(value: ast.expr) -> Shape | None:
    """Return the shape of a dict that is written out."""
    if not isinstance(value, ast.Dict):
        return None
    keys = [constant_text(key) for key in value.keys]
    named = frozenset(key for key in keys if key is not None)
    return Shape(named, is_list=False) if None not in keys else None


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
    return Shape(frozenset().union(*(row.keys for row in known)), known[0].is_list)


def _in_list(shape: Shape | None) -> Shape | None:
    return Shape(shape.keys, is_list=True) if shape and not shape.is_list else None


def _is_named(node: ast.AST, names: Names) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
