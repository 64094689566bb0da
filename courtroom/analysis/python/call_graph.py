"""Who calls whom, by name: enough to know what lies on the way to a piece of code, or behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import FunctionSite, SourceFile

MAX_ROUNDS = 8
# Names that nearly always mean a list's, a dict's or a string's own method.
EVERYDAY_METHODS = frozenset(dir(dict) + dir(list) + dir(str) + dir(set))


@dataclass(frozen=True, slots=True)
class Place:
    """One function of the repository."""

    source: SourceFile
    site: FunctionSite

    @property
    def name(self) -> str:
        return self.site.node.name

    @property
    def key(self) -> tuple[str, int]:
        return self.source.path, self.site.node.lineno


@dataclass
class Reach:
    names: Names

    def callers_of(self, names: Iterable[str]) -> set[str]:
        """Names of functions and classes from which one of `names` may be reached, themselves included."""
        reached = set(names)
        frontier = set(reached)
        for _ in range(MAX_ROUNDS):
            grown = {
                name
                for source in self.names.codebase.production
                if any(name in source.text for name in frontier)
                for site in source.functions
                if site.mentions & frontier
                for name in _called_as(site)
            }
            frontier = grown - reached
            reached |= frontier
            if not frontier:
                break
        return reached

    def behind(self, starts: Iterable[Place]) -> list[Place]:
        """The functions that `starts` may lead to, themselves first, each once."""
        found: dict[tuple[str, int], Place] = {}
        queue = list(starts)
        while queue:
            place = queue.pop(0)
            if place.key in found:
                continue
            found[place.key] = place
            queue.extend(self._called_from(place))
        return list(found.values())

    def _called_from(self, place: Place) -> list[Place]:
        table = self.names.functions_by_name
        called: list[Place] = []
        for name in sorted(place.site.mentions):
            candidates = table.get(name, [])
            called.extend(Place(*one) for one in self._meant(place.source, name, candidates))
        return called

    def _meant(
        self, source: SourceFile, name: str, candidates: list[tuple[SourceFile, FunctionSite]]
    ) -> list[tuple[SourceFile, FunctionSite]]:
        """Of functions with one name: this file's, else those of modules it imports, else a lone one anywhere."""
        if not candidates or name in EVERYDAY_METHODS:
            return []
        here = [one for one in candidates if one[0] is source]
        if here:
            return here
        imported = self._imported_files(source)
        near = [one for one in candidates if one[0].path in imported]
        return near or (candidates if len(candidates) == 1 else [])

    def _imported_files(self, source: SourceFile) -> frozenset[str]:
        if source.path not in self._imports:
            dotted = {self.names.canonical(name, source) for name in source.imports.values()}
            homes = [
                self.names.module(part, source)
                for name in dotted
                for part in (name, name.rpartition(".")[0])
            ]
            self._imports[source.path] = frozenset(home.path for home in homes if home is not None)
        return self._imports[source.path]

    @cached_property
    def _imports(self) -> dict[str, frozenset[str]]:
        return {}


def _called_as(site: FunctionSite) -> list[str]:
    if site.node.name == "__init__" and site.owner is not None:
        return [site.owner.name]
    return [site.node.name]
