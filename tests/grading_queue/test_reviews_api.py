"""Reviews and flags by the API."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django_scopes import scope

from grading.grading_queue.actions import score_criterion
from tests.factories.graded_work import signed_in
from tests.factories.released import FIRST
from tests.grading_queue.work import Course

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def test_review_is_listed_for_staff_with_reader_and_verdict() -> None:
    course = Course(students=1)
    work = course.work()
    with scope(organization=course.organization):
        score_criterion(
            submission=work.submission,
            criterion_id=FIRST,
            score=5,
            reason="",
            shown=course.shown(),
            by=course.anna,
        )
    slugs = [course.organization.slug, course.assignment.cohort.slug, course.assignment.slug]
    address = reverse("api-reviews", args=slugs)
    (row,) = signed_in(course.ben).get(address).json()["results"]
    assert row.pop("reviewed_at") is not None
    assert row == {
        "submission": str(work.submission.pk),
        "student": work.student.email,
        "criterion": FIRST,
        "report_digest": work.audit.report_digest,
        "reviewed_by": course.anna.email,
        "flagged_at": None,
        "flag_word": "",
        "flagged_by": "",
    }
    assert signed_in(work.student.user).get(address).status_code == 404
