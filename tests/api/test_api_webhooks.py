"""Webhooks through the API: for teachers' programs whose token says so, with the pages' own refusals."""

from http import HTTPStatus
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope

from grading.core.enums import WEBHOOK_EVENTS, ApiScope, DeliveryState, Role
from grading.models import Activity, Webhook, WebhookDelivery
from grading.notifications.webhook_deliveries import send_due_deliveries
from grading.notifications.webhooks import MAX_WEBHOOKS
from tests.factories.people import (
    CohortFactory,
    OrganizationFactory,
    everywhere,
    staff_user,
    student,
)
from tests.factories.webhooks import WebhookDeliveryFactory, WebhookFactory, receiving
from tests.web_client.api_program import Program, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
EVENTS = [event.value for event in WEBHOOK_EVENTS]


@pytest.fixture(scope="module")
def receiver():
    with receiving() as server:
        yield server


@pytest.fixture
def organization():
    return OrganizationFactory()


@pytest.fixture
def program(organization):
    return Program(staff_user(organization), organization.slug)


@pytest.fixture
def webhook(organization):
    return WebhookFactory(organization=organization)


def everything_asked(program, webhook):
    own_path = f"webhooks/{webhook.pk}/"
    return [
        program.get("webhooks/"),
        program.head("webhooks/"),
        program.post("webhooks/", {"url": "https://8.8.8.8/told", "events": EVENTS}),
        program.get(own_path),
        program.patch(own_path, {"active": False}),
        program.get(f"{own_path}deliveries/"),
        program.post(f"{own_path}test/"),
        program.post(f"{own_path}secrets/"),
        program.post(f"{own_path}deliveries/{uuid4()}/redeliveries/"),
        program.delete(own_path),
    ]


def left_alone():
    """Return whether the only webhook is unchanged."""
    with everywhere():
        (row,) = Webhook.objects.all()
        return (row.url, row.events, row.active) == ("https://hooks.example/told", EVENTS, True)


def test_every_door_needs_the_scope_and_reading_does_not_count(organization, webhook):
    other_scopes = [api_scope for api_scope in ApiScope if api_scope != ApiScope.WEBHOOKS]
    answers = everything_asked(
        Program(staff_user(organization), organization.slug, other_scopes), webhook
    )
    assert {answer.status_code for answer in answers} == {HTTPStatus.FORBIDDEN}
    assert error_of(answers[0])["message"].endswith("this token lacks the scope “webhooks”.")
    assert left_alone()


@pytest.mark.parametrize("person", ["student", "assistant", "teacher elsewhere"])
def test_to_everybody_but_the_organizations_teachers_there_are_none(organization, webhook, person):
    user = {
        "student": lambda: student(CohortFactory(organization=organization)).user,
        "assistant": lambda: staff_user(organization, Role.ASSISTANT),
        "teacher elsewhere": lambda: staff_user(OrganizationFactory()),
    }[person]()
    answers = everything_asked(Program(user, organization.slug), webhook)
    assert {answer.status_code for answer in answers} == {HTTPStatus.NOT_FOUND}
    assert left_alone()


def test_another_organizations_webhook_is_not_found_under_ones_own_address(webhook):
    own = OrganizationFactory()
    answers = everything_asked(Program(staff_user(own), own.slug), webhook)[3:]
    assert {answer.status_code for answer in answers} == {HTTPStatus.NOT_FOUND}
    with scope(organization=webhook.organization):
        assert (Webhook.objects.get().active, WebhookDelivery.objects.count()) == (True, 0)


