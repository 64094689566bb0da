"""What is deleted between being found and being asked for answers as what was never there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.urls import reverse

from grading.actions.courses.cohort_deletion import delete_cohort
from grading.actions.peers.complaints import complain
from grading.api.refusals import answer_to
from grading.models import Grade
from grading.queries.courses.holdings import holdings_of
from tests.factories.people import everywhere, staff_user
from tests.factories.released import Released
from tests.faults.site import eventually
from tests.grading.test_appeal_races import audits_held, waiting_for_a_row
from tests.site.graded_work import signed_in
from tests.site.peer_works import Circle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


@pytest.mark.parametrize("typed", [{"reason": "Better."}, {"unpin": "1"}])
def test_a_grade_that_is_pinned_as_its_cohort_is_deleted_is_missing(typed: dict[str, str]) -> None:
    released = Released()
    cohort, by = released.assignment.cohort, released.teacher
    address = reverse("count", args=[released.organization.slug, released.audit.pk])
    client = signed_in(by)
    with everywhere():
        seen = holdings_of(cohort).fingerprint

    def delete() -> None:
        with everywhere():
            delete_cohort(cohort=cohort, typed=cohort.slug, seen=seen, by=by)
        connection.close()

    def pin() -> int:
        status = client.post(address, typed).status_code
        connection.close()
        return int(status)

    with ThreadPoolExecutor(2) as pool:
        with audits_held():  # where whoever deletes has locked the attempts already
            deletes = pool.submit(delete)
            eventually(lambda: waiting_for_a_row() == 1)
            pins = pool.submit(pin)
            eventually(lambda: waiting_for_a_row() == 2)
        deletes.result()
        assert pins.result() == HTTPStatus.NOT_FOUND


def test_a_complaint_and_the_deletion_of_its_cohort_do_not_wait_for_each_other() -> None:
    circle = Circle()
    report = circle.audited(circle.cy)
    teacher = staff_user(circle.organization)
    with everywhere():
        seen = holdings_of(circle.cohort).fingerprint

    def delete() -> None:
        with everywhere():
            delete_cohort(cohort=circle.cohort, typed=circle.cohort.slug, seen=seen, by=teacher)
        connection.close()

    def say() -> str:
        try:
            with everywhere():
                complain(report=report, text="It insults me.", by=circle.ada.user)
        except ObjectDoesNotExist as gone:
            return type(gone).__name__
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(2) as pool:
        with audits_held():
            deletes = pool.submit(delete)
            eventually(lambda: waiting_for_a_row() == 1)
            says = pool.submit(say)
            eventually(lambda: waiting_for_a_row() == 2)
        assert (deletes.result(), says.result()) == (None, "DoesNotExist")


def test_a_program_is_told_the_same() -> None:
    answer = answer_to(Grade.DoesNotExist(), {})
    assert (answer.status_code, answer.data["error"]["code"]) == (HTTPStatus.NOT_FOUND, "not_found")
