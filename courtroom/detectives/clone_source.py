"""One habit of the clone that the report often claims and the facts do not hold: a folder that removes itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

_COMMENT = re.compile(r"#.*")
_CLEANS_UP = re.compile(r"\bTemporaryDirectory\(")
_STAYS = re.compile(r"\bmkdtemp\(")


def cleans_up_by_itself(
    function: Mapping[str, Any] | None, files: Mapping[str, Sequence[str]]
) -> bool | None:
    """Whether the clone function works in a TemporaryDirectory (true) or in what mkdtemp leaves behind (false).

    `function` is the fact clone_function, `files` holds the lines of its file; null where it makes its folder
    elsewhere.
    """
    if function is None:
        return None
    body = _COMMENT.sub("", "\n".join(_definition(files.get(function["path"], []), function["line"])))
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
