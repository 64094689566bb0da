"""Call graph by name: which code leads to a function, and which code a function leads to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable

# Calls between a caller and the code it reaches; real projects need three or four.
MAX_ROUNDS = 8
# Names that nearly always mean a method of a list, a dict, a string or a set.
BUILTIN_METHODS = frozenset(dir(dict) + dir(list) + dir(str) + dir(set))


@dataclass(frozen=True, slots=True)
class FunctionRef:
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
class CallGraph:
    """Calls between the repository's functions; a mention of a name counts as a call."""

    symbols: SymbolTable
    _imports: dict[str, frozenset[str]] = field(default_factory=dict)

    def callers_of(self, names: Iterable[str]) -> set[str]:
        """Return the functions and classes, by name, that may reach one of `names`, and `names`."""
        reached = set(names)
        frontier = set(reached)
        for _ in range(MAX_ROUNDS):
            callers = {
                _called_name(site)
                for source in self.symbols.codebase.production
                # A search in the text is far cheaper than one in the functions' mentions.
                if any(name in source.text for name in frontier)
                for site in source.functions
                if site.mentions & frontier
            }
            frontier = callers - reached
            reached |= frontier
            if not frontier:
                break

        return reached

    def reachable_from(self, starts: Iterable[FunctionRef]) -> list[FunctionRef]:
        """Return the functions that `starts` may lead to, themselves first, without repetitions."""
        reached: dict[tuple[str, int], FunctionRef] = {}
        queue = list(starts)
        while queue:
            function = queue.pop(0)
            if function.key not in reached:
                reached[function.key] = function
                queue.extend(self._callees(function))
        return list(reached.values())

    def _callees(self, function: FunctionRef) -> list[FunctionRef]:
        callees: list[FunctionRef] = []
        for name in sorted(function.site.mentions):
            candidates = self.symbols.functions_by_name.get(name, [])
            callees.extend(self._likely_targets(function.source, name, candidates))
        return callees

    def _likely_targets(
        self, source: SourceFile, name: str, candidates: list[tuple[SourceFile, FunctionSite]]
    ) -> list[FunctionRef]:
        """Return those of the functions with one name that a file most likely calls.

        These are its own, else those of modules it imports, else the only one of that name.
        """
        if not candidates or name in BUILTIN_METHODS:
            return []
        functions = [FunctionRef(*candidate) for candidate in candidates]
        own = [function for function in functions if function.source is source]
        if own:
            return own

        imported_paths = self._imported_files(source)
        imported = [function for function in functions if function.source.path in imported_paths]
        return imported or (functions if len(functions) == 1 else [])

    def _imported_files(self, source: SourceFile) -> frozenset[str]:
        if source.path not in self._imports:
            dotted_names = {
                self.symbols.canonical(name, source) for name in source.imports.values()
            }
            # The imported name is a module, or a name in one.
            modules = [
                self.symbols.find_module(part, source)
                for name in dotted_names
                for part in (name, name.rpartition(".")[0])
            ]
            self._imports[source.path] = frozenset(
                module.path for module in modules if module is not None
            )
        return self._imports[source.path]


def _called_name(site: FunctionSite) -> str:
    """Return the name that a call of the function uses: a constructor is called by its class."""
    if site.node.name == "__init__" and site.owner is not None:
        return site.owner.name
    return site.node.name
