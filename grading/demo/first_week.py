"""The demo's first assignment: judged, and told to its students before the second begins.

Of three who handed in, one was released, one has changed since, and one waits: so the instructor's
bench, the students' pages and appeals have something to show at once.
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
RELEASED, CHANGED, WAITING = STUDENTS[:3]
APPEAL_DAYS = 365
JUDGED_WITHIN_SECONDS = 60  # by this process, unless a worker was faster
POLL_SECONDS = 0.2
REASON = "The second half is in a branch that was shown in class."


def seed_first_week(cohort: Cohort, address_of: Callable[[Student], str], by: User) -> None:
    """Whatever of it is missing; `address_of` a student is where their repository is. Outside any
    scope.
    """
    with scope(organization=cohort.organization):
        assignment = _assignment(cohort, by)
        work = [
            _handed_in(assignment, each, address_of(each)) for each in (RELEASED, CHANGED, WAITING)
        ]
        audits = [submission.audits.earliest("created_at") for submission in work]
    for audit in audits:
        run_audit(str(audit.pk), 1)
    with scope(organization=cohort.organization):
        for audit in audits:
            wait_for(audit)
        _release(assignment, by)
        _change(work[1], by)


def _assignment(cohort: Cohort, by: User) -> Assignment:
    return Assignment.objects.filter(cohort=cohort, slug=SLUG).first() or create_assignment(
        cohort=cohort,
        title=TITLE,
        slug=SLUG,
        rubric_version=adopt_shipped_rubric(
            organization=cohort.organization, name="general", by=by
        ),
        by=by,
        instructions="Hand in a repository that somebody who has never seen it can read, run and trust.",
        release_policy=ReleasePolicy.AFTER_RELEASE,
        appeal_days=APPEAL_DAYS,
    )


def _handed_in(assignment: Assignment, student: Student, address: str) -> Submission:
    place = Enrollment.objects.get(cohort=assignment.cohort, email=student.email)
    found = (
        Submission.objects.filter(assignment=assignment, student=place).order_by("attempt").first()
    )
    return found or create_submission(
        assignment=assignment, student=place, repo_url=address, by=place.user
    )


def wait_for(audit: Audit) -> None:
    """Until it has ended, here or at a worker that was faster. Raises ActionRefused
    demo_not_judged.
    """
    until = time.monotonic() + JUDGED_WITHIN_SECONDS
    while not Audit.objects.defer("report").get(pk=audit.pk).is_final:
        if time.monotonic() > until:
            raise ActionRefused(
                "demo_not_judged", f"Audit {audit.pk} has not ended: run this once more."
            )
        time.sleep(POLL_SECONDS)


def _release(assignment: Assignment, by: User) -> None:
    told = [RELEASED.email, CHANGED.email]
    grades = Grade.objects.filter(assignment=assignment, student__email__in=told, released_at=None)
    release_grades(
        assignment=assignment,
        grades=list(grades),
        by=by,
        note="Well begun. Look at what is asked for next.",
    )


def _change(submission: Submission, by: User) -> None:
    """One score by hand, the best there is for what was worst."""
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
