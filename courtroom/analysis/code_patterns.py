"""Match syntax patterns in any language with ast-grep, which the first search imports.

ast-grep overflows the stack on a deeply nested pattern, and each grammar is a parser in C. So a
pattern is bounded before anything reads it, and ast-grep runs in confined children only
(`pattern_faults`), there in a fork of its own.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.sandbox.forked import ForkFailed, run_forked
from courtroom.models.errors import ChildFailed
from courtroom.models.nesting import MOST_CHARACTERS, nesting_of

# ast-grep overflowed the stack at 20,000 levels, never at 1,000; a level takes a character.
MOST_NESTING = 20
MOST_MATCHES = 50
TRIAL_BYTES = 1024 * 1024 * 1024
# Of one pattern, and of all patterns of a rubric, for which a person waits.
TRIAL_SECONDS, TRIALS_SECONDS = 2, 15
SEARCH_SECONDS = 10
# Children of one process at a time: each may take a gigabyte and a core, and anybody who may save a
# rubric starts them. Others wait as long as one may take.
TRIALS_AT_ONCE = threading.BoundedSemaphore(2)
Pattern = tuple[str, str]  # language and text

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


def pattern_faults(patterns: Sequence[Pattern]) -> dict[Pattern, str]:
    """Return the reason for each pattern that cannot be used; none without ast-grep."""
    refused = {pattern: fault for pattern in patterns if (fault := _bounds_fault(*pattern))}
    tried = tuple(dict.fromkeys(pattern for pattern in patterns if pattern not in refused))
    if not tried:
        return refused

    try:
        return {**refused, **_tried_in_child(tried)}
    except ChildFailed as failed:
        # Not remembered: another try may have more time.
        message = f"The patterns could not be tried: {failed.message}"
        return {**refused, **dict.fromkeys(tried, message)}


@lru_cache(maxsize=256)
def _tried_in_child(patterns: tuple[Pattern, ...]) -> dict[Pattern, str]:
    from courtroom.analysis.sandbox.sandbox import ChildLimits, examine

    limits = ChildLimits(
        memory_bytes=TRIAL_BYTES,
        cpu_seconds=TRIALS_SECONDS,
        file_bytes=0,
        wall_seconds=TRIALS_SECONDS,
        output_bytes=1024 * 1024,
    )
    if not TRIALS_AT_ONCE.acquire(timeout=TRIALS_SECONDS):
        raise ChildFailed("child_timeout", "Others are being tried. Try again in a minute.")
    try:
        reply = examine(__name__, {"patterns": patterns}, limits=limits)
    finally:
        TRIALS_AT_ONCE.release()
    faults = zip(patterns, reply["faults"], strict=True)
    return {pattern: fault for pattern, fault in faults if fault}


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Try patterns inside the child: {patterns} in, {faults} out, empty for a usable one."""
    patterns = request["patterns"]
    try:
        _engine()
    except EngineMissing:
        return {"faults": [""] * len(patterns)}

    try:
        return {"faults": run_forked(lambda: _faults_of(patterns), cpu_seconds=TRIAL_SECONDS)}
    except ForkFailed:
        # One of them crashes, or takes too long: a fork for each tells which.
        return {"faults": [_fault_of(*pattern) for pattern in patterns]}


def _faults_of(patterns: Sequence[Pattern]) -> list[str]:
    return [_search([("", "")], *pattern)["fault"] for pattern in patterns]


def _fault_of(language: str, pattern: str) -> str:
    try:
        search([("", "")], language, pattern, seconds=TRIAL_SECONDS)
    except PatternsMissing as fault:
        return str(fault)
    return ""


def search(
    files: Sequence[tuple[str, str]], language: str, pattern: str, *, seconds: int = SEARCH_SECONDS
) -> list[tuple[str, int, int]]:
    """Return path, first and last 1-based line of the first matches in files of path and text.

    For confined children only. Raises PatternsMissing for a pattern that cannot be used, and when
    the search crashes or takes more than `seconds` of processor time.
    """
    if fault := _bounds_fault(language, pattern):
        raise PatternsMissing(fault)
    _engine()  # once for all forks

    try:
        reply = run_forked(lambda: _search(files, language, pattern), cpu_seconds=seconds)
    except ForkFailed as failed:
        message = f"the search for {pattern!r} did not end well: {failed}"
        raise PatternsMissing(message) from failed

    if reply["fault"]:
        raise PatternsMissing(reply["fault"])
    return [(path, first, last) for path, first, last in reply["matches"]]


def _search(files: Sequence[tuple[str, str]], language: str, pattern: str) -> dict[str, Any]:
    matches: list[tuple[str, int, int]] = []
    try:
        for path, text in files:
            # A .tsx file needs a grammar of its own, though rubrics call both TypeScript.
            is_tsx = path.lower().endswith(".tsx")
            nodes = _matches(text, "tsx" if is_tsx else _canonical_name(language), pattern)
            # A node's range takes as long as it lies deep, so only those shown are asked.
            ranges = [node.range() for node in nodes[: MOST_MATCHES - len(matches)]]
            matches += [(path, item.start.line + 1, item.end.line + 1) for item in ranges]
            if len(matches) >= MOST_MATCHES:
                break
    except PatternsMissing as fault:
        return {"fault": str(fault), "matches": []}
    return {"fault": "", "matches": matches}


def _bounds_fault(language: str, pattern: str) -> str:
    """Return the reason why ast-grep must not see this pattern; empty when it may."""
    if _canonical_name(language) not in SUFFIXES:
        supported = ", ".join(SUFFIXES)
        return f"{language} is not a supported language for patterns; supported are {supported}"
    if len(pattern) > MOST_CHARACTERS:
        return f"The limit is {MOST_CHARACTERS} characters; there are {len(pattern)}."
    if nesting_of(pattern) > MOST_NESTING:
        return f"A pattern has at most {MOST_NESTING} brackets within each other."
    return ""


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
