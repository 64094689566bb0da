"""The code that is the submission: what is not set apart, and whatever that code reaches.

Tests, fixtures, examples, benchmarks, archives, generated and vendored code are set apart by their
place. Imports from the product bring a file back wherever it lies, so that no code is hidden by the
name of its folder. Where nothing else is the product, the examples are.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.langgraph.state_flow.broken_imports import broken_imports
from courtroom.analysis.project.aside_kinds import Aside, aside_paths
from courtroom.analysis.project.entry_points import (
    BY_ITSELF,
    SURE,
    EntryPoint,
    declarations_in,
    entry_points,
)
from courtroom.analysis.project.globs import matches
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.source_files import IMPORTABLE_VENDORED, VENDORED, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, walk

# Kinds that are the product where no other code is, the likeliest first.
FREED_ORDER = ("example", "archive", "benchmark", "vendored", "generated", "fixture", "test")
NEVER_PRODUCT = ("test", "vendored", "generated")
MOST_ROWS = 60
MOST_IMPORTED = 200  # files of one vendored folder
LONGEST_NAME = 200  # characters of a string that may name a module or file
# Modules of an application that Django loads without an import.
DJANGO_MODULES = ("", ".apps", ".models", ".admin")
LICENCES = ("**/LICENSE*", "**/LICENCE*", "**/COPYING*", "**/*.dist-info/METADATA")
# Files of a project that is no product by itself.
_TOOLING = frozenset({"setup.py", "conftest.py", "noxfile.py", "tasks.py", "__init__.py"})
# Modules by which a file may run others without an import of them.
_STARTERS = frozenset({"os", "importlib", "runpy", "subprocess", "pkgutil", "multiprocessing"})
# Methods that run a compiled graph.
_GRAPH_CALLS = frozenset({"invoke", "ainvoke", "stream", "astream"})
_WORDS = {
    "pyproject": "that a script of the package starts",
    "langgraph": "that langgraph.json names",
    "container": "that a container's command starts",
    "makefile": "that a Makefile or a shell script starts",
    "readme": "that a command of the README starts",
    "main_block": "with a block for __main__",
    "streamlit": "with a page of Streamlit outside its functions",
}


@dataclass(slots=True)
class Scope:
    """Split of a submission into the product and the rest.

    `aside` holds all paths but the product, `reached` the files set apart by name that the product
    runs, `unreached` those to which no import leads from an entry point; `main` is the chosen entry
    point, for the `reason`.
    """

    aside: dict[str, Aside]
    entries: list[EntryPoint] = field(default_factory=list)
    reaches: dict[str, int] = field(default_factory=dict)
    reached: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    main: EntryPoint | None = None
    reason: str = ""
    product_files: int = 0

    @property
    def as_fact(self) -> dict[str, Any]:
        """The fields of project_facts.SubmissionScope."""
        return {
            "main": self.main.target if self.main else None,
            "reason": self.reason,
            "entry_points": [
                {
                    "path": entry.path,
                    "line": entry.line,
                    "target": entry.target,
                    "declared_by": entry.declared_by,
                    "reaches": self.reaches[entry.target],
                }
                for entry in self.entries[:MOST_ROWS]
            ],
            "product_files": self.product_files,
            "reached": list(self.reached[:MOST_ROWS]),
            "unreached": list(self.unreached[:MOST_ROWS]),
            "aside": _groups(self.aside)[:MOST_ROWS],
        }


def read_scope(symbols: SymbolTable, paths: list[str], texts: Mapping[str, str]) -> Scope:
    """Tell the product apart; `texts` are the files that `needed_paths` names."""
    aside = aside_paths(paths, texts.get(".gitattributes", ""))
    freed = _kind_to_free(symbols, aside)
    if freed:
        aside = aside_paths(paths, texts.get(".gitattributes", ""), freed)
    return _ScopeReader(symbols, paths, texts, aside).read()


def needed_paths(paths: list[str]) -> list[str]:
    return [".gitattributes", *declarations_in(paths)]


def imported_vendored(paths: Iterable[str], contents: Mapping[str, bytes]) -> list[str]:
    """Return the Python files of folders such as build/ that the other files import from.

    Such folders mostly hold installed code, and nobody may hide a product there.
    """
    folders: dict[str, list[str]] = {}
    for path in paths:
        top = path.partition("/")[0]
        if top in IMPORTABLE_VENDORED and VENDORED.isdisjoint(PurePosixPath(path).parts[1:]):
            folders.setdefault(top, []).append(path)
    imported: list[str] = []
    for folder, files in folders.items():
        words = [f"{word} {folder}{end}".encode() for word in ("from", "import") for end in "., \n"]
        if any(word in content for content in contents.values() for word in words):
            imported += files[:MOST_IMPORTED]
    return imported


def _kind_to_free(symbols: SymbolTable, aside: Mapping[str, Aside]) -> str:
    """Return the kind of folder that holds the product where no code is outside of all kinds."""
    paths = [p for p in symbols.codebase.files if PurePosixPath(p).name not in _TOOLING]
    kinds = {aside[path].kind for path in paths if path in aside}
    if not paths or any(path not in aside for path in paths):
        return ""
    return next(kind for kind in FREED_ORDER if kind in kinds)


@dataclass
class _ScopeReader:
    symbols: SymbolTable
    paths: list[str]
    texts: Mapping[str, str]
    aside: dict[str, Aside]
    _edges: dict[str, set[str]] = field(default_factory=dict)

    def read(self) -> Scope:
        kinds = {
            path: k for path, k in declarations_in(self.paths).items() if path not in self.aside
        }
        declared = entry_points(self.symbols.codebase, kinds, self.texts)
        sure = [entry.target for entry in declared if entry.declared_by in SURE]
        own = [path for path in self.symbols.codebase.files if path not in self.aside]
        product = self.reach([*own, *sure])
        product |= self.reach(self._scripts_set_apart(declared, product))

        entries = [entry for entry in declared if entry.target in product]
        is_idle = bool(entries) and all(self._is_idle(entry, product) for entry in entries)
        reaches = {entry.target: len(self.reach([entry.target]) & product) for entry in entries}
        main, reason = self._runnable_choice(entries, reaches, len(product))
        if is_idle:
            entries, reaches, main = [], {}, None
            reason = "No entry point was recognised: what is run as a script reaches no other file."
        reached = tuple(sorted(path for path in product if path in self.aside))
        return Scope(
            self._without(product),
            entries,
            reaches,
            reached,
            self._unreached(product, reaches),
            main,
            reason,
            len(product),
        )

    def _is_idle(self, entry: EntryPoint, product: Collection[str]) -> bool:
        """Return true for a script of the standard library alone beside a larger product."""
        if entry.declared_by != "main_block":
            return False
        path, source = entry.target, self.symbols.codebase.files[entry.target]
        modules = {module.partition(".")[0] for module in source.imported_modules}
        others = set(product) - {path}
        return (
            self._size([path]) < self._size(others)
            and modules <= sys.stdlib_module_names - _STARTERS
            and not any(name in source.text for name in ("__import__", "exec("))
            and others.isdisjoint(self.reach([path]))
        )

    def _unreached(self, product: Collection[str], starts: Iterable[str]) -> tuple[str, ...]:
        """Return the files of the product that no entry point imports; () without an entry point."""
        starts = list(starts)
        reached = self.reach(starts)
        left = (path for path in product if PurePosixPath(path).name not in _TOOLING)
        return tuple(sorted(path for path in left if starts and path not in reached))

    def _runnable_choice(
        self, entries: list[EntryPoint], reaches: Mapping[str, int], files: int
    ) -> tuple[EntryPoint | None, str]:
        """Return the choice among entry points that can be imported, where there are any.

        The reason names the surer ones that cannot.
        """
        faults = {target: self._broken_import(target) for target in reaches}
        runnable = [entry for entry in entries if not faults[entry.target]]
        main, reason = self._choice(runnable or entries, reaches, files)
        if len({entry.target for entry in runnable}) == 1 < len(reaches):
            reason = "It is the only entry point that can be imported."
        if main is None or not runnable:
            return main, reason
        surer = dict.fromkeys(e.target for e in entries if _rank(e) < _rank(main))
        broken = [f"{faults[target]}." for target in surer if faults[target]]
        return main, " ".join([reason, *broken])

    def _choice(
        self, entries: Sequence[EntryPoint], reaches: Mapping[str, int], files: int
    ) -> tuple[EntryPoint | None, str]:
        """Return the entry point that is taken as the product's, and why.

        Of several that are declared as surely one that calls the graph comes first.
        """
        if not entries:
            none = "No entry point was recognised among the files of the work: all code that is not set apart is the product."
            return None, none
        surest = min(map(_rank, entries))
        equals = {entry.target for entry in entries if _rank(entry) == surest}
        callers = (
            {path for path in equals if self._calls_graph(path)} if len(equals) > 1 else equals
        )
        best = callers or equals
        main = min(
            (entry for entry in entries if entry.target in best and _rank(entry) == surest),
            key=lambda e: (-reaches[e.target], e.target.count("/")),
        )
        count = len({entry.target for entry in entries})
        if count == 1:
            return main, "It is the only entry point."
        declared = f"It is a file {_WORDS[main.declared_by]}"
        if len(equals) == 1:
            return main, f"{declared}, the surest sign among {count} candidates."
        most = reaches[main.target]
        is_tie = sum(reaches[target] == most for target in best) > 1
        reach = (
            f"no other one has more Python files with what it imports ({most} of {files})"
            if is_tie
            else f"with what it imports it has the most Python files ({most} of {files})"
        )
        # Commands of all kinds are as sure: the first kind of each file is named.
        kinds = {entry.target: entry.declared_by for entry in reversed(entries)}
        ordered = dict.fromkeys(e.declared_by for e in entries if e.target in equals)
        starts = " or ".join(_WORDS[kind] for kind in ordered if kind in map(kinds.get, equals))
        of_equals = f"It is one of {len(equals)} files of the product {starts}"
        if best == equals:
            return main, f"{of_equals}; {reach}."
        if len(best) == 1:
            return main, f"{of_equals}; it alone calls the graph."
        return main, f"{of_equals}; {len(best)} of them call the graph, and {reach}."

    def _calls_graph(self, path: str) -> bool:
        """Return whether calls lead from the file to one that runs a graph, imported or its own."""
        source = self.symbols.codebase.files[path]
        functions = self._calls.reachable_from(FunctionRef(source, s) for s in source.functions)
        code = [(source, source.tree), *((f.source, f.site.node) for f in functions)]
        return any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _GRAPH_CALLS
            and self._sees_graph(home)
            for home, tree in code
            for node in walk(tree)
        )

    def _sees_graph(self, source: SourceFile) -> bool:
        files = self.symbols.codebase.files
        return any(
            "StateGraph" in files[p].text for p in (source.path, *self._imported(source.path))
        )

    @cached_property
    def _calls(self) -> CallGraph:
        return CallGraph(self.symbols)

    def _broken_import(self, path: str) -> str:
        """Return a sentence on the first import of a file itself that fails, "" without one.

        What fails further in may be what people run and have to mend.
        """
        broken = broken_imports(self.symbols, [self.symbols.codebase.files[path]])
        own = (f for f in broken if path in {f.path, *(place for place, _ in f.places)})
        return next((fault.sentence for fault in own), "")

    def _scripts_set_apart(self, entries: list[EntryPoint], product: set[str]) -> Iterator[str]:
        """Yield the scripts in examples and archives that are the product all the same.

        An example shows a product: it uses it and is smaller. A script that does neither is run
        for itself, where a command names it or nothing else can be run.
        """
        has_own = any(entry.target in product for entry in entries)
        size = self._size(product)
        for entry in entries:
            kind = self.aside[entry.target].kind if entry.target in self.aside else ""
            if not kind or kind in NEVER_PRODUCT or entry.target in product:
                continue
            reach = self.reach([entry.target])
            is_larger = self._size(reach - product) > size
            is_run_for_itself = entry.declared_by not in BY_ITSELF or not has_own
            if is_larger or (is_run_for_itself and not reach & product):
                yield entry.target

    def _size(self, paths: Iterable[str]) -> int:
        files = self.symbols.codebase.files
        return sum(files[path].text.count("\n") for path in paths)

    def _without(self, product: Collection[str]) -> dict[str, Aside]:
        """Return what is set apart, without the product and the data beside such modules."""
        folders = {
            str(PurePosixPath(path).parent)
            for path in product
            if path in self.aside and self.aside[path].kind not in NEVER_PRODUCT
        }
        return {
            path: entry
            for path, entry in self.aside.items()
            if path not in product
            and (path.endswith(".py") or str(PurePosixPath(path).parent) not in folders)
        }

    def reach(self, starts: Iterable[str]) -> set[str]:
        reached: set[str] = set()
        stack = list(starts)
        while stack:
            path = stack.pop()
            if path not in reached:
                reached.add(path)
                stack += self._imported(path) - reached
        return reached

    def _imported(self, path: str) -> set[str]:
        if path not in self._edges:
            source = self.symbols.codebase.files[path]
            self._edges[path] = {
                target
                for target in (
                    *self._by_imports(source),
                    *self._by_strings(source),
                    *self._installed_apps(source),
                )
                if target is not None and self._may_bring(source, target)
            }
        return self._edges[path]

    def _by_imports(self, source: SourceFile) -> Iterator[str]:
        for dotted in (*source.imported_modules, *source.star_imports):
            target = self._module(source, dotted) or self._module(source, dotted.rpartition(".")[0])
            if target is not None:
                yield target.path
                yield from self._packages_of(target.path)

    def _module(self, source: SourceFile, dotted: str) -> SourceFile | None:
        """Return the file of a module as Python finds it: from the root, or from a folder above."""
        if not dotted:
            return None
        modules = self.symbols.by_module
        if dotted in modules:
            return modules[dotted]
        folder = source.module
        while "." in folder:
            folder = folder.rpartition(".")[0]
            if f"{folder}.{dotted}" in modules:
                return modules[f"{folder}.{dotted}"]
        if dotted.partition(".")[0] in sys.stdlib_module_names:
            return None
        # From a folder that the program puts on its path, or that it is installed from.
        module = self.symbols.find_module(dotted)
        if module is not None and module.path in self.aside and "." not in dotted:
            return module if "sys.path" in source.text else None
        return module

    def _packages_of(self, path: str) -> Iterator[str]:
        """Yield the packages that Python runs before a module of theirs."""
        for parent in PurePosixPath(path).parents:
            if (package := str(parent / "__init__.py")) in self.symbols.codebase.files:
                yield package

    def _by_strings(self, source: SourceFile) -> Iterator[str]:
        """Yield modules and files set apart that a string names: a dynamic import, a command."""
        for constant, _ in source.strings:
            text = str(constant.value)
            if len(text) > LONGEST_NAME or ("." not in text and "/" not in text):
                continue
            name = text.partition(":")[0]
            target = self._names.get(name) or self._names.get(name.rpartition(".")[0])
            if target:
                yield target

    def _installed_apps(self, source: SourceFile) -> Iterator[str]:
        """Yield the modules that Django loads of the applications in INSTALLED_APPS."""
        if "INSTALLED_APPS" not in source.text:
            return
        for node in source.tree.body:
            targets = (
                node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            )
            if not any(isinstance(t, ast.Name) and t.id == "INSTALLED_APPS" for t in targets):
                continue
            for name in filter(None, map(constant_text, walk(node))):
                modules = (self.symbols.by_module.get(f"{name}{part}") for part in DJANGO_MODULES)
                yield from (module.path for module in modules if module is not None)

    @cached_property
    def _names(self) -> dict[str, str]:
        """Paths and dotted modules to their files, without tests."""
        sources = [
            source
            for source in self.symbols.codebase
            if source.path not in self.aside or self.aside[source.path].kind != "test"
        ]
        names = {source.path: source.path for source in sources}
        return names | {s.module: s.path for s in sources if "." in s.module}

    def _may_bring(self, source: SourceFile, target: str) -> bool:
        """Tests that a runner of tests runs, and other people's code, do not become the product."""
        kind = self.aside[target].kind if target in self.aside else ""
        if kind == "vendored":
            return self._licensed.isdisjoint(map(str, PurePosixPath(target).parents))
        return kind != "test" or "test" not in PurePosixPath(source.path).stem.lower()

    @cached_property
    def _licensed(self) -> set[str]:
        """Folders below the root with a licence of their own: code that others wrote."""
        return {
            str(PurePosixPath(path).parent)
            for path in self.paths
            if "/" in path and matches(path, LICENCES)
        }


def _rank(entry: EntryPoint) -> int:
    """Return 0 for a manifest's declaration, 1 for a command of people, 2 for a script or page."""
    if entry.declared_by in ("pyproject", "langgraph"):
        return 0
    return 2 if entry.declared_by in BY_ITSELF else 1


def _groups(aside: Mapping[str, Aside]) -> list[dict[str, Any]]:
    """Return what is set apart by kind and topmost place, most files first."""
    counts: dict[Aside, int] = {}
    for entry in aside.values():
        counts[entry] = counts.get(entry, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0].place))
    return [
        {"path": entry.place, "kind": entry.kind, "reason": entry.reason, "files": files}
        for entry, files in ordered
    ]
