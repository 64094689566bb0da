"""Persona prompts in files: one file for each persona, or one with an entry for each."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.langgraph.judging.persona_names import PersonaText, persona_in
from courtroom.analysis.python.tree_walk import words_of

PROMPT_SUFFIXES = frozenset(
    {
        ".md",
        ".txt",
        ".yaml",
        ".yml",
        ".json",
        ".toml",
        ".j2",
        ".jinja",
        ".jinja2",
        ".prompt",
    }
)
PROMPT_WORDS = frozenset({"prompt", "prompts", "persona", "personas", "judges"})
# Tables within tables, as in judges.prosecutor.prompt.
MAX_DEPTH = 4


def is_prompt_file(path: str) -> bool:
    pure = PurePosixPath(path.lower())
    words = set(words_of(" ".join(pure.parts[:-1]))) | set(words_of(pure.stem))
    return pure.suffix in PROMPT_SUFFIXES and bool(words & PROMPT_WORDS)


def texts_in_files(files: Mapping[str, str]) -> Iterator[PersonaText]:
    for path, text in files.items():
        persona = persona_in(PurePosixPath(path).stem)
        if persona is not None:
            yield PersonaText(persona, path, 1, text.count("\n") + 1, text)
        elif path.lower().endswith((".yaml", ".yml")):
            yield from _yaml_entries(path, text)
        elif path.lower().endswith((".json", ".toml")):
            yield from _entries(path, text)


def _entries(path: str, text: str) -> Iterator[PersonaText]:
    try:
        document = json.loads(text) if path.lower().endswith(".json") else tomllib.loads(text)
    except (ValueError, RecursionError):
        return  # a broken file holds no prompt that a program could load
    lines = text.split("\n")
    for key, value in _tables(document, MAX_DEPTH):
        persona = persona_in(key)
        if persona is not None:
            at = next((n for n, line in enumerate(lines, 1) if key in line), 1)
            yield PersonaText(persona, path, at, at, "\n".join(_strings(value, MAX_DEPTH)))


def _tables(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if depth and isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from _tables(inner, depth - 1)


def _strings(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner, depth - 1)


def _yaml_entries(path: str, text: str) -> Iterator[PersonaText]:
    """Yield the block under each key named after a persona, by its indentation.

    The block is read as text: a parser of YAML follows aliases, of which a file can hold a bomb.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        key, colon, rest = line.partition(":")
        persona = persona_in(key) if colon and key.strip().replace("_", "").isalnum() else None
        if persona is None:
            continue
        indent = len(line) - len(line.lstrip())
        end = number + 1
        while end < len(lines) and (
            not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent
        ):
            end += 1
        block = "\n".join([rest, *lines[number + 1 : end]])
        yield PersonaText(persona, path, number + 1, end, block)
