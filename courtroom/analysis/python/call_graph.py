"""Call graph by name: which code leads to a function, and which code a function leads to."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property

from courtroom.analysis.python.source_files import CallSite, FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, constant_text, last_name, walk

# Calls between a caller and the code it reaches; real projects need three or four.
MAX_ROUNDS = 8
# Names that nearly always mean a method of a list, a dict, a string or a set.
BUILTIN_METHODS = frozenset(dir(dict) + dir(list) + dir(str) + dir(set))
PATTERN_METHODS = frozenset(dir(re.Match) + dir(re.Pattern))
BUILTINS = frozenset(dir(builtins))
# Calls whose target is only known when the program runs.
DYNAMIC_CALLS = frozenset({"import_module", "__import__", "exec", "eval"})
# Methods that a mention of their class runs: by making an object, calling it, or in a `with`.
CLASS_METHODS = frozenset({"__init__", "__post_init__", "__call__", "__enter__"})

PROPERTIES = frozenset({"property", "cached_property"})
OWN_OBJECT = frozenset({"self", "cls"})


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """One function of the repository."""

    source: SourceFile
    site: FunctionSite

    @property
    def name(self) -> str:
        return self.site.node.name

    @property
    def shown_name(self) -> str:
        """Name for a reader: several classes may have a `run` or `__call__`."""
        owner = self.site.owner
        return f"{owner.name}.{self.name}" if owner else self.name

    @property
    def key(self) -> tuple[str, int]:
        return self.source.path, self.site.node.lineno


def functions_by_node(source: SourceFile) -> dict[int, FunctionRef]:
    """Return the function of each node of a source, by the node's `id`; the last that is listed."""
    return {
        id(node): FunctionRef(source, site) for site in source.functions for node in walk(site.node)
    }


def is_of_inner(line: int, function: FunctionRef, functions: Iterable[FunctionRef]) -> bool:
    """Return whether a line of a function stands in another one of these that is inside it."""
    first, last = function.site.node.lineno, function.site.node.end_lineno or 0
    return any(
        other.source is function.source
        and first < other.site.node.lineno <= line <= (other.site.node.end_lineno or 0) <= last
        for other in functions
    )


@dataclass(slots=True)
class _Names:
    """Names in a function: bare ones that it does not bind, and attributes.

    `own` are those of self, `called` and `read` those of other objects.
    """

    bare: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)


