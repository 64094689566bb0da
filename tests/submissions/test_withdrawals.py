"""A hand-in is taken back while it waits, by its student, and by nobody once it is being audited."""

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
    made: Audit = AuditFactory.create(
        submission__student=signed_up, submission__assignment__cohort=signed_up.cohort
    )
    return made


def page_of(audit: Audit, name: str = "withdraw") -> str:
    return reverse(name, args=[audit.organization.slug, audit.pk])


def test_a_hand_in_that_is_being_audited_stands(
    waiting: Audit, client: Client, signed_up: Any
) -> None:
    claimed(waiting)
    client.force_login(signed_up.user)
    answer = client.post(page_of(waiting))
    assert (answer.status_code, "does not wait" in answer.content.decode()) == (200, True)
    with everywhere():
        kept = Audit.objects.select_related("submission").get(pk=waiting.pk)
        assert (kept.state, kept.submission.counts) == (AuditState.RUNNING, True)


def test_a_verdict_that_is_to_be_renewed_is_not_taken_back(waiting: Audit, signed_up: Any) -> None:
    renewal = AuditFactory.create(submission=waiting.submission)
    with everywhere(), pytest.raises(SubmissionRefused) as refused:
        withdraw_submission(audit=renewal, by=signed_up.user)
    assert refused.value.code == "not_waiting"


def test_taken_back_it_uses_up_no_attempt_and_is_on_the_record(
    waiting: Audit, client: Client, signed_up: Any
) -> None:
    client.force_login(signed_up.user)
    assert page_of(waiting) in client.get(page_of(waiting, "audit")).content.decode()
    page = client.post(page_of(waiting), follow=True).content.decode()
    assert ["taken back" in page, "This audit failed" in page] == [True, False]
    assert '<span class="chip">taken back</span>' in client.get("/").content.decode()
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
