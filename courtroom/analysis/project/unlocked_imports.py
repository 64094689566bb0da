"""Imports of packages that no install by the work's lock file brings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable

LOCKS = ("poetry.lock", "uv.lock")
# Other manifests at the root by which people may install.
BESIDE = re.compile(
    r"(?:requirements[\w.-]*\.(?:txt|in)|Pipfile|setup\.(?:py|cfg)|environment\.ya?ml)"
)
MOST_ROWS = 12
_NAME = re.compile(r'^name = "([\w.-]{1,100})"', re.MULTILINE)
# By import: the package that brings it, where that is sure.
_PACKAGES: Mapping[str, str] = {
    "PIL": "pillow",
    "PyPDF2": "pypdf2",
    "bs4": "beautifulsoup4",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "git": "gitpython",
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


def unlocked_imports(
    symbols: SymbolTable,
    lock: str,
    unreached: frozenset[str],
    functions: Mapping[str, Sequence[FunctionRef]] | None = None,
) -> list[dict[str, Any]]:
    """Return name, path and line of the packages that the product imports and the lock lacks.

    `lock` is the text of the lock file, which names all that is installed. Only imports that run
    whenever their module or function does count; `functions` are those that a run of the graph
    reaches, by part. Each package is named once.
    """
    locked = {name.lower().replace("_", "-") for name in _NAME.findall(lock)}
    if not locked:
        return []
    rows: dict[str, dict[str, Any]] = {}
    for source, part, name, line in _all_imports(symbols, unreached, functions or {}):
        package = _PACKAGES.get(name)
        if package and package not in locked and not symbols.find_module(name, source):
            row = {"name": name, "path": source.path, "line": line}
            rows.setdefault(name, row | ({"part": part} if part else {}))
    return list(rows.values())[:MOST_ROWS]


def _all_imports(
    symbols: SymbolTable, unreached: frozenset[str], functions: Mapping[str, Sequence[FunctionRef]]
) -> Iterator[tuple[SourceFile, str, str, int]]:
    """Yield file, part of the function, package and line of the imports."""
    for source in symbols.codebase.production:
        if source.path not in unreached:
            for name, line in _imports(source.tree.body):
                yield source, "", name, line
    for part, of_part in functions.items():
        for function in of_part:
            for name, line in _imports(function.site.node.body):
                yield function.source, part, name, line


def _imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0], node.lineno
