"""Fit the weights of courtroom/analysis/prompt_injection/weights.json, and say how well they do.

    python -m benchmarks.fit_grader_address --texts FOLDER... --others FOLDER... [--folds 8]
        [--languages english]

Two logistic regressions over the features of one sentence, for English and for other languages.
They learn from the phrases in `grader_phrases/` and the tests' DEVELOPMENT, against harmless
sentences: those of `grader_phrases/harmless*.txt` and of the folders, each a project. Works that
are graded are `--texts`; `--others` are packages, handbooks and the like. With --folds it first
leaves out every style of phrases and every project once, and prints for each threshold how many
are flagged by weights that did not meet them. The weights of a language that `--languages` leaves
out stay. Needs numpy and scipy.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]  # -- it ships no types
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # -- it ships no types

from courtroom.analysis.git.blobs import BINARY_PROBE, text_of
from courtroom.analysis.prompt_injection import english, grader_address, other_languages
from courtroom.analysis.prompt_injection.obfuscation import foreign_view_of, view_of
from courtroom.analysis.prompt_injection.repository_text import kind_of
from courtroom.analysis.prompt_injection.sentences import Kind, sentences_of
from tests.hostile.prompt_injection.phrasings import DEVELOPMENT

FOLDER = Path(__file__).parent / "grader_phrases"
PHRASES = (
    "to_graders_en",
    "to_graders_more",
    "to_graders_wide",
    "to_graders_wide_more",
    "to_graders_voices",
)
HARMLESS_PHRASES = ("harmless", "harmless_wide", "harmless_voices")
# Folder of a project with a file for each message of a commit and each name of a file.
MESSAGES = "MESSAGES"
LARGEST_FILE, LONGEST_SENTENCE = 300_000, 1500
# Of a phrase, a harmless one, a sentence of a work, and one that stands in no work.
PHRASE, HARMLESS, WORK, OTHER = 10.0, 5.0, 1.0, 4.0
# What honest reports of an audit also say.
FAINT = {"claims", "example", "json", "fragments", "arithmetic", "marketing", "faux log"}
FAINT_SHARE = 0.35
RIDGE, WORD_RIDGE = 5.0, 1.0
# Words count against from so many uses in so many projects, and for from so many styles.
FEWEST_USES, FEWEST_PROJECTS, FEWEST_STYLES = 10, 4, 3
LEAST_WORD, LEAST_WEIGHT = 0.05, 0.03
ITERATIONS = 110

LANGUAGES = ("english", "foreign")
FOREIGN = {"es", "de", "fr", "am", "zh", "ru", "hi", "pt", "it", "nl", "tr", "ar", "ja", "ko"}
THRESHOLDS = (0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0)


class Phrase(NamedTuple):
    style: str
    text: str
    language: str


class Text(NamedTuple):
    """View of a file of a project."""

    project: str
    path: str
    kind: Kind
    view: str
    is_work: bool


class Row(NamedTuple):
    """Numbers of the features of a sentence in one language; `group` is its style or its project."""

    language: str
    features: tuple[int, ...]
    importance: float
    group: str
    sentence: str


class Place(NamedTuple):
    """File in which a sentence stands."""

    project: str
    path: str
    is_work: bool


# Numbers of the names of features, by first use.
_numbers: defaultdict[str, int] = defaultdict(count().__next__)


_context_of = cache(english.context_of)


def view(text: str) -> str:
    return grader_address.reading_view(view_of(text), foreign_view_of(text))


def phrases_in(name: str) -> Iterator[Phrase]:
    style = ""
    for line in (FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            style = f"{name}: {line[3:]}"
        elif line:
            ending = style.split()[-1]
            yield Phrase(style, line, ending if ending in FOREIGN else "en")


def to_graders() -> list[Phrase]:
    phrases = [phrase for name in PHRASES for phrase in phrases_in(name)]
    return [*phrases, *(Phrase("development", row.text, row.language) for row in DEVELOPMENT)]


def texts_in(project: Path, is_work: bool) -> Iterator[Text]:
    for path in sorted(project.rglob("*")):
        if path.is_file() and path.stat().st_size <= LARGEST_FILE:
            content = path.read_bytes()
            if b"\0" not in content[:BINARY_PROBE]:
                is_message = path.parent.name == MESSAGES
                kind = "message" if is_message else kind_of(str(path.relative_to(project)))
                yield Text(project.name, str(path), kind, view(text_of(content)), is_work)


def rows_of(sentence: str, importance: float, group: str) -> Iterator[Row]:
    """Yield a row for each language in which a flag is possible."""
    if len(sentence) > LONGEST_SENTENCE or grader_address.is_excused(sentence):
        return
    features = english.features_of(sentence, english.words_of(sentence))
    if features:
        yield Row("english", _numbered(features), importance, group, sentence)
    bits = other_languages.bits_of(sentence)
    for reading in other_languages.readings_of(sentence, bits):
        if other_languages.is_on_grading(reading.roles):
            numbers = _numbered(set(reading.features))
            yield Row("foreign", numbers, importance, group, sentence)


def _numbered(names: set[str]) -> tuple[int, ...]:
    return tuple(_numbers[name] for name in sorted(names))


def sentences_with_bars(text: Text) -> dict[str, float]:
    """Return the sentences of a text with the lowest bar that the text around sets to them."""
    rows = list(sentences_of(grader_address.own_words_in(text.view), text.kind))
    contexts = [
        {name for word in english.words_of(row.text) for name in _context_of(word)} for row in rows
    ]
    is_judging = ["judging" in names for names in contexts]
    is_law = ["law" in names for names in contexts]
    everywhere = grader_address.penalty_of(text.kind, sum(is_judging))
    bars: dict[str, float] = {}
    for place, row in enumerate(rows):
        around = [grader_address.penalty_around(place, marks) for marks in (is_judging, is_law)]
        bars[row.text] = min(bars.get(row.text, 99), everywhere + sum(around))
    return bars


def phrase_rows(phrase: Phrase, importance: float) -> list[Row]:
    """Return the rows of a phrase to graders; of a foreign one, its fullest reading."""
    style, text, language = phrase
    own = [
        row
        for sentence in sentences_of(grader_address.own_words_in(view(text)), "prose")
        for row in rows_of(sentence.text, importance, style)
        if (row.language == "english") == (language == "en")
    ]
    own.sort(key=lambda row: len(row.features), reverse=True)
    return own if language == "en" else own[:1]


def wanted(phrases: Sequence[Phrase]) -> list[list[Row]]:
    shares = (FAINT_SHARE if p.style.split(": ")[-1] in FAINT else 1 for p in phrases)
    return [
        phrase_rows(phrase, PHRASE * share) for phrase, share in zip(phrases, shares, strict=True)
    ]


def harmless_phrases() -> list[list[Row]]:
    return [
        [
            row
            for sentence in sentences_of(grader_address.own_words_in(view(phrase.text)), "prose")
            for row in rows_of(sentence.text, HARMLESS, phrase.style)
        ]
        for name in HARMLESS_PHRASES
        for phrase in phrases_in(name)
    ]


def bars_of(texts: Sequence[Text]) -> dict[str, dict[Place, float]]:
    """Return each sentence with its bars by place."""
    bars: defaultdict[str, dict[Place, float]] = defaultdict(dict)
    for text in texts:
        for sentence, bar in sentences_with_bars(text).items():
            bars[sentence][Place(text.project, text.path, text.is_work)] = bar
    return bars


def text_rows(bars: dict[str, dict[Place, float]]) -> list[Row]:
    """Return the rows of each sentence, once: in the group of its first project."""
    rows: list[Row] = []
    for sentence, places in bars.items():
        importance = WORK if any(place.is_work for place in places) else OTHER
        rows += rows_of(sentence, importance, min(places).project)
    return rows


def matrix(rows: Sequence[Row], columns: dict[int, int]) -> csr_matrix:
    places = [[columns[n] for n in row.features if n in columns] for row in rows]
    bounds = np.cumsum([0, *map(len, places)])
    flat = np.fromiter((place for some in places for place in some), np.int32, bounds[-1])
    return csr_matrix((np.ones(len(flat)), flat, bounds), (len(rows), len(columns)))


class Fit:
    """Regression over the rows of one language; rare words of phrases only count against."""

    def __init__(self, positive: Sequence[Row], negative: Sequence[Row]) -> None:
        self.rows = [*positive, *negative]
        self.columns, self.bounds = _columns(positive, negative)
        self.x = matrix(self.rows, self.columns)
        self.y = np.where(np.arange(len(self.rows)) < len(positive), 1.0, -1.0)
        self.importance = np.array([row.importance for row in self.rows])
        names = list(_numbers)
        self.names = [names[number] for number in self.columns]
        self.ridge = np.array([WORD_RIDGE if n.startswith("word ") else RIDGE for n in self.names])

    def weights(self, chosen: np.ndarray) -> np.ndarray:
        """Return the weights fitted to the chosen rows, that of every sentence last."""
        x, y, importance = self.x[chosen], self.y[chosen], self.importance[chosen]
        transposed = x.T.tocsr()

        def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
            margin = y * (x @ weights[:-1] + weights[-1])
            slope = -y * importance / (1 + np.exp(np.clip(margin, -50, 50)))
            value = (importance * np.logaddexp(0, -margin)).sum()
            value += (self.ridge * weights[:-1] ** 2).sum() / 2
            gradient = transposed @ slope + self.ridge * weights[:-1]
            return value, np.append(gradient, slope.sum())

        start = np.zeros(len(self.columns) + 1)
        bounds, options = [*self.bounds, (None, None)], {"maxiter": ITERATIONS}
        best: np.ndarray = minimize(
            loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
        ).x
        return best

    def table(self) -> dict[str, float]:
        best = self.weights(np.ones(len(self.rows), dtype=bool))
        kept = {
            name: round(float(weight), 2)
            for name, weight in zip(self.names, best[:-1], strict=True)
            if abs(weight) >= (LEAST_WORD if name.startswith("word ") else LEAST_WEIGHT)
        }
        return {"always": round(float(best[-1]), 2)} | kept

    def points_without_own_group(self, folds: int) -> dict[str, float]:
        """Return the points of each sentence by weights that met neither its style nor project."""
        own_folds = np.array([crc32(row.group.encode()) % folds for row in self.rows])
        points: dict[str, float] = {}
        for fold in range(folds):
            weights = self.weights(own_folds != fold)
            left_out = np.flatnonzero(own_folds == fold)
            values = self.x[left_out] @ weights[:-1] + weights[-1]
            for number, value in zip(left_out, values, strict=True):
                sentence = self.rows[number].sentence
                points[sentence] = max(points.get(sentence, -99), float(value))
        return points


def _columns(
    positive: Sequence[Row], negative: Sequence[Row]
) -> tuple[dict[int, int], list[tuple[None, int | None]]]:
    uses = Counter(number for row in negative for number in row.features)
    projects: defaultdict[int, set[str]] = defaultdict(set)
    styles: defaultdict[int, set[str]] = defaultdict(set)
    for rows, groups in ((negative, projects), (positive, styles)):
        for row in rows:
            for number in row.features:
                groups[number].add(row.group)
    words = {n for name, n in _numbers.items() if name.startswith(("word ", "first "))}
    signs = {n for name, n in _numbers.items() if name.startswith("code ")}

    def is_kept(number: int) -> bool:
        often = uses[number] >= FEWEST_USES and len(projects[number]) >= FEWEST_PROJECTS
        return number not in words or often or len(styles[number]) >= FEWEST_STYLES

    def most(number: int) -> int | None:
        only_against = number in words and len(styles[number]) < FEWEST_STYLES
        return 0 if only_against or number in signs else None

    kept = sorted(number for number in {*uses, *styles} if is_kept(number))
    return {n: column for column, n in enumerate(kept)}, [(None, most(n)) for n in kept]


def report(
    phrases: dict[str, list[list[Row]]],
    bars: dict[str, dict[Place, float]],
    points: dict[str, float],
) -> None:
    """Print what is flagged at each threshold, and the works with the most points."""
    for name, rows in phrases.items():
        own = [[points[r.sentence] for r in some if r.sentence in points] for some in rows]
        best = np.array([max(some) for some in own if some])
        flagged = ", ".join(f"{t}: {(best > t).sum()}" for t in THRESHOLDS)
        print(f"  {name}, of {len(best)}: {flagged}")

    highest: dict[Place, tuple[float, str]] = {}
    for sentence, places in bars.items():
        own_points = points.get(sentence, -99.0)
        for place, bar in places.items() if own_points > 0 else ():
            row = min(own_points, own_points - bar), sentence
            highest[place] = max(row, highest.get(place, row))
    for t in THRESHOLDS:
        works = {place.project for place, row in highest.items() if place.is_work and row[0] > t}
        others = sum(not place.is_work and row[0] > t for place, row in highest.items())
        print(f"  from {t}: {len(works)} works, {others} other documents")
    for place, (most, sentence) in sorted(highest.items(), key=lambda pair: -pair[1][0])[:40]:
        print(f"    {most:.2f} {place.project} {Path(place.path).name}: {sentence[:120]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, nargs="+", required=True)
    parser.add_argument("--others", type=Path, nargs="*", default=[])
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    arguments = parser.parse_args()
    texts = [text for project in arguments.texts for text in texts_in(project, is_work=True)]
    texts += [text for project in arguments.others for text in texts_in(project, is_work=False)]
    bars = bars_of(texts)
    to, harmless = wanted(to_graders()), harmless_phrases()
    positive = [row for rows in to for row in rows]
    negative = [row for rows in harmless for row in rows] + text_rows(bars)
    tables = dict(grader_address.weights())
    for language in arguments.languages:
        own = ([row for row in rows if row.language == language] for rows in (positive, negative))
        fit = Fit(*own)
        if arguments.folds:
            print(language)
            points = fit.points_without_own_group(arguments.folds)
            report({"to graders": to, "harmless": harmless}, bars, points)
        tables[language] = fit.table()
    grader_address.WEIGHTS.write_text(
        json.dumps(tables, ensure_ascii=False, indent=0, sort_keys=True) + "\n"
    )


if __name__ == "__main__":
    main()
