"""Data files of the repository as values: code may build a graph from a list in such a file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.python.source_files import Codebase, is_vendored
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    CallResult,
    DictValue,
    ListValue,
    Template,
    Value,
)

# Bounds on hostile repositories; a rubric that a graph is built from has some 20 KB.
MAX_FILES = 20
MAX_BYTES = 256 * 1024
MAX_MEMBERS = 5_000
# Parts of a path: `p = os.path.join(p, p)` doubles them with each line.
MAX_PARTS = 100
ENDINGS = (".json", ".toml", ".yaml", ".yml")
# Calls and methods that lead from a path to its text.
OPENERS = frozenset({"open", "read_text", "read_bytes", "read"})
PATH_CALLS = ("pathlib.Path", "pathlib.PurePath", "os.path.join", "os.path.abspath", "str")


def data_file_paths(sizes: Mapping[str, int], codebase: Codebase) -> list[str]:
    """Return the paths of the small data files whose names stand in the code.

    `sizes`: the size in bytes of each file of the repository, by path.
    """
    named = [
        path for path in small_data_files(sizes) if _is_named(PurePosixPath(path).name, codebase)
    ]
    return named[:MAX_FILES]


def small_data_files(sizes: Mapping[str, int]) -> list[str]:
    return [
        path
        for path, size in sorted(sizes.items())
        if path.endswith(ENDINGS) and size <= MAX_BYTES and not is_vendored(path)
    ]


def _is_named(name: str, codebase: Codebase) -> bool:
    return any(name in source.text for source in codebase.production)


def load_data(data: Mapping[str, str], dotted: str, positional: list[Value]) -> Value:
    """Return the value of json.load(...), or its like, of a file of the repository.

    It is unknown when it is not clear which file is loaded.
    """
    parse = READERS.get(dotted)
    if parse is None or not positional:
        return UNKNOWN
    path = _matching_file(data, path_text(positional[0]))
    if path is None:
        return UNKNOWN

    try:
        return _data_value(parse(data[path]), [MAX_MEMBERS])
    except (ValueError, RecursionError):
        return UNKNOWN


def _parse_yaml(text: str) -> Any:
    import yaml  # comes with LangChain; loaded only where a graph is built from such a file

    # An alias stands for as much text as its author likes.
    if "*" in text or "<<" in text:
        raise ValueError
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError from error


READERS: dict[str, Callable[[str], Any]] = {
    "json.load": json.loads,
    "json.loads": json.loads,
    "tomllib.load": tomllib.loads,
    "tomllib.loads": tomllib.loads,
    "tomli.load": tomllib.loads,
    "tomli.loads": tomllib.loads,
    "yaml.safe_load": _parse_yaml,
    "yaml.load": _parse_yaml,
}


def path_text(value: Value) -> str:
    """Return a path as far as it is known, with a HOLE where it is not."""
    texts: list[str] = []
    left = [value]
    for _ in range(MAX_PARTS):
        if not left:
            return "/".join(texts)
        part = left.pop()
        if isinstance(part, CallResult) and part.dotted in (*PATH_CALLS, *OPENERS):
            parts = part.positional if part.dotted == "os.path.join" else part.positional[:1]
            left += reversed(parts or (UNKNOWN,))
        elif isinstance(part, Template):
            texts.append(part.text)
        else:
            texts.append(part if isinstance(part, str) else HOLE)
    return HOLE


def open_path(owner: CallResult, name: str, line: int) -> Value:
    """Return the text behind path.open(), path.read_text() or file.read(), as a call of open."""
    return CallResult("open", (owner,), (), line) if name in OPENERS else UNKNOWN


def join_path(left: Value, right: Value, line: int) -> Value:
    """Return the path `folder / "rubric.json"`; unknown when the division joins no path."""
    if isinstance(left, int | float) or not isinstance(right, str | Template):
        return UNKNOWN
    path = Template(f"{path_text(left)}/{path_text(right)}")
    return CallResult("pathlib.Path", (path,), (), line)


def _matching_file(data: Mapping[str, str], path: str) -> str | None:
    """Return the one file that has this path, or whose path ends in the known part of it."""
    suffix = path.rpartition(HOLE)[2].replace("\\", "/").removeprefix("./").strip("/")
    while suffix.startswith("../"):
        suffix = suffix.removeprefix("../")
    if not suffix:
        return None

    if suffix in data:
        return suffix
    matches = [name for name in data if name.endswith(f"/{suffix}")]
    return matches[0] if len(matches) == 1 else None


def _data_value(parsed: Any, remaining: list[int]) -> Value:
    """Convert parsed data; `remaining` holds the number of members that may still be converted."""
    remaining[0] -= 1
    if remaining[0] < 0:
        return UNKNOWN
    if isinstance(parsed, dict):
        return DictValue({key: _data_value(inner, remaining) for key, inner in parsed.items()})
    if isinstance(parsed, list):
        return ListValue([_data_value(inner, remaining) for inner in parsed])
    return parsed if parsed is None or isinstance(parsed, str | int | float | bool) else UNKNOWN
