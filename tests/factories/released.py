"""Work that was judged with a whole report, through the real actions, and released."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django_scopes import scope

from grading import workflow
from grading.appeals.actions import file_appeal
from grading.core.enums import AuditState
from grading.engine.events import CriterionRow, Verdict
from grading.grades.releases import release_grades
from grading.models import Appeal, Assignment, Audit, Grade
from tests.factories.example_report import NAMES, report_json
from tests.factories.people import CohortFactory, staff_user, student
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    RubricVersionFactory,
    SubmissionFactory,
    claimed,
    rubric_document,
)

FIRST, SECOND, THIRD = (name[0] for name in NAMES[:3])


def assignment_of(criteria: int = 3, **fields: Any) -> Assignment:
    """An assignment whose rubric has this many of the example report's criteria.

    `valued` are further fields of criteria by id, such as weight and max_points.
    """
    cohort = fields.pop("cohort", None) or CohortFactory.create()
    valued = fields.pop("valued", {})
    document = rubric_document(*(name[0] for name in NAMES[:criteria]))
    document["criteria"] = [row | valued.get(row["id"], {}) for row in document["criteria"]]
    version = RubricVersionFactory.create(
        document=document, rubric__organization=cohort.organization
    )
    return AssignmentFactory.create(cohort=cohort, rubric_version=version, **fields)


def verdict_of(report: dict[str, Any], **scores: int | None) -> Verdict:
    """Return the verdict of this report's audit; `scores` are other final scores by criterion."""
    rows = [
        {**row, "final_score": scores.get(row["id"], row["final_score"])}
        for row in report["criteria"]
    ]
    digest = f"{report['digest'][:50]}{abs(hash(tuple(sorted(scores.items())))) % 10**14:014d}"
    return Verdict(
        state=AuditState.DONE,
        report={**report, "criteria": rows, "digest": digest},
        digest=digest,
        overall_score=3.0,
        commit=report["commit"],
        criteria=tuple(
            CriterionRow(row["id"], row["name"], row["final_score"], "", None, None, False, False)
            for row in rows
        ),
        evidence=(),
    )


def judged(
    assignment: Assignment, *, student: Any = None, attempt: int = 1, **scores: int | None
) -> Audit:
    """A student's attempt with a verdict."""
    given = {"student": student} if student else {}
    submission = SubmissionFactory.create(assignment=assignment, attempt=attempt, **given)
    return ended(AuditFactory.create(submission=submission), **scores)


def ended(audit: Audit, **scores: int | None) -> Audit:
    """The waiting audit, taken up and ended with a verdict."""
    criteria = len(audit.rubric_version.document["criteria"])
    lease = claimed(audit)
    with scope(organization=audit.organization):
        workflow.finish_audit(
            lease=lease, verdict=verdict_of(report_json(criteria=criteria), **scores)
        )
        audit.refresh_from_db(
            fields=["state", "report", "report_digest", "overall_score", "finished_at"]
        )

    return audit


class Released:
    """One student's released grade, and who teaches there."""

    def __init__(self, *, criteria: int = 3, **fields: Any) -> None:
        self.assignment = assignment_of(criteria, **fields)
        self.organization = self.assignment.organization
        self.teacher: User = staff_user(self.organization)
        self.student = student(self.assignment.cohort, name="Ada")
        self.audit = judged(self.assignment, student=self.student)
        self.submission = self.audit.submission
        self.release()

    @property
    def grade(self) -> Grade:
        with scope(organization=self.organization):
            return Grade.objects.select_related("assignment").get(
                assignment=self.assignment, student=self.student
            )

    def release(self) -> None:
        with scope(organization=self.organization):
            release_grades(assignment=self.assignment, grades=[self.grade], by=self.teacher)

    def now(self, appeal: Appeal) -> Appeal:
        with scope(organization=self.organization):
            return Appeal.objects.select_related("submission__assignment", "organization").get(
                pk=appeal.pk
            )


def filed(released: Released, criterion_id: str = FIRST, **fields: Any) -> Appeal:
    """The student appeals a criterion of what was released."""
    given = {"text": "The history has five commits.", "by": released.student.user}
    with scope(organization=released.organization):
        return file_appeal(grade=released.grade, criterion_id=criterion_id, **given | fields)
