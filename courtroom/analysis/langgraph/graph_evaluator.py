"""Interpreter that knows LangGraph: it records the graphs that the code builds and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from courtroom.analysis.langgraph.builder_calls import apply_builder_method
from courtroom.analysis.langgraph.graph_values import (
    RUN_METHODS,
    CompiledGraph,
    GraphBuilder,
    is_graph_class,
)
from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    Call,
    LibraryObject,
    Value,
)


@dataclass
class GraphEvaluator(Interpreter):
    """`builders` are the graphs that the code builds, `invoked` those it runs, both in order."""

    builders: list[GraphBuilder] = field(default_factory=list)
    invoked: list[GraphBuilder] = field(default_factory=list)

    def construct(self, dotted_names: Sequence[str], call: Call) -> GraphBuilder | None:
        """Begin a graph; a call site that is reached again (a loop) begins another one."""
        if not is_graph_class(dotted_names):
            return None

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
        )
        self.builders.append(builder)
        return builder

    def call_library_method(self, owner: LibraryObject, name: str, call: Call) -> Value:
        if isinstance(owner, GraphBuilder):
            return apply_builder_method(self, owner, name, call)
        if isinstance(owner, CompiledGraph):
            if name in RUN_METHODS:
                self.invoked.append(owner.builder)
            # A graph with settings is the same graph.
            return owner if name in {"with_config", "with_retry", "with_types"} else UNKNOWN
        return UNKNOWN
