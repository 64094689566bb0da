"""Path patterns of rubrics.

`*` and `?` match within a folder, `**` crosses folders, case is ignored, all else is literal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a path of the tree, from its root, matches any of the patterns."""
    return _compiled(tuple(patterns)).fullmatch(path) is not None


@lru_cache(maxsize=512)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    # One expression for all patterns, because a tree may have twenty thousand paths to match.
    anchored = (pattern.removeprefix("./").removeprefix("/") for pattern in patterns)
    anywhere: list[str] = []
    expressions = []

    for pattern in anchored:
        if pattern.startswith("**/"):
            anywhere.append(_expression(pattern.removeprefix("**/")))
        else:
            expressions.append(_expression(pattern))

    if anywhere:
        expressions.append(f"(?:[^/]+/)*(?:{'|'.join(anywhere)})")

    return re.compile("|".join(expressions) or r"(?!)", re.IGNORECASE | re.DOTALL)


def _expression(pattern: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    special = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(special.get(part) or re.escape(part) for part in parts)
