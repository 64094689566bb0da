"""What the interpreter knows about a value without running anything.

Python's own str, int, float, bool and None stand for themselves. Everything else is one of the classes here;
what cannot be known is `Unknown`, and stays unknown through every operation.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from courtroom.analysis.python.source_files import FunctionNode, SourceFile

HOLE = "{}"
# The methods of a compiled graph that run it.
RUNNING = frozenset({"invoke", "ainvoke", "stream", "astream", "batch", "abatch"})


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that only running the program would tell."""


@dataclass(frozen=True, slots=True)
class Template:
    """Text of which some parts are known; each unknown part is a HOLE."""

    text: str


@dataclass(slots=True)
class Items:
    """A list, tuple or set. `is_open`: there may be more members than these; not `is_sure`: it may be empty."""

    members: list[Value]
    is_open: bool = False
    is_sure: bool = True


@dataclass(slots=True)
class Table:
    """A dict, in insertion order; keys that are not constants are left out and make it open."""

    entries: dict[Any, Value] = field(default_factory=dict)
    is_open: bool = False


@dataclass(slots=True)
class OneOf:
    """Any of several values, depending on the run."""

    choices: list[Value]


@dataclass(frozen=True, slots=True)
class Outside:
    """Something imported from outside the repository, by its dotted name."""

    dotted: str


@dataclass(frozen=True, slots=True)
class Called:
    """The result of calling something outside: Send("judge", ...), Command(goto=...), partial(node)."""

    dotted: str
    positional: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    line: int

    def keyword(self, name: str) -> Value:
        return dict(self.keywords).get(name)

    def first(self, *names: str) -> Value:
        """The first positional argument, or the first of the named ones that was given."""
        if self.positional:
            return self.positional[0]
        given = dict(self.keywords)
        return next((given[name] for name in names if name in given), None)


@dataclass(frozen=True, slots=True)
class Function:
    """A function or lambda of the repository with the scope it was defined in."""

    node: FunctionNode | ast.Lambda
    source: SourceFile
    scope: Scope
    bound: Value = None

    @property
    def name(self) -> str:
        return "" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(frozen=True, slots=True)
class Class:
    node: ast.ClassDef
    source: SourceFile
    scope: Scope


@dataclass(slots=True)
class Instance:
    kind: Class
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value that is not written in the repository: [].append, "".format, builder.add_edge."""

    owner: Value
    name: str


@dataclass(slots=True)
class Module:
    source: SourceFile
    scope: Scope


@dataclass(slots=True)
class Scope:
    """Names visible to a piece of code; functions see their own, then those around them, then the module's."""

    source: SourceFile
    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)

    def find(self, name: str) -> Scope | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope
            scope = scope.parent
        return None


@dataclass(slots=True)
class Route:
    """One conditional departure. `outcomes`: each is the set of nodes that run together if it is taken."""

    start: str
    outcomes: list[tuple[str, ...]]
    targets: list[str]
    path: str
    line: int
    words: frozenset[str] = frozenset()
    sends: tuple[str, ...] = ()


@dataclass(slots=True)
class Builder:
    """A LangGraph graph as far as it has been built, and where."""

    path: str
    line: int
    state: Value
    state_expression: ast.expr | None
    nodes: dict[str, Value] = field(default_factory=dict)
    edges: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    routes: list[Route] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    is_subgraph: bool = False

    @property
    def site(self) -> tuple[str, int]:
        """Where the graph is made."""
        return self.path, self.line

    def note(self, words: str) -> None:
        if words not in self.unresolved:
            self.unresolved.append(words)


@dataclass(frozen=True, slots=True)
class Compiled:
    builder: Builder


@dataclass(frozen=True, slots=True)
class Pending:
    """A name imported from another module of the repository, looked up only when somebody uses it."""

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
    | Items
    | Table
    | OneOf
    | Outside
    | Called
    | Function
    | Class
    | Instance
    | Method
    | Module
    | Builder
    | Compiled
    | Pending
)
UNKNOWN = Unknown()


class Flow(Enum):
    """How a block ends: on to the next statement, out of the loop's turn, or out of the function."""

    ON = 0
    TURN = 1
    OUT = 2


@dataclass(slots=True)
class Frame:
    scope: Scope
    returned: list[Value] = field(default_factory=list)
    global_names: set[str] = field(default_factory=set)


def join(values: list[Value]) -> Value:
    """One value for several possible ones; what is certain wins over what is not."""
    flat: list[Value] = []
    for value in values:
        for choice in value.choices if isinstance(value, OneOf) else [value]:
            if not any(choice is known or _same(choice, known) for known in flat):
                flat.append(choice)
    if not flat:
        return None
    return flat[0] if len(flat) == 1 else OneOf(flat)


def choices_of(value: Value) -> list[Value]:
    return value.choices if isinstance(value, OneOf) else [value]


def graph_in(value: Value) -> Builder | None:
    """The graph a value is, or may be, or compiles."""
    for choice in choices_of(value):
        if isinstance(choice, Compiled):
            return choice.builder
        if isinstance(choice, Builder):
            return choice
    return None


def _same(left: Value, right: Value) -> bool:
    plain = (str, int, float, bool, type(None), Unknown, Template, Outside)
    return isinstance(left, plain) and type(left) is type(right) and left == right
