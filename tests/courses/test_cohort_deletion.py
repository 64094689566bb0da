"""The end of a cohort: everything of it goes or nothing, and only the log stays."""

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django_scopes import scope

from grading.audits.queries import usage_of_organization
from grading.core.enums import BulkState
from grading.core.errors import ActionRefused
from grading.core.uploads import delete_orphans
from grading.courses.archive.actions import delete_cohort
from grading.courses.archive.cohort_inventory import inventory_of
from grading.models import Activity, Cohort, Submission
from grading.models.tenant import TenantModel
from tests.factories.grades import BulkRunFactory
from tests.factories.institutes import institute
from tests.factories.people import CohortFactory, staff_user
from tests.factories.work import AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
# What belongs to the organization, or outlives what it is about.
STAYS = {
    "Activity",
    "BankedComment",
    "LtiAccount",
    "LtiContext",
    "LtiDeployment",
    "LtiKey",
    "LtiLaunch",
    "LtiRegistration",
    "Membership",
    "ModelUsage",
    "Notice",
    "NoticeDaily",
    "NoticeOptOut",
    "OrphanedUpload",
    "OrganizationBench",
    "RepositoryAccess",
    "Rubric",
    "RubricVersion",
    "Webhook",
    "WebhookDelivery",
}


@pytest.fixture
def organization():
    return institute()


@pytest.fixture
def cohort(organization):
    """One with a row in every table, and nothing that runs."""
    with scope(organization=organization):
        cohort = Cohort.objects.get()
        BulkRunFactory._meta.model.objects.update(
            state=BulkState.CANCELLED, finished_at=cohort.created_at
        )
        yield cohort


@pytest.fixture
def owner(organization):
    return staff_user(organization)


def delete(cohort, owner, **changes):
    fingerprint = inventory_of(cohort).fingerprint
    arguments = {"typed": cohort.slug, "fingerprint": fingerprint} | changes
    delete_cohort(cohort=cohort, by=owner, **arguments)


@transaction.atomic
def delete_and_break_off(cohort, owner):
    delete(cohort, owner)
    raise RuntimeError


def rows():
    tables = [model for model in apps.get_models() if issubclass(model, TenantModel)]
    return {model.__name__: model.objects.count() for model in tables}


def test_different_slug_deletes_nothing(cohort, owner):
    before = rows()
    with pytest.raises(ActionRefused, match=f"Type {cohort.slug}"):
        delete(cohort, owner, typed="Same")
    assert rows() == before


def test_deletion_is_refused_while_audits_or_bulk_runs_are_open(cohort, owner):
    audit = AuditFactory(submission=Submission.objects.get())
    with pytest.raises(ActionRefused, match="One audit or bulk run is waiting"):
        delete(cohort, owner)
    run = BulkRunFactory(assignment=audit.submission.assignment)
    with pytest.raises(ActionRefused, match="2 audits or bulk runs are"):
        delete(cohort, owner)
    assert run.assignment.cohort == cohort


def test_deletion_is_refused_when_the_inventory_changed(cohort, owner):
    fingerprint = inventory_of(cohort).fingerprint
    SubmissionFactory(assignment=Submission.objects.get().assignment)
    with pytest.raises(ActionRefused, match="Something changed"):
        delete(cohort, owner, fingerprint=fingerprint)
    assert Cohort.objects.count() == 1


def test_deletion_keeps_only_the_log_and_the_organizations_records(cohort, owner, organization):
    CohortFactory(organization=organization)
    before, spent = rows(), usage_of_organization(organization)
    delete(cohort, owner)
    left = {name: number for name, number in rows().items() if number}
    expected = {name: number for name, number in before.items() if name in STAYS and number}
    assert left == expected | {
        "Activity": before["Activity"] + 1,
        "Cohort": 1,
        "Invitation": before["Invitation"],
        "Membership": before["Membership"],
    }
    row = Activity.objects.get(verb="cohort.deleted")
    assert (row.actor, row.cohort_id, row.detail["slug"]) == (
        owner,
        int(row.object_id),
        "same",
    )
    assert row.detail["held"]["attempts handed in"] == 1
    assert usage_of_organization(organization).cost_usd == spent.cost_usd > 0


def test_second_deletion_is_refused_and_logged_once(cohort, owner):
    fingerprint = inventory_of(cohort).fingerprint
    delete(cohort, owner)
    with pytest.raises(ActionRefused, match="Something changed"):
        delete(cohort, owner, fingerprint=fingerprint)
    assert Activity.objects.filter(verb="cohort.deleted").count() == 1


def test_deletion_leaves_other_organizations_alone(cohort, owner):
    theirs = institute(word="Other")
    delete(cohort, owner)
    with scope(organization=theirs):
        assert rows()["Submission"] == 1


def test_uploads_are_deleted_once_their_rows_are(cohort, owner):
    assignment = Submission.objects.get().assignment
    kept = SubmissionFactory(pdf=ContentFile(b"%PDF-1.7", name="x.pdf"))
    going = SubmissionFactory(assignment=assignment, pdf=ContentFile(b"%PDF-1.7", name="x.pdf"))
    held = inventory_of(cohort)
    assert (held.uploads, held.upload_bytes) == (1, 8)
    with pytest.raises(RuntimeError):
        delete_and_break_off(cohort, owner)
    assert (delete_orphans(), default_storage.exists(going.pdf.name)) == (0, True)
    delete(cohort, owner)
    assert delete_orphans() == 1
    assert [default_storage.exists(submission.pdf.name) for submission in (going, kept)] == [
        False,
        True,
    ]


def test_missing_upload_does_not_stop_deletion(cohort, owner):
    assignment = Submission.objects.get().assignment
    gone = SubmissionFactory(assignment=assignment, pdf=ContentFile(b"%PDF-1.7", name="x.pdf"))
    default_storage.delete(gone.pdf.name)
    delete(cohort, owner)
    assert delete_orphans() == 1
    assert not Cohort.objects.exists()
