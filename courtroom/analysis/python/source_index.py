"""Index of one file, made in one walk: calls, functions, classes, strings, imports.

The walk also makes the tree compact, before anything refers to its nodes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from courtroom.analysis.python.compact_nodes import with_compact
from courtroom.analysis.python.source_files import CallSite, FunctionNode, FunctionSite, SourceFile
from courtroom.analysis.python.tree_walk import push_compacted

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def index_source(source: SourceFile) -> None:
    """Fill the tables of a file, each in the order of its lines, scope by scope."""
    scopes: list[_ScopeWalk] = [_ScopeWalk(source, source.tree, None, None)]
    while scopes:
        scopes += scopes.pop().walk()

    source.calls.sort(key=lambda site: (site.node.lineno, site.node.col_offset))
    source.functions.sort(key=lambda site: site.node.lineno)
    source.classes.sort(key=lambda node: node.lineno)
    source.strings.sort(key=lambda entry: entry[0].lineno)


@dataclass(slots=True)
class _ScopeWalk:
    """Walk over the nodes of one module, class or function, without the scopes inside it."""

    source: SourceFile
    root: ast.Module | ast.ClassDef | FunctionNode
    function: FunctionSite | None
    owner: ast.ClassDef | None

    def walk(self) -> list[_ScopeWalk]:
        """Index the scope and return the walks of those inside it."""
        inner: list[_ScopeWalk] = []
        stack: list[ast.AST] = []
        push_compacted(self.root, stack)
        while stack:
            node = stack.pop()
            if isinstance(node, _SCOPES):
                inner.append(self._enter(node))
                continue
            index_node = _INDEXERS.get(node.__class__)
            if index_node is not None:
                index_node(self, node)
            push_compacted(node, stack)

        return inner

    def _enter(self, node: ast.ClassDef | FunctionNode) -> _ScopeWalk:
        if isinstance(node, ast.ClassDef):
            self.source.classes.append(node)
            return _ScopeWalk(self.source, node, self.function, node)
        site = _function_site(node, self.function, self.owner)
        self.source.functions.append(site)
        return _ScopeWalk(self.source, node, site, None)

    def index_call(self, node: ast.Call) -> None:
        self.source.calls.append(CallSite(node, self.function))

    def index_name(self, node: ast.Name) -> None:
        if self.function is not None:
            self.function.add_mention(node.id)

    def index_attribute(self, node: ast.Attribute) -> None:
        if self.function is not None:
            self.function.add_mention(node.attr)

    def index_constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.source.strings.append((node, self.function))

    def index_import(self, node: ast.Import) -> None:
        _index_import(self.source, node)

    def index_import_from(self, node: ast.ImportFrom) -> None:
        _index_import_from(self.source, node)


_INDEXERS: dict[type, Callable[..., None]] = with_compact(
    {
        ast.Call: _ScopeWalk.index_call,
        ast.Name: _ScopeWalk.index_name,
        ast.Attribute: _ScopeWalk.index_attribute,
        ast.Constant: _ScopeWalk.index_constant,
        ast.Import: _ScopeWalk.index_import,
        ast.ImportFrom: _ScopeWalk.index_import_from,
    }
)


def _function_site(
    node: FunctionNode, outer: FunctionSite | None, owner: ast.ClassDef | None
) -> FunctionSite:
    prefix = f"{outer.qualname}." if outer else ""
    middle = f"{owner.name}." if owner else ""
    return FunctionSite(node, f"{prefix}{middle}{node.name}", owner, outer)


def _index_import(source: SourceFile, node: ast.Import) -> None:
    for alias in node.names:
        source.imported_modules.setdefault(alias.name, node.lineno)
        if alias.asname:
            source.imports[alias.asname] = alias.name
        else:
            # `import a.b` binds `a`.
            top = alias.name.partition(".")[0]
            source.imports[top] = top


def _index_import_from(source: SourceFile, node: ast.ImportFrom) -> None:
    base = absolute_module(source, node)
    for alias in node.names:
        if alias.name == "*":
            source.star_imports.append(base)
            source.imported_modules.setdefault(base, node.lineno)
            continue
        dotted = f"{base}.{alias.name}" if base else alias.name
        source.imported_modules.setdefault(dotted, node.lineno)
        # In try/except ImportError the first import is the intended one.
        source.imports.setdefault(alias.asname or alias.name, dotted)


def absolute_module(source: SourceFile, node: ast.ImportFrom) -> str:
    """Return the module of a `from` import; relative ones start from the file's own package."""
    if not node.level:
        return node.module or ""

    parts = source.module.split(".")
    if not source.path.endswith("__init__.py"):
        parts = parts[:-1]
    parts = parts[: len(parts) - (node.level - 1)] if node.level > 1 else parts
    return ".".join([*parts, *([node.module] if node.module else [])])
