"""Path patterns of rubrics.

`*` and `?` match within a folder, `**` crosses folders, case is ignored, all else is literal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

ACROSS_FOLDERS = {"**/": "(?:[^/]+/)*", "**": ".*"}


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
    """Return the expression of one pattern.

    The first place where the text after a wildcard matches is as good as any later one, as long as
    another wildcard of its kind follows: only the last of them tries again. Otherwise five stars
    against one long name took 50 s.
    """
    parts = re.split(r"(\*\*/|\*\*)", pattern)
    expression = _within_folder(parts[0])

    for number in range(1, len(parts), 2):
        wildcard, text, following = parts[number], parts[number + 1], parts[number + 2 :][:1]
        rest = _within_folder(text)
        ends_a_folder = wildcard == "**/" and text.endswith("/")
        has_one_end = wildcard == "**" and following == ["**"] and "*" not in text
        if following and (ends_a_folder or has_one_end):
            expression += f"(?>{ACROSS_FOLDERS[wildcard]}?{rest})"
        else:
            expression += f"{ACROSS_FOLDERS[wildcard]}{rest}"
    return expression


def _within_folder(text: str) -> str:
    """Return the expression of a text without `**`."""
    return "/".join(_of_name(name) for name in text.split("/"))


def _of_name(name: str) -> str:
    first, *following = (
        "".join("[^/]" if char == "?" else re.escape(char) for char in literal)
        for literal in re.split(r"\*+", name)
    )
    if not following:
        return first
    return first + "".join(f"(?>[^/]*?{text})" for text in following[:-1]) + f"[^/]*{following[-1]}"
