"""A fault in the flow of data, and the kinds of faults of which not everything was read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Place = tuple[str, int]
# Names that a sentence lists.
MOST_NAMES = 4


@dataclass(frozen=True, slots=True)
class FlowFault:
    """`sentence` is in the names of the work; `other` is the second place, where there is one.

    `keys` of the state, and the `nodes` or routers that use them, where it does not declare them;
    the node that writes a key which nobody reads.
    `channel` is the declared key under which the undeclared ones belong. `places` are further lines
    of the same fault. `is_given`: an input of the graph holds the keys. `callers` are the
    keys that are read from the graph's result, each with its place; `written` is where the report
    that is read there is written to a file. `is_constant`: a text that every run writes sets off the
    rule. `is_minor`: neither a route nor the verdict hangs on what is unused. `is_blinding`: no judge
    sees evidence for it. `is_failing`: the line fails whenever it runs. `leaves_single_way`: a
    router has nothing else to choose.
    """

    kind: str
    sentence: str
    path: str
    line: int
    other: Place | None = None
    keys: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    channel: str | None = None
    places: tuple[Place, ...] = ()
    is_given: bool = False
    callers: tuple[tuple[str, Place], ...] = ()
    written: Place | None = None
    is_constant: bool = False
    is_minor: bool = False
    is_blinding: bool = False
    is_failing: bool = False
    leaves_single_way: bool = False

    @property
    def as_fact(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "path": self.path,
            "line": self.line,
            "other": _row(self.other),
            "keys": self.keys,
            "nodes": self.nodes,
            "channel": self.channel,
            "places": list(map(_row, self.places)),
            "is_given": self.is_given,
            "callers": [
                {"path": path, "line": line, "key": key} for key, (path, line) in self.callers
            ],
            "written": _row(self.written),
            "is_constant": self.is_constant,
            "is_minor": self.is_minor,
            "is_blinding": self.is_blinding,
            "leaves_single_way": self.leaves_single_way,
        }


@dataclass(slots=True)
class FlowReading:
    """Faults by kind, and for each kind that was not read to its end the first reason."""

    faults: list[FlowFault] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)

    def add(self, faults: Iterable[FlowFault]) -> None:
        self.faults += [fault for fault in faults if fault not in self.faults]

    def leave_open(self, kinds: Iterable[str], reason: str) -> None:
        for kind in kinds:
            if reason:
                self.unread.setdefault(kind, reason)


def _row(place: Place | None) -> dict[str, str | int] | None:
    return {"path": place[0], "line": place[1]} if place else None


def listed(keys: Iterable[str]) -> str:
    """Return `a`, `b` and `c`."""
    return joined([f"`{key}`" for key in keys])


def joined(names: Sequence[str]) -> str:
    """Return a, b and c; of a long list the first ones and the number of those left out."""
    if len(names) > MOST_NAMES:
        names = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES} more"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def squashed(name: str) -> str:
    """Return a name without case and separators: tech_lead, TechLead and tech-lead agree."""
    return "".join(letter for letter in name.lower() if letter.isalnum())
