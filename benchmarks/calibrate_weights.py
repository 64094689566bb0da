"""Learn the weights of the shipped rubric's checks from scores that careful readers gave.

    python -m benchmarks.calibrate_weights --repos DIR --labels DIR [--write]

Folders as in `benchmarks.cohort`. A learnt weight is a multiple of a half. Weights move, the best
move first, while that lowers the squared error of the verdicts by more than the move costs. The
second table scores each work by weights that were learnt without it. `--write` keeps the weights.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from pathlib import Path

from benchmarks.agreement import agreement_of, print_criteria
from benchmarks.labelled_work import labelled_work
from courtroom.models.audit_report import AuditReport
from courtroom.models.rubric import Criterion, Rubric
from courtroom.replay.report_reuse import outcomes_of
from courtroom.replay.rubric_preview import answers_again
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.chief_justice import synthesise
from courtroom.synthesis.constitutions import constitution_of

RUBRIC = "self_audit"
FILE = Path(__file__).parent.parent / "rubric" / f"{RUBRIC}.json"
STEP, LIGHTEST, HEAVIEST = 0.5, 0.5, 4.0
# Squared error that a weight must save for each point that it moves: less than one work whose score
# comes one point closer, more than a half step for nothing.
PRICE = 0.5

Weights = tuple[float, ...]
# Work, criterion, label, score.
Row = tuple[str, str, int, int]


@dataclass(frozen=True, slots=True)
class Example:
    """Labelled work with its report, which holds the outcome of every check."""

    name: str
    labels: Mapping[str, int | None]
    report: AuditReport


class CriterionFit:
    """Weights of one criterion's checks, fitted to examples. Verdicts are kept by weights."""

    def __init__(self, rubric: Rubric, criterion: Criterion, examples: Sequence[Example]) -> None:
        self._rubric, self.criterion, self._examples = rubric, criterion, examples
        self.present: Weights = tuple(check.weight for check in criterion.checks)
        self.scores = cache(self._scores)

    def fitted(self, left_out: int | None = None) -> Weights:
        """Return the weights that the examples suggest, without one of them."""
        weights, best = None, self.present
        while weights != best:
            weights = best
            best = min((weights, *self._moves(weights)), key=lambda w: self._loss(w, left_out))
        return best

    def rows(self, weights_by_place: Iterable[Weights]) -> Iterator[Row]:
        """Yield label and score of each example, under the weights for its place."""
        for place, (example, weights) in enumerate(
            zip(self._examples, weights_by_place, strict=False)
        ):
            label, score = example.labels.get(self.criterion.id), self.scores(weights)[place]
            if label is not None and score is not None:
                yield example.name, self.criterion.id, label, score

    def rows_left_out(self) -> Iterator[Row]:
        """Yield the same, each example under weights that were learnt without it."""
        return self.rows(self.fitted(left_out=place) for place in range(len(self._examples)))

    def _moves(self, weights: Weights) -> Iterable[Weights]:
        steps = round((HEAVIEST - LIGHTEST) / STEP) + 1
        for place in range(len(weights)):
            for step in range(steps):
                yield (*weights[:place], LIGHTEST + step * STEP, *weights[place + 1 :])

    def _loss(self, weights: Weights, left_out: int | None) -> float:
        errors = (
            (example.labels.get(self.criterion.id), score)
            for place, (example, score) in enumerate(
                zip(self._examples, self.scores(weights), strict=True)
            )
            if place != left_out
        )
        squared = sum((label - score) ** 2 for label, score in errors if label and score)
        moved = sum(abs(new - old) for new, old in zip(weights, self.present, strict=True))
        return squared + PRICE * moved

    def _scores(self, weights: Weights) -> tuple[int | None, ...]:
        criterion = weighted(self.criterion, weights)
        rubric = self._rubric.model_copy(update={"criteria": (criterion,)})
        return tuple(score_of(rubric, example.report) for example in self._examples)


def weighted(criterion: Criterion, weights: Weights) -> Criterion:
    checks = (
        check.model_copy(update={"weight": weight})
        for check, weight in zip(criterion.checks, weights, strict=True)
    )
    return criterion.model_copy(update={"checks": tuple(checks)})


def score_of(rubric: Rubric, report: AuditReport) -> int | None:
    """Return the final score of a rubric's only criterion, on the report's outcomes."""
    constitution, outcomes = constitution_of(rubric), outcomes_of(report)
    opinions = answers_again(
        rubric, rubric.criteria, constitution, report.evidence, outcomes, report.facts
    )
    verdict = synthesise(
        rubric=rubric,
        constitution=constitution,
        evidence=report.evidence,
        outcomes=outcomes,
        facts=report.facts,
        opinions=opinions,
    )
    return verdict.criteria[0].final_score


def main() -> None:
    cli = argparse.ArgumentParser(prog="python -m benchmarks.calibrate_weights")
    cli.add_argument("--repos", type=Path, required=True)
    cli.add_argument("--labels", type=Path, required=True)
    cli.add_argument("--write", action="store_true")
    options = cli.parse_args()

    with tempfile.TemporaryDirectory(prefix="calibration-") as folder:
        examples = read_examples(options.repos, options.labels, Path(folder))
    rubric = shipped_rubric(RUBRIC)
    fits = [CriterionFit(rubric, criterion, examples) for criterion in rubric.criteria]
    weights = print_fits(fits)
    if options.write:
        write_weights(FILE, weights)


def read_examples(repos: Path, labels: Path, folder: Path) -> list[Example]:
    works = [labelled_work(path, repos, folder) for path in sorted(labels.glob("*.json"))]
    return [
        Example(
            work.name,
            {name: row["score"] for name, row in work.label["scores"].items()},
            work.report(),
        )
        for work in works
    ]


def print_fits(fits: Sequence[CriterionFit]) -> dict[str, float]:
    """Print the tables and return the learnt weight of each check by its id."""
    learnt = [fit.fitted() for fit in fits]
    for fit, weights in zip(fits, learnt, strict=True):
        print_moves(fit, weights)

    print_rows("present weights", (fit.rows(repeat(fit.present)) for fit in fits))
    print_rows("each work by weights learnt from the others", (fit.rows_left_out() for fit in fits))
    print_rows(
        "learnt weights, on the works that they were learnt from",
        (fit.rows(repeat(weights)) for fit, weights in zip(fits, learnt, strict=True)),
    )
    return {
        check.id: weight
        for fit, weights in zip(fits, learnt, strict=True)
        for check, weight in zip(fit.criterion.checks, weights, strict=True)
    }


def print_moves(fit: CriterionFit, weights: Weights) -> None:
    for check, weight in zip(fit.criterion.checks, weights, strict=True):
        moved = f" -> {weight:g}" if weight != check.weight else ""
        print(f"{check.id:34} {check.weight:g}{moved}")


def print_rows(title: str, rows_of_criteria: Iterable[Iterable[Row]]) -> None:
    rows = [row for rows in rows_of_criteria for row in rows]
    print(f"\n{title}")
    print_criteria(rows)
    print(agreement_of([(label, score) for _, _, label, score in rows]))


def write_weights(file: Path, weights: Mapping[str, float]) -> None:
    document = json.loads(file.read_text("utf-8"))
    for criterion in document["criteria"]:
        for check in criterion["checks"]:
            check["weight"] = weights[check["id"]]
    file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
