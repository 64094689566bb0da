"""What the rooms that establish facts write into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from courtroom.analysis.git.blobs import BlobReader
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.python.call_graph import CallGraph
from courtroom.analysis.python.symbol_table import SymbolTable

SHOWN_LINES = 40


@dataclass
class FactReading:
    names: SymbolTable
    reader: BlobReader
    reach: CallGraph = field(init=False)
    layers: Layers = field(init=False)
    graph: GraphReading = field(default_factory=lambda: GraphReading(None, "not examined yet"))
    facts: dict[str, Any] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    places: dict[str, list[SourceLocation]] = field(default_factory=dict)
    errors: list[tuple[str, str]] = field(default_factory=list)

    def leave_open(self, names: Sequence[str], reason: str) -> None:
        for name in names:
            self.facts[name] = None
            self.reasons[name] = reason

    def show(
        self, fact: str, path: str, first: int, last: int | None = None, note: str = ""
    ) -> None:
        """Put lines on record for a fact, no more than SHOWN_LINES of one place."""
        end = min(last or first, first + SHOWN_LINES - 1)
        self.places.setdefault(fact, []).append(SourceLocation(path, first, end, note))
