"""Symbol table of a repository: imports, aliases and re-exports resolved to one dotted name.

`os.system` is `os.system` however it was imported; a class re-exported by a package is the class
itself.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from courtroom.analysis.python.missing_modules import missing_modules, twin_of
from courtroom.analysis.python.source_files import CallSite, Codebase, FunctionSite, SourceFile
from courtroom.analysis.python.tree_walk import walk

# A longer chain of re-exports is a circle.
MAX_REEXPORTS = 6
# No written class has so many; without a bound, a generated chain of thousands takes minutes.
MAX_ANCESTORS = 30


@dataclass(frozen=True, slots=True)
class ClassSite:
    source: SourceFile
    node: ast.ClassDef


@dataclass
class SymbolTable:
    """Resolver of names over a whole codebase.

    Dotted names of the repository's own functions and classes start with their module.
    """

    codebase: Codebase
    # Lookups repeat for every name in every file, so each answer is kept.
    _modules_by_suffix: dict[str, SourceFile | None] = field(default_factory=dict)
    _top_level_names: dict[str, dict[str, ast.stmt]] = field(default_factory=dict)
    _calls: dict[str, list[tuple[CallSite, str]]] = field(default_factory=dict)
    _classes: dict[str, dict[str, ast.ClassDef]] = field(default_factory=dict)

    @cached_property
    def by_module(self) -> dict[str, SourceFile]:
        return {source.module: source for source in self.codebase}

    @cached_property
    def missing_modules(self) -> frozenset[str]:
        return missing_modules(self)

    @cached_property
    def paths_in_lower_case(self) -> dict[str, str]:
        return {path.lower(): path for path in sorted(self.codebase.paths, reverse=True)}

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
            replaced = _replaced_in(source)
            for site in source.functions:
                if id(site.node) in replaced:
                    continue
                table.setdefault(site.node.name, []).append((source, site))
        return table

    def find_module(self, dotted: str, importer: SourceFile | None = None) -> SourceFile | None:
        """Return a module's file: by its path from the root, beside `importer`, or as a suffix.

        A suffix counts when it is that of one file only; at last a path in other letters, which
        systems without case in file names take.
        """
        if dotted in self.by_module:
            return self.by_module[dotted]

        if importer is not None:
            package = importer.module.rpartition(".")[0]
            sibling = f"{package}.{dotted}" if package else dotted
            if sibling in self.by_module:
                return self.by_module[sibling]

        if dotted not in self._modules_by_suffix:
            module = self._find_by_suffix(dotted) or self._find_in_other_letters(dotted)
            self._modules_by_suffix[dotted] = module
        return self._modules_by_suffix[dotted]

    def _find_by_suffix(self, dotted: str) -> SourceFile | None:
        # `import statistics` is Python's own, though a package has a module of that name.
        if dotted in sys.stdlib_module_names:
            return None
        candidates = self.by_last_part.get(dotted.rpartition(".")[2], [])
        matches = [source for source in candidates if source.module.endswith(f".{dotted}")]
        aside = self.codebase.aside
        if aside is not None and len(matches) > 1:
            matches = [source for source in matches if source.path not in aside]
        return matches[0] if len(matches) == 1 else None

    def _find_in_other_letters(self, dotted: str) -> SourceFile | None:
        # A bare name may be that of a library.
        twin = twin_of(self, dotted) if "." in dotted else ""
        return self.codebase.files.get(twin)

    def dotted_name(self, source: SourceFile, node: ast.expr | None) -> str:
        """Return the dotted name of `a` or `a.b.c`, resolved; "" for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""

        head = source.imports.get(node.id)
        if head is None and node.id not in self.top_level_names(source):
            head = self._resolve_star_import(source, node.id)
        parts.append(head or node.id)
        return self.canonical(".".join(reversed(parts)), source)

    def top_level_names(self, source: SourceFile) -> dict[str, ast.stmt]:
        """Return the names that the module itself defines, each with its last definition."""
        if source.path not in self._top_level_names:
            self._top_level_names[source.path] = _top_level_definitions(source.tree)
        return self._top_level_names[source.path]

    def _resolve_star_import(self, source: SourceFile, name: str) -> str | None:
        for module in source.star_imports:
            origin = self.find_module(module, source)
            if origin and (name in self.top_level_names(origin) or name in origin.imports):
                return f"{origin.module}.{name}"
        return None

    def canonical(self, dotted: str, importer: SourceFile | None = None) -> str:
        """Follow re-exports: the package's `Evidence` is the module's `Evidence`."""
        for _ in range(MAX_REEXPORTS):
            base, _, name = dotted.rpartition(".")
            origin = self.find_module(base, importer) if base else None
            if origin is None:
                return dotted
            if name not in origin.imports:
                # A folder of the repository may be called like a library that is meant.
                is_own = base == origin.module or self._defines(origin, name)
                return f"{origin.module}.{name}" if is_own else dotted
            dotted, importer = origin.imports[name], origin
        return dotted

    def _defines(self, source: SourceFile, name: str) -> bool:
        if name in self.top_level_names(source) or source.star_imports:
            return True
        return f"{source.module}.{name}" in self.by_module

    def calls(self, source: SourceFile) -> list[tuple[CallSite, str]]:
        """Return every call of a file with its dotted name ("" when it is not a plain name)."""
        if source.path not in self._calls:
            self._calls[source.path] = [
                (site, self.dotted_name(source, site.node.func)) for site in source.calls
            ]
        return self._calls[source.path]

    def find_class(self, source: SourceFile, node: ast.expr) -> ClassSite | None:
        """Return the repository's own class that an expression names, if it is one."""
        dotted = self.dotted_name(source, node)
        if not dotted:
            return None
        base, _, name = dotted.rpartition(".")
        origin = self.find_module(base, source) if base else source
        if origin is None:
            return None

        if origin.path not in self._classes:
            self._classes[origin.path] = {c.name: c for c in origin.classes}
        definition = self._classes[origin.path].get(name)
        return ClassSite(origin, definition) if definition else None

    def field_names(self, source: SourceFile, node: ast.ClassDef) -> set[str]:
        """Return annotated or assigned names of a class and of the repository's bases of it."""
        fields: set[str] = set()
        queue = [(source, node)]
        # The queue grows while it is walked; a class is visited once, so a cycle of bases ends.
        for home, current in queue:
            for statement in current.body:
                targets = (
                    statement.targets
                    if isinstance(statement, ast.Assign)
                    else [getattr(statement, "target", None)]
                )
                fields.update(target.id for target in targets if isinstance(target, ast.Name))
            for base in current.bases:
                parent = self.find_class(home, base)
                if parent and all(parent.node is not visited for _, visited in queue):
                    queue.append((parent.source, parent.node))
        return fields

    def base_names(self, source: SourceFile, node: ast.ClassDef) -> list[str]:
        """Return every dotted base of a class, nearest first.

        The bases of the repository's own classes are followed, MAX_ANCESTORS of them at most.
        """
        base_names: list[str] = []
        queue: list[tuple[SourceFile, ast.ClassDef]] = [(source, node)]
        visited = {(source.path, node.lineno)}
        while queue and len(visited) <= MAX_ANCESTORS:
            current_source, current = queue.pop(0)
            for base in current.bases:
                # Generic[T] is the class Generic.
                expression = base.value if isinstance(base, ast.Subscript) else base
                base_names.append(self.dotted_name(current_source, expression))
                parent = self.find_class(current_source, expression)
                if parent and (parent.source.path, parent.node.lineno) not in visited:
                    visited.add((parent.source.path, parent.node.lineno))
                    queue.append((parent.source, parent.node))
        return base_names


