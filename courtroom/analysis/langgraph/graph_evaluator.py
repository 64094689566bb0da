"""Interpreter that knows LangGraph: it records the graphs that the code builds and runs."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from courtroom.analysis.langgraph.builder_calls import (
    HOME_METHODS,
    apply_builder_method,
    schemas_in,
)
from courtroom.analysis.langgraph.graph_values import (
    GRAPH_CLASSES,
    RUN_METHODS,
    CompiledGraph,
    GraphBuilder,
    is_graph_class,
)
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Call,
    Class,
    Frame,
    Function,
    Instance,
    LibraryObject,
    ListValue,
    Scope,
    Unknown,
    Value,
)
from courtroom.analysis.python.tree_walk import last_name, line_of_call

# LangGraph's own values of START and END.
CONSTANTS = {"START": "__start__", "END": "__end__"}
# Functions outside the repository that change nothing of a graph they are handed.
HARMLESS = frozenset({"print", "len", "repr", "str", "type", "id", "hasattr", "dir", "vars"})
# Members of a list that are looked through for a graph.
MAX_MEMBERS = 20


@dataclass
class GraphEvaluator(Interpreter):
    """`builders` are the graphs that the code builds, `invoked` those it runs, both in order,
    `inputs` what it runs them with.

    `entered` are the syntax nodes of the functions that were followed, `handled` those of the calls
    whose owner was known, `skipped` the lines of code that is known not to run, by file. `gaps` are
    places that may run and were not followed, in words. `given` are objects that a followed function
    gets from outside: their methods may be nodes, and are followed only with a graph.
    """

    builders: list[GraphBuilder] = field(default_factory=list)
    invoked: list[GraphBuilder] = field(default_factory=list)
    inputs: list[tuple[GraphBuilder, Value]] = field(default_factory=list)
    handled: set[int] = field(default_factory=set)
    entered: set[int] = field(default_factory=set)
    skipped: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    gaps: list[str] = field(default_factory=list)
    given: list[Instance] = field(default_factory=list)
    # Classes of the repository's own whose methods are read as those of LangGraph's.
    home_made: frozenset[str] = frozenset()

    def call(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        is_given = any(function.bound is owner for owner in self.given)
        arguments = [*positional, *keywords.values()]
        if is_given and not any(isinstance(value, GraphBuilder) for value in arguments):
            return UNKNOWN
        return super().call(function, positional, keywords)

    def constant(self, dotted: str) -> Value:
        package, _, name = dotted.rpartition(".")
        is_terminal = name in CONSTANTS and package.startswith("langgraph.")
        return CONSTANTS[name] if is_terminal else super().constant(dotted)

    def construct(
        self, dotted_names: Sequence[str], call: Call, own_class: Class | None
    ) -> LibraryObject | None:
        """Begin a graph; a call site that is reached again (a loop) begins another one."""
        is_home_made = own_class is not None and own_class.node.name in self.home_made
        if not is_home_made and not is_graph_class(dotted_names, call.node.func):
            return self._unbound_method(dotted_names, call)

        # "schema" is the older name of the parameter.
        names = ("state_schema", "schema")
        expressions = [
            *call.node.args,
            *(keyword.value for keyword in call.node.keywords if keyword.arg in names),
        ]
        builder = GraphBuilder(
            call.scope.source.path,
            call.node.lineno,
            call.argument(0, *names),
            expressions[0] if expressions else None,
            made_under=self.doubts,
            schemas=schemas_in(call),
        )
        if is_home_made:
            builder.home_made = own_class
        elif own_class is not None:
            builder.own = Instance(own_class, made_under=self.doubts)
        self.builders.append(builder)
        return builder

    def _unbound_method(self, dotted_names: Sequence[str], call: Call) -> LibraryObject | None:
        """Apply StateGraph.add_node(builder, ...)."""
        owner, _, name = dotted_names[0].rpartition(".") if dotted_names else ("", "", "")
        builder = call.argument(0)
        if not is_graph_class([owner]) or not isinstance(builder, GraphBuilder):
            return None
        rest = Call(call.positional[1:], call.keywords, call.node, call.scope)
        result = self.call_library_method(builder, name, rest)
        return result if isinstance(result, LibraryObject) else None

    def call_library_method(self, owner: LibraryObject, name: str, call: Call) -> Value:
        if isinstance(owner, GraphBuilder):
            if owner.home_made is not None and name not in HOME_METHODS:
                self.invoked.append(owner)
                return UNKNOWN
            return apply_builder_method(self, owner, name, call)
        if isinstance(owner, CompiledGraph):
            if name in RUN_METHODS:
                self.invoked.append(owner.builder)
                self.inputs.append((owner.builder, call.argument(0, "input")))
            # A graph with settings is the same graph.
            return owner if name in {"with_config", "with_retry", "with_types"} else UNKNOWN
        return UNKNOWN

    def enter(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Frame:
        self.entered.add(id(function.node))
        return super().enter(function, positional, keywords)

    def note_call(self, node: ast.Call, target: Value) -> None:
        # add_edge(...) of an object that is no graph of LangGraph counts as handled, too.
        if not isinstance(target, Unknown):
            self.handled.add(id(node))

    def note_result(self, call: Call, result: Value) -> None:
        """Take note of the caller of a function that makes a graph and adds nothing to it."""
        if isinstance(result, GraphBuilder) and not (result.nodes or result.edges or result.routes):
            result.caller = call.scope.source.path, line_of_call(call.node)

    def hand_over(self, call: Call) -> None:
        """Take note of a graph that code outside the repository gets, which may add to it."""
        name = last_name(call.node.func) or "a function"
        if name in HARMLESS or name in GRAPH_CLASSES:
            return
        values = [*call.positional, *call.keywords.values()]
        for value in values:
            members = value.members[:MAX_MEMBERS] if isinstance(value, ListValue) else [value]
            for member in members:
                if isinstance(member, GraphBuilder):
                    path, line = call.scope.source.path, line_of_call(call.node)
                    member.add_unresolved(
                        f"{path}:{line}: the graph is handed to {name}(), which is not followed"
                    )

    def give_up(self, scope: Scope, node: ast.AST, reason: str) -> None:
        subject = "a loop"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            subject = f"{node.name}()"
            if not self.should_enter(node.name):
                return
        line = getattr(node, "lineno", 1)
        self.gaps.append(f"{scope.source.path}:{line}: {subject} {reason}, so not all is followed")

    def skip(self, scope: Scope, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            first = getattr(node, "lineno", 0)
            last = getattr(node, "end_lineno", first) or first
            self.skipped.setdefault(scope.source.path, []).append((first, last))

    def is_accounted_for(self, source: SourceFile, node: ast.Call) -> bool:
        """Return true for a call that was followed, or that is known not to run."""
        if id(node) in self.handled:
            return True
        lines = self.skipped.get(source.path, ())
        return any(first <= node.lineno <= last for first, last in lines)
