"""Imports of packages that no install by the work's lock file brings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

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
    symbols: SymbolTable, lock: str, unreached: frozenset[str]
) -> list[dict[str, Any]]:
    """Return name, path and line of the packages that the product imports and the lock lacks.

    `lock` is the text of the lock file, which names all that is installed. Only imports that run
    whenever their module is imported count, each package at the first of them.
    """
    locked = {name.lower().replace("_", "-") for name in _NAME.findall(lock)}
    rows: dict[str, dict[str, Any]] = {}
    for source in symbols.codebase.production:
        if source.path in unreached:
            continue
        for name, line in _imports(source.tree):
            package = _PACKAGES.get(name)
            if package and package not in locked and not symbols.find_module(name, source):
                rows.setdefault(name, {"name": name, "path": source.path, "line": line})
    return list(rows.values())[:MOST_ROWS] if locked else []


def _imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0], node.lineno
