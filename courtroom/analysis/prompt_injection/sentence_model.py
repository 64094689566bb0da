"""Points of an English sentence by its meaning, where the model of `minilm.py` is installed.

A sentence is weighed twice: by what the model knows of its words alone, which costs little and lets
a sentence in fifty of a student's work through, and those by what the model reads in the sentence,
with the roles and words of `english.py`. `sentence_model.json` is fitted by
`benchmarks/fit_sentence_model.py`; above zero is enough in both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import NamedTuple

from courtroom.analysis.prompt_injection import english, minilm

WEIGHTS = Path(__file__).parent / "sentence_model.json"
# A text around that raises the bar counts by this share before the model reads.
SHARE_OF_BAR = 0.5
# A message of a commit, a name of a file or branch has no text around that would raise the bar;
# what orders a coding assistant about speaks as attacks do. The patterns search both as prose.
EXTRA_POINTS = {"message": 0.8, "assistant": 1.5}
# Sentences that the model reads of one text, and of one repository: 5 ms each.
MOST_OF_TEXT, MOST_OF_REPOSITORY = 60, 300

_left: ContextVar[list[int] | None] = ContextVar("sentences_left", default=None)


class Weights(NamedTuple):
    """Weights of each piece of a word, of a sentence's vector, and of its features by name."""

    pieces: list[float]
    words_always: float
    vector: list[float]
    features: dict[str, float]
    always: float


@cache
def is_installed() -> bool:
    return minilm.folder() is not None


@cache
def weights() -> Weights:
    return Weights(**json.loads(WEIGHTS.read_text("utf-8")))


def weight_of(word: str) -> tuple[float, int]:
    """Return the weights of the pieces of a word in sum, and their number."""
    pieces = minilm.pieces_of(word)
    return sum(map(weights().pieces.__getitem__, pieces)), len(pieces)


def points_of_words(weight: float, pieces: int) -> float:
    """Return the points of a sentence by its words alone, of `weight_of` in sum."""
    return weights().words_always + weight / max(pieces, 1)


@contextmanager
def limited(sentences: int = MOST_OF_REPOSITORY) -> Iterator[None]:
    """Let the model read at most so many sentences, whoever asks meanwhile."""
    token = _left.set([sentences])
    try:
        yield
    finally:
        _left.reset(token)


def points_of(sentences: Sequence[str]) -> list[float]:
    """Return the points of the first sentences by their meaning, as many as may be read."""
    left = _left.get()
    most = MOST_OF_TEXT if left is None else min(MOST_OF_TEXT, left[0])
    some = sentences[:most]
    if left is not None:
        left[0] -= len(some)
    if not some:
        return []

    table = weights()
    by_vector = minilm.vectors_of(some) @ table.vector
    return [
        table.always + float(points) + _points_of_features(sentence, table.features)
        for sentence, points in zip(some, by_vector, strict=True)
    ]


def _points_of_features(sentence: str, table: dict[str, float]) -> float:
    names = english.features_of(sentence, english.words_of(sentence))
    return sum(table.get(name, 0) for name in names)
