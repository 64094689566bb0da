"""One work of a blind sample as its reader sees it: the rubric's text and the evidence, and no score of the court's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grading.events import CriterionRow
from grading.models import CriterionVerdict
from grading.seen import fingerprint_of
from grading.views.reading.exhibits import CheckView, Exhibits

SCORES = range(1, 6)
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


def blind_criteria(verdicts: Sequence[CriterionVerdict], report: Mapping[str, Any]) -> list[BlindCriterion]:
    """The criteria that are scored, in the rubric's order. Of the verdicts only names are read, of the report only
    evidence."""
    if not verdicts:
        return []
    document = verdicts[0].audit.rubric_version.document
    texts = {criterion["id"]: criterion for criterion in document["criteria"]}
    looked_for = {row["id"]: row for row in report["criteria"]}
    exhibits, choices = Exhibits(report), _choices(verdicts, document)
    return [
        BlindCriterion(
            verdict.position, verdict.criterion_id, verdict.name,
            texts.get(verdict.criterion_id, {}), choices[verdict.criterion_id],
            exhibits.checks(row) if (row := looked_for.get(verdict.criterion_id)) else (),
        )
        for verdict in verdicts
    ]  # fmt: skip


def _choices(verdicts: Sequence[CriterionVerdict], document: dict[str, Any]) -> dict[str, Choices]:
    """For each criterion the scores from best to worst, named by the level and points that each would bring."""
    from grading import engine

    rows = [CriterionRow(v.criterion_id, v.name, None, "", None, None, False, False) for v in verdicts]
    works = [(rows, {row.criterion_id: score for row in rows}) for score in reversed(SCORES)]
    choices: dict[str, Choices] = {row.criterion_id: [] for row in rows}
    for score, marks in zip(reversed(SCORES), engine.marks_under(document, works), strict=True):
        for row in marks.criteria:
            choices[row.criterion_id].append((score, _named(score, row)))
    return choices


def _named(score: int, row: CriterionRow) -> str:
    points = "" if row.points is None else f" ({row.points:g} points)"
    return f"{score} · {row.level}{points}" if row.level else f"{score}{points}"
