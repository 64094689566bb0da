"""Preview of a rubric on all counting grades of an assignment.

Nothing is written and no model is called. A later re-synthesis under the same document gives the
same results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from grading.core.errors import InputRefused
from grading.engine import audits as engine_audits
from grading.engine.events import CriterionRow
from grading.engine.previews import PreviewedVerdict, RubricPreviewer
from grading.grades.queries.final_scores import GradeResult, audit_results
from grading.models import Assignment, Grade
from grading.rubrics.previews.queries import counting_grades, reports_of, versions_of

Document = Mapping[str, Any]
Pair = tuple[CriterionRow | None, CriterionRow | None]


@dataclass(frozen=True)
class Change:
    """One student's result now and under the previewed rubric, with overrides applied to both.

    `after` and `verdict` are None where there is no preview; then `refusal` says why.
    """

    grade: Grade
    before: engine_audits.Marks
    after: engine_audits.Marks | None
    verdict: PreviewedVerdict | None
    overridden: frozenset[str]
    refusal: str = ""

    @cached_property
    def pairs(self) -> dict[str, Pair]:
        """Results before and after by criterion, None where a rubric does not have it.

        The new rubric's order comes first.
        """
        before = {row.criterion_id: row for row in self.before.criteria}
        after = {row.criterion_id: row for row in self.after.criteria} if self.after else before
        return {
            key: (before.get(key), after.get(key))
            for key in (*after, *(key for key in before if key not in after))
        }

    @cached_property
    def moved(self) -> dict[str, Pair]:
        """Criteria whose result would change; a new name alone is no change."""
        return {
            key: pair for key, pair in self.pairs.items() if _result(pair[0]) != _result(pair[1])
        }

    @property
    def is_changed(self) -> bool:
        if self.after is None:
            return False
        return bool(self.moved) or _sums(self.before) != _sums(self.after)

    @property
    def distance(self) -> float:
        """Distance between the results, 0 to 1 of the scale; 1 where a score comes or goes."""
        before, after = share_of(self.before), share_of(self.after)
        if before is None or after is None:
            return 0.0 if before is after else 1.0
        return abs(after - before)

    @property
    def direction(self) -> int:
        """1 for a higher result, -1 for a lower one, 0 for none or where a score is missing."""
        before, after = share_of(self.before), share_of(self.after)
        if before is None or after is None:
            return 0
        return (after > before) - (after < before)


def preview(assignment: Assignment, document: Document, *, rules: str = "") -> list[Change]:
    """Return all students' results under `document`, a rubric without faults, in roster order.

    `rules` names a shipped constitution in place of its own. The number of queries does not grow
    with the number of students.
    """
    # A fixed number of queries for all students together.
    grades = counting_grades(assignment)
    # Without the adjustments of single members, which no rubric changes.
    reckonings = audit_results([grade.audit_id for grade in grades])
    verdicts, refusals = _previewed_verdicts(grades, RubricPreviewer(document, rules))

    previewed = [grade for grade in grades if grade.audit_id in verdicts]
    results = [
        (verdicts[grade.audit_id].criteria, _override_scores(reckonings[grade.audit_id]))
        for grade in previewed
    ]
    marks = dict(
        zip(
            (grade.pk for grade in previewed),
            engine_audits.marks_under(dict(document), results),
            strict=True,
        )
    )
    return [
        Change(
            grade=grade,
            before=reckonings[grade.audit_id].marks,
            after=marks.get(grade.pk),
            verdict=verdicts.get(grade.audit_id),
            overridden=frozenset(reckonings[grade.audit_id].overrides),
            refusal=refusals.get(grade.audit_id, ""),
        )
        for grade in grades
    ]


def share_of(marks: engine_audits.Marks | None) -> float | None:
    """Return the result as a share, 0 to 1, of the points or else of the scale from 1 to 5.

    None without a score.
    """
    if marks is None or marks.overall_score is None:
        return None
    if marks.points_possible:
        return (marks.points_earned or 0) / marks.points_possible
    return (marks.overall_score - 1) / 4


def _override_scores(reckoning: GradeResult) -> dict[str, int]:
    return {key: override.score for key, override in reckoning.overrides.items()}


def _previewed_verdicts(
    grades: Sequence[Grade], previewer: RubricPreviewer
) -> tuple[dict[UUID, PreviewedVerdict], dict[UUID, str]]:
    """Return verdicts by audit, and the reasons for those that have none."""
    versions = versions_of(grades)
    judged_under = {grade.audit_id: versions[grade.audit.rubric_version_id] for grade in grades}

    verdicts, refusals = dict[UUID, PreviewedVerdict](), dict[UUID, str]()
    for audit, report in reports_of(judged_under):
        version = judged_under[audit]
        try:
            verdicts[audit] = previewer.verdict_on(
                report, before=version.document, digest=version.digest
            )
        except InputRefused as refused:
            refusals[audit] = refused.sentence
    return verdicts, refusals


def _result(row: CriterionRow | None) -> tuple[Any, ...] | None:
    if row is None:
        return None
    return (row.score, row.level, row.points, row.max_points, row.needs_review, row.excluded)


def _sums(marks: engine_audits.Marks) -> tuple[float | None, ...]:
    return (marks.overall_score, marks.points_earned, marks.points_possible)
