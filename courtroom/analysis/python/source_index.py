"""What one file holds, noted in one walk: calls, functions, classes, texts, imports."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from courtroom.analysis.python.source_files import CallSite, FunctionNode, FunctionSite, SourceFile
from courtroom.analysis.python.tree_walk import push_below

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def index(source: SourceFile) -> None:
    """One walk with explicit stacks (a tree that parses can still be too deep for recursion), scope by scope."""
    scopes: list[_ScopeWalk] = [_ScopeWalk(source, source.tree, None, None)]
    while scopes:
        scopes += scopes.pop().walk()
    source.calls.sort(key=lambda site: (site.node.lineno, site.node.col_offset))
    source.functions.sort(key=lambda site: site.node.lineno)
    source.classes.sort(key=lambda node: node.lineno)
    source.strings.sort(key=lambda found: found[0].lineno)


@dataclass(slots=True)
class _ScopeWalk:
    """The nodes of one module, class or function, without those of the scopes inside it."""

    source: SourceFile
    root: ast.Module | ast.ClassDef | FunctionNode
    function: FunctionSite | None
    owner: ast.ClassDef | None

    def walk(self) -> list[_ScopeWalk]:
        inner: list[_ScopeWalk] = []
        stack: list[ast.AST] = []
        push_below(self.root, stack)
        while stack:
            node = stack.pop()
            if isinstance(node, SCOPES):
                inner.append(self._enter(node))
                continue
            note = _NOTES.get(node.__class__)
            if note is not None:
                note(self, node)
            push_below(node, stack)
        return inner

    def _enter(self, node: ast.ClassDef | FunctionNode) -> _ScopeWalk:
        if isinstance(node, ast.ClassDef):
            self.source.classes.append(node)
            return _ScopeWalk(self.source, node, self.function, node)
        site = _function_site(node, self.function, self.owner)
        self.source.functions.append(site)
        return _ScopeWalk(self.source, node, site, None)

    def note_call(self, node: ast.Call) -> None:
        self.source.calls.append(CallSite(node, self.function))

    def note_name(self, node: ast.Name) -> None:
        if self.function is not None:
            self.function.note_mention(node.id)

    def note_attribute(self, node: ast.Attribute) -> None:
        if self.function is not None:
            self.function.note_mention(node.attr)

    def note_constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.source.strings.append((node, self.function))

    def note_import(self, node: ast.Import) -> None:
        _note_import(self.source, node)

    def note_import_from(self, node: ast.ImportFrom) -> None:
        _note_import_from(self.source, node)


_NOTES: dict[type, Callable[..., None]] = {
    ast.Call: _ScopeWalk.note_call,
    ast.Name: _ScopeWalk.note_name,
    ast.Attribute: _ScopeWalk.note_attribute,
    ast.Constant: _ScopeWalk.note_constant,
    ast.Import: _ScopeWalk.note_import,
    ast.ImportFrom: _ScopeWalk.note_import_from,
}


def _function_site(
    node: FunctionNode, outer: FunctionSite | None, owner: ast.ClassDef | None
) -> FunctionSite:
    prefix = f"{outer.qualname}." if outer else ""
    middle = f"{owner.name}." if owner else ""
    return FunctionSite(node, f"{prefix}{middle}{node.name}", owner, outer)


def _note_import(source: SourceFile, node: ast.Import) -> None:
    for alias in node.names:
        source.imported_modules.setdefault(alias.name, node.lineno)
        if alias.asname:
            source.imports[alias.asname] = alias.name
        else:
            top = alias.name.partition(".")[0]
            source.imports[top] = top


def _note_import_from(source: SourceFile, node: ast.ImportFrom) -> None:
    base = absolute_module(source, node)
    for alias in node.names:
        if alias.name == "*":
            source.star_imports.append(base)
            source.imported_modules.setdefault(base, node.lineno)
            continue
        dotted = f"{base}.{alias.name}" if base else alias.name
        source.imported_modules.setdefault(dotted, node.lineno)
        # in try/except ImportError the first import is the one meant
        source.imports.setdefault(alias.asname or alias.name, dotted)


def absolute_module(source: SourceFile, node: ast.ImportFrom) -> str:
    """The module of a `from` import; relative ones are resolved against the file's own package."""
    if not node.level:
        return node.module or ""
    parts = source.module.split(".")
    if not source.path.endswith("__init__.py"):
        parts = parts[:-1]
    parts = parts[: len(parts) - (node.level - 1)] if node.level > 1 else parts
    return ".".join([*parts, *([node.module] if node.module else [])])
