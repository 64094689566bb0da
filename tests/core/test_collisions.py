"""Deleting a cohort while others use it: they are asked to try again, and nothing is half done."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, IntegrityError, OperationalError
from django.urls import reverse
from psycopg.errors import DeadlockDetected, ForeignKeyViolation, UniqueViolation

from grading.api.error_responses import exception_response
from grading.core.middleware import CONFLICT_SENTENCE, is_conflict
from grading.courses.archive.cohort_inventory import inventory_of
from grading.models import Audit, Cohort, FeedbackReport
from tests.factories.peer_round_work import MARKDOWN, Circle, client_of
from tests.factories.people import everywhere, staff_user
from tests.factories.races import in_turn
from tests.web_client.page_checks import faults_of

races = pytest.mark.django_db(transaction=True)
needs_a_queue = pytest.mark.usefixtures("redis")


def beside_the_deletion(circle: Circle, act: Callable[[], Any]) -> list[Any]:
    """Return both answers: to the deletion, and to a request that met its locks."""
    teacher = client_of(staff_user(circle.organization))
    with everywhere():
        fingerprint = inventory_of(circle.cohort).fingerprint
    address = reverse("cohort-delete", args=[circle.organization.slug, circle.cohort.slug])
    typed = {"typed": circle.cohort.slug, "seen": fingerprint}
    return in_turn(
        Audit, lambda: teacher.post(address, typed), act
    )  # the attempts are asked for last


@races
@needs_a_queue
def test_of_a_report_brought_along_and_the_deletion_one_is_done_and_one_told_to_try_again() -> None:
    circle = Circle()
    circle.audited(circle.cy)
    address, bob = circle.page("pairing", circle.of(circle.bob).pk), client_of(circle.bob)

    posted = {"do": "bring", "file": SimpleUploadedFile("report.md", MARKDOWN.encode())}
    deletes, brings = beside_the_deletion(circle, lambda: bob.post(address, posted))
    assert {deletes.status_code, brings.status_code} == {HTTPStatus.FOUND, HTTPStatus.CONFLICT}
    with everywhere():
        left = Cohort.objects.count(), FeedbackReport.objects.count()
    assert left == ((0, 0) if deletes.status_code == HTTPStatus.FOUND else (1, 2))


@races
@needs_a_queue
def test_a_page_opened_as_its_cohort_goes_says_to_try_again_and_is_missing_then() -> None:
    circle = Circle()
    report, cy = circle.audited(circle.cy), client_of(circle.cy)
    deletes, opens = beside_the_deletion(circle, lambda: cy.get(circle.page("feedback", report.pk)))
    assert (deletes.status_code, opens.status_code) == (HTTPStatus.FOUND, HTTPStatus.CONFLICT)
    assert (CONFLICT_SENTENCE in opens.content.decode(), faults_of(opens.content.decode())) == (
        True,
        [],
    )
    assert cy.get(circle.page("feedback", report.pk)).status_code == HTTPStatus.NOT_FOUND


def raised(kind: type[DatabaseError], cause: Exception) -> DatabaseError:
    error = kind()
    error.__cause__ = cause
    return error


def test_what_is_written_wrongly_is_no_collision() -> None:
    errors = [
        raised(OperationalError, DeadlockDetected()),
        raised(IntegrityError, ForeignKeyViolation()),
        raised(IntegrityError, UniqueViolation()),
        OperationalError("the server has gone"),
        ValueError("x"),
    ]
    assert [is_conflict(error) for error in errors] == [True, True, False, False, False]


def test_a_program_is_told_to_ask_again() -> None:
    answer = exception_response(raised(OperationalError, DeadlockDetected()), {})
    assert (answer.status_code, answer.data["error"]["code"]) == (HTTPStatus.CONFLICT, "collided")
