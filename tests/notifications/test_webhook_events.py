"""Webhook events are written in the transaction that they tell of: ids, no scores, no names."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import transaction
from django_scopes import scope

from grading import workflow
from grading.appeals.decisions import keep_verdict
from grading.core.enums import AuditKind, WebhookEvent
from grading.models import WebhookDelivery
from grading.notifications import webhooks
from grading.peer_review.actions import notify_subject_of_report
from tests.factories.peers import FeedbackReportFactory, PairingFactory
from tests.factories.people import everywhere, student
from tests.factories.released import Released, ended, filed, judged
from tests.factories.webhooks import WebhookFactory
from tests.factories.work import AuditFactory, claimed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def payloads() -> list[dict[str, Any]]:
    """The payloads without what is of the moment; each has its own id, and says its event."""
    with everywhere():
        rows = list(WebhookDelivery.objects.order_by("created_at"))
    assert [(row.payload["id"], row.payload["event"]) for row in rows] == [
        (str(row.pk), row.event) for row in rows
    ]
    return [
        {key: value for key, value in row.payload.items() if key not in {"id", "at"}}
        for row in rows
    ]


def place(assignment: Any, page: str) -> dict[str, str]:
    slug = assignment.organization.slug
    return {
        "organization": slug,
        "cohort": assignment.cohort.slug,
        "assignment": assignment.slug,
        "page": f"http://testserver/o/{slug}/{page}",
    }


def failed(audit: Any) -> None:
    lease = claimed(audit)
    with scope(organization=audit.organization):
        workflow.fail_audit(lease=lease, code="repository_empty", message="No commits.")


@pytest.mark.parametrize(
    ("end", "event"),
    [(ended, "audit.finished"), (failed, "audit.failed")],
    ids=["finished", "failed"],
)
def test_an_audit_that_ended_is_told_of_with_its_attempt(settings, end, event):
    settings.SITE_URL = "http://testserver"
    audit = AuditFactory.create(submission__attempt=2)
    WebhookFactory.create(organization=audit.organization)
    end(audit)
    assert payloads() == [
        {
            **place(audit.submission.assignment, f"audits/{audit.pk}/"),
            "event": event,
            "audit": str(audit.pk),
            "submission": str(audit.submission_id),
            "attempt": 2,
        }
    ]


def test_an_audit_that_died_three_times_is_told_of():
    audit = AuditFactory.create(run_attempt=2)
    WebhookFactory.create(organization=audit.organization)
    claimed(audit, attempt=3)
    with scope(organization=audit.organization):
        audit.refresh_from_db()
        assert workflow.give_back(audit=audit, code="worker_lost", message="Lost.")
    assert [payload["event"] for payload in payloads()] == ["audit.failed"]


def test_when_a_peer_is_at_work_is_not_told():
    audit = AuditFactory.create(kind=AuditKind.PEER)
    WebhookFactory.create(organization=audit.organization)
    ended(audit)
    assert payloads() == []


def test_an_appeal_and_its_answer_are_told_of(settings):
    settings.SITE_URL = "http://testserver"
    released = Released()
    WebhookFactory.create(organization=released.organization)
    appeal = filed(released)
    with scope(organization=released.organization):
        keep_verdict(appeal=appeal, answer="It was weighed.", by=released.teacher)
    of_appeal = {
        **place(released.assignment, f"appeals/{appeal.pk}/"),
        "appeal": appeal.pk,
        "submission": str(released.submission.pk),
        "criterion": appeal.criterion_id,
    }
    assert payloads() == [
        {**of_appeal, "event": "appeal.filed"},
        {**of_appeal, "event": "appeal.answered"},
    ]


def test_a_released_grade_is_told_of_once_and_without_its_score(settings):
    settings.SITE_URL = "http://testserver"
    released = Released()
    WebhookFactory.create(organization=released.organization, events=["grade.released"])
    again = judged(released.assignment, student=released.student, attempt=2)
    for _ in range(2):
        released.release()
    page = place(released.assignment, f"audits/{again.pk}/")
    assert payloads() == [{**page, "event": "grade.released", "audit": str(again.pk)}]


def test_a_peers_report_is_told_of_without_its_peers(settings):
    settings.SITE_URL = "http://testserver"
    pairing = PairingFactory.create()
    cohort = pairing.round.assignment.cohort
    with everywhere():
        pairing.auditor, pairing.auditee = student(cohort, name="Ada"), student(cohort, name="Bob")
        pairing.save()
    report = FeedbackReportFactory.create(pairing=pairing)
    WebhookFactory.create(organization=pairing.organization)
    with scope(organization=pairing.organization):
        notify_subject_of_report(report=report)
    assert payloads() == [
        {
            **place(pairing.round.assignment, f"feedback/{report.pk}/"),
            "event": "feedback.received",
            "feedback": str(report.pk),
        }
    ]
    sent_text = json.dumps(payloads())
    people = (pairing.auditor, pairing.auditee)
    assert [
        word for person in people for word in (person.name, person.email) if word in sent_text
    ] == []


def test_only_who_asked_for_it_and_is_switched_on_is_told():
    audit = AuditFactory.create()
    webhook = WebhookFactory.create(organization=audit.organization, events=["audit.finished"])
    WebhookFactory.create(
        organization=audit.organization, events=["audit.failed", "grade.released"]
    )
    WebhookFactory.create(organization=audit.organization, active=False)
    WebhookFactory.create()
    ended(audit)
    with everywhere():
        assert [row.webhook_id for row in WebhookDelivery.objects.all()] == [webhook.pk]


def test_what_did_not_happen_is_not_told():
    audit = AuditFactory.create()
    WebhookFactory.create(organization=audit.organization)
    with scope(organization=audit.organization), transaction.atomic():
        webhooks.announce_audit(audit=audit, event=WebhookEvent.AUDIT_FINISHED)
        assert len(payloads()) == 1
        transaction.set_rollback(True)
    assert payloads() == []
