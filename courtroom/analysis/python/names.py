"""What a name in a file stands for: imports, aliases and re-exports followed to one dotted name.

`os.system` is `os.system` however it was imported; a class re-exported by a package is the class itself.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cached_property

from courtroom.analysis.python.source_files import CallSite, Codebase, FunctionSite, SourceFile

MAX_REEXPORTS = 6
# No written class has so many; without an end, a generated chain of thousands takes minutes.
MOST_ANCESTORS = 30


@dataclass(frozen=True, slots=True)
class ClassSite:
    source: SourceFile
    node: ast.ClassDef


@dataclass
class Names:
    """Resolves names over a whole codebase. Dotted names of the repository's own things start with a module."""

    codebase: Codebase
    _modules: dict[str, SourceFile | None] = field(default_factory=dict)

    @cached_property
    def by_module(self) -> dict[str, SourceFile]:
        return {source.module: source for source in self.codebase}

    @cached_property
    def by_last_part(self) -> dict[str, list[SourceFile]]:
        table: dict[str, list[SourceFile]] = {}
        for source in self.codebase:
            table.setdefault(source.module.rpartition(".")[2], []).append(source)
        return table

    @cached_property
    def functions_by_name(self) -> dict[str, list[tuple[SourceFile, FunctionSite]]]:
        table: dict[str, list[tuple[SourceFile, FunctionSite]]] = {}
        for source in self.codebase.production:
            for site in source.functions:
                table.setdefault(site.node.name, []).append((source, site))
        return table

    def module(self, dotted: str, seen_from: SourceFile | None = None) -> SourceFile | None:
        """The file of a module: by its path from the root, from the importing folder, or as a unique suffix."""
        if dotted in self.by_module:
            return self.by_module[dotted]
        if seen_from is not None:
            package = seen_from.module.rpartition(".")[0]
            beside = f"{package}.{dotted}" if package else dotted
            if beside in self.by_module:
                return self.by_module[beside]
        if dotted not in self._modules:
            self._modules[dotted] = self._by_suffix(dotted)
        return self._modules[dotted]

    def _by_suffix(self, dotted: str) -> SourceFile | None:
        candidates = self.by_last_part.get(dotted.rpartition(".")[2], [])
        found = [source for source in candidates if source.module.endswith(f".{dotted}")]
        return found[0] if len(found) == 1 else None

    def dotted(self, source: SourceFile, node: ast.expr | None) -> str:
        """The dotted name of `a`, `a.b.c` or `a().b` as far as names go; "" for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        head = source.imports.get(node.id)
        if head is None and node.id not in self.bound_in(source):
            head = self._through_stars(source, node.id)
        parts.append(head or node.id)
        return self.canonical(".".join(reversed(parts)), source)

    def bound_in(self, source: SourceFile) -> dict[str, ast.stmt]:
        """Names that the module itself defines at its top level (the last definition of each)."""
        if source.path not in self._bound:
            self._bound[source.path] = _top_level_names(source.tree)
        return self._bound[source.path]

    @cached_property
    def _bound(self) -> dict[str, dict[str, ast.stmt]]:
        return {}

    def _through_stars(self, source: SourceFile, name: str) -> str | None:
        for module in source.star_imports:
            origin = self.module(module, source)
            if origin and (name in self.bound_in(origin) or name in origin.imports):
                return f"{origin.module}.{name}"
        return None

    def canonical(self, dotted: str, seen_from: SourceFile | None = None) -> str:
        """Follow re-exports: the package's `Evidence` is the module's `Evidence`."""
        for _ in range(MAX_REEXPORTS):
            base, _, name = dotted.rpartition(".")
            origin = self.module(base, seen_from) if base else None
            if origin is None:
                return dotted
            if name not in origin.imports:
                return f"{origin.module}.{name}"
            dotted, seen_from = origin.imports[name], origin
        return dotted

    def calls(self, source: SourceFile) -> list[tuple[CallSite, str]]:
        """Every call of a file with the dotted name it calls ("" when it is not a plain name)."""
        if source.path not in self._calls:
            self._calls[source.path] = [
                (site, self.dotted(source, site.node.func)) for site in source.calls
            ]
        return self._calls[source.path]

    @cached_property
    def _calls(self) -> dict[str, list[tuple[CallSite, str]]]:
        return {}

    def classes_named(self, source: SourceFile, node: ast.expr) -> ClassSite | None:
        """The repository's own class that an expression names, if it is one."""
        dotted = self.dotted(source, node)
        if not dotted:
            return None
        base, _, name = dotted.rpartition(".")
        origin = self.module(base, source) if base else source
        if origin is None:
            return None
        if origin.path not in self._classes:
            self._classes[origin.path] = {known.name: known for known in origin.classes}
        found = self._classes[origin.path].get(name)
        return ClassSite(origin, found) if found else None

    @cached_property
    def _classes(self) -> dict[str, dict[str, ast.ClassDef]]:
        return {}

    def bases(self, source: SourceFile, node: ast.ClassDef) -> list[str]:
        """Every dotted base of a class, through MOST_ANCESTORS of the repository's own classes, nearest first."""
        found: list[str] = []
        queue: list[tuple[SourceFile, ast.ClassDef]] = [(source, node)]
        seen = {(source.path, node.lineno)}
        while queue and len(seen) <= MOST_ANCESTORS:
            home, current = queue.pop(0)
            for base in current.bases:
                expression = base.value if isinstance(base, ast.Subscript) else base
                found.append(self.dotted(home, expression))
                own = self.classes_named(home, expression)
                if own and (own.source.path, own.node.lineno) not in seen:
                    seen.add((own.source.path, own.node.lineno))
                    queue.append((own.source, own.node))
        return found


def _top_level_names(tree: ast.Module) -> dict[str, ast.stmt]:
    names: dict[str, ast.stmt] = {}
    stack: list[ast.stmt] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.Assign):
            names.update(
                (target.id, node) for target in node.targets if isinstance(target, ast.Name)
            )
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = node
        elif isinstance(node, ast.If | ast.Try | ast.With):
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            handlers = [s for h in getattr(node, "handlers", []) for s in h.body]
            stack.extend(reversed([*inner, *handlers]))
    return names
