"""Imports of the repository's own modules that cannot resolve at this commit."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place, joined
from courtroom.analysis.python.missing_modules import (
    certain_imports,
    is_own,
    missing_module,
    twin_of,
)
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.source_index import absolute_module
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import walk

NEAR = 0.7
# Names of LangGraph's modules: the package itself, which has no code, holds none of them.
IN_LANGGRAPH = {
    **dict.fromkeys(("StateGraph", "MessageGraph", "START", "END"), "langgraph.graph"),
    **dict.fromkeys(("Command", "Send"), "langgraph.types"),
    "MemorySaver": "langgraph.checkpoint.memory",
}
# Names that a module may give without defining them.
DYNAMIC = frozenset({"__getattr__", "globals"})


@dataclass(frozen=True, slots=True)
class _Broken:
    """An import that fails: `what` it looks for in vain, from `module` where that is there.

    `home` is the module of LangGraph that has it, where it is looked for in the package.
    """

    source: SourceFile
    line: int
    what: str
    module: SourceFile | None = None
    home: str = ""


def broken_imports(symbols: SymbolTable, starts: list[SourceFile]) -> Iterator[FlowFault]:
    """Yield what fails when the modules of `starts` are imported, the first to fail first.

    What several files look for in vain is one fault, at the file that fails first.
    """
    alike: dict[tuple[str, str], list[_Broken]] = {}
    for broken in _in_order(symbols, starts, set()):
        key = (broken.what, broken.module.path if broken.module is not None else "")
        alike.setdefault(key, []).append(broken)
    for rows in alike.values():
        yield _fault(symbols, rows)


def broken_commands(
    symbols: SymbolTable, entries: Iterable[Mapping[str, Any]], earlier: Iterable[FlowFault]
) -> Iterator[FlowFault]:
    """Yield what fails when a command that a manifest declares is started.

    `entries` are those of project_facts.SubmissionScope. The `earlier` faults are left out.
    """
    reported = {(fault.path, fault.line) for fault in earlier}
    for entry in entries:
        source = symbols.codebase.files.get(entry["target"])
        if entry["declared_by"] != "pyproject" or source is None:
            continue
        for fault in broken_imports(symbols, [source]):
            if (fault.path, fault.line) not in reported:
                reported.add((fault.path, fault.line))
                command = f"; the command that {entry['path']}:{entry['line']} declares fails"
                yield replace(fault, kind="broken_command", sentence=f"{fault.sentence}{command}")


def imported_files(symbols: SymbolTable, starts: list[SourceFile]) -> Iterator[SourceFile]:
    """Yield the files that run when the modules of `starts` are imported."""
    visited: set[str] = set()
    for _ in _in_order(symbols, starts, visited):
        pass
    yield from (symbols.codebase.files[path] for path in sorted(visited))


def _in_order(
    symbols: SymbolTable, starts: list[SourceFile], visited: set[str]
) -> Iterator[_Broken]:
    """Yield the imports that fail in the order in which Python runs them.

    The paths of the files that run come into `visited`.
    """
    for start in starts:
        stack: list[Iterator[SourceFile | _Broken]] = [iter([start])]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
            elif isinstance(step, _Broken):
                yield step
            elif step.path not in visited:
                visited.add(step.path)
                stack.append(_steps_of(symbols, step))


def _steps_of(symbols: SymbolTable, source: SourceFile) -> Iterator[SourceFile | _Broken]:
    """Yield the modules that an import of this one runs, and the imports that fail in it."""
    for node in certain_imports(source.tree):
        base = absolute_module(source, node)
        if base == "langgraph" and not is_own(symbols, base):
            # The first one fails the whole statement.
            names = [alias.name for alias in node.names if alias.name in IN_LANGGRAPH]
            yield from (_Broken(source, node.lineno, n, home=IN_LANGGRAPH[n]) for n in names[:1])
        module = symbols.find_module(base, source)
        missing = missing_module(symbols, source, node)
        is_here = bool(node.level) or is_own(symbols, base)
        if missing or (module is not None and is_here):
            yield from _packages_around(symbols, base, module)
        if missing:
            yield _Broken(source, node.lineno, missing)
        if module is not None and is_here:
            yield module
            yield from _missing_names(symbols, source, node, module)
        yield from _submodules(symbols, source, node, base, module)


def _submodules(
    symbols: SymbolTable,
    source: SourceFile,
    node: ast.ImportFrom,
    base: str,
    module: SourceFile | None,
) -> Iterator[SourceFile]:
    """Yield the own modules that an import takes as names of their package."""
    bound = symbols.top_level_names(module).keys() if module is not None else ()
    for alias in node.names:
        name = f"{base}.{alias.name}"
        part = symbols.find_module(name, source) if alias.name not in bound else None
        if part is not None and (node.level or is_own(symbols, name)):
            yield part


def _packages_around(
    symbols: SymbolTable, base: str, module: SourceFile | None
) -> Iterator[SourceFile]:
    """Yield the packages that Python imports before a module of them, the outer ones first."""
    parts = (module.module if module is not None else base).split(".")
    for count in range(len(parts) - base.count("."), len(parts)):
        package = symbols.by_module.get(".".join(parts[:count]))
        if package is not None and package.path.endswith("/__init__.py"):
            yield package


def _fault(symbols: SymbolTable, rows: Sequence[_Broken]) -> FlowFault:
    first = rows[0]
    files = list(dict.fromkeys(row.source.path for row in rows))
    verb = "imports" if len(files) == 1 else "import"
    what, other = _missing(symbols, first)
    path = first.source.path
    sentence = f"{joined(files)} {verb} {what}"
    places = tuple((row.source.path, row.line) for row in rows[1:])
    return FlowFault("broken_import", sentence, path, first.line, other, places=places)


def _missing(symbols: SymbolTable, broken: _Broken) -> tuple[str, Place | None]:
    """Return what an import looks for in vain, and where that might stand."""
    fails = f"{broken.source.path} cannot be imported"
    if broken.home:
        return f"`{broken.what}` from langgraph, where {broken.home} has it: {fails}", None
    if broken.module is None:
        twin = twin_of(symbols, broken.what)
        if not twin:
            return f"from `{broken.what}`, which does not exist: {fails} at this commit", None
        where = f"where the letters of file names count, as on Linux, {fails}"
        return f"from `{broken.what}`, and the file is {twin}: {where}", (twin, 1)
    names = _names_of(broken.module) or {}
    near = difflib.get_close_matches(broken.what, sorted(names), n=1, cutoff=NEAR)
    instead = f" (it defines `{near[0]}`)" if near else ""
    text = f"`{broken.what}` from {broken.module.path}, which does not define it{instead}:"
    return f"{text} {fails} at this commit", (broken.module.path, names[near[0]] if near else 1)


def _missing_names(
    symbols: SymbolTable, source: SourceFile, node: ast.ImportFrom, module: SourceFile
) -> Iterator[_Broken]:
    at_top = symbols.top_level_names(module).keys() | module.imports.keys() | {"*"}
    # Few names are missing there, and only for these the whole module is read.
    missing = [alias for alias in node.names if alias.name not in at_top]
    names = _names_of(module) if missing and module is not source else None
    for alias in missing if names is not None else ():
        is_submodule = symbols.find_module(f"{module.module}.{alias.name}") is not None
        if names is not None and alias.name not in names and not is_submodule:
            yield _Broken(source, node.lineno, alias.name, module)


def _names_of(module: SourceFile) -> dict[str, int] | None:
    """Return the names that a module binds, with their lines; None where it may bind others."""
    if module.star_imports:
        return None
    names: dict[str, int] = {}
    for node in walk(module.tree):
        # Also names bound in functions by `global`, and in nested blocks: any binding counts.
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node.lineno
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                names.setdefault(node.id, node.lineno)
            elif node.id in DYNAMIC:
                return None
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                names.setdefault(alias.asname or alias.name.partition(".")[0], node.lineno)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.setdefault(node.name, node.lineno)
    # Python gives these to every module.
    special = dict.fromkeys(("__name__", "__file__", "__doc__", "__path__", "__spec__"), 1)
    return None if DYNAMIC & names.keys() else {**special, **names}
