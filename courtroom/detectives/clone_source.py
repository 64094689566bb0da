"""One habit of the clone that the report often claims and the facts do not hold: a folder that removes itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from courtroom.forensics.snapshot import Snapshot, read_files

_COMMENT = re.compile(r"#.*")
_CLEANS_UP = re.compile(r"\bTemporaryDirectory\(")
_STAYS = re.compile(r"\bmkdtemp\(")


def cleans_up_by_itself(function: Mapping[str, Any] | None, snapshot: Snapshot) -> bool | None:
    """Whether the clone function works in a TemporaryDirectory (true) or in what mkdtemp leaves behind (false).

    `function` is the fact clone_function; null where it makes its folder elsewhere. Raises ChildFailed.
    """
    if function is None:
        return None
    lines = read_files(snapshot, [function["path"]]).get(function["path"], [])
    body = _COMMENT.sub("", "\n".join(_definition(lines, function["line"])))
    if _CLEANS_UP.search(body):
        return True
    return False if _STAYS.search(body) else None


def _definition(lines: Sequence[str], start: int) -> list[str]:
    """The `def` line and everything indented deeper; closing brackets of its head belong to it."""
    head, rest = lines[start - 1 : start], lines[start:]
    depth = _indent(head[0]) if head else 0
    inside = takewhile(
        lambda line: not line.strip() or _indent(line) > depth or line.strip()[0] in ")]", rest
    )
    return [*head, *inside]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
