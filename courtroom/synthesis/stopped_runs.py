"""Steps of the graph at which a fault stops every run, so that no verdict is ever reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from courtroom.checks.registry import Check

Facts = Mapping[str, Any]


def stopping_step(check: Check, facts: Facts) -> int | None:
    """Return the first step at which what the check is about stops every run; None where none does.

    0 is before the first node. `facts` are those of the report, as JSON.
    """
    return min(_steps(check, facts), default=None)


def _steps(check: Check, facts: Facts) -> Iterator[int]:
    faults = {*getattr(check, "faults", ())}
    runs = facts.get("graph_run") or {}
    if check.kind == "failing_code" and getattr(check, "every_run", False):
        for line in (facts.get("failing_code") or {}).get("lines", ()):
            if line["part"] == getattr(check, "part", ""):
                for node in line["nodes"] or ():
                    yield from _first_step([node], runs)
    elif check.kind == "graph_run":
        yield from (0 for _ in (runs.get("refused") or ()) if "refused" in faults)
        for row in (runs.get("endless") or ()) if "endless" in faults else ():
            yield min(runs["steps"][node][0] for node in row["nodes"])
        for row in (runs.get("conflicts") or ()) if "conflicts" in faults else ():
            yield from _first_step(row["nodes"], runs)
    elif check.kind == "state_flow" and "broken_import" in faults:
        rows = (facts.get("state_flow") or {}).get("faults", ())
        yield from (0 for row in rows if row["kind"] == "broken_import")


def _first_step(nodes: Sequence[str], runs: Facts) -> Iterator[int]:
    """Yield the first step of nodes that are all part of every run."""
    rows = runs.get("runs") or ()
    by_run = [{node for step in row["steps"] for node in step} for row in rows]
    is_known = bool(rows) and runs["is_complete"] and len(rows) == runs["combinations"]
    if is_known and all({*nodes} <= own for own in by_run):
        yield min(runs["steps"][node][0] for node in nodes)
