"""Fit courtroom/analysis/prompt_injection/sentence_model.json, and say how well it does.

    python -m benchmarks.fit_sentence_model --texts FOLDER... --others FOLDER... [--folds 6]

Two logistic regressions. The first, over the means of the model's vectors of words, decides which
sentences the model reads: one in fifty of a work. The second, over what it reads in them and the
features of `english.py`, decides which speak to whoever grades. They learn from the phrases of
`grader_phrases/` against harmless ones and the sentences of the folders, each a project. Works that
are graded are `--texts`; the messages of their commits and the names of their files stand in a
folder MESSAGES, each in a file of its own. With --folds each project and each style of phrases is
also weighed by weights that did not meet it. Prints for each threshold how many works and phrases
are flagged, the tests' unseen ones among them, and writes weights for THRESHOLD. Needs scipy.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]  # -- it ships no types

from benchmarks.fit_grader_address import (
    HARMLESS_PHRASES,
    LONGEST_SENTENCE,
    PHRASES,
    Phrase,
    phrases_in,
    sentences_with_bars,
    texts_in,
    view,
)
from courtroom.analysis.prompt_injection import english, grader_address, minilm, sentence_model
from courtroom.analysis.prompt_injection.sentences import sentences_of
from tests.hostile.prompt_injection.phrasings import DEVELOPMENT, HELD_OUT
from tests.hostile.prompt_injection.unseen import (
    UNSEEN_A,
    UNSEEN_B,
    UNSEEN_C,
    UNSEEN_D,
    UNSEEN_D_TWINS,
    UNSEEN_E,
    UNSEEN_E_TWINS,
)

SETS = ("ideas", "forms", "hints", "carriers", "readings", "news")
MORE_PHRASES = tuple(f"to_graders_{name}" for name in SETS)
MORE_HARMLESS = tuple(f"harmless_{name}" for name in SETS)
# How much a sentence of a group counts in the first and in the second regression.
IMPORTANCE = {
    "phrase": (10, 10),
    "harmless": (1, 5),
    "work": (1, 1),
    "message": (1, 6),
    "other": (2, 3),
}
# Vectors of words are short, so their weights may be larger.
WORD_RIDGE, RIDGE, FEATURE_RIDGE = 0.03, 10.0, 40.0
FEWEST_USES, FEWEST_USES_OF_WORD, LEAST_WEIGHT = 20, 25, 0.02
# Share of a work's sentences that the model reads.
READ = 0.025
THRESHOLD = 0.25
THRESHOLDS = (0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.6, 0.8, 1.0, 1.3, 1.6)


class Row(NamedTuple):
    """Sentence of a group: its style or its project.

    `bar` is what the text around asks more, `extra` what the kind of text does.
    """

    kind: str
    group: str
    phrase: int
    text: str
    bar: float = 0
    extra: float = 0


def rows_of_phrases(kind: str, phrases: Iterable[Phrase]) -> Iterator[Row]:
    for number, phrase in enumerate(phrases):
        for sentence in sentences_of(grader_address.own_words_in(view(phrase.text)), "prose"):
            yield Row(kind, phrase.style, number, sentence.text)


def rows_of_folders(kind: str, folders: Sequence[Path]) -> Iterator[Row]:
    for folder in folders:
        for text in texts_in(folder, is_work=kind == "work"):
            extra = sentence_model.EXTRA_POINTS.get(text.kind, 0)
            own_kind = "message" if text.kind == "message" else kind
            for sentence, bar in sentences_with_bars(text).items():
                if len(sentence) <= LONGEST_SENTENCE:
                    yield Row(own_kind, folder.name, 0, sentence, bar, extra)


def all_rows(works: Sequence[Path], others: Sequence[Path]) -> list[Row]:
    listed = [phrase for name in (*PHRASES, *MORE_PHRASES) for phrase in phrases_in(name)]
    listed += [Phrase("development", row.text, row.language) for row in DEVELOPMENT]
    harmless = [p for name in (*HARMLESS_PHRASES, *MORE_HARMLESS) for p in phrases_in(name)]
    unseen = {
        "unseen A": [row.text for row in UNSEEN_A],
        "unseen B": [row.text for row in UNSEEN_B],
        "unseen C": UNSEEN_C,
        "unseen D": UNSEEN_D,
        "twins of D": UNSEEN_D_TWINS,
        "unseen E": UNSEEN_E,
        "twins of E": UNSEEN_E_TWINS,
        "held out": [row.text for row in HELD_OUT],
    }
    rows = [
        *rows_of_phrases("phrase", listed),
        *rows_of_phrases("harmless", harmless),
        *rows_of_folders("work", works),
        *rows_of_folders("other", others),
    ]
    for kind, texts in unseen.items():
        rows += rows_of_phrases(kind, (Phrase(kind, text, "") for text in texts))
    return [row for row in rows if not grader_address.is_excused(row.text)]


def regression(x: np.ndarray, wanted: np.ndarray, importance: np.ndarray, ridge: np.ndarray):
    """Return the weights of the columns, that of every row last."""
    y = np.where(wanted, 1.0, -1.0)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = y * (x @ weights[:-1].astype(np.float32) + weights[-1])
        slope = -y * importance / (1 + np.exp(np.clip(margin, -50, 50)))
        value = (importance * np.logaddexp(0, -margin)).sum()
        value += (ridge * weights[:-1] ** 2).sum() / 2
        gradient = x.T @ slope.astype(np.float32) + ridge * weights[:-1]
        return float(value), np.append(gradient, slope.sum())

    start = np.zeros(x.shape[1] + 1)
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 150}).x


def points(
    rows: Sequence[Row], x: np.ndarray, ridge: np.ndarray, stage: int, folds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of all rows, and each row's points without its own group, if folded."""
    kinds = np.array([row.kind for row in rows])
    importance = np.array([IMPORTANCE.get(row.kind, (0, 0))[stage] for row in rows], float)
    wanted, known = kinds == "phrase", importance > 0
    weights = regression(x[known], wanted[known], importance[known], ridge)
    own = x @ weights[:-1] + weights[-1]
    fold_of = np.array([crc32(row.group.encode()) % folds if folds else 0 for row in rows])
    for fold in range(folds):
        met, left_out = known & (fold_of != fold), known & (fold_of == fold)
        some = regression(x[met], wanted[met], importance[met], ridge)
        own[left_out] = x[left_out] @ some[:-1] + some[-1]
    return weights, own


