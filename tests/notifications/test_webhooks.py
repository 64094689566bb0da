"""Webhooks: what they are told and what never, and that each event arrives, whatever is away or refuses in between."""

from __future__ import annotations

import socket
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope
from rq import SimpleWorker

from grading.core.enums import WEBHOOK_EVENTS, DeliveryState
from grading.core.errors import WebhookRefused
from grading.engine import repository_addresses
from grading.jobs import send_deliveries
from grading.models import Webhook, WebhookDelivery
from grading.notifications import webhook_deliveries, webhooks
from grading.notifications.webhook_signatures import sealed
from grading.workflow import reconcile
from tests.factories.people import OrganizationFactory, everywhere, staff_user
from tests.factories.races import alone
from tests.factories.webhooks import (
    SECRET,
    Receiver,
    WebhookDeliveryFactory,
    WebhookFactory,
    receiving,
)
from tests.waiting import just_past

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
TEST_ANSWER = b"HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"


@pytest.fixture(scope="module")
def server() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def receiver(server: Receiver) -> Receiver:
    server.told.clear()
    server.answers.clear()
    server.before_answer = lambda: None
    return server


def answer(status: bytes, body: bytes = b"") -> bytes:
    return TEST_ANSWER % (status, len(body), body)


def waiting(url: str, **fields: Any) -> WebhookDelivery:
    return WebhookDeliveryFactory.create(webhook=WebhookFactory.create(url=url), **fields)


def now_of(delivery: WebhookDelivery) -> WebhookDelivery:
    with everywhere():
        return WebhookDelivery.objects.get(pk=delivery.pk)


def came_of(delivery: WebhookDelivery) -> tuple[str, int, int | None, str]:
    """(state, tries, status, error)"""
    now = now_of(delivery)
    return now.state, now.tries, now.status, now.error


def make_due(delivery: WebhookDelivery, **changes: Any) -> None:
    with everywhere():
        WebhookDelivery.objects.filter(pk=delivery.pk).update(
            next_at=just_past(), created_at=timezone.now() - timedelta(hours=1), **changes
        )


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://hooks.example/told", "url_not_https"),
        ("file:///etc/passwd", "url_not_https"),
        ("/etc/passwd", "url_not_https"),
        ("https://127.0.0.1/told", "url_private_address"),
        ("https://[::1]/told", "url_private_address"),
        ("https://169.254.169.254/latest", "url_private_address"),
        ("https://10.1.2.3/told?a=b", "url_private_address"),
        ("https://localhost/told", "url_private_address"),
        ("https://me:secret@8.8.8.8/told", "url_credentials"),
        ("https://8.8.8.8:8443/told", "url_port"),
        ("https://8.8.8.8", "url_malformed"),
        ("https://8.8.8.8/told#here", "url_malformed"),
        ("https://8.8.8.8/told?a b", "url_malformed"),
        ("https://8.8.8.8/told?" + "a" * 500, "url_malformed"),
    ],
)
def test_an_address_that_leads_elsewhere_than_the_open_internet_is_refused(url, code):
    organization = OrganizationFactory.create()
    with scope(organization=organization), pytest.raises(WebhookRefused) as refused:
        webhooks.add_webhook(
            organization=organization, url=url, events=WEBHOOK_EVENTS, by=staff_user(organization)
        )
    assert (refused.value.field, refused.value.code) == ("url", code)
    with everywhere():
        assert Webhook.objects.count() == 0


def test_loopback_is_told_only_where_repositories_of_this_machine_are_audited(settings, receiver):
    settings.ALLOW_LOCAL_REPOSITORIES = False
    delivery = waiting(receiver.url)
    send_deliveries(delivery.organization_id)
    state, tries, status, error = came_of(delivery)
    assert (state, tries, status, receiver.told) == (DeliveryState.WAITING, 1, None, [])
    assert error.startswith("Give an address that begins with https://")


def test_a_public_address_is_pinned_to_what_its_name_meant():
    pinned = repository_addresses.pinned("https://[2606:4700::1111]/told?key=a%20b&c")
    assert pinned == repository_addresses.Pinned(
        "2606:4700::1111", 443, "/told?key=a%20b&c", ("2606:4700::1111",), is_tls=True
    )
    assert pinned.authority == "[2606:4700::1111]"