def test_the_secret_is_answered_once_and_signs_what_is_sent(program, organization, receiver):
    made = program.post(
        "webhooks/", {"url": receiver.url, "events": ["grade.released", "audit.failed"]}
    )
    body = made.json()
    assert (made.status_code, body["events"]) == (
        HTTPStatus.CREATED,
        ["audit.failed", "grade.released"],
    )
    secret = body.pop("secret")
    assert program.get("webhooks/").json()["results"] == [body]
    assert program.get(f"webhooks/{body['id']}/").json() == body
    tested = program.post(f"webhooks/{body['id']}/test/")
    assert (tested.status_code, tested.json()["state"]) == (
        HTTPStatus.ACCEPTED,
        DeliveryState.WAITING,
    )
    send_due_deliveries(organization_id=organization.pk)
    (row,) = program.get(f"webhooks/{body['id']}/deliveries/").json()["results"]
    assert (row["id"], row["state"], row["status"], row["tries"]) == (
        tested.json()["id"],
        "delivered",
        204,
        1,
    )
    (delivery_seen,) = receiver.told
    assert (delivery_seen.payload, delivery_seen.is_signed_with(secret)) == (row["payload"], True)
    assert secret not in str(row)


@pytest.mark.parametrize(
    ("sent", "status", "code", "field"),
    [
        ({"events": EVENTS}, 400, "invalid", "url"),
        ({"url": "x" * 501, "events": EVENTS}, 400, "invalid", "url"),
        ({"url": "https://10.1.2.3/told", "events": EVENTS}, 422, "url_private_address", "url"),
        ({"url": "ftp://hooks.example/", "events": EVENTS}, 422, "url_not_https", "url"),
        ({"url": "https://8.8.8.8/told"}, 400, "invalid", "events"),
        ({"url": "https://8.8.8.8/told", "events": "audit.failed"}, 400, "invalid", "events"),
        ({"url": "https://8.8.8.8/told", "events": ["webhook.test"]}, 400, "invalid", "events"),
        ({"url": "https://8.8.8.8/told", "events": []}, 422, "events_missing", "events"),
    ],
)
def test_what_is_wrong_is_said_of_its_field_and_nothing_is_made_or_changed(
    program, webhook, sent, status, code, field
):
    answers = [program.post("webhooks/", sent)]
    if field in sent:
        answers.append(program.patch(f"webhooks/{webhook.pk}/", {"active": False} | sent))
    assert {
        (answer.status_code, error_of(answer)["code"], error_of(answer)["field"])
        for answer in answers
    } == {(status, code, field)}
    assert left_alone()


def test_there_are_ten_at_most(program, organization):
    WebhookFactory.create_batch(MAX_WEBHOOKS, organization=organization)
    answer = program.post("webhooks/", {"url": "https://8.8.8.8/told", "events": EVENTS})
    assert (answer.status_code, error_of(answer)["code"]) == (422, "too_many_webhooks")


def test_each_part_is_changed_by_itself_and_logged(program, organization, webhook):
    own_path = f"webhooks/{webhook.pk}/"
    assert program.patch(own_path, {"url": "https://8.8.8.8/new"}).json()["events"] == EVENTS
    assert (
        program.patch(own_path, {"events": ["audit.failed"]}).json()["url"] == "https://8.8.8.8/new"
    )
    assert program.patch(own_path, {"active": False}).json()["active"] is False
    assert program.patch(own_path, {}).json() == program.get(own_path).json()
    with scope(organization=organization):
        logged = list(Activity.objects.order_by("pk").values_list("verb", "detail__host"))
    assert logged == [
        ("webhook.changed", "8.8.8.8"),
        ("webhook.changed", "8.8.8.8"),
        ("webhook.switched_off", "8.8.8.8"),
    ]


def test_whoever_is_switched_off_is_sent_no_test_and_nothing_that_waited(program, organization):
    delivery = WebhookDeliveryFactory(webhook__organization=organization)
    own_path = f"webhooks/{delivery.webhook_id}/"
    body = program.patch(own_path, {"active": False}).json()
    assert (body["waiting"], body["failed"]) == (0, 1)
    refused = program.post(f"{own_path}test/")
    assert (refused.status_code, error_of(refused)["code"]) == (422, "webhook_off")


