"""Imports of packages that no install by the work's lock file, or as its README says, brings."""

from __future__ import annotations

import ast
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.git.blobs import BlobReader
from courtroom.analysis.langgraph.state_flow.broken_imports import imported_files
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.project.documented_commands import commands_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import walk

LOCKS = ("poetry.lock", "uv.lock")
# Other manifests at the root by which people may install.
BESIDE = re.compile(
    r"(?:requirements[\w.-]*\.(?:txt|in)|Pipfile|setup\.(?:py|cfg)|environment\.ya?ml)"
)
PYPROJECT = "pyproject.toml"
# Files at the root whose commands may install more.
BUILDS = re.compile(r"Makefile|justfile|(?:Docker|Container)file|[\w.-]{1,80}\.(?:sh|toml|ya?ml)")
README = re.compile(r"readme(?:\.\w{1,8})?", re.IGNORECASE)
# By tool: the lock file that it installs by.
SYNCS: Mapping[tuple[str, ...], str] = {
    ("uv", "sync"): "uv.lock",
    ("poetry", "install"): "poetry.lock",
}
IMPORTS = (ast.Import, ast.ImportFrom)
OTHER_TOOLS = frozenset({"conda", "mamba", "pipenv", "pdm", "pipx", "hatch", "rye"})
MOST_ROWS = 12
# A lock file holds an address for each file of a package.
MOST_LOCK_BYTES = 2 * 1024 * 1024
_NAME = re.compile(r'^name = "([\w.-]{1,100})"', re.MULTILINE)
# Packages that hardly any other one brings: a manifest that does not name them installs none of them.
LEAVES = frozenset(
    {
        *("docling", "langchain-google-genai", "langchain-groq", "langchain-ollama", "streamlit"),
        "langchain-anthropic",
        *("langgraph-checkpoint-postgres", "langgraph-checkpoint-sqlite", "pypdf2"),
    }
)
# Packages that others bring and hardly anybody names: a list of pins with them is a `pip freeze`.
BROUGHT = frozenset(
    {
        *(
            "annotated-types",
            "certifi",
            "charset-normalizer",
            "h11",
            "idna",
            "mdurl",
            "pydantic-core",
        ),
        *("six", "sniffio", "typing-extensions", "typing-inspection", "urllib3"),
    }
)
LEAST_BROUGHT = 4
_PIN = re.compile(r"^([\w.-]{1,100})(?:\[[\w.,-]{1,100}\])? ?(?:==| @ )", re.MULTILINE)
# By import: the package that brings it, where that is sure.
_PACKAGES: Mapping[str, str] = {
    "PIL": "pillow",
    "PyPDF2": "pypdf2",
    "bs4": "beautifulsoup4",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "git": "gitpython",
    "langgraph.checkpoint.postgres": "langgraph-checkpoint-postgres",
    "langgraph.checkpoint.sqlite": "langgraph-checkpoint-sqlite",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    **{
        name: name.replace("_", "-")
        for name in (
            *("anthropic", "docling", "fastapi", "groq", "langchain", "langchain_anthropic"),
            *("langchain_community", "langchain_core", "langchain_google_genai", "langchain_groq"),
            *("langchain_ollama", "langchain_openai", "langgraph", "numpy", "ollama", "openai"),
            *(
                "pandas",
                "pdfplumber",
                "pydantic",
                "pypdf",
                "requests",
                "rich",
                "streamlit",
                "typer",
            ),
        )
    },
}


@dataclass(frozen=True, slots=True)
class Install:
    """File by which all is installed, and the packages that commands of the README name beside it."""

    path: str
    named: frozenset[str] = frozenset()


def read_unlocked(
    reader: BlobReader,
    symbols: SymbolTable,
    unreached: frozenset[str],
    functions: Mapping[str, Sequence[FunctionRef]],
) -> dict[str, Any]:
    """Return the file of the install and what it lacks, as fields of SubmissionScope."""
    paths = [path for path, blob in reader.blobs.items() if blob.is_file]
    readme = next(filter(README.fullmatch, paths), "")
    install = install_of(paths, _text_of(reader, readme))
    if install is None:
        return {}
    texts = {path: _text_of(reader, path) for path in (PYPROJECT, install.path)}
    rows = unlocked_imports(symbols, install, texts, unreached, functions)
    others = [p for p in paths if "/" not in p and (BESIDE.fullmatch(p) or BUILDS.fullmatch(p))]
    text = _normal("".join(_text_of(reader, path) for path in others)) if rows else ""
    rows = [r | {"is_listed": True} if _PACKAGES[r["name"]] in text else r for r in rows]
    return {"lock": install.path, "unlocked": rows} if rows else {}