def test_a_webhook_needs_an_event_and_there_are_ten_at_most(receiver):
    organization = OrganizationFactory.create()
    WebhookFactory.create_batch(10, organization=organization)
    given: dict[str, Any] = {
        "organization": organization,
        "url": receiver.url,
        "by": staff_user(organization),
    }
    with scope(organization=organization):
        with pytest.raises(WebhookRefused) as nothing:
            webhooks.add_webhook(**given, events=[])
        with pytest.raises(WebhookRefused) as refusal:
            webhooks.add_webhook(**given, events=WEBHOOK_EVENTS)
    assert (nothing.value.code, refusal.value.code) == ("events_missing", "too_many_webhooks")


def test_a_test_arrives_signed_through_the_queue(receiver, django_capture_on_commit_callbacks):
    organization = OrganizationFactory.create()
    teacher = staff_user(organization)
    with scope(organization=organization), django_capture_on_commit_callbacks(execute=True):
        webhook, secret = webhooks.add_webhook(
            organization=organization, url=receiver.url, events=WEBHOOK_EVENTS, by=teacher
        )
        webhooks.send_test(webhook=webhook, by=teacher)
    queue = get_queue("webhooks")
    SimpleWorker([queue], connection=queue.connection).work(burst=True)
    (request_seen,) = receiver.told
    assert (request_seen.path, request_seen.payload["event"]) == (
        "/told?by=auditor",
        "webhook.test",
    )
    assert request_seen.headers["Auditor-Delivery"] == request_seen.payload["id"]
    assert request_seen.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert request_seen.headers["webhook-id"] == request_seen.payload["id"]
    assert (request_seen.is_signed_with(secret), request_seen.is_signed_with(SECRET)) == (
        True,
        False,
    )
    assert (request_seen.is_signed_as_before(secret), request_seen.is_signed_as_before(SECRET)) == (
        True,
        False,
    )
    assert secret not in webhook.sealed_secret


def test_each_delivery_arrives_once_and_only_its_organizations(receiver):
    mine, other = waiting(receiver.url), waiting(receiver.url)
    for _ in range(2):
        send_deliveries(mine.organization_id)
    assert [request_seen.headers["Auditor-Delivery"] for request_seen in receiver.told] == [
        str(mine.pk)
    ]
    assert came_of(mine) == (DeliveryState.DELIVERED, 1, 204, "")
    assert came_of(other) == (DeliveryState.WAITING, 0, None, "")


def test_what_it_answers_is_kept_as_it_begins(receiver):
    receiver.answers.append(answer(b"200 OK", b"thanks \x00<b>" + b"x" * 5000))
    delivery = waiting(receiver.url)
    send_deliveries(delivery.organization_id)
    assert now_of(delivery).answer == "thanks <b>" + "x" * 490


@pytest.mark.parametrize(
    ("given", "status", "error"),
    [
        (answer(b"500 Oh"), 500, "It answered 500."),
        (answer(b"404 No"), 404, "It answered 404."),
        (
            b"HTTP/1.1 302 F\r\nLocation: http://127.0.0.1:1/\r\n\r\n",
            302,
            "It redirects to another address. Redirects aren't followed: use that address.",
        ),
        (b"SSH-2.0\r\n\r\n", None, "The answer can't be read (BadStatusLine)."),
        (b"", None, "The answer can't be read (RemoteDisconnected)."),
    ],
)
def test_what_did_not_arrive_is_tried_again_after_a_minute(receiver, given, status, error):
    receiver.answers.append(given)
    delivery = waiting(receiver.url)
    send_deliveries(delivery.organization_id)
    assert came_of(delivery) == (DeliveryState.WAITING, 1, status, error)
    pause = now_of(delivery).next_at - timezone.now()
    # The clock may step back a little, and this test may be slow.
    assert timedelta(seconds=30) < pause < timedelta(seconds=65)
    make_due(delivery)
    assert reconcile().with_deliveries == 1
    queue = get_queue("webhooks")
    SimpleWorker([queue], connection=queue.connection).work(burst=True)
    assert came_of(delivery) == (DeliveryState.DELIVERED, 2, 204, "")


def test_after_eight_tries_over_a_day_it_has_failed(receiver):
    delivery = waiting(receiver.url)
    pauses = []
    for _ in range(9):
        receiver.answers[:] = [answer(b"503 Busy")]
        make_due(delivery)
        send_deliveries(delivery.organization_id)
        pauses.append(now_of(delivery).next_at - timezone.now())
    assert (came_of(delivery), len(receiver.told)) == (
        (DeliveryState.FAILED, 8, 503, "It answered 503."),
        8,
    )
    assert timedelta(hours=23) < sum(pauses[:7], timedelta()) < timedelta(hours=24)
    assert reconcile().with_deliveries == 0


