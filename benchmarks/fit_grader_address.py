"""Fit the weights of courtroom/analysis/prompt_injection/weights.json.

    python -m benchmarks.fit_grader_address --ordinary FOLDER... --auditors FOLDER...

A logistic regression over the features of one sentence. It learns from the phrases in
`grader_phrases/` and the tests' DEVELOPMENT, against harmless sentences: those of
`grader_phrases/harmless.txt`, of harmless auditors by students, and of ordinary packages and
catalogues in many languages. Of projects only the weights of single words are written, and those
only count against, if enough projects use them. Needs numpy and scipy.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]  # -- it ships no types
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # -- it ships no types

from courtroom.analysis.prompt_injection import grader_address
from courtroom.analysis.prompt_injection.obfuscation import foreign_view_of, view_of
from courtroom.analysis.prompt_injection.repository_text import kind_of
from courtroom.analysis.prompt_injection.sentences import Kind, sentences_of
from tests.hostile.prompt_injection.phrasings import DEVELOPMENT

FOLDER = Path(__file__).parent / "grader_phrases"
WEIGHTS = Path(grader_address.__file__).parent / "weights.json"
LARGEST_FILE = 300_000
# Of a phrase, a harmless one and a sentence of a package, against a sentence of an auditor.
PHRASE, HARMLESS, ORDINARY = 10.0, 5.0, 0.3
# What honest reports of an audit also say.
FAINT = {"claims", "example", "json", "fragments", "arithmetic", "marketing", "faux log"}
FAINT_SHARE = 0.35
RIDGE, WORD_RIDGE = 3.0, 0.3
FEWEST_USES, FEWEST_PROJECTS = 10, 4
LEAST_WORD, LEAST_WEIGHT = 0.1, 0.02

Row = tuple[list[str], float, str]  # features, importance, project


def readings(text: str, kind: Kind = "prose") -> Iterator[list[grader_address.Reading]]:
    """Yield the readings of each sentence."""
    view = grader_address.reading_view(view_of(text), foreign_view_of(text))
    for sentence in {s.text for s in sentences_of(grader_address.folded(view), kind)}:
        bits = grader_address.bits_of(sentence)
        yield list(grader_address.readings_of(sentence, bits))


def phrases(name: str) -> Iterator[tuple[str, str]]:
    """Yield style and phrase of each line of a file."""
    style = ""
    for line in (FOLDER / name).read_text("utf-8").splitlines():
        if line.startswith("## "):
            style = line[3:]
        elif line:
            yield style, line


def wanted() -> Iterator[Row]:
    """Yield features and weight of the phrases to graders, each in its fullest reading."""
    styled = [*phrases("to_graders_en.txt"), *phrases("to_graders_more.txt")]
    styled += [("development", phrasing.text) for phrasing in DEVELOPMENT]
    for style, phrase in styled:
        best = max(
            (reading for some in readings(phrase) for reading in some),
            key=lambda reading: len(reading.roles),
            default=None,
        )
        if best:
            yield best.features, PHRASE * (FAINT_SHARE if style in FAINT else 1), ""


def harmless_phrases() -> Iterator[Row]:
    for _, phrase in phrases("harmless.txt"):
        for some in readings(phrase):
            yield from ((reading.features, HARMLESS, "") for reading in some)


def sentences_in(project: Path, importance: float) -> Iterator[Row]:
    for path in sorted(project.rglob("*")):
        if path.is_file() and path.stat().st_size <= LARGEST_FILE:
            text = path.read_text("utf-8", errors="ignore")
            for some in readings(text, kind_of(path.name)):
                yield from ((reading.features, importance, project.name) for reading in some)


def fitted(positive: list[Row], negative: list[Row]) -> dict[str, float]:
    """Return the weight of each feature; words, digits and signs of code only count against."""
    uses = Counter(name for names, _, _ in negative for name in names)
    projects = Counter(
        name for name, _ in {(name, project) for names, _, project in negative for name in names}
    )
    rows = [*positive, *negative]
    kept = [
        [
            n
            for n in names
            if not n.startswith("word ")
            or (uses[n] >= FEWEST_USES and projects[n] >= FEWEST_PROJECTS)
        ]
        for names, _, _ in rows
    ]
    columns = {name: number for number, name in enumerate(sorted({n for k in kept for n in k}))}
    places = [(row, columns[name]) for row, names in enumerate(kept) for name in names]
    rows_of, columns_of = np.array(places).T
    shape = len(rows), len(columns)
    x = csr_matrix((np.ones(len(places)), (rows_of, columns_of)), shape)
    y = np.where(np.arange(len(rows)) < len(positive), 1.0, -1.0)
    importance = np.array([weight for _, weight, _ in rows])
    ridge = np.array(
        [0 if n == "always" else WORD_RIDGE if n.startswith("word ") else RIDGE for n in columns]
    )
    bounds = [(None, 0 if n.startswith(("word ", "code ", "number")) else None) for n in columns]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = y * (x @ weights)
        slope = -y * importance / (1 + np.exp(np.minimum(margin, 500)))
        value = (importance * np.logaddexp(0, -margin)).sum() + (ridge * weights**2).sum() / 2
        return value, x.T @ slope + ridge * weights

    start = np.zeros(len(columns))
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return {name: round(float(best[column]), 2) for name, column in columns.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ordinary", type=Path, nargs="+", required=True)
    parser.add_argument("--auditors", type=Path, nargs="+", required=True)
    arguments = parser.parse_args()
    negative = [
        *harmless_phrases(),
        *(row for project in arguments.auditors for row in sentences_in(project, 1.0)),
        *(row for project in arguments.ordinary for row in sentences_in(project, ORDINARY)),
    ]
    weights = fitted([*wanted()], negative)
    kept = {
        name: weight
        for name, weight in weights.items()
        if abs(weight) >= (LEAST_WORD if name.startswith("word ") else LEAST_WEIGHT)
    }
    WEIGHTS.write_text(json.dumps(kept, ensure_ascii=False, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