def test_twenty_tests_at_a_slow_address_wait_on_no_queue_of_audits(
    program, organization, django_capture_on_commit_callbacks
):
    webhook = WebhookFactory(organization=organization)
    with django_capture_on_commit_callbacks(execute=True):
        answers = [program.post(f"webhooks/{webhook.pk}/test/") for _ in range(20)]
    assert [answer.status_code for answer in answers] == [202] * 5 + [422] * 15
    assert {error_of(answer)["code"] for answer in answers[5:]} == {"too_many_tests"}
    jobs = {name: get_queue(name).count for name in settings.QUEUES}
    assert jobs == {"submissions": 0, "bulk": 0, "letters": 0, "webhooks": 1}
    assert set(settings.AUDIT_QUEUES) == {"submissions", "bulk"}


def test_secret_is_replaced_and_answered_once(program, webhook):
    answered = program.post(f"webhooks/{webhook.pk}/secrets/")
    made = answered.json()
    assert (answered.status_code, made.pop("secret")[:6]) == (HTTPStatus.CREATED, "whsec_")
    assert made["previous_secret_until"] is not None
    assert program.get(f"webhooks/{webhook.pk}/").json() == made


def test_delivery_is_sent_again_with_its_id(program, organization):
    delivery = WebhookDeliveryFactory(
        webhook__organization=organization, state="delivered", ended_at=timezone.now(), status=204
    )
    own_path = f"webhooks/{delivery.webhook_id}/deliveries/{delivery.pk}/redeliveries/"
    answered = program.post(own_path)
    row = answered.json()
    assert (answered.status_code, row["id"]) == (HTTPStatus.ACCEPTED, str(delivery.pk))
    assert (row["state"], row["tries"], row["status"], row["ended_at"]) == (
        "waiting",
        0,
        None,
        None,
    )


def test_deleting_takes_what_was_sent_along(program, organization):
    delivery = WebhookDeliveryFactory(webhook__organization=organization)
    own_path = f"webhooks/{delivery.webhook_id}/"
    answer = program.delete(own_path)
    assert (answer.status_code, answer.content) == (HTTPStatus.NO_CONTENT, b"")
    assert [program.get(own_path).status_code, program.delete(own_path).status_code] == [404, 404]
    with everywhere():
        assert WebhookDelivery.objects.count() == 0


def test_deliveries_are_narrowed_and_come_a_page_at_a_time(program, webhook):
    WebhookDeliveryFactory.create_batch(3, webhook=webhook)
    failed = WebhookDeliveryFactory(
        webhook=webhook, state=DeliveryState.FAILED, ended_at=timezone.now()
    )
    own_path = f"webhooks/{webhook.pk}/deliveries/"
    assert [row["id"] for row in program.get(f"{own_path}?state=failed").json()["results"]] == [
        str(failed.pk)
    ]
    refused = program.get(f"{own_path}?state=lost")
    assert (refused.status_code, error_of(refused)["field"]) == (HTTPStatus.BAD_REQUEST, "state")
    first = program.get(f"{own_path}?state=waiting&page_size=2").json()
    WebhookDeliveryFactory(webhook=webhook)
    second = program.client.get(first["next"]).json()
    assert (len(first["results"]), len(second["results"]), second["next"]) == (2, 1, None)


def test_many_are_read_in_as_many_queries_as_one(program, webhook, django_assert_max_num_queries):
    def query_counts():
        counts = []
        for path in ("webhooks/", f"webhooks/{webhook.pk}/deliveries/"):
            with django_assert_max_num_queries(9) as counted:
                program.get(path)
            counts.append(len(counted))
        return counts

    WebhookDeliveryFactory(webhook=webhook)
    program.get("webhooks/")  # the first use of a token is written down
    for_one = query_counts()
    WebhookFactory.create_batch(3, organization=webhook.organization)
    WebhookDeliveryFactory.create_batch(3, webhook=webhook)
    assert query_counts() == for_one
