"""Path patterns of rubrics: `*` stays inside a folder, `**` crosses folders, case is ignored, all else is literal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a path of the tree, from its root, matches any of the patterns."""
    return any(_compiled(pattern).fullmatch(path) is not None for pattern in patterns)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./").removeprefix("/"))
    special = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile(
        "".join(special.get(part) or re.escape(part) for part in parts), re.IGNORECASE | re.DOTALL
    )
