"""Persona prompts in files: one file for each persona, or one with an entry for each."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
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
NAMED_PROMPTS = frozenset({"prompt", "prompts", "persona", "personas"})
PROMPT_WORDS = NAMED_PROMPTS | {"judges"}
# Beside the judges these name a folder of what they have answered.
OUTPUT_WORDS = frozenset(words_of("output outputs report reports result results log logs debug"))
# Tables within tables, as in judges.prosecutor.prompt.
MAX_DEPTH = 4


def is_prompt_file(path: str) -> bool:
    words = _words_of_path(path)
    if words & OUTPUT_WORDS and not words & NAMED_PROMPTS:
        return False
    return path.lower().endswith(tuple(PROMPT_SUFFIXES)) and bool(words & PROMPT_WORDS)


def _words_of_path(path: str) -> set[str]:
    pure = PurePosixPath(path.lower())
    return set(words_of(" ".join(pure.parts[:-1]))) | set(words_of(pure.stem))


def texts_in_files(files: Mapping[str, str]) -> Iterator[PersonaText]:
    for path, text in files.items():
        persona = persona_in(PurePosixPath(path).stem)
        if not _words_of_path(path) & NAMED_PROMPTS and _is_opinion(path, text):
            continue
        if persona is not None:
            yield PersonaText(persona, path, 1, text.count("\n") + 1, text)
        elif path.lower().endswith((".yaml", ".yml")):
            yield from _yaml_entries(path, text)
        elif path.lower().endswith((".json", ".toml")):
            yield from _entries(path, text)


def _is_opinion(path: str, text: str) -> bool:
    """Return true for the JSON of a judge's answer: a prompt gives no score."""
    try:
        document = json.loads(text) if path.lower().endswith(".json") else None
    except (ValueError, RecursionError):
        return False
    return any(
        key == "score" and type(value) in (int, float)
        for key, value in _tables(document, MAX_DEPTH)
    )


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


def texts_in_data(data: Mapping[str, str], keys: AbstractSet[str]) -> Iterator[PersonaText]:
    """Yield the texts of tables by persona in JSON files, under one of the keys that judges look up.

    `{"judicial_logic": {"prosecutor": {...}, "defense": {...}}}` in a rubric tells each judge its part.
    """
    for path, text in sorted(data.items()):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            continue  # a broken file holds no prompt that a program could load
        lines = text.split("\n")
        for key, table in _tables(document, MAX_DEPTH):
            if key not in keys or not isinstance(table, dict) or _count_personas(table) < 2:
                continue
            start = _line_with(key, lines, 0)
            for name, entry in table.items():
                persona = persona_in(name)
                if persona is not None:
                    strings = list(_strings(entry, MAX_DEPTH))
                    first = _line_with(name, lines, start)
                    last = max((_line_with(s, lines, first, first) for s in strings), default=first)
                    yield PersonaText(persona, path, first + 1, last + 1, "\n".join(strings))


def _count_personas(table: Mapping[str, Any]) -> int:
    return len({persona_in(name) for name in table} - {None})


def _line_with(text: str, lines: list[str], start: int, default: int = 0) -> int:
    """Return the index of the first line from `start` on that holds the JSON string of a text."""
    written = {json.dumps(text), json.dumps(text, ensure_ascii=False)}
    places = (n for n in range(start, len(lines)) if any(part in lines[n] for part in written))
    return next(places, default)


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
