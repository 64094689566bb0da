"""Find written answers to feedback in a repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

_FOLDERS = re.compile(r"audits?|docs?|feedback|reports?|reviews?")
_NAME = re.compile(r"feedback|respon|answer|readme|changelog|changes")
_ANSWER = re.compile(
    r"\b(?:addressed|(?:fixed|resolved) in|implemented the feedback|peer feedback|feedback received"
    r"|respond(?:ed|s) to)\b",
    re.IGNORECASE,
)


def may_answer(path: str) -> bool:
    """Return whether the file's name or topmost folder suggests answers to feedback."""
    pure = PurePosixPath(path.lower())
    return bool(
        _NAME.search(pure.stem) or (len(pure.parts) > 1 and _FOLDERS.fullmatch(pure.parts[0]))
    )


def answers_in(text: str) -> Iterator[int]:
    """Yield the 1-based lines that answer feedback."""
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        if _ANSWER.search(line):
            yield number