def _replaced_in(source: SourceFile) -> frozenset[int]:
    """Return ids of functions that a later one of the same name and block takes the place of.

    What the block uses before the later one, or a decorator keeps, still runs.
    """
    names = Counter((id(site.owner), site.node.name) for site in source.functions)
    if not any(count > 1 for count in names.values()):
        return frozenset()
    replaced: set[int] = set()
    for block in (source.tree.body, *(node.body for node in source.classes)):
        last: dict[str, int] = {}
        for statement in block:
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                names_used = {node.id for node in walk(statement) if isinstance(node, ast.Name)}
                last = {name: key for name, key in last.items() if name not in names_used}
                continue
            if statement.name in last:
                replaced.add(last[statement.name])
            if statement.decorator_list:
                last.pop(statement.name, None)
            else:
                last[statement.name] = id(statement)
    return frozenset(replaced)


def _top_level_definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    definitions: dict[str, ast.stmt] = {}
    stack: list[ast.stmt] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            definitions[node.name] = node
        elif isinstance(node, ast.Assign):
            definitions.update(
                (target.id, node) for target in node.targets if isinstance(target, ast.Name)
            )
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            definitions[node.target.id] = node
        elif isinstance(node, ast.If | ast.Try | ast.With):
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            handlers = [s for h in getattr(node, "handlers", []) for s in h.body]
            stack.extend(reversed([*inner, *handlers]))

    return definitions