def _text_of(reader: BlobReader, path: str) -> str:
    content = reader.read(path, MOST_LOCK_BYTES) or b""
    # `pip freeze` in a Windows shell writes UTF-16, and pip reads it.
    encoding = "utf-16" if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8"
    return content.decode(encoding, "replace")


def install_of(paths: Iterable[str], readme: str) -> Install | None:
    """Return the file by which people install: the only one, or the one that the README says.

    None where they may choose, or where it is not there.
    """
    tree = frozenset(path for path in paths if "/" not in path)
    lock = next((name for name in LOCKS if name in tree), None)
    chosen, named = _documented(readme, tree)
    # A lock holds all that the manifest beside it asks for.
    is_only = chosen <= {PYPROJECT, lock} and not any(map(BESIDE.fullmatch, tree))
    if lock and (lock in chosen or is_only):
        chosen = chosen - {PYPROJECT} | {lock}
    path = next(iter(chosen)) if len(chosen) == 1 else ""
    return Install(path, frozenset(named)) if path in tree else None


def _documented(readme: str, tree: frozenset[str]) -> tuple[set[str], set[str]]:
    """Return the files by which commands of the README install, and the packages they name."""
    chosen: set[str] = set()
    named: set[str] = set()
    for command in commands_in(readme, frozenset()):
        words = command.words
        lock = SYNCS.get(words[:2])
        if lock:
            chosen.add(lock if lock in tree else PYPROJECT)
        elif words[0] in OTHER_TOOLS:
            chosen.add("")
        elif "install" in words and any(word in {"pip", "pip3"} for word in words[:3]):
            files, names = _of_pip(words[words.index("install") + 1 :])
            chosen |= files & tree
            named |= names
    return chosen, named


def _of_pip(words: Sequence[str]) -> tuple[set[str], set[str]]:
    """Return the files and the packages that the arguments of `pip install` name."""
    files: set[str] = set()
    names: set[str] = set()
    for before, word in zip(("", *words), words, strict=False):
        if before in {"-r", "--requirement"}:
            files.add(word.removeprefix("./"))
        elif word.startswith((".", "/")):
            files.add(PYPROJECT)
        elif not word.startswith("-"):
            names.add(_normal(re.split(r"[\[<>=!~; ]", word)[0]))
    return files, names


def unlocked_imports(
    symbols: SymbolTable,
    install: Install,
    texts: Mapping[str, str],
    unreached: frozenset[str],
    functions: Mapping[str, Sequence[FunctionRef]] | None = None,
) -> list[dict[str, Any]]:
    """Return name, path and line of the packages that the product imports and the install lacks.

    `texts` are those of its file and of pyproject.toml: a lock file names all that is installed,
    as does a `pip freeze`, any other only what is asked for; what pyproject.toml asks for comes into an older lock. Only
    imports that run whenever their module or function does count, and those in whose place nothing
    stands; `functions` are those that a run of the graph reaches, by part. Each package is named once.
    """
    is_lock, text = install.path in LOCKS, texts.get(install.path, "")
    asked = _normal(texts.get(PYPROJECT, "") if is_lock else text)
    locked = {_normal(name) for name in (_NAME if is_lock else _PIN).findall(text)}
    is_complete = is_lock or _is_frozen(text, locked)
    # `-r` takes in another file, and an extra brings packages that it does not name.
    is_open = not locked if is_lock else bool(re.search(r"^-r|langchain\[", text, re.MULTILINE))
    rows: dict[str, dict[str, Any]] = {}
    for source, part, module, line, user in _all_imports(symbols, unreached, functions or {}):
        name = next((name for name in _beginnings(module) if name in _PACKAGES), "")
        package = _PACKAGES.get(name, "")
        is_there = package in locked or package in asked
        is_known = bool(package) and (is_complete or package in LEAVES)
        if is_open or is_there or not is_known or package in install.named:
            continue
        if not symbols.find_module(name, source):
            row = {"name": name, "path": source.path, "line": line}
            more = {"part": part, "user": user}
            rows.setdefault(name, row | {key: text for key, text in more.items() if text})
    return list(rows.values())[:MOST_ROWS]


