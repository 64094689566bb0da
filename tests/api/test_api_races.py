"""Two programs at once, each with a connection of its own."""

from pathlib import Path

import pytest

from grading.core.enums import WEBHOOK_EVENTS
from grading.models import Submission, Webhook
from grading.notifications.webhooks import MAX_WEBHOOKS
from tests.factories.people import (
    CohortFactory,
    OrganizationFactory,
    everywhere,
    staff_user,
    student,
)
from tests.factories.races import at_once
from tests.factories.repositories import Commit, make_repository
from tests.factories.webhooks import WebhookFactory
from tests.factories.work import AssignmentFactory
from tests.web_client.api_program import Program, error_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def test_of_equal_requests_at_once_under_one_key_one_hands_in(tmp_path: Path):
    make_repository(tmp_path / "work", [Commit(files={"README.md": "# Work"})])
    assignment = AssignmentFactory(cohort=CohortFactory())
    ada = student(assignment.cohort)
    program = Program(ada.user, ada.organization.slug)
    address = f"cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}/submissions/"

    def hand_in():
        return program.post(
            address, {"repo_url": str(tmp_path / "work")}, headers={"idempotency-key": "nightly"}
        )

    answers = sorted(at_once(hand_in, times=3), key=lambda answer: answer.status_code)
    later = hand_in()
    with everywhere():
        handed_in = str(Submission.objects.get().pk)
    made = [answer for answer in answers if answer.status_code != 422]
    assert [answer.json()["id"] for answer in [*made, later]] == [handed_in] * (len(made) + 1)
    assert [answer.status_code for answer in [*made, later]] == [200] * (len(made) - 1) + [201, 200]
    assert {error_of(answer)["code"] for answer in answers if answer.status_code == 422} <= {
        "key_in_use"
    }


def test_the_last_webhook_that_there_may_be_is_made_by_one():
    organization = OrganizationFactory()
    WebhookFactory.create_batch(MAX_WEBHOOKS - 1, organization=organization)
    program = Program(staff_user(organization), organization.slug)
    payload = {"url": "https://8.8.8.8/told", "events": [WEBHOOK_EVENTS[0].value]}
    answers = at_once(lambda: program.post("webhooks/", payload).status_code, times=3)
    assert sorted(answers) == [201, 422, 422]
    with everywhere():
        assert Webhook.objects.count() == MAX_WEBHOOKS
