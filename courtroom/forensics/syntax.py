"""Python sources as syntax trees: parsed once, indexed once, never run.

Everything that reads code in this package starts from a `Codebase`. Hostile input is expected: a file that
cannot be parsed is named in `unreadable` with the reason and takes nothing else down with it.
"""

from __future__ import annotations

import ast
import gc
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

# Other cookies (utf-7, unicode_escape, ...) let a comment hide code from whoever reads the file as text.
HONEST_ENCODINGS = frozenset({"utf-8", "utf-8-sig", "iso-8859-1", "ascii"})
VENDORED = frozenset(
    {
        ".venv",
        "venv",
        "env",
        "site-packages",
        "node_modules",
        "__pycache__",
        "dist",
        "build",
        ".tox",
        "vendor",
    }
)
_TEST_FILE = re.compile(r"^(test_.*|.*_test|tests?|conftest)\.py$")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Scope = FunctionNode | ast.ClassDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class FunctionSite:
    """A function where it is written: its class when it is a method, its outer function when it is nested."""

    node: FunctionNode
    qualname: str
    owner: ast.ClassDef | None
    outer: FunctionSite | None


@dataclass(frozen=True, slots=True)
class CallSite:
    node: ast.Call
    function: FunctionSite | None


@dataclass(slots=True)
class SourceFile:
    """One parsed file. `imports` maps a local name to the dotted name it stands for."""

    path: str
    text: str
    tree: ast.Module
    module: str
    calls: list[CallSite] = field(default_factory=list)
    functions: list[FunctionSite] = field(default_factory=list)
    classes: list[ast.ClassDef] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)
    imported_modules: dict[str, int] = field(default_factory=dict)
    star_imports: list[str] = field(default_factory=list)

    @property
    def is_test(self) -> bool:
        return is_test_path(self.path)


@dataclass(slots=True)
class Codebase:
    """All parsed files by path, and why the others could not be read."""

    files: dict[str, SourceFile]
    unreadable: dict[str, str]

    def __iter__(self) -> Iterator[SourceFile]:
        return iter(self.files.values())

    @property
    def production(self) -> list[SourceFile]:
        """Everything that is neither a test nor someone else's package."""
        return [source for source in self if not source.is_test and not is_vendored(source.path)]


def is_test_path(path: str) -> bool:
    """Tests by where they lie (tests/, test/) or by their file's name (test_x.py, x_test.py, conftest.py)."""
    parts = PurePosixPath(path.lower()).parts
    return any(part in {"tests", "test"} for part in parts[:-1]) or bool(_TEST_FILE.match(parts[-1]))


def is_vendored(path: str) -> bool:
    return any(part in VENDORED for part in PurePosixPath(path).parts[:-1])


def parse(sources: Mapping[str, bytes]) -> Codebase:
    """Parse every source; the collector rests meanwhile, because trees are all live and it would walk them."""
    files: dict[str, SourceFile] = {}
    unreadable: dict[str, str] = {}
    gc.disable()
    try:
        for path in sorted(sources):
            try:
                files[path] = parse_file(path, sources[path])
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                unreadable[path] = _why(error)
    finally:
        gc.enable()
    return Codebase(files, unreadable)


def parse_file(path: str, raw: bytes) -> SourceFile:
    text = decode(raw)
    source = SourceFile(path, text, ast.parse(text), module_name(path))
    _index(source)
    return source


def decode(raw: bytes) -> str:
    """The text Python would read. SyntaxError for an encoding that exists to mislead a reader."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    if encoding not in HONEST_ENCODINGS:
        message = f"its encoding cookie names {encoding}, which can hide code from a reader"
        raise SyntaxError(message)
    return raw.decode(encoding)


def module_name(path: str) -> str:
    """src/nodes/judges.py is src.nodes.judges; a package is its folder."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def words_of(text: str) -> list[str]:
    """The lower-case words of an identifier or a sentence: techLeadScore, TECH_LEAD and 'tech lead' agree."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3 \2\4", text)
    return [word for word in re.split(r"[^a-z0-9.]+", spaced.lower()) if word]


def constant_text(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def keyword_of(call: ast.Call, *names: str) -> ast.expr | None:
    return next((given.value for given in call.keywords if given.arg in names), None)


def line_of_call(call: ast.Call) -> int:
    """The line the called name ends on: in a chain over several lines, the line a reader would point at."""
    return call.func.end_lineno or call.lineno


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly inside a node, in the order of the source; whether a name is read or written is left out."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found.extend(item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all nodes inside it, in the order of the source, with an explicit stack."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        inner = children(current)
        inner.reverse()
        stack.extend(inner)


def _why(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        place = f" (line {error.lineno})" if error.lineno else ""
        return f"it does not parse: {error.msg}{place}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not in the encoding it declares"
    if isinstance(error, ValueError):
        return f"it does not parse: {error}"
    return "it is nested too deeply, or too large, to be parsed"


def _index(source: SourceFile) -> None:
    """One walk with an explicit stack (a tree that parses can still be too deep for recursion)."""
    stack: list[tuple[ast.AST, FunctionSite | None, ast.ClassDef | None]] = [(source.tree, None, None)]
    while stack:
        node, function, owner = stack.pop()
        if isinstance(node, ast.Call):
            source.calls.append(CallSite(node, function))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function, owner = _function_site(node, function, owner), None
            source.functions.append(function)
        elif isinstance(node, ast.ClassDef):
            owner = node
            source.classes.append(node)
        elif isinstance(node, ast.Import):
            _note_import(source, node)
        elif isinstance(node, ast.ImportFrom):
            _note_import_from(source, node)
        inner = children(node)
        inner.reverse()
        stack.extend((child, function, owner) for child in inner)


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
