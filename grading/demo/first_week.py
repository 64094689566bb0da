"""The demo's first assignment: judged and released before the second begins.

Of three submissions, one grade is released, one is released with an override, and one waits. So the
instructor's pages, the students' pages and appeals have content at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from django.contrib.auth.models import User
from django_scopes import scope

from grading.core.enums import ReleasePolicy
from grading.core.errors import ActionRefused
from grading.courses.actions import create_assignment
from grading.demo.people import STUDENTS, Student
from grading.grades.actions import override_criterion
from grading.grades.releases import release_grades
from grading.jobs import run_audit
from grading.models import (
    Assignment,
    Audit,
    Cohort,
    CriterionVerdict,
    Enrollment,
    Grade,
    Override,
    Submission,
)
from grading.rubrics.actions import adopt_shipped_rubric
from grading.submissions.actions import create_submission

TITLE, SLUG = "Week 1: a repository that others can read", "repository"
RELEASED, OVERRIDDEN, WAITING = STUDENTS[:3]
# The demo can be tried for a year.
APPEAL_DAYS = 365
MAX_WAIT_SECONDS = 60
POLL_SECONDS = 0.2
REASON = "The second half is in a branch that was shown in class."


def seed_first_week(cohort: Cohort, address_of: Callable[[Student], str], by: User) -> Assignment:
    """Make the missing parts. `address_of` returns the repository of a student. Call it outside any
    scope.
    """
    with scope(organization=cohort.organization):
        assignment = _assignment(cohort, by)
        submissions = [
            _submission(assignment, student, address_of(student))
            for student in (RELEASED, OVERRIDDEN, WAITING)
        ]
        audits = [submission.audits.earliest("created_at") for submission in submissions]

    # A worker may be faster: the job of an audit that was taken does nothing.
    for audit in audits:
        run_audit(str(audit.pk), 1)

    with scope(organization=cohort.organization):
        for audit in audits:
            wait_for(audit)
        _release(assignment, by)
        _override(submissions[1], by)
    return assignment


def _assignment(cohort: Cohort, by: User) -> Assignment:
    return Assignment.objects.filter(cohort=cohort, slug=SLUG).first() or create_assignment(
        cohort=cohort,
        title=TITLE,
        slug=SLUG,
        rubric_version=adopt_shipped_rubric(
            organization=cohort.organization, name="general", by=by
        ),
        by=by,
        instructions="Submit a repository that a stranger can read, run and trust.",
        release_policy=ReleasePolicy.AFTER_RELEASE,
        appeal_days=APPEAL_DAYS,
    )


def _submission(assignment: Assignment, student: Student, address: str) -> Submission:
    enrollment = Enrollment.objects.get(cohort=assignment.cohort, email=student.email)
    submission = (
        Submission.objects.filter(assignment=assignment, student=enrollment)
        .order_by("attempt")
        .first()
    )
    return submission or create_submission(
        assignment=assignment, student=enrollment, repo_url=address, by=enrollment.user
    )


def wait_for(audit: Audit) -> None:
    """Wait until the audit has ended, here or at a worker. Raises ActionRefused demo_not_judged."""
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    while not Audit.objects.defer("report").get(pk=audit.pk).is_final:
        if time.monotonic() > deadline:
            raise ActionRefused(
                "demo_not_judged", f"Audit {audit.pk} has not ended: run this again."
            )
        time.sleep(POLL_SECONDS)


def _release(assignment: Assignment, by: User) -> None:
    emails = [RELEASED.email, OVERRIDDEN.email]
    # A second run finds nothing to release.
    grades = Grade.objects.filter(
        assignment=assignment, student__email__in=emails, released_at=None
    )
    release_grades(
        assignment=assignment,
        grades=list(grades),
        by=by,
        note="A good start. Read the instructions of the next week.",
    )


def _override(submission: Submission, by: User) -> None:
    """Override one score: the student's lowest, with the best."""
    if Override.objects.filter(submission=submission).exists():
        return

    worst = CriterionVerdict.objects.filter(audit__submission=submission, score__isnull=False)
    criterion = worst.order_by("score", "position").first()
    if criterion is not None:
        override_criterion(
            submission=submission,
            criterion_id=criterion.criterion_id,
            score=5,
            reason=REASON,
            by=by,
        )
