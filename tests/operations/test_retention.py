"""Rows that the reconciler deletes once nobody needs them, and those that stay."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.utils import timezone
from django_scopes import scope

from grading import workflow
from grading.core.enums import DeliveryState
from grading.models import (
    AuditContents,
    EvidenceRecord,
    FeedbackEdition,
    IdempotencyKey,
    Notice,
    Webhook,
    WebhookDelivery,
)
from grading.operations.retention import prune, prune_if_due
from tests.factories.grades import NoticeFactory
from tests.factories.peers import FeedbackEditionFactory, FeedbackReportFactory
from tests.factories.people import (
    InvitationFactory,
    OrganizationFactory,
    UserFactory,
    everywhere,
)
from tests.factories.webhooks import WebhookDeliveryFactory, WebhookFactory
from tests.factories.work import AuditFactory, IdempotencyKeyFactory, claimed, verdict

NOW = timezone.now
pytestmark = pytest.mark.django_db


def ago(days: int) -> Any:
    return NOW() - timedelta(days=days)


def email(days: int, **fields: Any) -> Notice:
    made: Notice = NoticeFactory.create(**{"sent_at": ago(days), "tried_at": ago(days)} | fields)
    return made


def left(model: Any) -> set[Any]:
    with everywhere():
        return set(model.objects.values_list("pk", flat=True))


def test_an_email_is_deleted_a_year_after_it_was_sent() -> None:
    old, young = email(366), email(364)
    assert (prune()["sent emails"], left(Notice)) == (1, {young.pk})
    assert old.pk not in left(Notice)


def test_an_email_that_was_not_sent_or_that_invites_stays() -> None:
    unsent = email(400, sent_at=None)
    invitation = InvitationFactory.create()
    letter = email(
        400,
        organization=invitation.organization,
        user=None,
        invitation=invitation,
        address=invitation.email,
        kind="invitation",
    )
    assert (prune()["sent emails"], left(Notice)) == (0, {unsent.pk, letter.pk})


def test_a_delivery_is_deleted_a_month_after_its_end_also_where_no_other_follows() -> None:
    def ended(days: int) -> WebhookDelivery:
        made: WebhookDelivery = WebhookDeliveryFactory.create(
            state=DeliveryState.DELIVERED, ended_at=ago(days)
        )
        return made

    ended(31)
    kept = {ended(29).pk, WebhookDeliveryFactory.create(created_at=ago(90)).pk}
    assert (prune()["webhook deliveries"], left(WebhookDelivery)) == (1, kept)


def test_replaced_secret_is_deleted_when_it_signs_no_more() -> None:
    over, signing = (
        WebhookFactory.create(sealed_previous="sealed", previous_until=ago(days))
        for days in (1, -1)
    )
    assert prune()["replaced secrets"] == 1
    with everywhere():
        kept = dict(Webhook.objects.values_list("pk", "sealed_previous"))
    assert kept == {over.pk: "", signing.pk: "sealed"}


def test_editions_are_deleted_when_their_cohort_is_over() -> None:
    def edition(days: int | None) -> FeedbackEdition:
        report = FeedbackReportFactory.create()
        cohort = report.assignment.cohort
        cohort.ends_on = None if days is None else ago(days).date()
        with scope(organization=cohort.organization):
            cohort.save()
        made: FeedbackEdition = FeedbackEditionFactory.create(report=report)
        return made

    edition(40)
    kept = {edition(20).pk, edition(None).pk}
    assert (prune()["editions"], left(FeedbackEdition)) == (1, kept)


def test_a_key_of_a_request_is_deleted_after_the_day_for_which_it_holds() -> None:
    old, young = (IdempotencyKeyFactory.create(user=UserFactory.create()) for _ in range(2))
    with everywhere():
        IdempotencyKey.objects.filter(pk=old.pk).update(created_at=ago(3))
    assert (prune()["idempotency keys"], left(IdempotencyKey)) == (1, {young.pk})


def test_a_session_is_deleted_when_it_has_expired() -> None:
    for key, days in (("over", 1), ("open", -1)):
        Session.objects.create(session_key=key, session_data="", expire_date=ago(days))
    assert (prune()["sessions"], left(Session)) == (1, {"open"})


def test_texts_of_files_stay_unless_the_operator_sets_an_end(settings: Any) -> None:
    audit = AuditFactory.create()
    with scope(organization=audit.organization):
        workflow.finish_audit(lease=claimed(audit), verdict=verdict())
        contents = AuditContents.objects.create(
            organization=audit.organization, audit=audit, files={"a.py": 1}, sources=b"text"
        )
        type(audit).objects.filter(pk=audit.pk).update(finished_at=ago(100))
        assert prune()["texts of files"] == 0
        settings.KEEP_SOURCES_DAYS = 90
        assert (prune()["texts of files"], prune()["texts of files"]) == (1, 0)
        contents.refresh_from_db()
        assert (contents.sources, contents.files) == (None, {"a.py": 1})
        assert EvidenceRecord.objects.filter(audit=audit).count() == 1


def test_a_dry_run_counts_over_all_institutions_and_deletes_nothing(capsys: Any) -> None:
    kept = {email(400, organization=OrganizationFactory.create()).pk for _ in range(2)}
    call_command("prune", "--dry-run")
    assert "sent emails: 2 due" in capsys.readouterr().out
    assert left(Notice) == kept


def test_of_several_reconcilers_one_prunes_in_an_hour() -> None:
    email(400)
    assert (prune_if_due(), email(400).pk in left(Notice), prune_if_due()) == (1, True, 0)
