"""Fault of a loop that a run does not leave, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place, joined, listed
from courtroom.analysis.python.symbolic_execution.value_operations import truth_of
from courtroom.analysis.python.symbolic_execution.values import DictValue, ListValue, Value

# Node, key, a constant as code writes it, and the place.
Write = tuple[str, str, str, Place]


@dataclass(frozen=True, slots=True)
class EndlessRounds:
    """Loop that a run does not leave where it takes these ways.

    `ways` are the routers before the loop with what they choose, `earlier` what nodes before it
    return, `writes` what those of the loop return in each round: node, key, the value where it is a
    constant, and the place. `keys` are those that the `routers` test.
    """

    nodes: tuple[str, ...]
    routers: tuple[str, ...]
    keys: tuple[str, ...]
    ways: tuple[tuple[str, tuple[str, ...]], ...]
    earlier: tuple[Write, ...]
    writes: tuple[Write, ...]
    places: tuple[Place, ...]

    @property
    def fault(self) -> FlowFault:
        ways = [f"the router after {start} leads to {joined(ends)}" for start, ends in self.ways]
        again = [f"{joined(_words(self.writes))} in each round"] if self.writes else []
        where = joined([*ways, *_words(self.earlier), *again])
        router = f"router{'s' if len(self.routers) > 1 else ''} after {joined(self.routers)}"
        lead = "lead" if len(self.routers) > 1 else "leads"
        written = f" to {listed(self.keys)}" if self.keys else ""
        sentence = (
            f"the loop of {joined(self.nodes)} runs until the recursion limit"
            f"{f' where {where}' if where else ''}: the {router} {lead} back each time, and nothing"
            f" that the loop then writes{written} ends it"
        )
        other = next((place for *_, place in reversed(self.earlier + self.writes)), None)
        return FlowFault("endless_loop", sentence, *self.places[0], other)


def _words(writes: Sequence[Write]) -> list[str]:
    """Return for each node what it writes."""
    words: dict[str, list[str]] = {}
    for node, key, value, _ in writes:
        written = f"sets `{key}` to {value}" if value else f"writes to `{key}`"
        words.setdefault(node, []).append(written)
    return [f"{node} {joined(own)}" for node, own in words.items()]


def constant_words(value: Value) -> str:
    """Return a constant as code writes it, "" for another value."""
    is_short = value is None or isinstance(value, int | float) or value == ""
    if isinstance(value, ListValue | DictValue) and truth_of(value) is False:
        return "[]" if isinstance(value, ListValue) else "{}"
    return repr(value) if is_short else ""
