"""Way of a text through the code, from where it is made to a file, a screen or an answer.

Names are followed inside a function, then what functions return and are given. A key of the state
and a field of an object are followed by their names alone: whatever reads the name gets the text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from courtroom.analysis.python.call_graph import (
    OWN_OBJECT,
    PROPERTIES,
    CallGraph,
    FunctionRef,
    statements_on_import,
)
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import ClassSite
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    push_children,
    walk,
    words_of,
)

# Calls that write a text out, to a file, a screen or a page.
SINKS = frozenset(words_of("print write writelines echo secho")) | frozenset(
    {"write_text", "write_bytes", "download_button", "text_area", "put_object"}
)
# Calls that show a text where they are a statement of their own.
SHOWING = frozenset(words_of("markdown code text"))
# Decorators of functions whose result is served.
ROUTES = frozenset({"get", "post", "put", "route", "api_route"})
# Calls whose answer about a text is no text.
NO_TEXT = frozenset(
    words_of("len bool type isinstance count find index rfind hash sha256 sha1 md5 any all search")
) | frozenset({"startswith", "endswith", "match", "fullmatch", "findall"})
LOOKUPS = frozenset({"get", "getattr", "pop", "setdefault"})
FIELD_MAKERS = frozenset({"dict", "update", "replace", "_replace", "evolve", "SimpleNamespace"})
MUTATIONS = frozenset({"append", "extend", "insert", "add", "appendleft"})
BUFFERS = frozenset({"StringIO", "BytesIO"})
# Parts of an expression that are no text.
NO_VALUES = (
    ast.Attribute,
    ast.Compare,
    ast.Lambda,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
)
# Scans of functions; a report needs some twenty.
MOST_SCANS = 1500
Place = tuple[SourceFile, FunctionSite | None, int]


@dataclass(slots=True)
class _Scope:
    """Outermost function with those inside it, or, without a `site`, a file outside of functions."""

    source: SourceFile
    site: FunctionSite | None
    nodes: list[ast.AST]
    # Values of statements that are a call and nothing else.
    statements: frozenset[int]
    names: set[str] = field(default_factory=set)
    # Names of dicts that hold the text under a written key.
    holders: set[str] = field(default_factory=set)


@dataclass
class TextFlow:
    """Way of the texts that code makes of these constants.

    `written` are the places that write it out whole, `cut` those that write a part of it. `handed`
    are calls of libraries that take the text, and of which no more is known.
    """

    call_graph: CallGraph
    texts: AbstractSet[int]
    written: list[Place] = field(default_factory=list)
    cut: list[Place] = field(default_factory=list)
    handed: list[Place] = field(default_factory=list)
    is_complete: bool = True
    # By function, the places in the tuples that it returns; -1 is all of what it returns.
    results: dict[tuple[str, int], set[int]] = field(default_factory=dict)
    # Names of those functions, and of keys and fields that hold the text.
    _names: set[str] = field(default_factory=set)
    _fields: set[str] = field(default_factory=set)
    _scopes: dict[tuple[str, int], _Scope] = field(default_factory=dict)
    _homes: dict[str, dict[int, FunctionSite]] = field(default_factory=dict)
    _queue: list[_Scope] = field(default_factory=list)

    def follow(self, start: FunctionRef) -> None:
        """Follow the texts from a function that holds them to all ends."""
        self._ask_for(self._scope_of(start.source, start.site))
        for _ in range(MOST_SCANS):
            if not self._queue:
                break
            scope = self._queue.pop(0)
            count = -1
            while count != len(scope.names) + len(scope.holders):
                count = len(scope.names) + len(scope.holders)
                for node in scope.nodes:
                    self._scan(scope, node)
        self.is_complete = not self._queue

    def _scan(self, scope: _Scope, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(scope, target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            self._bind(scope, node.target, node.value)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._bind(scope, node.target, node.iter)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._bind(scope, node.optional_vars, node.context_expr)
        elif isinstance(node, ast.Dict):
            self._keep_entries(scope, node)
        elif isinstance(node, ast.Call):
            self._call(scope, node)
        elif isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
            self._return(scope, node, node.value)

    def _bind(self, scope: _Scope, target: ast.expr, value: ast.expr | None) -> None:
        if value is None:
            return
        if not isinstance(target, ast.Tuple | ast.List):
            if self._carries(scope, value):
                self._mark(scope, target)
            elif isinstance(value, ast.Dict) and self._carries(scope, value, in_entries=True):
                scope.holders.add(last_name(target))
            return
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
            for part, given in zip(target.elts, value.elts, strict=True):
                self._bind(scope, part, given)
        elif self._carries(scope, value):
            places = self._places_returned(scope, value)
            for number, part in enumerate(target.elts):
                if not places or -1 in places or number in places:
                    self._mark(scope, part)

    def _places_returned(self, scope: _Scope, value: ast.expr) -> set[int]:
        call = value.value if isinstance(value, ast.Await) else value
        functions = self._called(scope, call) if isinstance(call, ast.Call) else []
        return {place for f in functions for place in self.results.get(f.key, ())}

    def _mark(self, scope: _Scope, target: ast.expr) -> None:
        """Note that a name, a field or a key holds the text."""
        while isinstance(target, ast.Subscript | ast.Starred):
            key = constant_text(target.slice) if isinstance(target, ast.Subscript) else None
            if key is not None:
                self._add_field(key)
                return
            target = target.value
        if isinstance(target, ast.Name):
            scope.names.add(target.id)
        elif isinstance(target, ast.Attribute):
            self._add_field(target.attr)
        elif isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._mark(scope, part)

    def _keep_entries(self, scope: _Scope, node: ast.Dict) -> None:
        for key, value in zip(node.keys, node.values, strict=True):
            name = constant_text(key)
            if name is not None and self._carries(scope, value):
                self._add_field(name)

    def _add_field(self, name: str) -> None:
        if name in self._fields:
            return
        self._fields.add(name)
        for source in self.call_graph.symbols.codebase.production:
            if name in source.text:
                for scope in self._scopes_of(source):
                    self._ask_for(scope)

    def _return(
        self, scope: _Scope, node: ast.Return | ast.Yield | ast.YieldFrom, value: ast.expr | None
    ) -> None:
        site = self._home_of(scope.source, node)
        if value is None or site is None:
            return
        is_served = any(_is_route(decorator) for decorator in site.node.decorator_list)
        if is_served and self._carries(scope, value, in_entries=True):
            self._write(self.written, scope, node.lineno)
        if not self._carries(scope, value):
            return
        parts = value.elts if isinstance(value, ast.Tuple) else []
        places = {number for number, part in enumerate(parts) if self._carries(scope, part)} or {-1}
        key = scope.source.path, site.node.lineno
        if not places <= self.results.get(key, set()):
            self.results.setdefault(key, set()).update(places)
            self._names.add(site.node.name)
            self._ask_callers(site.node.name)

    def _ask_callers(self, name: str) -> None:
        for source in self.call_graph.symbols.codebase.production:
            if name in source.text:
                for scope in self._scopes_of(source):
                    if scope.site is None or name in scope.site.mentions:
                        self._ask_for(scope)

    def _call(self, scope: _Scope, call: ast.Call) -> None:
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        name, own = called_name(call), self._called(scope, call)
        is_sink = name in SINKS or (name in SHOWING and id(call) in scope.statements)
        is_sink = is_sink and not (own and _is_plain(call.func))
        if any(self._carries(scope, argument) for argument in arguments):
            self._take(scope, call, own, is_sink=is_sink)
        elif is_sink and any(self._carries(scope, a, in_part=True) for a in arguments):
            self._write(self.cut, scope, call.lineno)

    def _take(
        self, scope: _Scope, call: ast.Call, own: Sequence[FunctionRef], *, is_sink: bool
    ) -> None:
        """Follow the text into a call that takes it."""
        name = called_name(call)
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        made = self.call_graph.symbols.find_class(scope.source, call.func)
        if made is not None:
            self._fill(scope, call, made)
        elif is_sink and not self._is_buffer(scope, receiver):
            self._write(self.written, scope, call.lineno)
        elif own:
            for function in own:
                self._give(scope, call, function)
        elif receiver is not None and (is_sink or name in MUTATIONS):
            self._mark(scope, receiver)
        elif name in FIELD_MAKERS:
            self._keep_keywords(scope, call)
        elif not self._hand_on(scope, call) and id(call) in scope.statements:
            self._write(self.handed, scope, call.lineno)

    def _hand_on(self, scope: _Scope, call: ast.Call) -> bool:
        """Follow the text into functions that a library calls: asyncio.to_thread(write, text)."""
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        given = [function for argument in arguments for function in self._meant(scope, argument)]
        for function in given:
            self._give_all(function, _parameters(function))
        return bool(given)

    def _is_buffer(self, scope: _Scope, receiver: ast.expr | None) -> bool:
        name = last_name(receiver) if receiver is not None else ""
        return bool(name) and any(
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and called_name(node.value) in BUFFERS
            and any(last_name(target) == name for target in node.targets)
            for node in scope.nodes
        )

    def _fill(self, scope: _Scope, call: ast.Call, made: ClassSite) -> None:
        """Follow the text into an object of the repository's own class."""
        makers = [
            FunctionRef(made.source, site)
            for site in made.source.functions
            if site.owner is made.node and site.node.name == "__init__"
        ]
        for function in makers:
            self._give(scope, call, function)
        if makers:
            return
        self._keep_keywords(scope, call)
        names = [
            statement.target.id
            for statement in made.node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        ]
        for name, value in zip(names, call.args, strict=False):
            if self._carries(scope, value):
                self._add_field(name)

    def _keep_keywords(self, scope: _Scope, call: ast.Call) -> None:
        for keyword in call.keywords:
            if keyword.arg and self._carries(scope, keyword.value):
                self._add_field(keyword.arg)

    def _give(self, scope: _Scope, call: ast.Call, function: FunctionRef) -> None:
        """Follow the text into the parameters of a function."""
        names = _parameters(function)
        given = {k.arg for k in call.keywords if self._carries(scope, k.value)}
        for number, value in enumerate(call.args):
            if self._carries(scope, value):
                is_rest = isinstance(value, ast.Starred) or number >= len(names)
                given.update(names if is_rest else [names[number]])
        self._give_all(function, [name for name in given if name])

    def _give_all(self, function: FunctionRef, names: Sequence[str]) -> None:
        inner = self._scope_of(function.source, function.site)
        if not inner.names.issuperset(names):
            inner.names.update(names)
            self._ask_for(inner)

    def _carries(
        self, scope: _Scope, value: ast.expr, *, in_part: bool = False, in_entries: bool = False
    ) -> bool:
        """Return true for an expression that gives the text: whole, unless a part is enough."""
        stack: list[ast.AST] = [value]
        while stack:
            node = stack.pop()
            if self._is_text(scope, node):
                return True
            if isinstance(node, ast.Subscript):
                stack += [node.value] if in_part or not _is_cut(node.slice) else []
            elif isinstance(node, ast.IfExp):
                stack += [node.body, node.orelse]
            elif isinstance(node, ast.Call):
                stack += self._parts_of_call(scope, node)
            elif isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                stack += [v for key, v in pairs if in_entries or constant_text(key) is None]
            elif not isinstance(node, NO_VALUES):
                push_children(node, stack)
        return False

    def _is_text(self, scope: _Scope, node: ast.AST) -> bool:
        if isinstance(node, ast.Constant):
            return id(node) in self.texts
        if isinstance(node, ast.Name):
            return node.id in scope.names
        if isinstance(node, ast.Attribute):
            return node.attr in self._fields or self._is_property(node)
        if isinstance(node, ast.Subscript):
            key = constant_text(node.slice)
            is_held = last_name(node.value) in scope.holders and key is None
            return is_held or key in self._fields
        return isinstance(node, ast.Call) and self._is_text_call(scope, node)

    def _is_property(self, node: ast.Attribute) -> bool:
        named = self.call_graph.symbols.functions_by_name.get(node.attr, [])
        return any(
            (source.path, site.node.lineno) in self.results
            for source, site in named
            if any(last_name(decorator) in PROPERTIES for decorator in site.node.decorator_list)
        )

    def _is_text_call(self, scope: _Scope, call: ast.Call) -> bool:
        is_lookup = called_name(call) in LOOKUPS
        if is_lookup and any(constant_text(key) in self._fields for key in call.args):
            return True
        called = self._called(scope, call)
        if not called:
            # asyncio.to_thread(render, report): the library calls the function.
            named = [a for a in call.args if last_name(a) in self._names]
            called = [function for argument in named for function in self._meant(scope, argument)]
        return any(function.key in self.results for function in called)

    def _parts_of_call(self, scope: _Scope, call: ast.Call) -> list[ast.expr]:
        """Return what a call may make its answer of: no arguments of the repository's own code."""
        name = called_name(call)
        if name in NO_TEXT or name == "dict":
            return []
        parts = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        is_own = self._called(scope, call) or self.call_graph.symbols.find_class(
            scope.source, call.func
        )
        if name in LOOKUPS or is_own:
            return parts
        return [*parts, *call.args, *(keyword.value for keyword in call.keywords)]

    def _called(self, scope: _Scope, call: ast.Call) -> list[FunctionRef]:
        return self.call_graph.called_by(scope.source, call)

    def _meant(self, scope: _Scope, value: ast.expr) -> list[FunctionRef]:
        """Return the functions that an argument hands over by their name."""
        if not isinstance(value, ast.Name | ast.Attribute):
            return []
        return self._called(scope, ast.Call(func=value, args=[], keywords=[]))

    def _write(self, places: list[Place], scope: _Scope, line: int) -> None:
        site = scope.site
        if all((p[0].path, p[2]) != (scope.source.path, line) for p in places):
            places.append((scope.source, site, line))

    def _ask_for(self, scope: _Scope) -> None:
        if all(scope is not waiting for waiting in self._queue):
            self._queue.append(scope)

    def _scopes_of(self, source: SourceFile) -> Iterator[_Scope]:
        yield self._scope_of(source, None)
        for site in source.functions:
            if site.outer is None:
                yield self._scope_of(source, site)

    def _scope_of(self, source: SourceFile, site: FunctionSite | None) -> _Scope:
        while site is not None and site.outer is not None:
            site = site.outer
        key = source.path, site.node.lineno if site else 0
        if key not in self._scopes:
            starts = [site.node] if site else statements_on_import(source)
            nodes = [node for start in starts for node in walk(start)]
            bare = (node.value for node in nodes if isinstance(node, ast.Expr))
            calls = (value.value if isinstance(value, ast.Await) else value for value in bare)
            self._scopes[key] = _Scope(source, site, nodes, frozenset(map(id, calls)))
        return self._scopes[key]

    def _home_of(self, source: SourceFile, node: ast.AST) -> FunctionSite | None:
        """Return the innermost function that a return belongs to."""
        if source.path not in self._homes:
            sites = sorted(source.functions, key=lambda site: site.node.lineno)
            # An inner function begins later, so it comes last.
            self._homes[source.path] = {
                id(inner): site
                for site in sites
                for inner in walk(site.node)
                if isinstance(inner, ast.Return | ast.Yield | ast.YieldFrom)
            }
        return self._homes[source.path].get(id(node))


def _parameters(function: FunctionRef) -> list[str]:
    arguments = function.site.node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    is_method = function.site.owner is not None and names[:1] in (["self"], ["cls"])
    return names[1:] if is_method else names


def _is_plain(head: ast.expr) -> bool:
    """Return true for `save(text)` and `self.save(text)`."""
    return isinstance(head, ast.Name) or (
        isinstance(head, ast.Attribute) and last_name(head.value) in OWN_OBJECT
    )


def _is_cut(index: ast.expr) -> bool:
    """Return true for `[:600]`; an end counted from the end of the text leaves it nearly whole."""
    if not isinstance(index, ast.Slice) or index.upper is None:
        return False
    return not isinstance(index.upper, ast.UnaryOp)


def _is_route(decorator: ast.expr) -> bool:
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(call, ast.Attribute) and call.attr in ROUTES