def test_whose_last_try_broke_off_with_its_machine_has_failed(receiver):
    delivery = waiting(receiver.url, tries=8)
    send_deliveries(delivery.organization_id)
    assert (came_of(delivery)[0], now_of(delivery).error) == (
        DeliveryState.FAILED,
        webhook_deliveries.INTERRUPTED,
    )


def test_who_cannot_be_reached_is_asked_once_and_costs_the_rest_no_try(receiver):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        away = WebhookFactory.create(url=f"http://127.0.0.1:{closed.getsockname()[1]}/")
    first, second = WebhookDeliveryFactory.create_batch(2, webhook=away)
    there = WebhookDeliveryFactory.create(
        webhook=WebhookFactory.create(organization=away.organization, url=receiver.url)
    )
    send_deliveries(away.organization_id)
    assert sorted([came_of(first), came_of(second)]) == [
        (DeliveryState.WAITING, 0, None, ""),
        (DeliveryState.WAITING, 1, None, "We couldn't connect: Connection refused."),
    ]
    assert came_of(there)[0] == DeliveryState.DELIVERED


def test_a_sealed_secret_that_cannot_be_read_is_said(receiver):
    delivery = waiting(receiver.url)
    with everywhere():
        Webhook.objects.update(sealed_secret="gAAAA")
    send_deliveries(delivery.organization_id)
    assert came_of(delivery)[3] == "A stored secret cannot be read with today's SECRET_KEY."
    assert receiver.told == []


def test_who_is_switched_off_is_told_nothing_not_even_what_waited(receiver):
    delivery = waiting(receiver.url)
    webhook, teacher = delivery.webhook, staff_user(delivery.organization)
    with scope(organization=delivery.organization):
        webhooks.switch_webhook(webhook=webhook, active=False, by=teacher)
        webhook.refresh_from_db()
        with pytest.raises(WebhookRefused):
            webhooks.send_test(webhook=webhook, by=teacher)
    send_deliveries(delivery.organization_id)
    assert (came_of(delivery)[0], receiver.told) == (DeliveryState.FAILED, [])


def told_of(receiver: Receiver) -> list[str]:
    return [received.headers["Auditor-Delivery"] for received in receiver.told]


def test_an_organization_with_slow_receivers_goes_behind_the_others(receiver, monkeypatch):
    monkeypatch.setattr(webhook_deliveries, "BEGIN_SECONDS", 0)
    first = waiting(receiver.url)
    second = WebhookDeliveryFactory.create(webhook=first.webhook)
    other = waiting(receiver.url)
    for delivery in (first, second, other):
        webhook_deliveries.DELIVERIES.enqueue(delivery.organization_id)
    queue = get_queue("webhooks")
    assert queue.count == 2
    SimpleWorker([queue], connection=queue.connection).work(burst=True)
    assert told_of(receiver) == [str(delivery.pk) for delivery in (first, other, second)]


@pytest.mark.django_db(transaction=True)
def test_an_organization_has_one_open_delivery_and_leaves_what_comes_meanwhile_to_its_next_turn(
    receiver,
):
    begun, done = Event(), Event()
    first = waiting(receiver.url)
    second = WebhookDeliveryFactory.create(webhook=first.webhook)
    other = waiting(receiver.url)

    def wait() -> None:
        begun.set()
        done.wait(30)

    receiver.before_answer = wait
    with ThreadPoolExecutor(1) as pool:
        turn = pool.submit(alone, lambda: send_deliveries(first.organization_id))
        assert begun.wait(30)
        receiver.before_answer = lambda: None
        # On a connection of its own, as a second worker has one.
        pool_of_another = ThreadPoolExecutor(1)
        with pool_of_another:
            pool_of_another.submit(alone, lambda: send_deliveries(first.organization_id)).result(30)
        assert told_of(receiver) == [str(first.pk)]
        send_deliveries(other.organization_id)
        assert told_of(receiver) == [str(first.pk), str(other.pk)]
        done.set()
        turn.result(30)
    assert (came_of(first)[0], came_of(second)[0]) == (DeliveryState.DELIVERED,) * 2