@dataclass
class CallGraph:
    """Calls between the repository's functions; reading a function's name counts as a call."""

    symbols: SymbolTable
    _imports: dict[str, frozenset[str]] = field(default_factory=dict)
    # Several layers and rules ask for the same functions.
    _callees: dict[tuple[str, int], list[FunctionRef]] = field(default_factory=dict)

    def callers_of(self, names: Iterable[str]) -> set[str]:
        """Return the functions and classes, by name, that may reach one of `names`, and `names`."""
        reached = set(names)
        frontier = set(reached)
        for _ in range(MAX_ROUNDS):
            callers = {
                _called_name(site)
                for source in self.symbols.codebase.production
                # A search in the text is far cheaper than one in the functions' mentions.
                if any(name in source.text for name in frontier)
                for site in source.functions
                if site.mentions & frontier
            }
            frontier = callers - reached
            reached |= frontier
            if not frontier:
                break

        return reached

    def is_started(self, name: str) -> bool:
        """Return whether code that an import or a decorator runs may reach a function of this name."""
        names = self.callers_of({name})
        return any(
            _runs(source, names)
            for source in self.symbols.codebase.production
            if any(other in source.text for other in names)
        )

    def reachable_from(self, starts: Iterable[FunctionRef]) -> list[FunctionRef]:
        """Return the functions that `starts` may lead to, themselves first, without repetitions."""
        reached: dict[tuple[str, int], FunctionRef] = {}
        queue = list(starts)
        while queue:
            function = queue.pop(0)
            if function.key not in reached:
                reached[function.key] = function
                queue.extend(self.callees(function))
        return list(reached.values())

    def callees(self, function: FunctionRef) -> list[FunctionRef]:
        """Return the functions that one function may call, by the names in it."""
        if function.key not in self._callees:
            self._callees[function.key] = self._read_callees(function.source, function.site.node)
        return self._callees[function.key]

    def callees_on_import(self, source: SourceFile) -> list[FunctionRef]:
        """Return the functions that a file may call outside its functions and classes."""
        key = source.path, 0
        if key not in self._callees:
            top = ast.Module(body=[*statements_on_import(source)], type_ignores=[])
            self._callees[key] = self._read_callees(source, top)
        return self._callees[key]

    def called_by(self, source: SourceFile, call: ast.Call) -> list[FunctionRef]:
        """Return the functions of the repository that a call in this file may mean."""
        name, head = called_name(call), call.func
        if isinstance(head, ast.Name):
            return self._visible(source, name)
        if not isinstance(head, ast.Attribute):
            return []
        return self._attributes(source, name, is_own=last_name(head.value) in OWN_OBJECT)

    def _read_callees(self, source: SourceFile, node: ast.AST) -> list[FunctionRef]:
        names = _names_in(node)
        read = names.read - self._fields - names.called
        callees: list[FunctionRef] = []
        for name in sorted(names.bare | names.own | names.called | read):
            callees += self._visible(source, name) if name in names.bare else ()
            callees += self._attributes(source, name) if name in names.own else ()
            callees += self._attributes(source, name, is_own=False) if name in names.called else ()
            callees += self._run_by_reading(source, name) if name in read else ()
            callees += self._class_methods(source, name)
            callees += self._in_table(source, name)
        return callees

    @cached_property
    def calls_by_name(self) -> dict[str, list[tuple[SourceFile, CallSite]]]:
        """Calls in the product by the name that they call; a `partial` calls its first argument."""
        calls: dict[str, list[tuple[SourceFile, CallSite]]] = {}
        for source in self.symbols.codebase.production:
            for call in source.calls:
                name = called_name(call.node)
                calls.setdefault(name, []).append((source, call))
                if name == "partial" and call.node.args:
                    calls.setdefault(last_name(call.node.args[0]), []).append((source, call))
        return calls

    @cached_property
    def _fields(self) -> set[str]:
        """Names that some class declares as data: `x.content` is then no call of a method."""
        return {
            statement.target.id
            for source in self.symbols.codebase.production
            for node in source.classes
            for statement in node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        }

    def _visible(self, source: SourceFile, name: str) -> list[FunctionRef]:
        """Return the functions that a bare name means: those of the file, or an imported one."""
        own = [f for f in self._functions(name) if f.source is source and f.site.owner is None]
        if own or name not in source.imports:
            return own or [f for f in self._functions(name) if source.star_imports]
        base, _, last = self.symbols.canonical(source.imports[name], source).rpartition(".")
        origin = self.symbols.find_module(base, source)
        if origin is None and base in sys.stdlib_module_names:
            return []
        return [
            function
            for function in self._functions(last)
            if function.site.owner is None
            # One of several modules of that name: which of them is not known.
            and (function.source is origin if origin else _ends_alike(function.source, base))
        ]

    def _attributes(
        self, source: SourceFile, name: str, *, is_own: bool = True
    ) -> list[FunctionRef]:
        """Return the functions that `x.name` may mean: methods, or functions of a module.

        Unless x is `self`, a method of the same file is no likelier than one that is imported.
        """
        imported_paths = self._imported_files(source)
        targets = self._named(source, name)
        if not is_own and targets:
            near = [f for f in self._functions(name) if f.source.path in imported_paths]
            targets = self._implemented([*targets, *near])
        return [
            target
            for target in targets
            if target.site.owner is not None
            or (target.source is not source and target.source.path in imported_paths)
        ]

    def _run_by_reading(self, source: SourceFile, name: str) -> list[FunctionRef]:
        """Return the functions that reading `x.name` may run, or hand on: a property, a near one."""
        near_paths = {source.path, *self._imported_files(source)}
        return [
            target
            for target in self._attributes(source, name, is_own=False)
            if target.source.path in near_paths
            or any(last_name(node) in PROPERTIES for node in target.site.node.decorator_list)
        ]

    def unfollowed_call(
        self, functions: Iterable[FunctionRef]
    ) -> tuple[FunctionRef, str, int] | None:
        """Return a call that leads to one of several functions of that name, or is made at run time.

        The search does not follow it, so what it looked for may be there.
        """
        for function in functions:
            for node in walk(function.site.node):
                if isinstance(node, ast.Call) and self._is_unfollowed(function.source, node):
                    return function, called_name(node), node.lineno
        return None

    def _is_unfollowed(self, source: SourceFile, call: ast.Call) -> bool:
        name = called_name(call)
        if name in DYNAMIC_CALLS and not (
            name in BUILTINS and isinstance(call.func, ast.Attribute)
        ):
            # __import__("time") names its module as an import does.
            return not call.args or constant_text(call.args[0]) is None
        is_own = name in self.symbols.functions_by_name and not (
            name in BUILTIN_METHODS
            or (name in PATTERN_METHODS and isinstance(call.func, ast.Attribute))
        )
        return is_own and self.is_unknown(source, call)

    def is_unknown(self, source: SourceFile, call: ast.Call) -> bool:
        """Return true for a call of code that is neither a library's nor one function of ours."""
        head = call.func
        if isinstance(head, ast.Name) and head.id in BUILTINS:
            return False
        while isinstance(head, ast.Attribute):
            head = head.value
        # A library's function has a known module; json.dumps is none of the repository's.
        is_library = isinstance(head, ast.Name) and self._is_library(source, head.id)
        return not is_library and not self._named(source, called_name(call))

    def _is_library(self, source: SourceFile, name: str) -> bool:
        dotted = self.symbols.canonical(source.imports.get(name, ""), source)
        return bool(dotted) and not any(
            self.symbols.find_module(part, source)
            for part in (dotted, dotted.rpartition(".")[0])
            if part
        )

    def _functions(self, name: str) -> list[FunctionRef]:
        return [FunctionRef(*entry) for entry in self.symbols.functions_by_name.get(name, [])]

    def _named(self, source: SourceFile, name: str) -> list[FunctionRef]:
        candidates = self.symbols.functions_by_name.get(name, [])
        return self._implemented(self._likely_targets(source, name, candidates))

    def _implemented(self, targets: list[FunctionRef]) -> list[FunctionRef]:
        """Return the functions; an abstract method stands for those of the subclasses, anywhere."""
        if any(target.site.owner is not None and is_abstract(target) for target in targets):
            return [f for f in self._functions(targets[0].name) if f.site.owner is not None]
        return targets

    def _class_methods(self, source: SourceFile, name: str) -> list[FunctionRef]:
        origin, definition = self.definition(source, name)
        if origin is None or not isinstance(definition, ast.ClassDef):
            return []
        return [
            FunctionRef(origin, site)
            for site in origin.functions
            if site.owner is definition and site.node.name in CLASS_METHODS
        ]

    def _in_table(self, source: SourceFile, name: str) -> Iterator[FunctionRef]:
        """Yield the functions in a table of the module: listed in it, or registered by decorator."""
        origin, definition = self.definition(source, name)
        if origin is None or not isinstance(definition, ast.Assign | ast.AnnAssign):
            return
        for inner in walk(definition.value) if definition.value else ():
            if isinstance(inner, ast.Name | ast.Attribute):
                yield from self._named(origin, last_name(inner))
        for site in origin.functions:
            if any(
                self._registers_in(origin, decorator, name)
                for decorator in site.node.decorator_list
            ):
                yield FunctionRef(origin, site)

    def _registers_in(self, source: SourceFile, decorator: ast.expr, table: str) -> bool:
        names = {last_name(inner) for inner in walk(decorator)}
        return table in names or any(
            table in site.mentions
            for name in names
            for home, site in self.symbols.functions_by_name.get(name, [])
            if home is source
        )

    def definition(
        self, source: SourceFile, name: str
    ) -> tuple[SourceFile | None, ast.stmt | None]:
        """Return the statement of the repository that defines a module-level name, and its file."""
        own = self.symbols.top_level_names(source).get(name)
        if own is not None:
            return source, own
        base, _, last = self.symbols.canonical(source.imports.get(name, ""), source).rpartition(".")
        origin = self.symbols.find_module(base, source) if base else None
        return origin, self.symbols.top_level_names(origin).get(last) if origin else None

    def _likely_targets(
        self, source: SourceFile, name: str, candidates: list[tuple[SourceFile, FunctionSite]]
    ) -> list[FunctionRef]:
        """Return those of the functions with one name that a file most likely calls.

        These are its own, else those of modules it imports, else the only one of that name.
        """
        if not candidates or name in BUILTIN_METHODS:
            return []
        functions = [FunctionRef(*candidate) for candidate in candidates]
        own = [function for function in functions if function.source is source]
        if own:
            return own

        imported_paths = self._imported_files(source)
        imported = [function for function in functions if function.source.path in imported_paths]
        return imported or (functions if len(functions) == 1 else [])

    def _imported_files(self, source: SourceFile) -> frozenset[str]:
        if source.path not in self._imports:
            dotted_names = {
                self.symbols.canonical(name, source) for name in source.imports.values()
            }
            # The imported name is a module, or a name in one.
            modules = [
                self.symbols.find_module(part, source)
                for name in dotted_names
                for part in (name, name.rpartition(".")[0])
            ]
            self._imports[source.path] = frozenset(
                module.path for module in modules if module is not None
            )
        return self._imports[source.path]