def undeclared_imports(
    symbols: SymbolTable, start: SourceFile, scope: Mapping[str, Any]
) -> Iterator[FlowFault]:
    """Yield the imports on the way from a file that fail in each install that the work describes.

    `scope` are the fields of SubmissionScope. An import counts that runs whenever its module does.
    """
    rows = scope.get("unlocked", ())
    names = [r["name"] for r in rows if not ({"part", "user", "is_listed"} & r.keys())]
    places: dict[str, list[tuple[str, int]]] = {}
    for source in imported_files(symbols, [start]) if names else ():
        for module, line in _imports(source.tree.body):
            name = next((name for name in _beginnings(module) if name in names), "")
            if name and not symbols.find_module(name, source):
                places.setdefault(name, []).append((source.path, line))
    for name, ((path, line), *others) in places.items():
        files = list(dict.fromkeys([path, *(place[0] for place in others)]))
        sentence = (
            f"{joined(files)} {'imports' if len(files) == 1 else 'import'} `{name}`, and"
            f" {scope['lock']} does not list `{_PACKAGES[name]}`: after an install by it {path}"
            " cannot be imported"
        )
        yield FlowFault("undeclared_import", sentence, path, line, places=tuple(others))


def _is_frozen(text: str, pinned: set[str]) -> bool:
    """Return whether a list of requirements names all that was installed, each at its version."""
    rows = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return len(BROUGHT & pinned) >= LEAST_BROUGHT and all(map(_PIN.match, rows))


def _normal(name: str) -> str:
    return name.lower().replace("_", "-")


def _beginnings(module: str) -> Iterator[str]:
    """Yield a.b.c, then a.b and a."""
    while module:
        yield module
        module = module.rpartition(".")[0]


def _all_imports(
    symbols: SymbolTable, unreached: frozenset[str], functions: Mapping[str, Sequence[FunctionRef]]
) -> Iterator[tuple[SourceFile, str, str, int, str]]:
    """Yield file, part of the function, package and line of the imports, and who cannot do without."""
    for source in symbols.codebase.production:
        if source.path not in unreached:
            for name, line in _imports(source.tree.body):
                yield source, "", name, line, ""
    in_use = [function for of_part in functions.values() for function in of_part]
    for source in {function.source.path: function.source for function in in_use}.values():
        of_file = [function for function in in_use if function.source is source]
        for name, line, user in _needed(source, of_file):
            yield source, "", name, line, user
    for part, of_part in functions.items():
        for function in of_part:
            for name, line in _imports(function.site.node.body):
                yield function.source, part, name, line, ""
            for name, line in _given_up(function.site.node.body):
                yield function.source, "", name, line, function.shown_name


def _needed(source: SourceFile, functions: Sequence[FunctionRef]) -> Iterator[tuple[str, int, str]]:
    """Yield an import that a handler replaces by False or None, where a function then gives nothing.

    `try: import pypdf; HAS = True`, `except ImportError: HAS = False`, and `if not HAS: raise` in
    the function.
    """
    for node in source.tree.body:
        if not isinstance(node, ast.Try) or len(node.handlers) != 1:
            continue
        body = node.handlers[0].body
        flags = {
            target.id
            for part in body
            if isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant)
            for target in part.targets
            if isinstance(target, ast.Name) and not part.value.value
        }
        imports = list(_imports(node.body))
        set_again = {name for name in flags if _count_of_stores(source, name, node)}
        if len(imports) != 1 or any(isinstance(n, IMPORTS) for part in body for n in walk(part)):
            continue
        user = next((f for f in functions if _gives_up(f, flags - set_again)), None)
        if user is not None:
            yield *imports[0], user.shown_name


def _given_up(body: Sequence[ast.stmt]) -> Iterator[tuple[str, int]]:
    """Yield an import of a function that then only raises, or returns nothing, where it fails."""
    for node in body:
        if not isinstance(node, ast.Try) or len(node.handlers) != 1:
            continue
        last = node.handlers[0].body[-1]
        imports = list(_imports(node.body))
        gives_nothing = isinstance(last, ast.Return) and _is_nothing(last.value)
        if len(imports) == 1 and (gives_nothing or isinstance(last, ast.Raise)):
            yield imports[0]


def _count_of_stores(source: SourceFile, name: str, attempt: ast.Try) -> int:
    """Return how often code beside an attempt sets a name."""
    own = {id(node) for node in walk(attempt)}
    return sum(
        isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        for node in walk(source.tree)
        if id(node) not in own
    )


def _gives_up(function: FunctionRef, flags: set[str]) -> bool:
    """Return whether a function only raises, or returns nothing, where one of the flags is not set."""
    for statement in function.site.node.body:
        match statement:
            case ast.If(
                test=ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name))
                | ast.Compare(
                    left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]
                ),
                body=[*_, last],
                orelse=[],
            ) if name in flags:
                return isinstance(last, ast.Raise) or (
                    isinstance(last, ast.Return) and _is_nothing(last.value)
                )
    return False


def _is_nothing(value: ast.expr | None) -> bool:
    if isinstance(value, ast.List | ast.Tuple):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    return value is None or (isinstance(value, ast.Constant) and not value.value)


def _imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module, node.lineno
