"""Entry points of a submission: where manifests, commands and scripts say that it starts."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from courtroom.analysis.project.globs import matches
from courtroom.analysis.python.source_files import Codebase, SourceFile
from courtroom.analysis.python.tree_walk import called_name, last_name, walk

DeclaredBy = Literal[
    "pyproject", "langgraph", "container", "makefile", "readme", "main_block", "streamlit"
]
# The files that may declare an entry point, surest first.
DECLARATIONS: Mapping[DeclaredBy, tuple[str, ...]] = {
    "pyproject": ("**/pyproject.toml", "**/setup.cfg", "**/setup.py"),
    "langgraph": ("**/langgraph.json",),
    "container": ("**/Dockerfile*", "**/*compose*.y*ml", "**/Procfile"),
    "makefile": ("**/Makefile", "**/justfile", "**/*.sh"),
    "readme": ("**/README*",),
}
# Ways by which a file declares itself: a block for __main__, or a page outside of functions.
BY_ITSELF: tuple[DeclaredBy, ...] = ("main_block", "streamlit")
ORDER: tuple[DeclaredBy, ...] = (*DECLARATIONS, *BY_ITSELF)
# A README or a Makefile also runs examples and tests; these three only start the product.
SURE = ("pyproject", "langgraph", "container")
MOST_DECLARATIONS = 60
# A file that reads its arguments is a command.
COMMAND_WORDS = ("argparse", "sys.argv")
_PYTHON = (
    r"(?:python[\d.]{0,5}|\$[({]PY(?:THON)?[)}]|uv run|poetry run"
    r"|(?:streamlit|chainlit|fastapi) (?:run|dev))"
)
_SERVER = r"(?:uvicorn|gunicorn|hypercorn|daphne)"
# Also as the list of words of a Dockerfile: ["python", "-m", "court"].
_GAP = r"[ \t\"',]{1,6}"
_FLAGS = rf"(?:-[uBEIOWX]\w{{0,12}}{_GAP}){{0,3}}"
_COMMAND = re.compile(
    # A path after -m starts nothing.
    rf"{_PYTHON}{_GAP}{_FLAGS}"
    rf"(?:-m{_GAP}(?!{_SERVER})([\w.]{{1,120}})(?![\w./])|([\w./-]{{1,160}}\.py)\b)"
    # Options may stand before the application: --bind 0.0.0.0:80 court.web:app.
    rf"|{_SERVER}(?:{_GAP}[\w.:=/-]{{1,80}}){{0,8}}?{_GAP}([A-Za-z_][\w.]{{0,119}}):[A-Za-z_]"
)
_CONSOLE_SCRIPT = re.compile(r"[\w.-]{1,80}\s{0,4}=\s{0,4}([\w.]{1,120}):\w{1,80}")
_MAIN = re.compile(
    r"__name__\s{0,4}==\s{0,4}[\"']__main__|[\"']__main__[\"']\s{0,4}==\s{0,4}__name__"
)


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A `target` file that `path` at the 1-based `line` says is run."""

    target: str
    declared_by: DeclaredBy
    path: str
    line: int


def declarations_in(paths: list[str]) -> dict[str, DeclaredBy]:
    """Return the files that may declare an entry point, those nearest the root first."""
    kinds: dict[str, DeclaredBy] = {}
    for path in sorted(paths, key=lambda path: (path.count("/"), path)):
        for declared_by, globs in DECLARATIONS.items():
            if matches(path, globs):
                kinds[path] = declared_by
    return dict(list(kinds.items())[:MOST_DECLARATIONS])


def entry_points(
    codebase: Codebase, kinds: Mapping[str, DeclaredBy], texts: Mapping[str, str]
) -> list[EntryPoint]:
    """Return the entry points, surest first, each target once for each way it is declared."""
    declared = [
        EntryPoint(target, declared_by, path, line)
        for path, declared_by in kinds.items()
        for name, line in _named(declared_by, path, texts.get(path, ""))
        for module, _, item in [name.partition(":")]
        if (target := _target(codebase, str(PurePosixPath(path).parent), module)) is not None
        if not item or _has(codebase.files[target], item)
    ]
    scripts = [
        EntryPoint(source.path, "main_block", source.path, line)
        for source in codebase
        if (line := _main_line(source.path, source.text) or _main_call(source))
    ]
    blocks = {entry.target for entry in scripts}
    pages = [
        EntryPoint(source.path, "streamlit", source.path, line)
        for source in codebase
        if source.path not in blocks and (line := _page_line(source))
    ]
    every = [*declared, *scripts, *pages]
    unique = {(entry.target, entry.declared_by): entry for entry in reversed(every)}
    return sorted(
        unique.values(), key=lambda e: (ORDER.index(e.declared_by), e.path, e.line, e.target)
    )