def by_words(rows: Sequence[Row]) -> np.ndarray:
    x, table = np.zeros((len(rows), minilm.SIZE), np.float32), minilm.word_vectors()
    for number, row in enumerate(rows):
        pieces = [p for word in english.words_of(row.text) for p in minilm.pieces_of(word)]
        if pieces:
            x[number] = table[pieces].mean(0)
    return x


def by_features(rows: Sequence[Row]) -> tuple[np.ndarray, list[str]]:
    """Return a row of zeros and ones for the features that are frequent enough, and their names."""
    own = [english.features_of(row.text, english.words_of(row.text)) for row in rows]
    uses = Counter(
        name
        for names, row in zip(own, rows, strict=True)
        if row.kind in IMPORTANCE
        for name in names
        if not name.startswith("first ")
    )
    frequent = sorted(
        name
        for name, count in uses.items()
        if count >= (FEWEST_USES_OF_WORD if name.startswith("word ") else FEWEST_USES)
    )
    columns = {name: column for column, name in enumerate(frequent)}
    x = np.zeros((len(rows), len(frequent)), np.float32)
    for number, names in enumerate(own):
        x[number, [columns[name] for name in names if name in columns]] = 1
    return x, frequent


def over_bar(row: Row, points: float) -> float:
    return float(points - max(row.bar, 0) - row.extra)


def report(rows: Sequence[Row], own: np.ndarray) -> None:
    best: dict[str, defaultdict[tuple[str, int], float]] = {}
    for row, value in zip(rows, own, strict=True):
        kind = "work" if row.kind == "message" else row.kind
        key = (row.group, 0) if kind in {"work", "other"} else ("", row.phrase)
        table = best.setdefault(kind, defaultdict(lambda: -99.0))
        table[key] = max(table[key], over_bar(row, value))
    for kind, table in best.items():
        flagged = (f"{t}: {sum(v > t for v in table.values())}" for t in THRESHOLDS)
        print(f"{kind}, of {len(table)} read: {', '.join(flagged)}")
    of_works = [
        (over_bar(row, value), row)
        for row, value in zip(rows, own, strict=True)
        if row.kind in {"work", "message"}
    ]
    for value, row in sorted(of_works, reverse=True)[:25]:
        print(f"  {value:.2f} {row.group}: {row.text[:110]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, nargs="+", required=True)
    parser.add_argument("--others", type=Path, nargs="*", default=[])
    parser.add_argument("--folds", type=int, default=0)
    arguments = parser.parse_args()
    rows = all_rows(arguments.texts, arguments.others)

    x = by_words(rows)
    ridge = np.full(minilm.SIZE, WORD_RIDGE)
    word_weights, own = points(rows, x, ridge, 0, 0)
    bars = np.array([row.bar for row in rows])
    over = own - sentence_model.SHARE_OF_BAR * bars
    is_text = np.array([row.kind in {"work", "message", "other"} for row in rows])
    least = float(np.quantile(over[[row.kind == "work" for row in rows]], 1 - READ))
    for kind in dict.fromkeys(row.kind for row in rows):
        own_rows = [n for n, row in enumerate(rows) if row.kind == kind]
        read = {rows[n].phrase for n in own_rows if over[n] > least}
        print(
            f"{kind}: the model reads {sum(over[own_rows] > least)} sentences, {len(read)} phrases"
        )

    # Phrases teach even where the model would not read them.
    is_read = (over > least) | (~is_text & np.array([row.kind in IMPORTANCE for row in rows]))
    rows = [row for row, chosen in zip(rows, is_read, strict=True) if chosen]
    print(f"{len(rows)} sentences to read", flush=True)
    features, names = by_features(rows)
    x = np.hstack([minilm.vectors_of([row.text for row in rows]), features])
    ridge = np.repeat((RIDGE, FEATURE_RIDGE), (minilm.SIZE, len(names)))
    weights, own = points(rows, x, ridge, 1, arguments.folds)
    report(rows, own)

    vector, of_features = weights[: minilm.SIZE], weights[minilm.SIZE : -1]
    table = {
        "pieces": [round(float(w), 1) for w in minilm.word_vectors() @ word_weights[:-1]],
        "words_always": round(float(word_weights[-1]) - least, 3),
        "vector": [round(float(weight), 3) for weight in vector],
        "always": round(float(weights[-1]) - THRESHOLD, 3),
        "features": {
            name: round(float(weight), 2)
            for name, weight in zip(names, of_features, strict=True)
            if abs(weight) >= LEAST_WEIGHT
        },
    }
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    sentence_model.WEIGHTS.write_text(text.replace(',"', ',\n"') + "\n")


if __name__ == "__main__":
    main()
