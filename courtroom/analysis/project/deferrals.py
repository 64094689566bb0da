"""Find work deferred with a reason, in one sentence of a document or commit message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.python.source_files import is_vendored

DOCUMENTS = frozenset({".md", ".txt", ".rst"})
MAX_LENGTH = 300  # characters of a quoted sentence
MOST_IN_REPORT = 50
_DEFERRED = (
    r"(?:defer(?:s|red|ring|ral)?|postpon(?:e|es|ed|ing|ement)"
    r"|(?:won'?t|will not|did not|didn'?t) (?:be )?(?:fix(?:ed)?|address(?:ed)?)"
    r"|not (?:be )?(?:fixed|addressed|implemented) (?:yet|now|in this)"
    r"|(?:left|kept|scheduled) for (?:later|the next)|out of scope|de-?prioriti[sz]ed)"
)
REASON = (
    r"(?:because|since|due to|reasons?:|given (?:that|the)|in favou?r of|until"
    r"|would (?:require|need|break|take)|as (?:it|this|we|they|the)\b)"
)
_SENTENCE = re.compile(
    # "Deferred, because …" is a form that a document explains: no reason stands there.
    rf"\b{_DEFERRED}\b[^.\n]{{0,200}}?(?:\b{REASON}[\s\"'`*_(,]*(?:\w|$)|\w+ — \w)"
    rf"|\b{REASON}\b[^.\n]{{0,200}}?\b{_DEFERRED}\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def may_document(path: str) -> bool:
    """Return whether people record decisions in such a file."""
    return PurePosixPath(path).suffix.lower() in DOCUMENTS and not is_vendored(path)


def deferrals_on_pages(pages: Sequence[str]) -> list[dict[str, Any]]:
    """Return the deferrals of a report's pages as facts, at most MOST_IN_REPORT."""
    # A line of a page is a whole paragraph, so only the sentence is quoted.
    rows = [
        {"page": page, "text": sentence}
        for page, text in enumerate(pages, start=1)
        for part in _SENTENCES.split(text)
        for _, sentence in deferrals_in(part)
    ]
    return rows[:MOST_IN_REPORT]


def deferrals_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield the 1-based line and the text of every deferral with a reason."""
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        if _SENTENCE.search(line):
            yield number, " ".join(line.strip(" -*#>|").split())[:MAX_LENGTH]
