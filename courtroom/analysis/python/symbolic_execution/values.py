"""Abstract values: what an evaluator knows about a value without running anything.

Python's own str, int, float, bool and None stand for themselves. Everything else is one of the
classes here. A value that cannot be known is `Unknown` and stays so through every operation.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

from courtroom.analysis.python.source_files import FunctionNode, SourceFile

# Stands in a Template for each part of the text that is not known.
HOLE = "{}"


@dataclass(frozen=True, slots=True)
class Unknown:
    """Value that only a run of the program would show."""


@dataclass(frozen=True, slots=True)
class Template:
    """Text of which some parts are known; each unknown part is a HOLE."""

    text: str


@dataclass(slots=True)
class ListValue:
    """List, tuple or set.

    `is_open`: there may be more members than these. Not `is_certain`: it may be empty.
    """

    members: list[Value]
    is_open: bool = False
    is_certain: bool = True


@dataclass(slots=True)
class DictValue:
    """Dict in insertion order. A key that is no constant is left out and makes the dict open."""

    entries: dict[Any, Value] = field(default_factory=dict)
    is_open: bool = False


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

    `bound` is the instance when it is a bound method.
    """

    node: FunctionNode | ast.Lambda
    source: SourceFile
    scope: Scope
    bound: Value = None

    @property
    def name(self) -> str:
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


@dataclass(slots=True)
class Scope:
    """Names visible to a piece of code: its own, then the enclosing ones, then the module's."""

    source: SourceFile
    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)

    def find(self, name: str) -> Scope | None:
        """Return the nearest scope that binds the name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope
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
    | Template
    | ListValue
    | DictValue
    | OneOf
    | External
    | CallResult
    | Function
    | Class
    | Instance
    | Method
    | Module
    | LibraryObject
    | LazyImport
)
UNKNOWN = Unknown()


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
    LOOP_EXIT = 1
    FUNCTION_EXIT = 2


@dataclass(slots=True)
class Frame:
    """Running function: its local scope and everything it may return."""

    scope: Scope
    returned: list[Value] = field(default_factory=list)
    global_names: set[str] = field(default_factory=set)


def join(values: list[Value]) -> Value:
    """Return one value for several possible ones, without repetitions."""
    flat: list[Value] = []
    for value in values:
        for choice in choices_of(value):
            if not any(choice is other or _is_same(choice, other) for other in flat):
                flat.append(choice)

    if not flat:
        return None
    return flat[0] if len(flat) == 1 else OneOf(flat)


def choices_of(value: Value) -> list[Value]:
    return value.choices if isinstance(value, OneOf) else [value]


def _is_same(left: Value, right: Value) -> bool:
    # Only values without identity are compared: two equal lists may still grow apart.
    plain = (str, int, float, bool, type(None), Unknown, Template, External)
    return isinstance(left, plain) and type(left) is type(right) and left == right
