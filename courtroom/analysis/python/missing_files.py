"""Reads of a file of the work's own that its tree does not have: the path is made of constants.

A path begins at `__file__` or in the directory that the program runs in. What the code looks for
first, catches, writes or may be given is left out.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    values_set_once,
    walk,
)

OPENERS = frozenset({"open", "io.open", "codecs.open"})
_READERS = frozenset({"read_text", "read_bytes"})
_SAME_PATH = frozenset(
    {
        "str",
        "os.fspath",
        "os.path.abspath",
        "os.path.realpath",
        "os.path.normpath",
        "pathlib.Path",
        "pathlib.PurePath",
    }
)
_RUN_IN = frozenset({"os.getcwd", "pathlib.Path.cwd"})
_SAME_PATH_METHODS = frozenset({"resolve", "absolute", "as_posix"})
# A function with one of these looks first whether the file is there.
_LOOKS_FIRST = frozenset(
    {"access", "exists", "glob", "is_file", "isfile", "iterdir", "listdir", "rglob", "stat"}
)
_CATCHES = frozenset(
    {
        "BaseException",
        "EnvironmentError",
        "Exception",
        "FileNotFoundError",
        "IOError",
        "OSError",
        "suppress",
    }
)
_WRITES = re.compile(
    r"write|\bdump\b|copy|move|rename|replace\(|retrieve|download|urlopen|savefig|chdir"
    r"|open\([^)\n]{1,200},\s*(?:mode=)?[\"'][wax][bt+]*[\"']"
)
# Parts of a path: `p = p / p` doubles them with each line.
MOST_STEPS = 30
Tried = ast.Try | ast.TryStar


@dataclass(frozen=True, slots=True)
class OwnPath:
    """Path within the tree; without an anchor, in the directory that the program runs in."""

    path: str
    is_anchored: bool


@dataclass(frozen=True, slots=True)
class _Scope:
    """Names that an expression is read in: those of the function, if any, and of the file."""

    source: SourceFile
    function: ast.AST | None = None


@dataclass(slots=True)
class MissingFiles:
    """Search of a work's functions for reads of files that its tree does not have."""

    symbols: SymbolTable
    # Names of a function or a file that are set once, with their values, by the id of its node.
    _values: dict[int, dict[str, ast.expr]] = field(default_factory=dict)
    _steps_left: int = 0

    def reads_in(
        self, source: SourceFile, function: FunctionSite
    ) -> Iterator[tuple[FailingLine, str]]:
        """Yield the lines that open a file that the tree does not have, with its path."""
        is_reading = function.mentions & {"open", *_READERS}
        if not is_reading or function.outer or function.mentions & _LOOKS_FIRST:
            return
        scope = _Scope(source, function.node)
        caught = {id(node) for node in _caught_nodes(function.node)}
        for node in walk(function.node):
            if not isinstance(node, ast.Call) or id(node) in caught:
                continue
            opened = self._opened(scope, node)
            path = self._missing(opened) if opened is not None else ""
            if path and not self._may_be_there(function, path):
                why = f"opens {path}, which the repository does not have"
                yield FailingLine(node.lineno, why, mark_of(node)), path

    def _opened(self, scope: _Scope, call: ast.Call) -> OwnPath | None:
        """Return the path that a call opens for reading."""
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if self.symbols.dotted_name(scope.source, call.func) in OPENERS:
            path, place = (call.args[0] if call.args else None), 1
        elif isinstance(call.func, ast.Attribute) and method in {*_READERS, "open"}:
            path, place = call.func.value, 0
        else:
            return None
        mode = call.args[place] if len(call.args) > place else keyword_of(call, "mode")
        is_read = method in _READERS or mode is None or (constant_text(mode) or "w")[0] == "r"
        self._steps_left = MOST_STEPS
        return self._path_of(scope, path) if is_read else None

    def _path_of(self, scope: _Scope, node: ast.expr | None) -> OwnPath | None:
        """Return the path that an expression of constants makes; None where it is anything else."""
        self._steps_left -= 1
        if self._steps_left < 0:
            return None
        text = constant_text(node)
        if text is not None:
            return OwnPath(text, is_anchored=False) if _is_plain(text) else None
        if isinstance(node, ast.Name):
            return self._named(scope, node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return _joined([self._path_of(scope, node.left), self._path_of(scope, node.right)])
        if isinstance(node, ast.Attribute) and node.attr == "parent":
            return _parent(self._path_of(scope, node.value))
        if isinstance(node, ast.Subscript):
            return self._ancestor(scope, node)
        return self._called(scope, node) if isinstance(node, ast.Call) else None

    def _named(self, scope: _Scope, name: ast.Name) -> OwnPath | None:
        """Return the path behind a name that is set once, in the function or in a module."""
        if name.id == "__file__":
            return OwnPath(scope.source.path, is_anchored=True)
        if scope.function is not None and name.id in _names_set(scope.function):
            value = self._values_of(scope.function).get(name.id)
            return self._path_of(scope, value) if value is not None else None
        module, _, own = self.symbols.dotted_name(scope.source, name).rpartition(".")
        home = self.symbols.find_module(module, scope.source) if module else scope.source
        value = self._values_of(home.tree).get(own) if home is not None else None
        return self._path_of(_Scope(home), value) if home is not None and value else None

    def _ancestor(self, scope: _Scope, node: ast.Subscript) -> OwnPath | None:
        """Return the path of `path.parents[2]`."""
        if not isinstance(node.value, ast.Attribute) or node.value.attr != "parents":
            return None
        depth = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if not isinstance(depth, int) or not 0 <= depth < MOST_STEPS:
            return None
        path = self._path_of(scope, node.value.value)
        for _ in range(depth + 1):
            path = _parent(path)
        return path

    def _called(self, scope: _Scope, call: ast.Call) -> OwnPath | None:
        dotted = self.symbols.dotted_name(scope.source, call.func)
        if call.keywords:
            return None
        if dotted in _RUN_IN:
            return OwnPath(".", is_anchored=False)
        parts = [self._path_of(scope, argument) for argument in call.args]
        if dotted == "os.path.dirname" and len(parts) == 1:
            return _parent(parts[0])
        if parts and (dotted == "os.path.join" or dotted in _SAME_PATH):
            return _joined(parts)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method == "joinpath" or (method in _SAME_PATH_METHODS and not parts):
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            return _joined([self._path_of(scope, owner), *parts])
        return None

    def _values_of(self, node: ast.AST) -> dict[str, ast.expr]:
        if id(node) not in self._values:
            self._values[id(node)] = values_set_once(node)
        return self._values[id(node)]

    def _missing(self, opened: OwnPath) -> str:
        """Return the path in the tree; "" where a file may be there, or where the path leaves it."""
        path, paths = posixpath.normpath(opened.path), self.symbols.codebase.paths
        if not opened.is_anchored:
            path = re.sub(r"^(?:\.\./)+", "", path)
            moves = any("chdir(" in source.text for source in self.symbols.codebase)
            if moves or any(other.endswith(f"/{path}") for other in paths):
                return ""
        above = path.split("/")[:-1]
        # The tree has a single path for a link or a submodule.
        is_below_link = any("/".join(above[:n]) in paths for n in range(1, len(above) + 1))
        is_no_file = path.startswith("..") or "." not in posixpath.basename(path)
        # Systems without case in file names take a path in other letters.
        is_there = path.lower() in self.symbols.paths_in_lower_case
        return "" if is_no_file or is_below_link or is_there else path

    def _may_be_there(self, function: FunctionSite, path: str) -> bool:
        """Return whether code may write the file or looks for it, or catches that it is missing."""
        name, called = posixpath.basename(path), function.node.name
        sources = self.symbols.codebase.production
        constants: set[str] = set()
        for source in sources:
            if name in source.text:
                values = self._values_of(source.tree)
                constants |= {own for own, value in values.items() if name in _texts(value)}
        for source in sources:
            if name not in source.text and called not in source.text:
                continue
            for site in source.functions:
                has_path = bool(site.mentions & constants) or name in _texts(site.node)
                text = ast.get_source_segment(source.text, site.node) if has_path else None
                looks = (has_path or called in site.mentions) and site.mentions & _LOOKS_FIRST
                if looks or (text and _WRITES.search(text)):
                    return True
            caught = _caught_nodes(source.tree)
            if any(isinstance(n, ast.Call) and called_name(n) == called for n in caught):
                return True
        return False


def _texts(node: ast.AST) -> str:
    return "\n".join(constant_text(inner) or "" for inner in walk(node))


def _caught_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes around which an error about a file is caught."""
    for inner in walk(node):
        if isinstance(inner, Tried) and any(map(_catches, inner.handlers)):
            for statement in inner.body:
                yield from walk(statement)
        elif isinstance(inner, ast.With | ast.AsyncWith):
            managers = (item.context_expr for item in inner.items)
            if any(isinstance(m, ast.Call) and called_name(m) in _CATCHES for m in managers):
                yield from walk(inner)


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or last_name(kind) in _CATCHES for kind in kinds)


def _is_plain(text: str) -> bool:
    is_local = not text.startswith(("/", "~", "\\")) and ":" not in text and "\\" not in text
    return is_local and "{" not in text and len(text) < 300


def _names_set(function: ast.AST) -> set[str]:
    names = {node.arg for node in walk(function) if isinstance(node, ast.arg)}
    return names | {n.id for n in walk(function) if isinstance(n, ast.Name) if not _is_read(n)}


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _joined(parts: Sequence[OwnPath | None]) -> OwnPath | None:
    constants = [part for part in parts if part is not None]
    if (
        not constants
        or len(constants) < len(parts)
        or any(part.is_anchored for part in constants[1:])
    ):
        return None
    return OwnPath(posixpath.join(*(part.path for part in constants)), constants[0].is_anchored)


def _parent(path: OwnPath | None) -> OwnPath | None:
    """Return the folder of a path; only that of a path from `__file__` is sure to be one."""
    if path is None or not path.is_anchored:
        return None
    normal = posixpath.normpath(path.path)
    is_above = posixpath.basename(normal) in {".", ".."}
    folder = posixpath.join(normal, "..") if is_above else posixpath.dirname(normal) or "."
    return OwnPath(folder, is_anchored=True)
