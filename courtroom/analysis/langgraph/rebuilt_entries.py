"""Keys under which a node returns the entries that it got there, made anew one by one.

Behind a reducer that appends, such entries stand beside those that they were made of.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from courtroom.analysis.langgraph.judging.structured_calls import MODEL_METHODS
from courtroom.analysis.python.source_files import FunctionNode, FunctionSite
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    walk,
)

# What a value is: the state's key, then the place under it where the value lies; `*` is an entry.
Origin = tuple[str, ...]
ENTRY = "*"
LOOKUPS = frozenset({"get", "setdefault", "pop"})
# Calls that give the same entries, or a copy of one.
COPIES = frozenset({"list", "tuple", "sorted", "dict", "copy", "deepcopy", "reversed"})
COPYING_METHODS = frozenset({"copy", "model_copy", "model_dump", "dict", "_asdict"})
# Rounds over the statements of a function: names are assigned before they are used.
ROUNDS = 4


def rebuilt_keys(site: FunctionSite) -> frozenset[str]:
    """Return the keys; none of a node that asks a model, whose answers are new entries.

    Raises RecursionError where expressions are nested too deeply to be followed.
    """
    arguments = [*site.node.args.posonlyargs, *site.node.args.args]
    arguments = [a for a in arguments if a.arg not in {"self", "cls"}]
    if not arguments or not MODEL_METHODS.isdisjoint(site.mentions):
        return frozenset()
    reader = _Reader(arguments[0].arg)
    for _ in range(ROUNDS):
        known = len(reader.names) + len(reader.rebuilt)
        reader.read(site.node)
        if len(reader.names) + len(reader.rebuilt) == known:
            break
    return frozenset(
        key
        for inner in walk(site.node)
        if isinstance(inner, ast.Return)
        for key, value in _entries(inner.value)
        if reader.is_rebuilt(value, (key,))
    )


def _entries(node: ast.expr | None) -> list[tuple[str, ast.expr]]:
    """Return the keys and values of an update: a dict, also in a Command."""
    if isinstance(node, ast.Call) and called_name(node) == "Command":
        node = keyword_of(node, "update")
    if not isinstance(node, ast.Dict):
        return []
    pairs = zip(node.keys, node.values, strict=True)
    return [(text, value) for key, value in pairs if (text := constant_text(key))]


@dataclass(slots=True)
class _Reader:
    """Reader of a function: `names` are values of the state, `rebuilt` those made of their entries."""

    state: str
    names: dict[str, Origin] = field(default_factory=dict)
    rebuilt: dict[str, Origin] = field(default_factory=dict)

    def read(self, node: FunctionNode) -> None:
        for inner in walk(node):
            if isinstance(inner, ast.Assign) and len(inner.targets) == 1:
                self._assign(inner.targets[0], inner.value)
            elif isinstance(inner, ast.AnnAssign) and inner.value is not None:
                self._assign(inner.target, inner.value)
            elif isinstance(inner, ast.For):
                self._enter(inner.target, inner.iter)
                self._fill(inner)

    def origin_of(self, node: ast.expr) -> Origin:
        """Return where in the state a value lies; () for another value."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, ())
        if isinstance(node, ast.Subscript):
            return self._under(node.value, node.slice)
        if isinstance(node, ast.Attribute):
            return (node.attr,) if last_name(node.value) == self.state else ()
        if isinstance(node, ast.BoolOp):
            return self.origin_of(node.values[0])
        if isinstance(node, ast.IfExp):
            return self.origin_of(node.body) or self.origin_of(node.orelse)
        if isinstance(node, ast.ListComp):
            return self._chosen(node)
        if isinstance(node, ast.Call) and node.args:
            if isinstance(node.func, ast.Attribute) and called_name(node) in LOOKUPS:
                return self._under(node.func.value, node.args[0])
            return self.origin_of(node.args[0]) if called_name(node) in COPIES else ()
        return ()

    def is_rebuilt(self, node: ast.expr, origin: Origin) -> bool:
        """Return true for a list or a mapping that holds the entries of this one, made anew."""
        if isinstance(node, ast.Name):
            return self.rebuilt.get(node.id) == origin
        if isinstance(node, ast.ListComp):
            made = self._in_comprehension(node)
            if made is None or made.origin_of(node.generators[0].target) != (*origin, ENTRY):
                return False
            return all(map(_asks_for_any, node.generators[0].ifs)) and made.is_copy(node.elt)
        if isinstance(node, ast.DictComp):
            made = self._in_comprehension(node)
            key = ast.unparse(node.key)
            return made is not None and made.is_rebuilt(node.value, (*origin, key))
        return False

    def is_copy(self, node: ast.expr) -> bool:
        """Return true for an entry, a copy of one, or a record with parts of one."""
        if self.origin_of(node)[-1:] == (ENTRY,):
            return True
        parts = [self.origin_of(p) for p in walk(node) if isinstance(p, ast.expr)]
        is_part = any(ENTRY in origin for origin in parts)
        if isinstance(node, ast.Call):
            name = called_name(node)
            is_record = name[:1].isupper() or name in COPIES or name in COPYING_METHODS
            return is_part and is_record
        return is_part and isinstance(node, ast.Dict)

    def _under(self, owner: ast.expr, key: ast.expr) -> Origin:
        if isinstance(owner, ast.Name) and owner.id == self.state:
            return tuple(filter(None, [constant_text(key)]))
        origin = self.origin_of(owner)
        return (*origin, ast.unparse(key)) if origin else ()

    def _chosen(self, node: ast.ListComp) -> Origin:
        """Return the origin of a list of which a comprehension only leaves out empty entries."""
        first = node.generators[0]
        is_same = ast.dump(node.elt).replace("Load", "Store") == ast.dump(first.target)
        is_plain = len(node.generators) == 1 and all(map(_asks_for_any, first.ifs))
        return self.origin_of(first.iter) if is_same and is_plain else ()

    def _in_comprehension(self, node: ast.ListComp | ast.DictComp) -> _Reader | None:
        if len(node.generators) != 1:
            return None
        inner = _Reader(self.state, dict(self.names), self.rebuilt)
        inner._enter(node.generators[0].target, node.generators[0].iter)
        return inner

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            origin = self.origin_of(value)
            if origin:
                self.names.setdefault(target.id, origin)
            elif isinstance(value, ast.ListComp | ast.DictComp):
                self._take(target.id, value)

    def _take(self, name: str, value: ast.ListComp | ast.DictComp) -> None:
        inner = self._in_comprehension(value)
        if inner is None:
            return
        first = value.generators[0]
        origin = self.origin_of(_mapping_of(first.iter) or first.iter)
        if origin and self.is_rebuilt(value, origin):
            self.rebuilt.setdefault(name, origin)

    def _enter(self, target: ast.expr, iterated: ast.expr) -> None:
        """Name the entries that a loop goes over."""
        mapping = _mapping_of(iterated)
        if mapping is not None and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            key, value = target.elts
            origin = self.origin_of(mapping)
            if origin and isinstance(value, ast.Name):
                self.names.setdefault(value.id, (*origin, ast.unparse(key)))
        elif isinstance(target, ast.Name) and (origin := self.origin_of(iterated)):
            self.names.setdefault(target.id, (*origin, ENTRY))

    def _fill(self, loop: ast.For) -> None:
        """Read which lists and mappings a loop fills; a branch of its body fills them in part."""
        for statement in loop.body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                call = statement.value
                origin = self.origin_of(loop.iter)
                if called_name(call) != "append" or not origin or len(call.args) != 1:
                    continue
                if isinstance(call.func, ast.Attribute) and self.is_copy(call.args[0]):
                    self.rebuilt.setdefault(last_name(call.func.value), origin)
            elif isinstance(statement, ast.Assign) and isinstance(
                target := statement.targets[0], ast.Subscript
            ):
                self._put(last_name(target.value), ast.unparse(target.slice), statement.value)

    def _put(self, mapping: str, key: str, value: ast.expr) -> None:
        if isinstance(value, ast.Name):
            origin = self.rebuilt.get(value.id, ())
        else:
            origin = next((o for o in self.names.values() if self.is_rebuilt(value, o)), ())
        if mapping and len(origin) > 1 and origin[-1] == key:
            self.rebuilt.setdefault(mapping, origin[:-1])


def _mapping_of(node: ast.expr) -> ast.expr | None:
    """Return the mapping whose `.items()` an expression is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr == "items" and not node.args else None
    return None


def _asks_for_any(test: ast.expr) -> bool:
    """Return true for a test that leaves out what is empty, or of another type."""
    is_type = isinstance(test, ast.Call) and called_name(test) == "isinstance"
    return isinstance(test, ast.Name) or is_type
