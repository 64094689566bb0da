"""A student's work with a verdict and a grade, as the pages about grades show it."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from grading.models import Assignment, Audit, Enrollment, Grade
from tests.factories.example_report import report_json
from tests.factories.grades import GradeFactory
from tests.factories.work import AuditFactory, CriterionVerdictFactory

CRITERIA = (("git_forensics", "Git forensics", 1), ("state_management", "State management", 2))


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def judged(
    assignment: Assignment, whose: Enrollment, score: float | None = 3.0, attempt: int = 1
) -> Audit:
    """An attempt with a small report and its verdict; nothing is counted yet."""
    report = report_json(criteria=2) | {"overall_score": score}
    audit: Audit = AuditFactory.create(
        submission__assignment=assignment,
        submission__student=whose,
        submission__attempt=attempt,
        done=True,
        report=report,
        report_digest=f"{attempt}" * 64,
        overall_score=score,
    )

    for position, (key, name, given) in enumerate(CRITERIA):
        CriterionVerdictFactory.create(
            audit=audit, position=position, criterion_id=key, name=name, score=given
        )

    return audit


def graded(
    assignment: Assignment, whose: Enrollment, score: float | None = 3.0, **fields: Any
) -> Grade:
    """The same, and the grade that it counts for."""
    made: Grade = GradeFactory.create(
        audit=judged(assignment, whose, score), overall_score=score, **fields
    )
    return made


def page_of(assignment: Assignment, name: str = "grades") -> str:
    return reverse(
        name, args=[assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    )


def page_of_audit(audit: Audit, name: str = "audit", *more: int) -> str:
    return reverse(name, args=[audit.organization.slug, audit.pk, *more])
