"""Requests on the agent graph and its state: builder, routers, nodes, and what they write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from courtroom.exhibits.material import LARGE, MEDIUM, SMALL, Material
from courtroom.exhibits.room import Request, whole_sheet
from courtroom.exhibits.units import Unit, unique

# Lines of a module without units that hold its imports.
HEAD_LINES = 60
# Fields of the state that a function names together where it makes one.
FEWEST_KEYS = 2

_WRITES = re.compile(
    r"\breturn\s+(?:\{|state\b|Command\()"
    r"|\bstate(?:\[[^\]]{1,80}\]|\.\w+)\s*(?:\[[^\]]+\]\s*=|\.(?:update|append|extend|pop)\(|[+|]?=[^=])"
)
_FIELD = re.compile(r"\bstate(?:\.get\(|\[)\s*[\"'](\w+)[\"']")
_INVOKES = re.compile(r"\.(?:a?invoke|a?stream)\(")
_ROUTES = re.compile(r"add_conditional_edges|\bSend\(|\bCommand\(")
_ERRORS = re.compile(r"error|except|raise|fail", re.IGNORECASE)


def graph(material: Material) -> Iterator[Request]:
    graph = material.facts.graph
    if graph is None:
        named = material.functions_named(frozenset({"graph", "workflow"}))
        yield from material.wholes(named, "named after a graph", MEDIUM)
        return
    yield from graph_core(material)
    yield Request(graph.path, 1, _first_line(material, graph.path), "imports of the graph's module")
    own = [unit for unit in material.nodes if unit.path == graph.path]
    yield from material.wholes(own, "a node of the graph", MEDIUM)
    near = material.called_by([*material.builder, *own])
    values = [unit for unit in near if unit.kind == "value"]
    yield from material.wholes(values, "a value that the graph uses", SMALL)
    for unit in material.nodes:
        focus = [unit.first, *material.lines_matching(unit, _ERRORS)]
        yield material.whole(unit, "a node of the graph", focus, SMALL)
    yield from _running(material)


def graph_core(material: Material) -> Iterator[Request]:
    yield from material.wholes(material.builder, "builds the graph")
    yield from material.wholes(routers(material), "routes")


def _running(material: Material) -> Iterator[Request]:
    """Yield where the graph's first state is made, and where the graph is run."""
    fields = "|".join(map(re.escape, material.state_fields)) or r"(?!)"
    keys = re.compile(rf"[\"'](?:{fields})[\"']\s*:|\b(?:{fields})=")
    nodes = set(material.nodes)
    runs = [
        unit
        for unit in material.functions
        if unit not in nodes and material.lines_matching(unit, _INVOKES)
    ]
    for unit in runs:
        focus = material.lines_matching(unit, keys)
        texts = material.sheets[unit.path].lines if focus else ()
        if sum(len(keys.findall(texts[n - 1][:1000])) for n in focus) >= FEWEST_KEYS:
            yield material.whole(unit, "makes the first state", focus, MEDIUM)
    yield from material.matching(runs, _INVOKES, "runs the graph", SMALL)


def _undeclared(material: Material) -> Iterator[Request]:
    """Yield where fields are used that the state does not declare."""
    declared = set(material.state_fields)
    units = [*material.nodes, *routers(material)] if declared else []
    for unit in unique(units):
        lines = material.lines_matching(unit, _FIELD)
        texts = material.sheets[unit.path].lines if lines else ()
        odd = [n for n in lines if set(_FIELD.findall(texts[n - 1][:1000])) - declared]
        if odd:
            yield material.whole(unit, "uses a field that the state does not declare", odd, SMALL)


def routers(material: Material) -> list[Unit]:
    places = [(b, n) for b in material.builder for n in material.lines_matching(b, _ROUTES)]
    units = (
        target
        for builder, line in places
        for name in material.outline.names_in(builder.path, line, line + 4)
        for target in material.outline.targets(builder, name)
    )
    return unique(unit for unit in units if unit.kind == "function")


def _first_line(material: Material, path: str) -> int:
    units = material.outline.units.get(path, ())
    return max(1, min((unit.first for unit in units), default=HEAD_LINES) - 1)


def state(material: Material) -> Iterator[Request]:
    state = material.facts.state_class
    if state is not None:
        request = material.around(state.path, state.line, "the state")
        if request is not None:
            yield request
        yield whole_sheet(state.path, "the module of the state").capped(2 * LARGE)
        classes = [u for u in material.outline.units.get(state.path, ()) if u.kind == "class"]
        yield from material.wholes(classes, "a model beside the state", MEDIUM)
    yield from _undeclared(material)
    yield from material.matching(material.nodes, _WRITES, "writes the state", SMALL)
    yield from _running(material)


def state_core(material: Material) -> Iterator[Request]:
    state = material.facts.state_class
    request = material.around(state.path, state.line, "the state") if state else None
    if request is not None:
        yield request
