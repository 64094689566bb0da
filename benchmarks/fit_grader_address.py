"""Fit the weights of courtroom/analysis/prompt_injection/weights.json, and say how well they do.

    python -m benchmarks.fit_grader_address --texts FOLDER... --large FOLDER... [--folds 5]

Two logistic regressions over the features of one sentence, for English and for other languages.
They learn from the phrases in `grader_phrases/` and the tests' DEVELOPMENT, against harmless
sentences: those of `grader_phrases/harmless*.txt` and of the folders, each a project. With --folds
it first leaves out every style of phrases and every project once, and prints how many are flagged.
Needs numpy and scipy.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]  # -- it ships no types
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # -- it ships no types

from courtroom.analysis.prompt_injection import english, grader_address, other_languages
from courtroom.analysis.prompt_injection.obfuscation import foreign_view_of, view_of
from courtroom.analysis.prompt_injection.repository_text import kind_of
from courtroom.analysis.prompt_injection.sentences import Kind, sentences_of
from tests.hostile.prompt_injection.phrasings import DEVELOPMENT

FOLDER = Path(__file__).parent / "grader_phrases"
PHRASES = ("to_graders_en", "to_graders_more", "to_graders_wide", "to_graders_wide_more")
LARGEST_FILE, LONGEST_SENTENCE = 300_000, 1500
# Of a phrase and a harmless one, against a sentence of a project; a large project counts for less.
PHRASE, HARMLESS, LARGE = 10.0, 5.0, 0.3
# What honest reports of an audit also say.
FAINT = {"claims", "example", "json", "fragments", "arithmetic", "marketing", "faux log"}
FAINT_SHARE = 0.35
RIDGE, WORD_RIDGE = 5.0, 1.0
# Words count against from so many uses in so many projects, and for from so many styles.
FEWEST_USES, FEWEST_PROJECTS, FEWEST_STYLES = 10, 4, 3
LEAST_WORD, LEAST_WEIGHT = 0.05, 0.03

LANGUAGES = ("english", "foreign")
FOREIGN = {"es", "de", "fr", "am", "zh", "ru", "hi", "pt", "it", "nl", "tr", "ar", "ja", "ko"}


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
    importance: float


class Row(NamedTuple):
    """Features of a sentence in one language; `group` is its style or its project."""

    language: str
    features: frozenset[str]
    importance: float
    group: str


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


def texts_in(project: Path, importance: float) -> Iterator[Text]:
    for path in sorted(project.rglob("*")):
        if path.is_file() and path.stat().st_size <= LARGEST_FILE:
            text = view(path.read_text("utf-8", errors="ignore"))
            yield Text(project.name, str(path), kind_of(path.name), text, importance)


def rows_of(sentence: str, importance: float, group: str) -> Iterator[Row]:
    """Yield a row for each language in which its words play two roles."""
    features = english.features_of(sentence, english.words_of(sentence))
    if features:
        yield Row("english", frozenset(features), importance, group)
    bits = other_languages.bits_of(sentence)
    for reading in other_languages.readings_of(sentence, bits):
        yield Row("foreign", frozenset(reading.features), importance, group)


def sentences(text: str, kind: Kind) -> set[str]:
    rows = sentences_of(other_languages.folded(text), kind)
    return {row.text for row in rows if len(row.text) <= LONGEST_SENTENCE}


def wanted(phrases: Sequence[Phrase]) -> list[Row]:
    """Return the rows of the phrases to graders; of a foreign one, its fullest reading."""
    rows = []
    for style, text, language in phrases:
        importance = PHRASE * (FAINT_SHARE if style.split(": ")[-1] in FAINT else 1)
        own = [
            row
            for sentence in sentences(view(text), "prose")
            for row in rows_of(sentence, importance, style)
            if (row.language == "english") == (language == "en")
        ]
        own.sort(key=lambda row: len(row.features), reverse=True)
        rows += own if language == "en" else own[:1]
    return rows


def harmless(texts: Sequence[Text]) -> list[Row]:
    rows = [
        row
        for name in ("harmless", "harmless_wide")
        for phrase in phrases_in(name)
        for sentence in sentences(view(phrase.text), "prose")
        for row in rows_of(sentence, HARMLESS, phrase.style)
    ]
    met: set[tuple[str, str]] = set()
    for text in texts:
        for sentence in sentences(text.view, text.kind):
            if (text.project, sentence) not in met:
                met.add((text.project, sentence))
                rows += rows_of(sentence, text.importance, text.project)
    return rows


def fitted(positive: Sequence[Row], negative: Sequence[Row]) -> dict[str, float]:
    """Return the weight of each feature; rare words of phrases and signs only count against."""
    columns, bounds = _columns(positive, negative)
    rows = [*positive, *negative]
    places = [
        (number, columns[name])
        for number, row in enumerate(rows)
        for name in row.features
        if name in columns
    ]
    rows_of_places, columns_of_places = np.array(places, dtype=np.int32).T
    shape = len(rows), len(columns)
    x = csr_matrix((np.ones(len(places)), (rows_of_places, columns_of_places)), shape)
    transposed = x.T.tocsr()
    y = np.where(np.arange(len(rows)) < len(positive), 1.0, -1.0)
    importance = np.array([row.importance for row in rows])
    ridge = np.array([WORD_RIDGE if name.startswith("word ") else RIDGE for name in columns])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = y * (x @ weights[:-1] + weights[-1])
        slope = -y * importance / (1 + np.exp(np.clip(margin, -50, 50)))
        value = (importance * np.logaddexp(0, -margin)).sum()
        value += (ridge * weights[:-1] ** 2).sum() / 2
        return value, np.append(transposed @ slope + ridge * weights[:-1], slope.sum())

    start = np.zeros(len(columns) + 1)
    options = {"maxiter": 150}
    best = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)], options=options
    ).x
    kept = {
        name: round(float(best[column]), 2)
        for name, column in columns.items()
        if abs(best[column]) >= (LEAST_WORD if name.startswith("word ") else LEAST_WEIGHT)
    }
    return {"always": round(float(best[-1]), 2)} | kept


def _columns(
    positive: Sequence[Row], negative: Sequence[Row]
) -> tuple[dict[str, int], list[tuple[None, int | None]]]:
    uses = Counter(name for row in negative for name in row.features)
    projects: defaultdict[str, set[str]] = defaultdict(set)
    styles: defaultdict[str, set[str]] = defaultdict(set)
    for rows, groups in ((negative, projects), (positive, styles)):
        for row in rows:
            for name in row.features:
                groups[name].add(row.group)

    def is_kept(name: str) -> bool:
        often = uses[name] >= FEWEST_USES and len(projects[name]) >= FEWEST_PROJECTS
        is_word = name.startswith(("word ", "first "))
        return not is_word or often or len(styles[name]) >= FEWEST_STYLES

    names = sorted(name for name in {*uses, *styles} if is_kept(name))

    def most(name: str) -> int | None:
        only_against = name.startswith(("word ", "first ")) and len(styles[name]) < FEWEST_STYLES
        return 0 if only_against or name.startswith("code ") else None

    return {name: number for number, name in enumerate(names)}, [(None, most(n)) for n in names]


def write(positive: Sequence[Row], negative: Sequence[Row]) -> None:
    weights = {
        language: fitted(
            [row for row in positive if row.language == language],
            [row for row in negative if row.language == language],
        )
        for language in LANGUAGES
    }
    grader_address.WEIGHTS.write_text(
        json.dumps(weights, ensure_ascii=False, indent=0, sort_keys=True) + "\n"
    )
    grader_address.weights.cache_clear()
    grader_address.words_met.clear()


def fold_of(group: str, folds: int) -> int:
    return crc32(group.encode()) % folds


def report(phrases: Sequence[Phrase], texts: Sequence[Text], folds: int) -> None:
    """Print what is flagged by weights that met neither the style nor the project."""
    positive, negative = wanted(phrases), harmless(texts)
    flagged: Counter[str] = Counter()
    projects: dict[str, str] = {}
    for fold in range(folds):
        rest = (
            [r for r in rows if fold_of(r.group, folds) != fold] for rows in (positive, negative)
        )
        write(*rest)
        for phrase in phrases:
            if fold_of(phrase.style, folds) == fold:
                flagged[phrase.style.split(":")[0]] += bool(
                    grader_address.addresses_in(view(phrase.text), "prose")
                )
        for text in texts:
            if fold_of(text.project, folds) == fold:
                for address in grader_address.addresses_in(text.view, text.kind):
                    projects.setdefault(text.project, f"{text.path}: {address.sentence.text}")

    total = Counter(phrase.style.split(":")[0] for phrase in phrases)
    for name, count in flagged.items():
        print(f"{name}: {count} of {total[name]} phrases")
    print(f"{len(projects)} of {len({text.project for text in texts})} projects")
    for project, sentence in sorted(projects.items()):
        print(f"  {project}: {sentence[:200]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, nargs="+", required=True)
    parser.add_argument("--large", type=Path, nargs="*", default=[])
    parser.add_argument("--folds", type=int, default=0)
    arguments = parser.parse_args()
    phrases = to_graders()
    texts = [text for project in arguments.texts for text in texts_in(project, 1.0)]
    texts += [text for project in arguments.large for text in texts_in(project, LARGE)]
    if arguments.folds:
        report(phrases, texts, arguments.folds)
    write(wanted(phrases), harmless(texts))


if __name__ == "__main__":
    main()