def _main_line(path: str, text: str) -> int:
    if "__main__" not in text and not path.endswith("__main__.py"):
        return 0
    block = _MAIN.search(text)
    if block is not None:
        return text.count("\n", 0, block.start()) + 1
    return 1 if path.rpartition("/")[2] == "__main__.py" else 0


def _main_call(source: SourceFile) -> int:
    """Return the line where the file of a command calls main() whenever it is run, 0 without one."""
    if "main()" not in source.text or not any(word in source.text for word in COMMAND_WORDS):
        return 0
    for statement in source.tree.body:
        for inner in statement.body if isinstance(statement, ast.If) else (statement,):
            is_call = isinstance(inner, ast.Expr) and any(
                isinstance(node, ast.Call) and called_name(node) == "main" for node in walk(inner)
            )
            if is_call:
                return inner.lineno
    return 0


def _page_line(source: SourceFile) -> int:
    """Return the line where a file begins a page of Streamlit outside of functions, 0 without one."""
    names = {name for name, dotted in source.imports.items() if dotted == "streamlit"}
    for statement in source.tree.body if names else ():
        # A decorator of the cache is no page, and stands at a function.
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for node in walk(statement):
            if isinstance(node, ast.Attribute) and last_name(node.value) in names:
                return node.lineno
    return 0


def names_in_manifest(path: str, text: str) -> Iterator[tuple[str, int]]:
    """Yield what the scripts of a manifest call, such as `court.app:run`, with its line."""
    return _named("pyproject", path, text)


def _named(declared_by: DeclaredBy, path: str, text: str) -> Iterator[tuple[str, int]]:
    """Yield the modules and files that a declaration names, with its line.

    A script of a package also names what it calls there: `court.app:run`.
    """
    if declared_by in ("pyproject", "langgraph"):
        try:
            names = list(_in_manifest(path, text))
        except (ValueError, AttributeError, TypeError, RecursionError):
            return  # a broken manifest names no entry point; the code is still searched
        for name in names:
            script = name if path.endswith(".toml") else name.partition(":")[0]
            yield script, text.count("\n", 0, max(text.find(name), 0)) + 1
        return
    for number, line in enumerate(text.splitlines(), start=1):
        # A README's commands may stand below a shell prompt's "#".
        if declared_by != "readme" and line.lstrip().startswith("#"):
            continue
        for command in _COMMAND.finditer(line):
            yield command[1] or command[2] or command[3], number


def _in_manifest(path: str, text: str) -> Iterator[str]:
    if path.endswith("langgraph.json"):
        document = json.loads(text)
        graphs = document.get("graphs", {}).values()
        names: list[Any] = [g.get("path") if isinstance(g, dict) else g for g in graphs]
        names.append((document.get("http") or {}).get("app"))
    elif path.endswith(".toml"):
        document = tomllib.loads(text)
        project = document.get("project", {})
        poetry = document.get("tool", {}).get("poetry", {})
        names = [
            *project.get("scripts", {}).values(),
            *project.get("gui-scripts", {}).values(),
            *poetry.get("scripts", {}).values(),
        ]
    else:
        start = text.find("console_scripts")
        names = _CONSOLE_SCRIPT.findall(text, start) if start >= 0 else []
    yield from (name for name in names if isinstance(name, str) and name)


def _has(source: SourceFile, item: str) -> bool:
    """Return false where a script cannot start: its module has nothing of that name."""
    name = item.partition(".")[0].strip()
    is_bound = name in source.imports or bool(source.star_imports)
    return is_bound or re.search(rf"\b{re.escape(name)}\b", source.text) is not None


def _target(codebase: Codebase, folder: str, name: str) -> str | None:
    """Return the file that a module name, or a path, of a declaration in `folder` means."""
    stem = name.removesuffix(".py") if "/" in name or name.endswith(".py") else name
    stem = stem.removeprefix("./") if stem != name or "/" in stem else stem.replace(".", "/")
    roots = dict.fromkeys(("" if folder == "." else f"{folder}/", ""))
    for root in roots:
        for base in (f"{root}{stem}", f"{root}src/{stem}"):
            for path in (f"{base}.py", f"{base}/__main__.py", f"{base}/__init__.py"):
                if path in codebase.files:
                    return path
    return None
