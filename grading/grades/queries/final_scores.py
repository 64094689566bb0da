"""Results of grades: an audit's verdicts, with overrides in their place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.db.models import Case, When

from grading.audits.queries import JudgeScores, VisibleReport, judge_scores_of
from grading.engine import audits as engine_audits
from grading.engine.events import CriterionRow
from grading.engine.released_verdict import ReleasedVerdict, parse_released
from grading.engine.report import (
    CITATIONS_REMOVED,
    EVIDENCE_UNVERIFIED,
    reports_with_error,
    suspected_reports,
)
from grading.models import (
    Audit,
    CriterionVerdict,
    Grade,
    GradeAdjustment,
    Override,
    RubricVersion,
)

# Errors that the courtroom records for a quote that is not at its place, and for a citation of
# evidence that the judge did not get.
DROPPED = (EVIDENCE_UNVERIFIED, CITATIONS_REMOVED)


@dataclass(frozen=True, slots=True)
class GradeResult:
    """Computed result of an audit.

    `verdicts` are the court's, `marks` what counts; `overrides` those in force, by criterion id.
    """

    audit: Audit
    rubric: str
    verdicts: dict[str, CriterionRow]
    marks: engine_audits.Marks
    overrides: dict[str, Override]
    suspected: bool
    unverified: bool
    hearing: JudgeScores
    adjustment: GradeAdjustment | None = None
    adjusted_from: float | None = None


def grade_results(
    grades: Sequence[Grade], audits: Mapping[UUID, GradeResult] | None = None
) -> dict[int, GradeResult]:
    """Return each grade's result by its id, with the student's own adjustment.

    The number of queries does not grow with the grades. `audits` are the results of their audits,
    where the caller has them.
    """
    results = audit_results([grade.audit_id for grade in grades]) if audits is None else audits
    standing = GradeAdjustment.objects.filter(
        grade__in=[grade.pk for grade in grades], withdrawn_at=None
    )
    adjustments = {row.grade_id: row for row in standing}
    return {
        grade.pk: _adjusted(results[grade.audit_id], adjustments.get(grade.pk)) for grade in grades
    }


def _adjusted(result: GradeResult, adjustment: GradeAdjustment | None) -> GradeResult:
    if adjustment is None or result.marks.overall_score is None:
        return result
    return replace(
        result,
        marks=adjusted_marks(result.marks, adjustment.delta),
        adjustment=adjustment,
        adjusted_from=result.marks.overall_score,
    )


def adjusted_marks(marks: engine_audits.Marks, delta: float) -> engine_audits.Marks:
    """Return the sums changed by `delta`, in points where there are any, else of 5.

    They stay within their scales; the overall score moves by the same share as the points.
    """
    if marks.overall_score is None:
        return marks
    possible = marks.points_possible or 0.0
    share = 5 * delta / possible if possible else delta
    earned = marks.points_earned
    if possible and earned is not None:
        earned = min(possible, max(0.0, earned + delta))
    overall = min(5.0, max(1.0, marks.overall_score + share))
    return replace(marks, overall_score=overall, points_earned=earned)


def released_value_of(audit: Audit) -> dict[str, Any]:
    """Return the value that a release would store if this audit counted."""
    return released_value(audit_results([audit.pk])[audit.pk])


def counting_verdict(audit: Audit, edition: VisibleReport) -> ReleasedVerdict | None:
    """Return the verdict that counts in this edition; None where it equals the report.

    It is the released value, or the report with overrides.
    """
    if edition.released is not None:
        return edition.released
    has_overrides = Override.objects.filter(submission=audit.submission, withdrawn_at=None).exists()
    return parse_released(released_value_of(audit)) if has_overrides and audit.has_report else None


def audit_results(keys: Iterable[UUID]) -> dict[UUID, GradeResult]:
    """Return results of audits with a report, whether or not they count."""
    dropped = [reports_with_error(code) for code in DROPPED]
    rows = Audit.objects.annotate(
        suspected=Case(When(suspected_reports(), then=True), default=False),
        unverified=Case(When(reduce(or_, dropped), then=True), default=False),
    )
    # Reports are large, and the result needs none of them.
    audits = rows.defer("report").select_related("submission").in_bulk(list(keys))
    versions = RubricVersion.objects.select_related("rubric").in_bulk(
        {audit.rubric_version_id for audit in audits.values()}
    )
    verdicts, overrides = _verdicts(audits), _overrides(audits.values())
    hearings = judge_scores_of(audits)
    marks = _marks(audits.values(), versions, verdicts, overrides)

    return {
        key: GradeResult(
            audit=audit,
            rubric=str(versions[audit.rubric_version_id]),
            verdicts={row.criterion_id: row for row in verdicts[key]},
            marks=marks[key],
            overrides=overrides[audit.submission_id],
            suspected=audit.suspected,
            unverified=audit.unverified,
            hearing=hearings.get(key, JudgeScores()),
        )
        for key, audit in audits.items()
    }


def columns_of(result: GradeResult) -> dict[str, Any]:
    """Return the columns of a Grade that follow from its result."""
    marks = result.marks
    return {
        "overall_score": marks.overall_score,
        "adjusted_from": result.adjusted_from,
        "points_earned": marks.points_earned,
        "points_possible": marks.points_possible,
        "overridden": sum(row.criterion_id in result.overrides for row in marks.criteria),
        # A report without any result needs review too.
        "needs_review": not marks.criteria or any(row.needs_review for row in marks.criteria),
        "suspected": result.suspected,
        "unverified": result.unverified,
        "failed_judges": result.hearing.failed_judges,
        "widest_spread": result.hearing.widest_spread,
    }


def released_value(result: GradeResult, *, note: str = "") -> dict[str, Any]:
    """Return the frozen value of Grade.released: what the student reads.

    {audit, submission, attempt, digest, rubric_version, overall_score, points: {earned,
    possible}|null, adjustment: {delta, reason, before}|missing, note, criteria: [{id, name, score|null, verdict_score|null, level, points|null,
    max_points|null, needs_review, excluded, override_reason|null}]}. The report of this digest is
    the audit's or one of its superseded ones.
    """
    audit, marks, adjustment = result.audit, result.marks, result.adjustment
    own = {}
    if adjustment is not None:
        own["adjustment"] = {
            "delta": adjustment.delta,
            "reason": adjustment.reason,
            "before": result.adjusted_from,
        }
    return own | {
        "audit": str(audit.pk),
        "submission": str(audit.submission_id),
        "attempt": audit.submission.attempt,
        "digest": audit.report_digest,
        "rubric_version": result.rubric,
        "overall_score": marks.overall_score,
        "points": points_of(marks),
        "criteria": [_released_row(row, result) for row in marks.criteria],
        "note": note,
    }


def points_of(marks: engine_audits.Marks) -> dict[str, Any] | None:
    """Return the sum of points as a released value holds it; None where the rubric has none."""
    if marks.points_possible is None:
        return None
    return {"earned": marks.points_earned, "possible": marks.points_possible}


def is_same_result(released: dict[str, Any], now: dict[str, Any]) -> bool:
    """Return whether both have the same attempt and result: then a release brings no news."""
    return _comparable(released) == _comparable(now)


def _comparable(value: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value[key] for key in ("submission", "overall_score", "points")}
    kept["adjustment"] = value.get("adjustment")
    return kept | {"criteria": [comparable_row(row) for row in value["criteria"]]}


def comparable_row(row: dict[str, Any]) -> dict[str, Any]:
    """Drop what is no news by itself: a name, and the verdict under an override."""
    ignored = {"name", "verdict_score"}
    return {key: value for key, value in row.items() if key not in ignored}


def _released_row(row: CriterionRow, result: GradeResult) -> dict[str, Any]:
    override = result.overrides.get(row.criterion_id)
    return {
        "id": row.criterion_id,
        "name": row.name,
        "score": row.score,
        "verdict_score": result.verdicts[row.criterion_id].score,
        "level": row.level,
        "points": row.points,
        "max_points": row.max_points,
        "needs_review": row.needs_review,
        "excluded": row.excluded,
        "override_reason": override.reason if override else None,
    }


def _marks(
    audits: Iterable[Audit],
    versions: dict[int, RubricVersion],
    verdicts: dict[Any, list[CriterionRow]],
    overrides: dict[Any, dict[str, Override]],
) -> dict[Any, engine_audits.Marks]:
    # Parse each rubric version once, whatever the number of audits.
    judged_under: defaultdict[int, list[Audit]] = defaultdict(list)
    for audit in audits:
        judged_under[audit.rubric_version_id].append(audit)
    marks: dict[Any, engine_audits.Marks] = {}

    for version, group in judged_under.items():
        works = [
            (
                verdicts[audit.pk],
                {key: row.score for key, row in overrides[audit.submission_id].items()},
            )
            for audit in group
        ]
        results = engine_audits.marks_under(versions[version].document, works)
        marks |= {audit.pk: result for audit, result in zip(group, results, strict=True)}

    return marks


def _verdicts(audits: Iterable[Any]) -> dict[Any, list[CriterionRow]]:
    rows: defaultdict[Any, list[CriterionRow]] = defaultdict(list)
    for verdict in CriterionVerdict.objects.filter(audit__in=audits).order_by("audit", "position"):
        rows[verdict.audit_id].append(
            CriterionRow(
                criterion_id=verdict.criterion_id,
                name=verdict.name,
                score=verdict.score,
                level=verdict.level,
                points=verdict.points,
                max_points=verdict.max_points,
                needs_review=verdict.needs_review,
                excluded=verdict.excluded,
            )
        )

    return rows


def _overrides(audits: Iterable[Audit]) -> dict[Any, dict[str, Override]]:
    standing: defaultdict[Any, dict[str, Override]] = defaultdict(dict)
    submissions = {audit.submission_id for audit in audits}
    for override in Override.objects.filter(submission__in=submissions, withdrawn_at=None):
        standing[override.submission_id][override.criterion_id] = override
    return standing
