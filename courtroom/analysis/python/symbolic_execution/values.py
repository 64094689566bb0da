"""Abstract values: what an evaluator knows about a value without running anything.

Python's own str, int, float, bool and None stand for themselves. Everything else is one of the
classes here. A value that cannot be known is `Unknown` and stays so through every operation.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Self

from courtroom.analysis.python.source_files import FunctionNode, SourceFile

# Stands in a Template for each part of the text that is not known.
HOLE = "{}"


@dataclass(frozen=True, slots=True)
class Unknown:
    """Value that only a run of the program would show."""


@dataclass(frozen=True, slots=True)
class Recursion(Unknown):
    """Result of a function that calls itself as it was called: it adds no value of its own."""

    function: ast.AST


class Symbol:
    """Base of a client's own values: each equals only itself, and may be the key of a dict."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Positive(Unknown):
    """Whole number of at least one: the length of what holds something."""


@dataclass(frozen=True, slots=True)
class Template:
    """Text of which some parts are known; each unknown part is a HOLE."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """Reason why code may not run: a test, a loop or a failure that only a run decides.

    `group` is the statement with the alternatives, of which this is number `index` of `count`.
    `is_failure`: the code runs only after an exception.
    """

    path: str
    line: int
    group: object = None
    index: int = 0
    count: int = 0
    is_failure: bool = False


@dataclass(slots=True)
class ListValue:
    """List, tuple or set.

    `is_open`: there may be more members than these. Not `is_certain`: it may be empty. `doubt`:
    members from number `settled` on are there only under it. `made_under` are the doubts under which the list itself
    was made. `names` are those of a named tuple's fields. Not `is_ordered`: a set.
    """

    members: list[Value]
    is_open: bool = False
    is_certain: bool = True
    doubt: Doubt | None = field(default=None, compare=False)
    settled: int = field(default=0, compare=False)
    made_under: tuple[Doubt, ...] = field(default=(), compare=False, repr=False)
    names: tuple[str, ...] = ()
    is_ordered: bool = field(default=True, compare=False)

    @property
    def is_closed(self) -> bool:
        """True where these are the members of any run."""
        return not self.is_open and self.doubt is None


@dataclass(slots=True)
class DictValue:
    """Dict in insertion order. A key that is no constant is left out and makes the dict open."""

    entries: dict[Any, Value] = field(default_factory=dict)
    is_open: bool = False
    doubt: Doubt | None = field(default=None, compare=False)
    made_under: tuple[Doubt, ...] = field(default=(), compare=False, repr=False)

    @property
    def is_closed(self) -> bool:
        return not self.is_open and self.doubt is None


class EnumText(str):
    """Member of an enum whose value is text.

    Not `is_text`: Python writes its class and name into an f-string, not its value.
    """

    __slots__ = ("is_text", "name")

    def __new__(cls, value: str, name: str, *, is_text: bool) -> Self:
        member = super().__new__(cls, value)
        member.name = name
        member.is_text = is_text
        return member

    name: str
    is_text: bool


@dataclass(slots=True)
class OneOf:
    """Any of several values, depending on the run."""

    choices: list[Value]


@dataclass(frozen=True, slots=True)
class External:
    """Name from outside the repository, by its dotted name."""

    dotted: str


@dataclass(frozen=True, slots=True)
class CallResult:
    """Result of an external call: Send("judge", ...), Command(goto=...), partial(node)."""

    dotted: str
    positional: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    line: int

    def keyword(self, name: str) -> Value:
        return dict(self.keywords).get(name)

    def first(self, *names: str) -> Value:
        """Return the first positional argument, or the first of `names` that was passed."""
        if self.positional:
            return self.positional[0]
        keywords = dict(self.keywords)
        return next((keywords[name] for name in names if name in keywords), None)


@dataclass(frozen=True, slots=True)
class Function:
    """Function or lambda of the repository with the scope it was defined in.

    `bound` is the instance when it is a bound method. `own_name` is the name that a decorator or an
    assignment gave it.
    """

    node: FunctionNode | ast.Lambda
    source: SourceFile
    scope: Scope
    bound: Value = None
    own_name: str = ""

    @property
    def name(self) -> str:
        if self.own_name:
            return self.own_name
        return "" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(frozen=True, slots=True)
class Class:
    """Class of the repository; `scope` holds its attributes."""

    node: ast.ClassDef
    source: SourceFile
    scope: Scope


@dataclass(slots=True)
class Instance:
    kind: Class
    attributes: dict[str, Value] = field(default_factory=dict)
    made_under: tuple[Doubt, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Super:
    """super() in a method of `kind`, for the instance or class it was called on."""

    kind: Class
    owner: Value


@dataclass(frozen=True, slots=True)
class Method:
    """Method that is not written in the repository: [].append, "".format, builder.add_edge."""

    owner: Value
    name: str


@dataclass(slots=True)
class Module:
    source: SourceFile
    scope: Scope


class LibraryObject:
    """Base of the objects of a library that an evaluator models, such as a LangGraph builder."""

    __slots__ = ()
    # None: not known, so that both branches of a test on the object are followed.
    is_truthy: ClassVar[bool | None] = None

    @property
    def instance(self) -> Instance | None:
        """The object's own part, when a class of the repository inherits from the library's."""
        return None

    @property
    def identity(self) -> object:
        """Object that two values share when they are the same to a program."""
        return self


@dataclass(slots=True)
class Scope:
    """Names visible to a piece of code: its own, then the enclosing ones, then the module's.

    `owner` is the class whose body it is, `function` the function that runs in it. `yielded` are
    the values of a generator.
    """

    source: SourceFile
    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)
    owner: Class | None = None
    function: Function | None = None
    yielded: ListValue | None = None
    is_class: bool = False

    def find(self, name: str) -> Scope | None:
        """Return the nearest scope that binds the name."""
        scope: Scope | None = self
        is_in_function = False
        while scope is not None:
            # A method does not see the names of its class without `self`.
            if name in scope.names and not (scope.is_class and is_in_function):
                return scope
            is_in_function = is_in_function or scope.function is not None
            scope = scope.parent
        return None


@dataclass(frozen=True, slots=True)
class LazyImport:
    """Name imported from another module of the repository, looked up at its first use.

    An empty `name` stands for the module itself.
    """

    module: SourceFile
    name: str


Value = (
    str
    | int
    | float
    | bool
    | None
    | Unknown
    | Symbol
    | Template
    | ListValue
    | DictValue
    | OneOf
    | External
    | CallResult
    | Function
    | Class
    | Instance
    | Super
    | Method
    | Module
    | LibraryObject
    | LazyImport
)
UNKNOWN = Unknown()
POSITIVE = Positive()
# Types of the keys that a DictValue holds.
KEYS = (str, int, External, Symbol)


@dataclass(slots=True)
class Call:
    """Evaluated arguments of a call, with its node and the scope it stands in."""

    positional: list[Value]
    keywords: dict[str, Value]
    node: ast.Call
    scope: Scope

    def argument(self, position: int, *names: str) -> Value:
        if position < len(self.positional):
            return self.positional[position]
        return next((self.keywords[name] for name in names if name in self.keywords), None)


class Flow(Enum):
    """Ways in which a block ends; the larger value leaves more code behind."""

    NEXT_STATEMENT = 0
    NEXT_ITERATION = 1
    LOOP_EXIT = 2
    FUNCTION_EXIT = 3


@dataclass(slots=True)
class Frame:
    """Running function: its local scope and everything it may return.

    `left` holds the names with which a run may leave the loop or a turn of it.
    """

    scope: Scope
    returned: list[Value] = field(default_factory=list)
    left: list[dict[str, Value]] = field(default_factory=list)
    global_names: set[str] = field(default_factory=set)
    outer_names: set[str] = field(default_factory=set)


def join(values: list[Value]) -> Value:
    """Return one value for several possible ones, without repetitions."""
    flat: list[Value] = []
    # Texts and numbers may be many: a comparison of each with all would take minutes.
    plain: set[tuple[type, Value]] = set()
    others: list[Value] = []
    for value in values:
        for choice in choices_of(value):
            if isinstance(choice, str | int | float | None):
                if (type(choice), choice) in plain:
                    continue
                plain.add((type(choice), choice))
            elif any(choice is other or _is_same(choice, other) for other in others):
                continue
            else:
                others.append(choice)
            flat.append(choice)

    if not flat:
        return None
    return flat[0] if len(flat) == 1 else OneOf(flat)


def choices_of(value: Value) -> list[Value]:
    return value.choices if isinstance(value, OneOf) else [value]


def _is_same(left: Value, right: Value) -> bool:
    # Only values without identity are compared: two equal lists may still grow apart.
    if isinstance(left, LibraryObject) and isinstance(right, LibraryObject):
        return type(left) is type(right) and left.identity is right.identity
    if isinstance(left, Method) and isinstance(right, Method):
        return left.name == right.name and _is_same(left.owner, right.owner)
    plain = (str, int, float, bool, type(None), Unknown, Template, External)
    return isinstance(left, plain) and type(left) is type(right) and left == right