def test_five_tests_of_an_organization_are_sent_within_a_minute(receiver):
    organization, other = OrganizationFactory.create(), OrganizationFactory.create()
    teacher = staff_user(organization)
    hooks = WebhookFactory.create_batch(2, organization=organization, url=receiver.url)
    with scope(organization=organization):
        for number in range(webhooks.MAX_TESTS):
            webhooks.send_test(webhook=hooks[number % 2], by=teacher)
        with pytest.raises(WebhookRefused) as refused:
            webhooks.send_test(webhook=hooks[0], by=teacher)
        assert refused.value.code == "too_many_tests"
        WebhookDelivery.objects.update(created_at=timezone.now() - webhooks.TESTS_WITHIN)
        webhooks.send_test(webhook=hooks[0], by=teacher)
    elsewhere = WebhookFactory.create(organization=other, url=receiver.url)
    with scope(organization=other):
        webhooks.send_test(webhook=elsewhere, by=staff_user(other))


def test_signature_covers_id_time_and_body(receiver):
    delivery = waiting(receiver.url)
    send_deliveries(delivery.organization_id)
    (request_seen,) = receiver.told
    assert request_seen.is_signed_with(SECRET)
    later = str(int(request_seen.headers["webhook-timestamp"]) + 1)
    for change in ({"webhook-id": "another"}, {"webhook-timestamp": later}):
        assert not replace(request_seen, headers=request_seen.headers | change).is_signed_with(
            SECRET
        )
    assert not replace(request_seen, body=request_seen.body + b" ").is_signed_with(SECRET)


def test_secret_from_before_signs_as_what_it_is_in_base64(receiver):
    delivery = waiting(receiver.url)
    older = "whsec_" + urlsafe_b64encode(b"\xff\xfe\xfb" * 10 + b"xy").decode().rstrip("=")
    with everywhere():
        Webhook.objects.update(sealed_secret=sealed(older))
    send_deliveries(delivery.organization_id)
    (request_seen,) = receiver.told
    standard = older.replace("-", "+").replace("_", "/").replace("whsec/", "whsec_")
    assert (request_seen.is_signed_with(standard), request_seen.is_signed_as_before(older)) == (
        True,
        True,
    )


def test_new_secret_and_the_one_before_sign_for_a_day(receiver):
    webhook = WebhookFactory.create(url=receiver.url)
    with scope(organization=webhook.organization):
        teacher = staff_user(webhook.organization)
        second = webhooks.rotate_secret(webhook=webhook, by=teacher)
        first = WebhookDeliveryFactory.create(webhook=webhook)
        send_deliveries(first.organization_id)
        third = webhooks.rotate_secret(webhook=webhook, by=teacher)
        WebhookDeliveryFactory.create(webhook=webhook)
        send_deliveries(first.organization_id)
        Webhook.objects.update(previous_until=timezone.now() - timedelta(seconds=1))
        WebhookDeliveryFactory.create(webhook=webhook)
        send_deliveries(first.organization_id)
    keys = (SECRET, second, third)
    assert [
        [request_seen.is_signed_with(key) for key in keys] for request_seen in receiver.told
    ] == [
        [True, True, False],
        [False, True, True],
        [False, False, True],
    ]


def test_delivery_is_sent_again_with_the_same_id_and_all_its_tries(receiver):
    receiver.answers[:] = [answer(b"500 Oh")] * 2
    delivery = waiting(receiver.url, tries=7)
    teacher = staff_user(delivery.organization)
    send_deliveries(delivery.organization_id)
    assert came_of(delivery)[:2] == (DeliveryState.FAILED, 8)
    for state in ((DeliveryState.WAITING, 1, 500), (DeliveryState.DELIVERED, 1, 204)):
        with scope(organization=delivery.organization):
            webhooks.redeliver(delivery=delivery, by=teacher)
        assert came_of(delivery) == (DeliveryState.WAITING, 0, None, "")
        send_deliveries(delivery.organization_id)
        assert came_of(delivery)[:3] == state
    assert {request_seen.headers["webhook-id"] for request_seen in receiver.told} == {
        str(delivery.pk)
    }


def test_fifty_are_sent_again_within_a_minute_and_none_of_a_webhook_that_is_off(monkeypatch):
    monkeypatch.setattr(webhooks, "MAX_REDELIVERIES", 2)
    delivery = waiting("https://8.8.8.8/")
    teacher = staff_user(delivery.organization)
    with scope(organization=delivery.organization):
        for _ in range(2):
            webhooks.redeliver(delivery=delivery, by=teacher)
        with pytest.raises(WebhookRefused) as refusal:
            webhooks.redeliver(delivery=delivery, by=teacher)
        webhooks.switch_webhook(webhook=delivery.webhook, active=False, by=teacher)
        delivery.webhook.refresh_from_db()
        with pytest.raises(WebhookRefused) as off:
            webhooks.redeliver(delivery=delivery, by=teacher)
    assert (refusal.value.code, off.value.code) == ("too_many_redeliveries", "webhook_off")
