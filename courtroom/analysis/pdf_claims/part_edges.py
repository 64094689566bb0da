"""Edges of the graph that show a part which a text denies.

The reader of sources needs them for a README, and none of the patterns of denials.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from courtroom.analysis.langgraph.node_roles import role_by_name

# Nodes to which an edge leads where the part is there, by the part's id.
NODES: dict[str, Callable[[str], bool]] = {
    "lacks_judges": lambda name: role_by_name(name) == "judge",
    "lacks_chief_justice": lambda name: role_by_name(name) == "justice",
    "lacks_vision_inspector": lambda name: "vision" in name.lower(),
}
ROUTES = frozenset({"lacks_error_route", "lacks_conditional_edges"})


def edge_of(part: str, graph: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return path and line of the first edge that shows the part; None where none is known."""
    routes = graph.get("conditional", ())
    if part in ROUTES:
        return next(iter(routes), None)
    leads = NODES.get(part)
    if leads is None:
        return None
    columns = (graph.get(name, ()) for name in ("edges", "edge_paths", "edge_lines"))
    plain = ((end, {"path": p, "line": n}) for (_, end), p, n in zip(*columns, strict=False))
    routed = ((end, route) for route in routes for end in route["to"])
    return next((place for end, place in (*plain, *routed) if leads(end)), None)
