"""A rubric that is not in force yet on everything that counts at an assignment: what is, and what would be.

Nothing is written and no model is asked. A later re-synthesis under the same document comes to the same results.
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
from grading.engine.previews import Foresight, Outlook
from grading.grades.queries.final_scores import Reckoning, reckon
from grading.models import Assignment, Grade
from grading.rubrics.previews.queries import counting_grades, reports_of, versions_of

Document = Mapping[str, Any]
Pair = tuple[CriterionRow | None, CriterionRow | None]


@dataclass(frozen=True)
class Change:
    """One student's result as it counts and as it would count, scores given by hand in place in both.

    `after` and `outlook` are null where nothing can be foreseen; then `refusal` says why.
    """

    grade: Grade
    before: engine_audits.Marks
    after: engine_audits.Marks | None
    outlook: Outlook | None
    overridden: frozenset[str]
    refusal: str = ""

    @cached_property
    def pairs(self) -> dict[str, Pair]:
        """By criterion, as it is and as it would be, null where a rubric does not ask it; the new one's order first."""
        was = {row.criterion_id: row for row in self.before.criteria}
        will = {row.criterion_id: row for row in self.after.criteria} if self.after else was
        return {
            key: (was.get(key), will.get(key))
            for key in (*will, *(key for key in was if key not in will))
        }

    @cached_property
    def moved(self) -> dict[str, Pair]:
        """The criteria whose result would be another one; another name alone is no other result."""
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
        """How far the result moves, 0 to 1 of its scale; 1 where a score comes or goes."""
        was, will = share_of(self.before), share_of(self.after)
        if was is None or will is None:
            return 0.0 if was is will else 1.0
        return abs(will - was)

    @property
    def direction(self) -> int:
        """1 for a higher result, -1 for a lower one, 0 where it stays or one of the two has no score."""
        was, will = share_of(self.before), share_of(self.after)
        if was is None or will is None:
            return 0
        return (will > was) - (will < was)


def preview(assignment: Assignment, document: Document, *, rules: str = "") -> list[Change]:
    """Everybody's results under `document`, a rubric without faults, in the roster's order.

    `rules` names a shipped constitution in place of its own. As many queries for one as for three hundred.
    """
    grades = counting_grades(assignment)
    reckonings = reckon(grades)
    outlooks, refusals = _outlooks(grades, Foresight(document, rules))
    seen = [grade for grade in grades if grade.audit_id in outlooks]
    works = [(outlooks[grade.audit_id].criteria, _by_hand(reckonings[grade.pk])) for grade in seen]
    marks = dict(
        zip(
            (grade.pk for grade in seen),
            engine_audits.marks_under(dict(document), works),
            strict=True,
        )
    )
    return [
        Change(
            grade=grade,
            before=reckonings[grade.pk].marks,
            after=marks.get(grade.pk),
            outlook=outlooks.get(grade.audit_id),
            overridden=frozenset(reckonings[grade.pk].overrides),
            refusal=refusals.get(grade.audit_id, ""),
        )
        for grade in grades
    ]


def share_of(marks: engine_audits.Marks | None) -> float | None:
    """The result as a part of its scale: of the points where there are any, else of 1 to 5; null without a score."""
    if marks is None or marks.overall_score is None:
        return None
    if marks.points_possible:
        return (marks.points_earned or 0) / marks.points_possible
    return (marks.overall_score - 1) / 4


def _by_hand(reckoning: Reckoning) -> dict[str, int]:
    return {key: override.score for key, override in reckoning.overrides.items()}


def _outlooks(
    grades: Sequence[Grade], foresight: Foresight
) -> tuple[dict[UUID, Outlook], dict[UUID, str]]:
    """By audit, what is foreseen of it, or else why nothing is."""
    versions = versions_of(grades)
    judged_under = {grade.audit_id: versions[grade.audit.rubric_version_id] for grade in grades}
    outlooks, refusals = dict[UUID, Outlook](), dict[UUID, str]()
    for audit, report in reports_of(judged_under):
        version = judged_under[audit]
        try:
            outlooks[audit] = foresight.of(report, before=version.document, digest=version.digest)
        except InputRefused as refused:
            refusals[audit] = refused.sentence
    return outlooks, refusals


def _result(row: CriterionRow | None) -> tuple[Any, ...] | None:
    if row is None:
        return None
    return (row.score, row.level, row.points, row.max_points, row.needs_review, row.excluded)


def _sums(marks: engine_audits.Marks) -> tuple[float | None, ...]:
    return (marks.overall_score, marks.points_earned, marks.points_possible)
