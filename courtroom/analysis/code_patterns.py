"""Syntax patterns in any language, by ast-grep (imported when the first pattern is looked for)."""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

SUFFIXES: dict[str, tuple[str, ...]] = {
    "python": (".py",),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "typescript": (".ts", ".mts", ".cts", ".tsx"),
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
    "dart": (".dart",),
    "bash": (".sh", ".bash"),
    "html": (".html", ".htm"),
    "css": (".css",),
    "json": (".json",),
    "yaml": (".yml", ".yaml"),
    "lua": (".lua",),
    "elixir": (".ex", ".exs"),
    "haskell": (".hs",),
    "solidity": (".sol",),
    "nix": (".nix",),
    "hcl": (".tf", ".hcl"),
}
ALIASES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "golang": "go",
    "rs": "rust",
    "kt": "kotlin",
    "c++": "cpp",
    "c#": "csharp",
    "cs": "csharp",
    "rb": "ruby",
    "sh": "bash",
    "shell": "bash",
    "yml": "yaml",
    "sol": "solidity",
    "terraform": "hcl",
}


class PatternsMissing(Exception):
    """Patterns cannot be looked for; the message says why."""


class EngineMissing(PatternsMissing):
    """ast-grep is not installed here."""


def is_written_in(path: str, language: str) -> bool:
    return PurePosixPath(path).suffix.lower() in SUFFIXES.get(_known(language), ())


def find(path: str, text: str, language: str, pattern: str) -> list[tuple[int, int]]:
    """First and last 1-based line of every match. Raises PatternsMissing as `try_out` does."""
    # TypeScript with elements in it is another grammar, though one language to whoever writes a rubric.
    spoken = "tsx" if path.lower().endswith(".tsx") else _known(language)
    ranges = [node.range() for node in _matches(text, spoken, pattern)]
    return [(one.start.line + 1, one.end.line + 1) for one in ranges]


@lru_cache(maxsize=256)
def try_out(language: str, pattern: str) -> None:
    """Raise PatternsMissing for a language ast-grep does not read, or for what is no pattern of it."""
    if _known(language) not in SUFFIXES:
        message = f"{language} is not a language that patterns are looked for in; known are {', '.join(SUFFIXES)}"
        raise PatternsMissing(message)
    _matches("", _known(language), pattern)


def fault_of(language: str, pattern: str) -> str | None:
    """Why a pattern can never be looked for; None when it can, or when ast-grep is not there to tell."""
    try:
        try_out(language, pattern)
    except EngineMissing:
        return None
    except PatternsMissing as fault:
        return str(fault)
    return None


def _known(language: str) -> str:
    spoken = language.strip().lower()
    return ALIASES.get(spoken, spoken)


def _matches(text: str, language: str, pattern: str) -> list[Any]:
    """ast-grep panics on a language it does not know and raises RuntimeError for what it cannot parse as a pattern."""
    root = _engine().SgRoot(text, language).root()
    try:
        return list(root.find_all(pattern=pattern))
    except RuntimeError as error:
        message = f"{pattern!r} is not one piece of {language} code, so it is no pattern"
        raise PatternsMissing(message) from error


def _engine() -> Any:
    try:
        return importlib.import_module("ast_grep_py")
    except ImportError as error:
        message = "ast-grep is not installed here (package ast-grep-py), so no pattern could be looked for"
        raise EngineMissing(message) from error
