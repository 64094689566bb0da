"""Presentation of agreement: intervals as lines, and scores of people and court as a grid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from grading.core.form_fingerprint import fingerprint_of
from grading.engine.events import CriterionRow
from grading.engine.report import Report
from grading.grades.agreement.coefficients import (
    SCORES,
    Agreement,
    Measured,
    Offset,
    Pair,
    agreement_of,
    offset_of,
    offsets_of,
    ordinal_alpha,
)
from grading.grades.agreement.queries import BlindScore, RubricCriterion
from grading.models import CriterionVerdict
from grading.report_pages.checks_and_evidence import CheckView, EvidencePresenter
from grading.report_pages.judge_marks import JUDGES, Judge

Opinions = Mapping[UUID, Mapping[str, int]]
# Pixels of the drawing; EDGE leaves room for the outermost mark.
WIDTH, EDGE = 180, 8
SHADES = 4


@dataclass(frozen=True, slots=True)
class Line:
    """An interval on a scale, as x positions; `nought` is x of zero, `words` describe it all."""

    words: str
    value: int
    low: int | None
    high: int | None
    nought: int
    width: int = WIDTH


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the grid: `shade` is 0 if empty, else 1 to SHADES by its share."""

    person: int
    court: int
    count: int
    shade: int


@dataclass(frozen=True, slots=True)
class PersonaOffset:
    """Mean difference of a judge's first scores to the other judges' and to people's."""

    judge: Judge
    other_judges: Offset
    people: Offset


@dataclass(frozen=True, slots=True)
class CriterionView:
    """`place` is its number in the address; `unscored` counts scores without one by the court."""

    place: int
    criterion: RubricCriterion
    figures: Agreement
    unscored: int
    kappa_line: Line | None
    grid: tuple[tuple[Cell, ...], ...]
    judges_alpha: Measured
    judged: int
    people_alpha: Measured
    offsets: tuple[PersonaOffset, ...]


def criteria_views(
    criteria: Sequence[RubricCriterion],
    scored: Sequence[BlindScore],
    opinions: Mapping[str, Opinions],
) -> list[CriterionView]:
    by_criterion: defaultdict[str, list[BlindScore]] = defaultdict(list)
    for score in scored:
        by_criterion[score.criterion_id].append(score)
    return [
        _view(place, criterion, by_criterion[criterion.id], opinions.get(criterion.id, {}))
        for place, criterion in enumerate(criteria)
    ]


def _view(
    place: int, criterion: RubricCriterion, scored: Sequence[BlindScore], opinions: Opinions
) -> CriterionView:
    pairs = [
        Pair(str(score.submission), score.score, score.court)
        for score in scored
        if score.court is not None
    ]
    figures = agreement_of(pairs)

    return CriterionView(
        place=place,
        criterion=criterion,
        figures=figures,
        unscored=len(scored) - len(pairs),
        kappa_line=line_of(figures.kappa, -1, 1, "Kappa"),
        grid=_grid(figures),
        judges_alpha=ordinal_alpha([list(unit.values()) for unit in opinions.values()]),
        judged=sum(len(unit) > 1 for unit in opinions.values()),
        people_alpha=_people_alpha(scored),
        offsets=_offsets(scored, opinions),
    )


def line_of(measured: Measured, least: float, most: float, name: str) -> Line | None:
    """Return None where there is no value to draw."""
    if measured.value is None:
        return None

    # Values outside the scale are drawn at its end.
    def x(value: float) -> int:
        inside = min(max(value, least), most)
        return round(EDGE + (inside - least) / (most - least) * (WIDTH - 2 * EDGE))

    words = f"{name} {measured.value:.2f}"
    if measured.low is None or measured.high is None:
        return Line(f"{words}, without an interval", x(measured.value), None, None, x(0))
    words = f"{words}, between {measured.low:.2f} and {measured.high:.2f}, from {least} to {most}"

    return Line(words, x(measured.value), x(measured.low), x(measured.high), x(0))


def _grid(figures: Agreement) -> tuple[tuple[Cell, ...], ...]:
    """Return rows with people's highest scores first; the court's scores go from left to right."""
    return tuple(
        tuple(
            _cell(person, court, figures.grid[person - 1][court - 1], figures.pairs)
            for court in SCORES
        )
        # Best scores on top, as in the list of choices.
        for person in reversed(SCORES)
    )


def _cell(person: int, court: int, count: int, total: int) -> Cell:
    # Round up: every cell with a count gets a visible shade.
    return Cell(person, court, count, -(-count * SHADES // total) if count else 0)


def _people_alpha(scored: Sequence[BlindScore]) -> Measured:
    units: defaultdict[UUID, list[int]] = defaultdict(list)
    for score in scored:
        units[score.submission].append(score.score)
    return ordinal_alpha(units.values())


def _offsets(scored: Sequence[BlindScore], opinions: Opinions) -> tuple[PersonaOffset, ...]:
    to_other_judges = offsets_of([dict(unit) for unit in opinions.values()])
    nobody = Offset(None, 0)
    return tuple(
        PersonaOffset(
            judge,
            to_other_judges.get(judge.id, nobody),
            offset_of(
                [
                    opinions[score.audit][judge.id] - score.score
                    for score in scored
                    if judge.id in opinions.get(score.audit, {})
                ]
            ),
        )
        for judge in JUDGES
    )


Choices = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class BlindCriterion:
    """`text` is the rubric's criterion with its levels; `checks` are the detectives' results."""

    position: int
    id: str
    name: str
    text: Mapping[str, Any]
    choices: Choices
    checks: tuple[CheckView, ...]

    @property
    def field(self) -> str:
        """Name of its form field; bound to the criterion, wherever another rubric puts it."""
        return f"score-{fingerprint_of(self.id)}"


def blind_criteria(
    verdicts: Sequence[CriterionVerdict], report: Report | None
) -> list[BlindCriterion]:
    """Return the criteria to score, in the rubric's order.

    Only names of verdicts and evidence of the report are read: the score stays hidden.
    """
    if not verdicts or report is None:
        return []
    document = verdicts[0].audit.rubric_version.document
    texts = {criterion["id"]: criterion for criterion in document["criteria"]}
    evidence, choices = EvidencePresenter(report), _choices(verdicts, document)

    return [
        BlindCriterion(
            verdict.position,
            verdict.criterion_id,
            verdict.name,
            texts.get(verdict.criterion_id, {}),
            choices[verdict.criterion_id],
            evidence.checks(row) if (row := report.criterion(verdict.criterion_id)) else (),
        )
        for verdict in verdicts
    ]


def _choices(verdicts: Sequence[CriterionVerdict], document: dict[str, Any]) -> dict[str, Choices]:
    """Return each criterion's scores, best first, labelled with their level and points."""
    # Import courtroom only when it is needed: it is slow to load.
    from grading.engine import audits as engine_audits

    # Pretend that all criteria have the same score: points depend on the criterion only.
    rows = [
        CriterionRow(v.criterion_id, v.name, None, "", None, None, False, False) for v in verdicts
    ]
    works = [(rows, {row.criterion_id: score for row in rows}) for score in reversed(SCORES)]
    choices: dict[str, Choices] = {row.criterion_id: [] for row in rows}

    for score, marks in zip(
        reversed(SCORES), engine_audits.marks_under(document, works), strict=True
    ):
        for row in marks.criteria:
            choices[row.criterion_id].append((score, _score_label(score, row)))

    return choices


def _score_label(score: int, row: CriterionRow) -> str:
    points = "" if row.points is None else f" ({row.points:g} points)"
    return f"{score} · {row.level}{points}" if row.level else f"{score}{points}"
