"""Webhooks for teachers: made with a secret that is shown once, tried, and what they answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import WEBHOOK_EVENTS
from grading.models import Organization, Webhook, WebhookDelivery
from grading.notifications.webhook_deliveries import send_due_deliveries
from tests.factories.people import OrganizationFactory, everywhere, staff_user
from tests.factories.webhooks import Receiver, WebhookDeliveryFactory, WebhookFactory, receiving
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
SECRET = re.compile(r"whsec_[\w+/]{43}=")


class Teacher:
    def __init__(self) -> None:
        self.organization: Organization = OrganizationFactory.create()
        self.user = staff_user(self.organization)
        self.client = Client()
        self.client.force_login(self.user)
        self.address = f"/o/{self.organization.slug}/webhooks/"

    def page(self, of: Any = None) -> str:
        html = self.client.get(f"{self.address}{of.pk}/" if of else self.address).content.decode()
        assert faults_of(html) == []
        return html

    def made(self, url: str, **fields: Any) -> str:
        given = {"url": url, "events": [event.value for event in WEBHOOK_EVENTS]} | fields
        html = self.client.post(self.address, given).content.decode()
        assert faults_of(html) == []
        return html

    def does(self, of: Webhook, do: str) -> Any:
        return self.client.post(f"{self.address}{of.pk}/", {"do": do})


@pytest.fixture
def teacher() -> Teacher:
    return Teacher()


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


def test_the_secret_is_shown_once(teacher, receiver):
    assert "No webhooks yet" in teacher.page()
    (secret,) = SECRET.findall(teacher.made(receiver.url))
    with everywhere():
        webhook = Webhook.objects.get()
    assert (webhook.made_by, len(webhook.events)) == (teacher.user, len(WEBHOOK_EVENTS))
    for page in (teacher.page(), teacher.page(webhook)):
        assert (secret in page, SECRET.search(page), webhook.sealed_secret in page) == (
            False,
            None,
            False,
        )


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"url": "https://192.168.0.1/hook"}, "The address is on a private network."),
        ({"url": "ftp://hooks.example/"}, "Give an address that begins with https://"),
        ({"url": ""}, "This field is required."),
        ({"events": []}, "This field is required."),
        ({"events": ["webhook.test"]}, "is not one of the available choices"),
    ],
)
def test_a_refusal_stands_beside_its_field_and_keeps_what_was_typed(
    teacher, receiver, given, sentence
):
    given = {"url": receiver.url} | given
    url = given["url"]
    html = teacher.made(**given)
    assert (sentence in html, f'value="{url}"' in html or url == "") == (True, True)
    with everywhere():
        assert Webhook.objects.count() == 0


def test_a_test_is_sent_and_its_answer_shown_as_text(teacher, receiver):
    receiver.answers.append(
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<script>alert(1)</script>"
    )
    webhook = WebhookFactory.create(organization=teacher.organization, url=receiver.url)
    assert "No deliveries yet" in teacher.page(webhook)
    assert teacher.does(webhook, "test").status_code == 302
    assert "waiting" in teacher.page(webhook)
    send_due_deliveries(organization_id=teacher.organization.pk)
    page = teacher.page(webhook)
    assert (">delivered<" in page, "<strong>200</strong>" in page) == (True, True)
    assert ("&lt;script&gt;alert(1)" in page, "<script>alert(1)" in page) == (True, False)


def test_replaced_secret_is_shown_once_and_the_page_says_until_when_the_old_one_signs(teacher):
    webhook = WebhookFactory.create(organization=teacher.organization)
    answer = teacher.does(webhook, "rotate")
    (secret,) = SECRET.findall(answer.content.decode())
    assert faults_of(answer.content.decode()) == []
    page = teacher.page(webhook)
    assert (secret in page, "The secret before this one signs, too, until" in page) == (False, True)


def test_delivery_is_sent_again_from_its_row(teacher, receiver):
    delivery = WebhookDeliveryFactory.create(
        webhook__organization=teacher.organization,
        webhook__url=receiver.url,
        state="failed",
        ended_at=timezone.now(),
        tries=8,
    )
    address = f"{teacher.address}{delivery.webhook_id}/"
    assert f'value="{delivery.pk}"' in teacher.page(delivery.webhook)
    given = {"do": "redeliver", "delivery": str(delivery.pk)}
    assert teacher.client.post(address, given).status_code == 302
    send_due_deliveries(organization_id=teacher.organization.pk)
    assert ">delivered<" in teacher.page(delivery.webhook)


@pytest.mark.parametrize("whose", ["nobody's", "another webhook's", "another organization's"])
def test_only_a_delivery_of_this_webhook_is_sent_again(teacher, whose):
    webhook = WebhookFactory.create(organization=teacher.organization)
    other = WebhookFactory.create(organization=teacher.organization)
    delivery = {
        "nobody's": uuid4,
        "another webhook's": lambda: WebhookDeliveryFactory.create(webhook=other).pk,
        "another organization's": lambda: WebhookDeliveryFactory.create().pk,
    }[whose]()
    given = {"do": "redeliver", "delivery": str(delivery)}
    answer = teacher.client.post(f"{teacher.address}{webhook.pk}/", given)
    assert answer.status_code == 404


def test_it_is_switched_off_then_on_or_deleted(teacher):
    webhook = WebhookDeliveryFactory.create(webhook__organization=teacher.organization).webhook
    teacher.does(webhook, "off")
    assert "The webhook was turned off before this was sent." in teacher.page(webhook)
    refused = teacher.does(webhook, "test")
    assert (refused.status_code, "Turn the webhook on first" in refused.content.decode()) == (
        200,
        True,
    )
    teacher.does(webhook, "on")
    with scope(organization=teacher.organization):
        assert Webhook.objects.get().active is True
    assert teacher.does(webhook, "delete").url == teacher.address
    with everywhere():
        assert (Webhook.objects.count(), WebhookDelivery.objects.count()) == (0, 0)


def test_the_organizations_page_leads_there_for_teachers(teacher):
    page = teacher.client.get(f"/o/{teacher.organization.slug}/").content.decode()
    assert f'href="{teacher.address}"' in page


def test_the_pages_ask_as_much_for_many_as_for_one(teacher, django_assert_max_num_queries):
    def query_counts():
        counts = []
        for of in (None, delivery.webhook):
            with django_assert_max_num_queries(8) as counted:
                teacher.page(of)
            counts.append(len(counted))
        return counts

    delivery = WebhookDeliveryFactory(webhook__organization=teacher.organization)
    for_one = query_counts()
    WebhookFactory.create_batch(3, organization=teacher.organization)
    WebhookDeliveryFactory.create_batch(3, webhook=delivery.webhook)
    assert query_counts() == for_one
