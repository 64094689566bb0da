"""Path patterns: their meaning, and a cost that does not explode with their wildcards."""

import re
from itertools import product

import pytest

from courtroom.analysis.project.globs import matches

PIECES = ("a", "*", "?", "**", "**/", "/", "b*")
PATHS = ("a", "ab", "b/a", "a/b/a", "ab/ab", "a/bb/a/b", "b/b/b/a")


def plain_expression(pattern: str) -> str:
    """Return the definition of the wildcards, each tried at every place."""
    meaning = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return "".join(meaning.get(part) or re.escape(part) for part in parts)


def test_each_pattern_matches_what_its_wildcards_mean() -> None:
    patterns = ["".join(pieces) for pieces in product(PIECES, repeat=4)]
    differing = [
        (pattern, path)
        for pattern in patterns
        for path in PATHS
        # A leading `./` or `/` is left out of a pattern.
        if not pattern.startswith("/")
        and matches(path, [pattern]) != bool(re.fullmatch(plain_expression(pattern), path))
    ]
    assert differing == []


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60 + "b", "a" * 255 + "c"),
        ("**/a/" * 20 + "b", "a/" * 500 + "c"),
        ("**a" * 60 + "b", "a" * 1000 + "c"),
    ],
)
def test_many_wildcards_against_one_long_path_end(pattern: str, path: str) -> None:
    """None of them ends while every wildcard tries every place."""
    assert not matches(path, [pattern])
    assert matches(path.removesuffix("c") + "b", [pattern])
