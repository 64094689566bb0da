"""Agreement as a page shows it: figures with their intervals as lines, and who scored how as a grid."""

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
from grading.grades.agreement.queries import Asked, Scored
from grading.models import CriterionVerdict
from grading.report_pages.checks_and_evidence import CheckView, EvidencePresenter
from grading.report_pages.judge_marks import JUDGES, Judge

Opinions = Mapping[UUID, Mapping[str, int]]
WIDTH, EDGE = 180, 8
SHADES = 4


@dataclass(frozen=True, slots=True)
class Line:
    """An interval on a scale: x of its ends, its value and of nought, in units of the drawing; `words` say it all."""

    words: str
    value: int
    low: int | None
    high: int | None
    nought: int
    width: int = WIDTH


@dataclass(frozen=True, slots=True)
class Cell:
    """`shade` 0 for nobody, else 1 to SHADES by the share of all."""

    person: int
    court: int
    count: int
    shade: int


@dataclass(frozen=True, slots=True)
class PersonaOffset:
    """A judge's first answers: how much higher than the other judges', and than people's, they are on average."""

    judge: Judge
    others: Offset
    people: Offset


@dataclass(frozen=True, slots=True)
class CriterionView:
    """`place` is its number in the address; `unscored` counts people's scores where the court gave none."""

    place: int
    asked: Asked
    figures: Agreement
    unscored: int
    kappa_line: Line | None
    grid: tuple[tuple[Cell, ...], ...]
    judges_alpha: Measured
    judged: int
    people_alpha: Measured
    offsets: tuple[PersonaOffset, ...]


def criteria_views(
    criteria: Sequence[Asked], scored: Sequence[Scored], opinions: Mapping[str, Opinions]
) -> list[CriterionView]:
    by_criterion: defaultdict[str, list[Scored]] = defaultdict(list)
    for each in scored:
        by_criterion[each.criterion_id].append(each)
    return [
        _view(place, asked, by_criterion[asked.id], opinions.get(asked.id, {}))
        for place, asked in enumerate(criteria)
    ]


def _view(place: int, asked: Asked, scored: Sequence[Scored], opinions: Opinions) -> CriterionView:
    pairs = [
        Pair(str(each.submission), each.score, each.court)
        for each in scored
        if each.court is not None
    ]
    figures = agreement_of(pairs)
    return CriterionView(
        place=place,
        asked=asked,
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
    """None where there is no value to draw."""
    if measured.value is None:
        return None

    def x(value: float) -> int:
        inside = min(max(value, least), most)
        return round(EDGE + (inside - least) / (most - least) * (WIDTH - 2 * EDGE))

    words = f"{name} {measured.value:.2f}"
    if measured.low is None or measured.high is None:
        return Line(f"{words}, without an interval", x(measured.value), None, None, x(0))
    words = f"{words}, between {measured.low:.2f} and {measured.high:.2f}, from {least} to {most}"
    return Line(words, x(measured.value), x(measured.low), x(measured.high), x(0))


def _grid(figures: Agreement) -> tuple[tuple[Cell, ...], ...]:
    """The highest scores of people first, the court's from left to right."""
    return tuple(
        tuple(
            _cell(person, court, figures.grid[person - 1][court - 1], figures.pairs)
            for court in SCORES
        )
        for person in reversed(SCORES)
    )


def _cell(person: int, court: int, count: int, total: int) -> Cell:
    return Cell(person, court, count, -(-count * SHADES // total) if count else 0)


def _people_alpha(scored: Sequence[Scored]) -> Measured:
    units: defaultdict[UUID, list[int]] = defaultdict(list)
    for each in scored:
        units[each.submission].append(each.score)
    return ordinal_alpha(units.values())


def _offsets(scored: Sequence[Scored], opinions: Opinions) -> tuple[PersonaOffset, ...]:
    others = offsets_of([dict(unit) for unit in opinions.values()])
    nobody = Offset(None, 0)
    return tuple(
        PersonaOffset(
            judge,
            others.get(judge.id, nobody),
            offset_of(
                [
                    opinions[each.audit][judge.id] - each.score
                    for each in scored
                    if judge.id in opinions.get(each.audit, {})
                ]
            ),
        )
        for judge in JUDGES
    )


Choices = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class BlindCriterion:
    """`text` is the criterion as the rubric has it, with levels; `checks` what the detectives saw for it."""

    position: int
    id: str
    name: str
    text: Mapping[str, Any]
    choices: Choices
    checks: tuple[CheckView, ...]

    @property
    def field(self) -> str:
        """Of its score in a form: it goes with the criterion, wherever another rubric puts that."""
        return f"score-{fingerprint_of(self.id)}"


def blind_criteria(
    verdicts: Sequence[CriterionVerdict], report: Report | None
) -> list[BlindCriterion]:
    """Return the criteria that are scored, in the rubric's order.

    Of the verdicts only names are read, of the report only evidence: the score stays hidden.
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
    """For each criterion the scores from best to worst, named by the level and points that each would bring."""
    from grading.engine import audits as engine_audits

    rows = [
        CriterionRow(v.criterion_id, v.name, None, "", None, None, False, False) for v in verdicts
    ]
    works = [(rows, {row.criterion_id: score for row in rows}) for score in reversed(SCORES)]
    choices: dict[str, Choices] = {row.criterion_id: [] for row in rows}
    for score, marks in zip(
        reversed(SCORES), engine_audits.marks_under(document, works), strict=True
    ):
        for row in marks.criteria:
            choices[row.criterion_id].append((score, _named(score, row)))
    return choices


def _named(score: int, row: CriterionRow) -> str:
    points = "" if row.points is None else f" ({row.points:g} points)"
    return f"{score} · {row.level}{points}" if row.level else f"{score}{points}"
