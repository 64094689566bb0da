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
from courtroom.analysis.python.symbolic_execution.value_operations import item_of, truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Call,
    Class,
    DictValue,
    Doubt,
    External,
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
# The same where every test on the way was known; Python's own recursion limit lies far above.
MAX_CERTAIN_DEPTH = 26
# Functions of at most this many statements are entered whatever their name.
SMALL_BODY = 8
# A loop over more members than this is followed for the first ones only.
MAX_ITERATIONS = 1_000


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
    # Functions are entered whatever their size: each value counts.
    is_eager: bool = False
    # Functions are entered that get a list, a dict or a library's object, which they may change.
    follows_changes: bool = False
    # Results of tests that are not known, by the identity of their statements: one case is followed.
    assumed: dict[int, bool] = field(default_factory=dict)
    # Tests, loops and failures that decide whether the present code runs, outermost first.
    doubts: tuple[Doubt, ...] = ()
    # The doubts at the entry of each active function.
    entry_doubts: list[tuple[Doubt, ...]] = field(default_factory=list)

    @abstractmethod
    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value: ...

    @abstractmethod
    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> Flow: ...

    def construct(  # noqa: B027
        self, dotted_names: Sequence[str], call: Call, own_class: Class | None
    ) -> LibraryObject | None:
        """Return the object of a modelled library that a class with these names makes, if any.

        `own_class` is a class of the repository with these bases.
        """

    def call_library_method(  # noqa: B027
        self, owner: LibraryObject, name: str, call: Call
    ) -> Value:
        """Return the result of a method of an object that `construct` returned."""

    def constant(self, dotted: str) -> Value:
        """Return the value of a name from outside the repository."""
        # Only type checkers run what stands behind it.
        return False if dotted == "typing.TYPE_CHECKING" else External(dotted)

    def skip(self, scope: Scope, nodes: Sequence[ast.AST]) -> None:  # noqa: B027
        """Take note of code that is known not to run."""

    def note_call(self, node: ast.Call, target: Value) -> None:  # noqa: B027
        """Take note of a call and of what is called."""

    def note_result(self, call: Call, result: Value) -> None:  # noqa: B027 -- most need no notes
        """Take note of what a function of the repository returned to a call."""

    @abstractmethod
    def hand_over(self, call: Call) -> None:
        """Take note of a call of code that is not followed."""

    @abstractmethod
    def give_up(self, scope: Scope, node: ast.AST, reason: str) -> None:
        """Take note of code that may run and is not followed."""

    def doubt_since(self, made_under: tuple[Doubt, ...]) -> Doubt | None:
        """Return the doubt under which a value changes that was made outside of it."""
        return next((doubt for doubt in reversed(self.doubts) if doubt not in made_under), None)

    # -- steps in which a client may differ --------------------------------------------------------

    def truth(self, value: Value) -> bool | None:
        """Return the truth of a tested value; None when it depends on the run."""
        return truth_of(value)

    def item(self, owner: Value, key: Value) -> Value:
        return item_of(owner, key)

    def missing_argument(self, function: Function, name: str) -> Value:  # noqa: ARG002
        """Return the value of a parameter that a call leaves out and that has no default."""
        return UNKNOWN

    @abstractmethod
    def attribute(self, owner: Value, name: str) -> Value: ...

    @abstractmethod
    def compare(self, sign: ast.cmpop, left: Value, right: Value) -> Value: ...

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None: ...

    def use_fuel(self, steps: int = 1) -> None:
        self.fuel -= steps
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
        doubts = self.doubts
        self.execute(source.tree.body, Frame(module.scope))
        self.doubts = doubts
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
        scope = Scope(function.source, function.scope, function=function)
        scope.yielded = ListValue([], made_under=self.doubts)
        frame = Frame(scope)
        self._bind(function, positional, keywords, frame.scope)
        doubts = self.doubts
        self.active.append(function.node)
        self.entry_doubts.append(doubts)
        try:
            if isinstance(function.node, ast.Lambda):
                frame.returned.append(self.evaluate(function.node.body, frame.scope))
            elif self.execute(function.node.body, frame) is not Flow.FUNCTION_EXIT:
                frame.returned.append(None)
        finally:
            self.active.pop()
            self.entry_doubts.pop()
            self.doubts = doubts

        if scope.yielded.members or scope.yielded.is_open:
            frame.returned = [scope.yielded]
        return frame

    def call(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        if not self._is_worth_entering(function, [*positional, *keywords.values()]):
            return UNKNOWN

        returned = self.enter(function, positional, keywords).returned
        # A None among other values mostly comes from a path that the program never takes.
        not_none: list[Value] = [value for value in returned if value is not None]
        return join(not_none or returned)

    def _is_worth_entering(self, function: Function, arguments: Sequence[Value]) -> bool:
        if isinstance(function.node, ast.Lambda):
            is_wanted = True
        else:
            # What it is handed it may change.
            is_wanted = (
                self.is_eager
                or len(function.node.body) <= SMALL_BODY
                or self.should_enter(_name_of_call(function))
                or (
                    self.follows_changes
                    and any(isinstance(v, ListValue | DictValue | LibraryObject) for v in arguments)
                )
            )
        if not is_wanted or self._is_followable(function):
            return is_wanted
        self.give_up(function.scope, function.node, "calls itself, or is called too deep")
        return False

    def _is_followable(self, function: Function) -> bool:
        """Return true for a call that ends: recursion only where no test on the way is open."""
        calls = [n for n, node in enumerate(self.active) if node is function.node]
        if calls:
            return (
                len(self.active) < MAX_CERTAIN_DEPTH and self.entry_doubts[calls[-1]] == self.doubts
            )
        is_certain = not self.entry_doubts or self.entry_doubts[0] == self.doubts
        return len(self.active) < (MAX_CERTAIN_DEPTH if is_certain else MAX_DEPTH)

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
                value = self.missing_argument(function, parameter.arg)
            scope.names[parameter.arg] = value

        for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if parameter.arg in keywords:
                value = keywords[parameter.arg]
            elif default is not None:
                value = self.evaluate(default, function.scope)
            else:
                value = self.missing_argument(function, parameter.arg)
            scope.names[parameter.arg] = value

        if arguments.vararg:
            scope.names[arguments.vararg.arg] = ListValue(list(positional[len(parameters) :]))
        if arguments.kwarg:
            names = {parameter.arg for parameter in [*parameters, *arguments.kwonlyargs]}
            extra = {name: value for name, value in keywords.items() if name not in names}
            scope.names[arguments.kwarg.arg] = DictValue(extra)


def _name_of_call(function: Function) -> str:
    """Return the name that a call uses: a constructor is called by its class."""
    name: str = getattr(function.node, "name", "")
    owner = function.scope.owner
    return owner.node.name if owner is not None and name == "__init__" else name
