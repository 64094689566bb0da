"""Ranked search in a report: overlapping chunks of its text, best first, with their context.

Ranking is BM25 by bm25s. It is imported with numpy when the first report is indexed, which takes
0.4 s once per process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.pdf.pdf_content import PdfReading

CHUNK_CHARACTERS = 500
OVERLAP_CHARACTERS = 100
CONTEXT_CHARACTERS = 200
_WORD = re.compile(r"[^\W_]+")
# English endings, longest first, so that "judges" matches "judge" and "validated" "validation".
_ENDINGS = re.compile(r"(?:ational|ations?|ating|ated?|ings?|ies|ied|edly|ed|es|s|e|y)$")
_MIN_STEM = 3
_STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "for",
        "from",
        "has",
        "have",
        "how",
        "in",
        "into",
        "is",
        "it",
        "its",
        "not",
        "of",
        "on",
        "or",
        "our",
        "that",
        "the",
        "their",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "you",
        "your",
    ]
)


@dataclass(frozen=True, slots=True)
class Passage:
    """Chunk of a page in whole words, with up to CONTEXT_CHARACTERS of the page on both sides."""

    page: int
    text: str
    before: str
    after: str
    score: float

    @property
    def in_context(self) -> str:
        return f"{self.before}{self.text}{self.after}"


@dataclass(frozen=True, slots=True)
class _Chunk:
    page: int
    start: int
    end: int


class Passages:
    """Report, split and indexed once. A query over 50 pages takes well under 10 ms."""

    def __init__(self, reading: PdfReading) -> None:
        self._pages = reading.pages
        self._chunks = [
            chunk
            for page, text in enumerate(reading.pages, start=1)
            for chunk in _chunks(page, text)
        ]
        self._index: Any = None
        if any(stems := [stems_of(self._text(chunk)) for chunk in self._chunks]):
            self._index = _build_index(stems)

    def search(self, query: str, most: int = 5) -> tuple[Passage, ...]:
        """Return the best passages for the query, at most `most`; none when no word occurs."""
        words = list(dict.fromkeys(stems_of(query)))
        if self._index is None or not words:
            return ()

        scores: Sequence[float] = self._index.get_scores(words).tolist()
        # Equal scores keep the order of the text, so that results are the same on every run.
        ranked = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        return tuple(
            self._passage(index, scores[index]) for index in ranked[:most] if scores[index] > 0
        )

    def _text(self, chunk: _Chunk) -> str:
        return self._pages[chunk.page - 1][chunk.start : chunk.end]

    def _passage(self, index: int, score: float) -> Passage:
        chunk = self._chunks[index]
        page = self._pages[chunk.page - 1]
        return Passage(
            page=chunk.page,
            text=self._text(chunk),
            before=page[max(0, chunk.start - CONTEXT_CHARACTERS) : chunk.start],
            after=page[chunk.end : chunk.end + CONTEXT_CHARACTERS],
            score=score,
        )


def stems_of(text: str) -> list[str]:
    """Return the text's words in lower case, without endings and without stop words."""
    words: Iterable[str] = _WORD.findall(text.lower())
    return [_stem(word) for word in words if word not in _STOP_WORDS]


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    return stem if len(stem) >= _MIN_STEM else word


def _chunks(page: int, text: str) -> Iterator[_Chunk]:
    start = 0
    while start < len(text):
        end = _chunk_end(text, start)
        yield _Chunk(page, start, end)
        if end == len(text):
            return
        start = _next_start(text, end)


def _chunk_end(text: str, start: int) -> int:
    """Return the last space in reach, so that only words longer than the overlap are split."""
    end = start + CHUNK_CHARACTERS
    if end >= len(text):
        return len(text)

    space = max(
        text.rfind(" ", start + OVERLAP_CHARACTERS, end),
        text.rfind("\n", start + OVERLAP_CHARACTERS, end),
    )
    return space if space > end - OVERLAP_CHARACTERS else end


def _next_start(text: str, end: int) -> int:
    """Return the first word within the last OVERLAP_CHARACTERS of the previous chunk."""
    start = end - OVERLAP_CHARACTERS
    space = text.find(" ", start, end)
    return space + 1 if space >= 0 else start


def _build_index(stems: list[list[str]]) -> Any:
    from bm25s import BM25  # type: ignore[import-untyped]  # -- it ships no types

    index = BM25()
    index.index(stems, show_progress=False)
    return index
