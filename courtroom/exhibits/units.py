"""Units of the Python sources: functions, classes and module-level assignments, by their lines.

Standard library only, because the confined child uses them too.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from courtroom.analysis.python.call_graph import BUILTIN_METHODS

# Places that call one unit; a name that is used more often is no one's in particular.
MOST_CALLERS = 20


@dataclass(frozen=True, slots=True)
class Unit:
    """One definition with its decorators; lines are 1-based and inclusive.

    `kind` is function, class or value (an assignment of a module). `qualname` starts with the
    classes and functions around it.
    """

    path: str
    kind: str
    qualname: str
    first: int
    last: int

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """Return the qualified name of the class or function around it; "" at the top level."""
        return self.qualname.rpartition(".")[0]

    @property
    def called_name(self) -> str:
        """Return the name that a call uses: a constructor is called by its class."""
        return (
            self.owner.rpartition(".")[2] if self.name == "__init__" and self.owner else self.name
        )

    def holds(self, line: int) -> bool:
        return self.first <= line <= self.last


@dataclass(frozen=True)
class Outline:
    """Units by path, each file's in the order of its lines, and where they are mentioned.

    `mentions` holds, by path, (line, name) of every use of a unit's name. A file that was not
    parsed is in neither.
    """

    units: Mapping[str, tuple[Unit, ...]] = field(default_factory=dict)
    mentions: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> dict[str, list[Unit]]:
        table: dict[str, list[Unit]] = {}
        for unit in self:
            table.setdefault(unit.name, []).append(unit)
        return table

    @cached_property
    def places_of(self) -> dict[str, list[tuple[str, int]]]:
        """Return path and line of the mentions, by name."""
        table: dict[str, list[tuple[str, int]]] = {}
        for path, mentions in self.mentions.items():
            for line, name in mentions:
                table.setdefault(name, []).append((path, line))
        return table

    def __iter__(self) -> Iterator[Unit]:
        return (unit for units in self.units.values() for unit in units)

    def innermost(self, path: str, line: int) -> Unit | None:
        """Return the smallest unit that holds the line."""
        holding = (unit for unit in self.units.get(path, ()) if unit.holds(line))
        return min(holding, key=lambda unit: (unit.last - unit.first, -unit.first), default=None)

    def outermost(self, path: str, line: int) -> Unit | None:
        """Return the function, class or assignment of the module that holds the line."""
        return next((unit for unit in self.units.get(path, ()) if unit.holds(line)), None)

    def named(self, name: str) -> list[Unit]:
        """Return the units of a name, or of the end of a qualified name such as Judge.answer."""
        units = self.by_name.get(name.rpartition(".")[2], [])
        return [u for u in units if u.qualname == name or u.qualname.endswith(f".{name}")]

    def callees(self, unit: Unit) -> list[Unit]:
        """Return what a unit mentions, in the order of its lines, itself and its parts left out."""
        names = dict.fromkeys(self.names_in(unit.path, unit.first, unit.last))
        units = (target for name in names for target in self.targets(unit, name))
        return unique(
            target for target in units if target.path != unit.path or not unit.holds(target.first)
        )

    def parts(self, unit: Unit) -> list[Unit]:
        """Return the methods of a class, or the functions inside a function."""
        inside = f"{unit.qualname}."
        return [u for u in self.units.get(unit.path, ()) if u.qualname.startswith(inside)]

    def bases(self, unit: Unit) -> list[Unit]:
        """Return the repository's own classes that a class names on its first line."""
        names = self.names_in(unit.path, unit.first, unit.first + 1)
        units = (target for name in names for target in self.targets(unit, name))
        return [target for target in units if target.kind == "class" and target != unit]

    def names_in(self, path: str, first: int, last: int) -> list[str]:
        mentions = self.mentions.get(path, ())
        start = bisect_left(mentions, (first, ""))
        return [name for _, name in mentions[start : bisect_left(mentions, (last + 1, ""))]]

    def targets(self, unit: Unit, name: str) -> list[Unit]:
        """Return the unit that another one most likely means by a name.

        It is one of its own class, else of its own file, else the only one of that name.
        """
        candidates = [] if name in BUILTIN_METHODS else self.by_name.get(name, [])
        own = [u for u in candidates if u.path == unit.path]
        near = [u for u in own if u.owner == unit.owner] or own
        return near[:1] if near else candidates if len(candidates) == 1 else []

    def callers(self, unit: Unit) -> dict[Unit, list[int]]:
        """Return the innermost units that mention this one, each with the lines where it does."""
        places = [
            (path, line)
            for path, line in self.places_of.get(unit.called_name, ())
            if not (path == unit.path and unit.holds(line))
        ]
        callers: dict[Unit, list[int]] = {}
        for path, line in places[:MOST_CALLERS]:
            caller = self.innermost(path, line)
            if caller is not None and unit in self.targets(caller, unit.name):
                callers.setdefault(caller, []).append(line)
        return callers

    def is_common(self, unit: Unit) -> bool:
        """Return whether a unit is used all over the sources, as a logger is."""
        return len(self.places_of.get(unit.called_name, ())) > MOST_CALLERS


def unique(units: Iterable[Unit]) -> list[Unit]:
    return list(dict.fromkeys(units))
