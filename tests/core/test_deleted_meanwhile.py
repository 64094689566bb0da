"""An object deleted during a request answers like a missing one."""

from __future__ import annotations

from http import HTTPStatus

import pytest
from django.urls import reverse

from grading.api.error_responses import exception_response
from grading.models import Enrollment, Grade
from grading.peer_review.complaints.actions import complain
from tests.factories.graded_work import signed_in
from tests.factories.peer_round_work import Circle
from tests.factories.people import staff_user
from tests.factories.races import while_deleted
from tests.factories.released import Released

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


@pytest.mark.parametrize("typed", [{"reason": "Better."}, {"unpin": "1"}])
def test_a_grade_that_is_pinned_as_its_cohort_is_deleted_is_missing(typed: dict[str, str]) -> None:
    released = Released()
    address = reverse("count", args=[released.organization.slug, released.audit.pk])
    client, answers = signed_in(released.teacher), []
    while_deleted(
        released.assignment.cohort,
        lambda: answers.append(client.post(address, typed).status_code),
        by=released.teacher,
    )
    assert answers == [HTTPStatus.NOT_FOUND]


def test_a_complaint_and_the_deletion_of_its_cohort_do_not_wait_for_each_other() -> None:
    circle = Circle()
    report = circle.audited(circle.cy)
    with pytest.raises(Enrollment.DoesNotExist):
        while_deleted(
            circle.cohort,
            lambda: complain(report=report, text="It insults me.", by=circle.ada.user),
            by=staff_user(circle.organization),
        )


def test_a_program_is_told_the_same() -> None:
    answer = exception_response(Grade.DoesNotExist(), {})
    assert (answer.status_code, answer.data["error"]["code"]) == (HTTPStatus.NOT_FOUND, "not_found")