def statements_on_import(source: SourceFile) -> Iterator[ast.stmt]:
    """Yield the statements of a file that run when it is imported or started, without definitions."""
    definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return (statement for statement in source.tree.body if not isinstance(statement, definitions))


def _names_in(function: ast.AST) -> _Names:
    """Return the names in a function that may lead to another one."""
    names = _Names()
    local: set[str] = set()
    for node in walk(function):
        if isinstance(node, ast.Name):
            (names.bare if isinstance(node.ctx, ast.Load) else local).add(node.id)
        elif isinstance(node, ast.Attribute):
            (names.own if last_name(node.value) in OWN_OBJECT else names.read).add(node.attr)
        elif isinstance(node, ast.arg):
            local.add(node.arg)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            own = last_name(node.func.value) in OWN_OBJECT
            (names.own if own else names.called).add(node.func.attr)
    names.bare -= local
    return names


def _runs(source: SourceFile, names: AbstractSet[str]) -> bool:
    """Return whether the module itself names one of the functions, or a decorator takes it up."""
    for statement in source.tree.body:
        parts: list[ast.AST] = [statement]
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            parts = [*statement.decorator_list]
        if any(last_name(node) in names for part in parts for node in walk(part)):
            return True
    # A script of the package may start main().
    return any(
        site.node.name in names and (site.node.decorator_list or site.node.name == "main")
        for site in source.functions
    )


def _ends_alike(source: SourceFile, dotted: str) -> bool:
    return source.module.rpartition(".")[2] == dotted.rpartition(".")[2]


def _called_name(site: FunctionSite) -> str:
    """Return the name that a call of the function uses: a constructor is called by its class."""
    if site.node.name == "__init__" and site.owner is not None:
        return site.owner.name
    return site.node.name


def is_abstract(function: FunctionRef) -> bool:
    """Return true for a method without code of its own: pass, ..., or NotImplementedError."""
    return all(_is_empty(statement) for statement in function.site.node.body)


def _is_empty(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        error = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return error is not None and last_name(error) == "NotImplementedError"
    is_constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass) or is_constant
