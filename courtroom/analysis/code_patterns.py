"""Match syntax patterns in any language with ast-grep, which the first search imports."""

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
    """Pattern search is not possible; the message is the reason."""


class EngineMissing(PatternsMissing):
    """ast-grep is not installed here."""


def is_written_in(path: str, language: str) -> bool:
    return PurePosixPath(path).suffix.lower() in SUFFIXES.get(_canonical_name(language), ())


def find(path: str, text: str, language: str, pattern: str) -> list[tuple[int, int]]:
    """Return first and last 1-based line of all matches. Raises PatternsMissing as `try_out`."""
    # A .tsx file needs a grammar of its own, though rubrics call both languages TypeScript.
    grammar = "tsx" if path.lower().endswith(".tsx") else _canonical_name(language)
    ranges = [node.range() for node in _matches(text, grammar, pattern)]
    return [(match.start.line + 1, match.end.line + 1) for match in ranges]


@lru_cache(maxsize=256)
def try_out(language: str, pattern: str) -> None:
    """Raise PatternsMissing for an unsupported language or an invalid pattern."""
    if _canonical_name(language) not in SUFFIXES:
        supported = ", ".join(SUFFIXES)
        raise PatternsMissing(
            f"{language} is not a supported language for patterns; supported are {supported}"
        )
    _matches("", _canonical_name(language), pattern)


def fault_of(language: str, pattern: str) -> str | None:
    """Return the reason a pattern is invalid, or None for a valid one or without ast-grep."""
    try:
        try_out(language, pattern)
    except EngineMissing:
        return None
    except PatternsMissing as fault:
        return str(fault)
    return None


def _canonical_name(language: str) -> str:
    name = language.strip().lower()
    return ALIASES.get(name, name)


def _matches(text: str, language: str, pattern: str) -> list[Any]:
    # ast-grep panics on an unknown language, so callers must check it; an invalid pattern raises
    # RuntimeError.
    root = _engine().SgRoot(text, language).root()
    try:
        return list(root.find_all(pattern=pattern))
    except RuntimeError as error:
        message = f"{pattern!r} is not a single piece of {language} code, so it is not a pattern"
        raise PatternsMissing(message) from error


def _engine() -> Any:
    try:
        return importlib.import_module("ast_grep_py")
    except ImportError as error:
        message = "ast-grep is not installed (package ast-grep-py), so patterns can't be searched"
        raise EngineMissing(message) from error
