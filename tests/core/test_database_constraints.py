"""PostgreSQL refuses invalid rows by itself."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django_scopes import scope
from django_scopes.exceptions import ScopeError

from grading.core.activity_writer import record_activity
from grading.core.enums import AuditState, RubricState
from grading.models import Activity, Audit, Cohort, RubricVersion
from tests.factories.people import CohortFactory, EnrollmentFactory, OrganizationFactory, everywhere
from tests.factories.work import AuditFactory, RubricVersionFactory

pytestmark = pytest.mark.django_db


def test_a_query_outside_a_scope_raises():
    CohortFactory()
    with pytest.raises(ScopeError):
        list(Cohort.objects.all())


@pytest.mark.parametrize(
    "statement", ["UPDATE grading_activity SET verb = 'x'", "DELETE FROM grading_activity"]
)
def test_the_log_can_be_neither_changed_nor_deleted(statement):
    organization = OrganizationFactory()
    with scope(organization=organization):
        record_activity(
            organization=organization, actor=None, verb="organization.founded", about=organization
        )
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        scope(organization=organization),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    with everywhere():
        assert [activity.verb for activity in Activity.objects.all()] == ["organization.founded"]


@pytest.mark.parametrize(
    "change",
    [
        {"document": {}},
        {"digest": "f" * 64},
        {"number": 9},
        {"published_at": timezone.now()},
        {"state": "draft"},
    ],
)
def test_a_published_rubric_version_never_changes(change):
    version = RubricVersionFactory()
    with everywhere(), pytest.raises(IntegrityError), transaction.atomic():
        RubricVersion.objects.filter(pk=version.pk).update(**change)


def test_a_published_rubric_version_is_not_deleted():
    version = RubricVersionFactory()
    with everywhere(), pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
        version.delete()


def test_a_published_rubric_version_may_be_superseded_and_a_draft_edited():
    version, draft = RubricVersionFactory(), RubricVersionFactory(draft=True)
    with everywhere():
        assert RubricVersion.objects.filter(pk=version.pk).update(state=RubricState.SUPERSEDED) == 1
        assert RubricVersion.objects.filter(pk=draft.pk).update(document={"edited": True}) == 1


def test_two_versions_of_one_rubric_are_never_published_at_once():
    version = RubricVersionFactory()
    with pytest.raises(IntegrityError, match="one_published_version"), transaction.atomic():
        RubricVersionFactory(rubric=version.rubric, number=2)


def test_an_email_is_enrolled_once_whatever_its_case():
    enrollment = EnrollmentFactory(email="ada@example.org")
    with pytest.raises(IntegrityError, match="email_once_per_cohort"), transaction.atomic():
        EnrollmentFactory(cohort=enrollment.cohort, email="Ada@Example.org")


@pytest.mark.parametrize(
    ("trait", "change", "constraint"),
    [
        ({}, {"state": "lost"}, "audit_state_known"),
        ({}, {"state": AuditState.RUNNING}, "audit_leased_while_running"),
        ({"running": True}, {"state": AuditState.QUEUED}, "audit_leased_while_running"),
        ({"done": True}, {"report": None}, "audit_report_when_it_ended_well"),
        ({"failed": True}, {"failure_code": ""}, "audit_failure_has_a_code"),
        ({"failed": True}, {"overall_score": 1.0}, "audit_failure_is_no_score"),
        ({}, {"overall_score": 1.0}, "audit_failure_is_no_score"),
        ({"done": True}, {"finished_at": None}, "audit_finished_has_a_time"),
    ],
)
def test_an_audit_that_contradicts_itself_cannot_be_stored(trait, change, constraint):
    audit = AuditFactory(**trait)
    with everywhere(), pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Audit.objects.filter(pk=audit.pk).update(**change)
