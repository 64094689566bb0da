"""Syntax patterns in any language, by ast-grep where it is installed."""

from __future__ import annotations

import importlib
from pathlib import PurePosixPath
from typing import Any

SUFFIXES: dict[str, tuple[str, ...]] = {
    "python": (".py",),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "typescript": (".ts", ".mts", ".cts"),
    "tsx": (".tsx",),
    "go": (".go",),
    "rust": (".rs",),
    "java": (".java",),
    "kotlin": (".kt", ".kts"),
    "c": (".c", ".h"),
    "cpp": (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".h"),
    "csharp": (".cs",),
    "ruby": (".rb",),
    "php": (".php",),
    "swift": (".swift",),
    "scala": (".scala",),
    "bash": (".sh", ".bash"),
    "html": (".html", ".htm"),
    "css": (".css",),
    "json": (".json",),
    "yaml": (".yml", ".yaml"),
    "lua": (".lua",),
    "elixir": (".ex", ".exs"),
    "haskell": (".hs",),
}


class PatternsMissing(Exception):
    """Patterns cannot be looked for; the message says why."""


def is_written_in(path: str, language: str) -> bool:
    return PurePosixPath(path).suffix.lower() in SUFFIXES.get(language.lower(), ())


def find(text: str, language: str, pattern: str) -> list[tuple[int, int]]:
    """First and last 1-based line of every match. PatternsMissing without ast-grep or for a language it lacks."""
    root = _engine().SgRoot(text, language.lower()).root()
    ranges = [node.range() for node in root.find_all(pattern=pattern)]
    return [(one.start.line + 1, one.end.line + 1) for one in ranges]


def _engine() -> Any:
    try:
        return importlib.import_module("ast_grep_py")
    except ImportError as error:
        message = "ast-grep is not installed here (package ast-grep-py), so no pattern could be looked for"
        raise PatternsMissing(message) from error
