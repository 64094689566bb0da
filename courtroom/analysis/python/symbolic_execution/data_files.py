"""JSON files of the repository that its code reads, as values: a graph may be built from a list that lies in one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from courtroom.analysis.python.source_files import Codebase, is_vendored
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    Called,
    Items,
    Table,
    Template,
    Value,
)

if TYPE_CHECKING:
    from courtroom.analysis.git.blobs import BlobReader

MOST_FILES = 20
MOST_BYTES = 256 * 1024
MOST_MEMBERS = 5_000
READERS = frozenset({"json.load", "json.loads"})
# Calls and methods that lead from a path to its text.
OPENERS = frozenset({"open", "read_text", "read_bytes", "read"})
PATHS = ("pathlib.Path", "pathlib.PurePath", "os.path.join", "os.path.abspath", "str")


def data_texts(reader: BlobReader, codebase: Codebase) -> dict[str, str]:
    """The texts of the JSON files, by path, whose names stand in the code; the large ones are left out."""
    paths = [
        path
        for path, blob in reader.blobs.items()
        if path.endswith(".json")
        and blob.is_file
        and blob.size <= MOST_BYTES
        and not is_vendored(path)
    ]
    named = [path for path in sorted(paths) if _is_named(PurePosixPath(path).name, codebase)][
        :MOST_FILES
    ]
    return {
        path: raw.decode("utf-8-sig", "replace") for path, raw in reader.read_all(named).items()
    }


def _is_named(name: str, codebase: Codebase) -> bool:
    return any(name in source.text for source in codebase.production)


def loaded(data: Mapping[str, str], dotted: str, positional: list[Value]) -> Value:
    """What json.load(...) of a file of the repository gives; unknown when it is not clear which file that is."""
    if dotted not in READERS or not positional:
        return UNKNOWN
    path = _file_meant(data, path_text(positional[0]))
    if path is None:
        return UNKNOWN
    try:
        return _value(json.loads(data[path]), [MOST_MEMBERS])
    except (ValueError, RecursionError):
        return UNKNOWN


def path_text(value: Value) -> str:
    """A path as far as it is known, a HOLE where it is not."""
    if isinstance(value, str):
        return value
    if isinstance(value, Template):
        return value.text
    if (
        isinstance(value, Called)
        and (value.dotted in PATHS or value.dotted in OPENERS)
        and value.positional
    ):
        parts = value.positional if value.dotted == "os.path.join" else value.positional[:1]
        return "/".join(path_text(part) for part in parts)
    return HOLE


def opened(owner: Called, name: str, line: int) -> Value:
    """path.open(), path.read_text(), file.read(): the text of the same file."""
    return Called("open", (owner,), (), line) if name in OPENERS else UNKNOWN


def below(left: Value, right: Value, line: int) -> Value:
    """`folder / "rubric.json"`."""
    if isinstance(left, int | float) or not isinstance(right, str | Template):
        return UNKNOWN
    return Called("pathlib.Path", (Template(f"{path_text(left)}/{path_text(right)}"),), (), line)


def _file_meant(data: Mapping[str, str], path: str) -> str | None:
    """The one file that has this path, or that ends in what is known of it."""
    known = path.rpartition(HOLE)[2].replace("\\", "/").removeprefix("./").strip("/")
    while known.startswith("../"):
        known = known.removeprefix("../")
    if not known:
        return None
    if known in data:
        return known
    found = [one for one in data if one.endswith(f"/{known}")]
    return found[0] if len(found) == 1 else None


def _value(parsed: Any, room: list[int]) -> Value:
    room[0] -= 1
    if room[0] < 0:
        return UNKNOWN
    if isinstance(parsed, dict):
        return Table({key: _value(inner, room) for key, inner in parsed.items()})
    if isinstance(parsed, list):
        return Items([_value(inner, room) for inner in parsed])
    return parsed if parsed is None or isinstance(parsed, str | int | float | bool) else UNKNOWN
