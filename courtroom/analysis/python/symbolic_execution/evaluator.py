"""Abstract evaluator: its bounds, and how it enters modules and functions.

The handlers of expressions and statements work through this class alone. `interpreter.py` joins
them to it, so that no handler imports another one that leads back to it.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Call,
    DictValue,
    Flow,
    Frame,
    Function,
    LazyImport,
    LibraryObject,
    ListValue,
    Module,
    Scope,
    Value,
    join,
)

# Calls inside calls that are followed; deeper ones are unknown.
MAX_DEPTH = 12
# Functions of at most this many statements are entered whatever their name.
SMALL_BODY = 8


class OutOfFuel(Exception):
    """The code is too large to be followed to its end; the values so far stand."""


@dataclass
class Evaluator(ABC):
    """One bounded evaluation of a repository's code.

    `should_enter` says by name which functions are entered besides small ones. `fuel` is the number
    of statements and expressions that may still be evaluated. `reads_data`: the repository's JSON
    files that the code loads are known values.

    A subclass models the objects of a library: it implements `construct` and `call_library_method`.
    """

    symbols: SymbolTable
    should_enter: Callable[[str], bool]
    fuel: int = 60_000
    reads_data: bool = True
    modules: dict[str, Module] = field(default_factory=dict)
    active: list[ast.AST] = field(default_factory=list)
    nesting: int = 0

    @abstractmethod
    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value: ...

    @abstractmethod
    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> Flow: ...

    @abstractmethod
    def construct(self, dotted_names: Sequence[str], call: Call) -> LibraryObject | None:
        """Return the object of a modelled library that a class with these names makes, if any."""

    @abstractmethod
    def call_library_method(self, owner: LibraryObject, name: str, call: Call) -> Value:
        """Return the result of a method of an object that `construct` returned."""

    def use_fuel(self) -> None:
        self.fuel -= 1
        if self.fuel <= 0:
            raise OutOfFuel

    def load_module(self, source: SourceFile, *, as_main: bool = False) -> Module:
        """Return the module, its top level executed once; as_main: as `python file.py` would."""
        loaded = self.modules.get(source.path)
        if loaded is not None:
            return loaded

        module = Module(source, Scope(source))
        module.scope.names["__name__"] = "__main__" if as_main else source.module
        # On record before its code runs, so that circular imports end.
        self.modules[source.path] = module
        self.execute(source.tree.body, Frame(module.scope))
        return module

    def resolve(self, value: Value) -> Value:
        """Return the value behind an import, which may be a whole module."""
        # Nearly every name that is evaluated passes here, and few are imports.
        if not isinstance(value, LazyImport):
            return value
        return self.resolve_name(value) if value.name else self.load_module(value.module)

    def resolve_name(self, value: Value) -> Value:
        """Return the value behind a name that is imported, through further imports of it."""
        if not isinstance(value, LazyImport):
            return value
        scope = self.load_module(value.module).scope
        target = scope.names.get(value.name, UNKNOWN)
        return UNKNOWN if target is value else self.resolve_name(target)

    def enter(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Frame:
        """Follow a function's body and return its frame: its locals and all it may return."""
        frame = Frame(Scope(function.source, function.scope))
        self._bind(function, positional, keywords, frame.scope)
        self.active.append(function.node)
        try:
            if isinstance(function.node, ast.Lambda):
                frame.returned.append(self.evaluate(function.node.body, frame.scope))
            elif self.execute(function.node.body, frame) is not Flow.FUNCTION_EXIT:
                frame.returned.append(None)
        finally:
            self.active.pop()

        return frame

    def call(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        if not self._is_worth_entering(function):
            return UNKNOWN

        returned = self.enter(function, positional, keywords).returned
        # A None among other values mostly comes from a path that the program never takes.
        not_none: list[Value] = [value for value in returned if value is not None]
        return join(not_none or returned)

    def _is_worth_entering(self, function: Function) -> bool:
        if len(self.active) >= MAX_DEPTH or any(node is function.node for node in self.active):
            return False
        if isinstance(function.node, ast.Lambda):
            return True
        return len(function.node.body) <= SMALL_BODY or self.should_enter(function.node.name)

    def _bind(
        self,
        function: Function,
        positional: Sequence[Value],
        keywords: dict[str, Value],
        scope: Scope,
    ) -> None:
        """Bind every parameter: to its argument, else to its default, else to unknown."""
        arguments = function.node.args
        parameters = [*arguments.posonlyargs, *arguments.args]
        first_default = len(parameters) - len(arguments.defaults)
        for position, parameter in enumerate(parameters):
            if position < len(positional):
                value = positional[position]
            elif parameter.arg in keywords:
                value = keywords[parameter.arg]
            elif position >= first_default:
                value = self.evaluate(arguments.defaults[position - first_default], function.scope)
            else:
                value = UNKNOWN
            scope.names[parameter.arg] = value

        for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            value = UNKNOWN if default is None else self.evaluate(default, function.scope)
            scope.names[parameter.arg] = keywords.get(parameter.arg, value)

        if arguments.vararg:
            scope.names[arguments.vararg.arg] = ListValue(list(positional[len(parameters) :]))
        if arguments.kwarg:
            names = {parameter.arg for parameter in [*parameters, *arguments.kwonlyargs]}
            extra = {name: value for name, value in keywords.items() if name not in names}
            scope.names[arguments.kwarg.arg] = DictValue(extra)
