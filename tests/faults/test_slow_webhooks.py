"""Webhooks of an address that does not answer: they hold their own worker, and no audit."""

from threading import Event

import pytest

from grading.models import Audit
from grading.notifications.webhook_deliveries import DELIVERIES
from tests.factories.webhooks import WebhookDeliveryFactory, WebhookFactory, receiving
from tests.faults.conftest import Ends
from tests.faults.site import accepted, crew
from tests.waiting import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def test_webhooks_to_a_silent_address(repository, ends: Ends) -> None:
    """The audits of one worker end while both workers of letters meet a delivery that stays open."""
    answering = Event()
    with receiving() as receiver, crew(letter_workers=2):
        receiver.before_answer = lambda: answering.wait(60)
        webhook = WebhookFactory.create(url=receiver.url)
        for _ in range(20):
            WebhookDeliveryFactory.create(webhook=webhook)
            DELIVERIES.enqueue(webhook.organization_id)
        eventually(lambda: receiver.told)
        audits: list[Audit] = [accepted(repository) for _ in range(2)]
        ends(*audits)
        answering.set()
