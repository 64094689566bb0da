"""All facts that follow from the sources, gathered from the rooms that establish them.

Each room answers for itself: one that fails leaves its own facts null, with the reason and an error on record.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from courtroom.forensics import state_class, wiring
from courtroom.forensics.blobs import BlobReader
from courtroom.forensics.names import Names
from courtroom.forensics.survey import Sighting
from courtroom.forensics.syntax import Codebase, is_vendored, parse
from courtroom.forensics.topology import GraphReading, read_graph

SHOWN_LINES = 40
MANIFESTS = ("pyproject.toml", "langgraph.json")
FLAGS = (
    "detectives_parallel",
    "judges_parallel",
    "fan_in_before_judges",
    "fan_in_before_justice",
    "conditional_error_route",
)


@dataclass
class FactReading:
    names: Names
    reader: BlobReader
    graph: GraphReading = field(default_factory=lambda: GraphReading(None, "not examined yet"))
    facts: dict[str, Any] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    places: dict[str, list[Sighting]] = field(default_factory=dict)
    errors: list[tuple[str, str]] = field(default_factory=list)

    def leave_open(self, names: Sequence[str], reason: str) -> None:
        for name in names:
            self.facts[name] = None
            self.reasons[name] = reason

    def show(self, fact: str, path: str, first: int, last: int | None = None, note: str = "") -> None:
        """Put lines on record for a fact, no more than SHOWN_LINES of one place."""
        end = min(last or first, first + SHOWN_LINES - 1)
        self.places.setdefault(fact, []).append(Sighting(path, first, end, note))


def read_facts(reader: BlobReader) -> FactReading:
    paths = [path for path, blob in reader.blobs.items() if path.endswith(".py") and blob.is_file]
    own = [path for path in paths if not is_vendored(path)]
    codebase = parse(reader.read_all(own))
    reading = FactReading(Names(codebase), reader)
    _note_unreadable(reading, codebase, paths)
    for room, names in ROOMS:
        try:
            room(reading)
        except Exception as error:  # noqa: BLE001 -- one room's failure is on record and costs only its own facts
            reading.leave_open(names, f"the examination itself failed ({type(error).__name__})")
            reading.errors.append(
                ("source_room_failed", f"{room.__name__.strip('_')}: {type(error).__name__}: {error}"[:300])
            )
    return reading


def _note_unreadable(reading: FactReading, codebase: Codebase, paths: list[str]) -> None:
    reasons = {
        **codebase.unreadable,
        **{path: why for path, why in reading.reader.refused.items() if path in paths},
    }
    reading.facts["python_file_count"] = len(paths)
    reading.facts["unreadable_files"] = sorted(reasons)
    reading.errors += [("source_unreadable", f"{path}: {why}") for path, why in sorted(reasons.items())]


def _graph(reading: FactReading) -> None:
    texts = {
        path: content.decode("utf-8", "replace")
        for path in MANIFESTS
        if (content := reading.reader.read(path)) is not None
    }
    reading.graph = read_graph(reading.names, texts)
    builder = reading.graph.builder
    if builder is None:
        _without_graph(reading)
        return
    routes = reading.graph.routes
    reading.facts["graph"] = {
        "path": builder.path,
        "state_graph_line": builder.line,
        "nodes": list(builder.nodes),
        "edges": [list(edge) for edge in builder.edges],
        "edge_lines": [line for _, line in builder.edges.values()],
        "conditional": [{"from": route.start, "to": route.targets, "line": route.line} for route in routes],
        "unresolved": builder.unresolved,
    }
    reading.facts.update(wiring.flags_of(builder, routes))
    reading.show("state_graph", builder.path, builder.line, note="the graph is made here")
    for (start, end), (path, line) in builder.edges.items():
        reading.show("graph", path, line, note=f"{start} -> {end}")
    for route in routes:
        reading.show(
            "graph", builder.path, route.line, note=f"{route.start} -> one of {', '.join(route.targets)}"
        )
        reading.show("conditional_error_route", builder.path, route.line, note=f"routed after {route.start}")


def _without_graph(reading: FactReading) -> None:
    """No graph was found: nothing is wired in parallel, unless the file that wires it could not be read."""
    reading.facts["graph"] = None
    reading.reasons["graph"] = reading.graph.reason
    unreadable = [
        path for path in reading.facts["unreadable_files"] if path in reading.names.codebase.unreadable
    ]
    if unreadable:
        reading.leave_open(FLAGS, f"no graph was found, but {unreadable[0]} could not be read")
    else:
        reading.facts.update(dict.fromkeys(FLAGS, False))


def _state(reading: FactReading) -> None:
    state = state_class.read_state(reading.names, reading.graph.builder)
    reading.facts["state_class"] = state.fact
    if state.fact is None:
        reading.reasons["state_class"] = state.reason
    if state.site is not None:
        node = state.site.node
        reading.show(
            "state_class", state.site.source.path, node.lineno, node.end_lineno, f"class {node.name}"
        )
    reducers = state_class.reducers_of(reading.names, state.site)
    reading.facts["reducers"] = reducers
    for reducer in reducers:
        reading.show(
            "reducers", reducer["path"], reducer["line"], note=f"{reducer['field']}: {reducer['reducer']}"
        )


def _models(reading: FactReading) -> None:
    models = state_class.pydantic_models(reading.names)
    reading.facts["pydantic_models"] = list(dict.fromkeys(site.node.name for site in models))
    for site in models:
        reading.show("pydantic_models", site.source.path, site.node.lineno, note=f"class {site.node.name}")


def end_of(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


Room = Callable[[FactReading], None]
ROOMS: tuple[tuple[Room, tuple[str, ...]], ...] = (
    (_graph, ("graph", *FLAGS)),
    (_state, ("state_class", "reducers")),
    (_models, ("pydantic_models",)),
)
