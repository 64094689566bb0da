"""Withdrawals: by the student alone, and only while the audit waits."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from grading.core.enums import AuditState
from grading.core.errors import SubmissionRefused
from grading.models import Activity, Audit
from grading.submissions.actions import withdraw_submission
from grading.submissions.queries import WITHDRAWN
from tests.factories.people import CohortFactory, everywhere, student
from tests.factories.work import AuditFactory, claimed

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_up() -> Any:
    return student(CohortFactory.create())


@pytest.fixture
def waiting(signed_up: Any) -> Audit:
    audit: Audit = AuditFactory.create(
        submission__student=signed_up, submission__assignment__cohort=signed_up.cohort
    )
    return audit


def page_of(audit: Audit, name: str = "withdraw") -> str:
    return reverse(name, args=[audit.organization.slug, audit.pk])


def test_running_audit_cannot_be_withdrawn(waiting: Audit, client: Client, signed_up: Any) -> None:
    claimed(waiting)
    client.force_login(signed_up.user)
    answer = client.post(page_of(waiting))
    assert (answer.status_code, "Too late: the audit has started" in answer.content.decode()) == (
        200,
        True,
    )
    with everywhere():
        kept = Audit.objects.select_related("submission").get(pk=waiting.pk)
        assert (kept.state, kept.submission.counts) == (AuditState.RUNNING, True)


def test_reaudited_submission_cannot_be_withdrawn(waiting: Audit, signed_up: Any) -> None:
    renewal = AuditFactory.create(submission=waiting.submission)
    with everywhere(), pytest.raises(SubmissionRefused) as refused:
        withdraw_submission(audit=renewal, by=signed_up.user)
    assert refused.value.code == "not_waiting"


def test_withdrawal_gives_the_attempt_back_and_is_logged(
    waiting: Audit, client: Client, signed_up: Any
) -> None:
    client.force_login(signed_up.user)
    assert page_of(waiting) in client.get(page_of(waiting, "audit")).content.decode()
    page = client.post(page_of(waiting), follow=True).content.decode()
    assert ["was withdrawn" in page, "This audit failed" in page] == [True, False]
    assert '<span class="chip">withdrawn</span>' in client.get("/").content.decode()
    with everywhere():
        audit = Audit.objects.select_related("submission").get(pk=waiting.pk)
        assert (audit.state, audit.failure_code) == (AuditState.FAILED, WITHDRAWN)
        assert (
            audit.submission.counts,
            Activity.objects.filter(verb="submission.withdrawn").count(),
        ) == (
            False,
            1,
        )
