"""Parsed sources of a repository in memory: files, functions, calls, and which are tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

# Folders that hold installed or generated code, which is not the author's.
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
# Endings of files that may hold a whole program.
OTHER_LANGUAGES = (".cpp", ".cs", ".go", ".java", ".js", ".kt", ".php", ".rb", ".rs", ".ts", ".tsx")
# Those that a program may also import from: such a file is read where the code names its folder.
IMPORTABLE_VENDORED = frozenset({"build", "dist", "env", "vendor"})
INSTALLED = VENDORED - IMPORTABLE_VENDORED
_TEST_FILE = re.compile(r"^(test_.*|.*_test|tests?|conftest)\.py$")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Scope = FunctionNode | ast.ClassDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class FunctionSite:
    """Function where it is written.

    `owner` is its class when it is a method, `outer` its function when it is nested. `mentions` are
    all names and attributes in it, those of functions inside it included.
    """

    node: FunctionNode
    qualname: str
    owner: ast.ClassDef | None
    outer: FunctionSite | None
    mentions: set[str] = field(default_factory=set, compare=False)

    def add_mention(self, name: str) -> None:
        # A name that is in the set is in the outer function's set as well.
        if name not in self.mentions:
            self.mentions.add(name)
            if self.outer is not None:
                self.outer.add_mention(name)


@dataclass(frozen=True, slots=True)
class CallSite:
    node: ast.Call
    function: FunctionSite | None


@dataclass(slots=True)
class SourceFile:
    """One parsed file.

    `imports` maps a local name to the dotted name it stands for. `imported_modules` maps a dotted
    name to the line that imports it. `strings` are all string constants with their functions.
    """

    path: str
    text: str
    tree: ast.Module
    module: str
    calls: list[CallSite] = field(default_factory=list)
    functions: list[FunctionSite] = field(default_factory=list)
    classes: list[ast.ClassDef] = field(default_factory=list)
    strings: list[tuple[ast.Constant, FunctionSite | None]] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)
    imported_modules: dict[str, int] = field(default_factory=dict)
    star_imports: list[str] = field(default_factory=list)

    @property
    def is_test(self) -> bool:
        return is_test_path(self.path)


@dataclass(slots=True)
class Codebase:
    """All parsed files by path.

    `unreadable` holds the reason for each file that could not be parsed, `data` the JSON texts that
    the code may load, `rubrics` those of rubrics, whether or not it names them. `aside` maps each
    path that is not the product to its kind; it is None before they are told apart, and then only
    tests are left out. `other_languages` are source files that are not Python, `paths` all files of
    the repository.
    """

    files: dict[str, SourceFile]
    unreadable: dict[str, str]
    data: dict[str, str] = field(default_factory=dict)
    rubrics: dict[str, str] = field(default_factory=dict)
    aside: Mapping[str, str] | None = None
    other_languages: tuple[str, ...] = ()
    paths: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[SourceFile]:
        return iter(self.files.values())

    @property
    def production(self) -> list[SourceFile]:
        """Files of the product: no tests, examples, or packages of other projects."""
        return [source for source in self if self.is_product(source.path)]

    def is_product(self, path: str) -> bool:
        if self.aside is not None:
            return path not in self.aside
        return not is_test_path(path) and not is_vendored(path)


def is_test_path(path: str) -> bool:
    """Return true for a test by its folder (tests/, test/) or by its file's name."""
    parts = PurePosixPath(path.lower()).parts
    is_in_test_folder = any(part in {"tests", "test"} for part in parts[:-1])
    return is_in_test_folder or bool(_TEST_FILE.match(parts[-1]))


def is_vendored(path: str) -> bool:
    return any(part in VENDORED for part in path.split("/")[:-1])


def is_installed(path: str) -> bool:
    """Return true for a path in a folder that only an installer or an interpreter fills."""
    return not INSTALLED.isdisjoint(path.split("/")[:-1])


def module_name(path: str) -> str:
    """Return src.nodes.judges for src/nodes/judges.py; a package has the name of its folder."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)
