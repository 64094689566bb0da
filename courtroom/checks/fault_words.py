"""Words that the kinds share for the fault of a check, where the rubric has no sentence for it."""

from __future__ import annotations

from collections.abc import Sequence

# Further options are counted: a rubric may list a hundred.
MOST_OPTIONS = 3


def options(words: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`, or the first three and the number of the others."""
    if len(words) > MOST_OPTIONS:
        more = len(words) - MOST_OPTIONS
        return f"{', '.join(words[:MOST_OPTIONS])} or {more} other{'' if more == 1 else 's'}"
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def matching(check_is_positive: bool, absent: str, present: str) -> str:
    """The first sentence for a check that is met by a match, the second for one that is not."""
    return absent if check_is_positive else present
