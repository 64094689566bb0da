"""Collect the facts of the source files, with reasons, locations and errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from courtroom.analysis.git.blobs import BlobReader
from courtroom.analysis.graph_run.stub_graph import StubGraph
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.loose_rules import LooseRule
from courtroom.analysis.langgraph.judging.persona_names import PersonaText
from courtroom.analysis.langgraph.state_access import StateAccess
from courtroom.analysis.langgraph.state_flow.dead_routes import DeadWay
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable

MAX_LINES = 40


@dataclass
class FactWriter:
    """Inputs and results that the analyzers of code_facts share, from one to the next.

    `facts` may be None for the given `reasons`; `locations` shows them in the source; `errors` are
    (code, message).
    """

    symbols: SymbolTable
    reader: BlobReader
    call_graph: CallGraph = field(init=False)
    layers: Layers = field(init=False)
    # Graphs that LangGraph has to run for the fact `graph_run`: another child does that.
    stub_graphs: list[StubGraph] = field(default_factory=list)
    graph: GraphReading = field(default_factory=lambda: GraphReading(None, "not examined yet"))
    # Reads and writes of the state by the nodes of the graph, then of each subgraph.
    state_accesses: list[StateAccess] = field(default_factory=list)
    # Ways of the graph's routers that no run takes; None where they were not looked for.
    dead_ways: list[DeadWay] | None = None
    # Lookups of judges that fail whenever they run.
    failing_lookups: list[FlowFault] = field(default_factory=list)
    # Keys that the graph's state declares; None where they are not known.
    state_keys: frozenset[str] | None = None
    # `prompts` has one prompt for each persona, `prompt_texts` every text recognised as a prompt.
    prompts: list[PersonaText] = field(default_factory=list)
    prompt_texts: list[PersonaText] = field(default_factory=list)
    # Functions of judges that do not repeat a call that failed, where another judge does.
    asking_once: list[FunctionRef] = field(default_factory=list)
    # Caps for security after which no facts are asked, and rules of facts that others or words undo.
    misordered_rules: list[LooseRule] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    locations: dict[str, list[SourceLocation]] = field(default_factory=dict)
    errors: list[tuple[str, str]] = field(default_factory=list)

    def set_unknown(self, names: Sequence[str], reason: str) -> None:
        """Set facts to None with the reason: a fact that was not established is never false."""
        for name in names:
            self.facts[name] = None
            self.reasons[name] = reason

    def set_flag(self, name: str, value: bool, gap: str) -> None:
        """Set a yes-or-no fact; a "no" with a gap in the search is not established."""
        if value or not gap:
            self.facts[name] = value
        else:
            self.set_unknown([name], gap)

    def set_rows(self, name: str, rows: list[dict[str, Any]], gap: str) -> None:
        """Set a fact that is a list; an empty one with a gap in the search is not established."""
        if rows or not gap:
            self.facts[name] = rows
        else:
            self.set_unknown([name], gap)

    def add_location(
        self, fact: str, path: str, first: int, last: int | None = None, note: str = ""
    ) -> None:
        """Record the lines that show a fact, at most MAX_LINES of them."""
        end = min(last or first, first + MAX_LINES - 1)
        self.locations.setdefault(fact, []).append(SourceLocation(path, first, end, note))
