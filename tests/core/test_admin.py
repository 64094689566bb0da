"""The admin: its lists in groups, for an organization's own staff only, and nothing machine-made is edited."""

from itertools import chain

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from grading.core.admin_site import GROUPS
from grading.core.enums import Role, RubricState
from grading.models import (
    Activity,
    Assignment,
    Cohort,
    RubricVersion,
)
from tests.factories.people import (
    CohortFactory,
    MembershipFactory,
    OrganizationFactory,
    UserFactory,
    everywhere,
    student,
)
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    RubricFactory,
    RubricVersionFactory,
    rubric_document,
)

pytestmark = pytest.mark.django_db
MODELS = [model for model in admin.site._registry if model._meta.app_label == "grading"]
NAMES = [model.__name__.lower() for model in MODELS]


@pytest.fixture
def organization():
    return OrganizationFactory(name="Ours")


def signed_in(client: Client, **fields) -> Client:
    client.force_login(UserFactory(is_staff=True, **fields))
    return client


@pytest.fixture
def as_instructor(client, organization):
    user = UserFactory(is_staff=True)
    MembershipFactory(organization=organization, user=user, role=Role.INSTRUCTOR)
    client.force_login(user)
    return client


def changelist(name: str) -> str:
    return reverse(f"admin:grading_{name}_changelist")


def result_rows(response):
    return list(response.context["cl"].result_list)


def test_every_list_is_in_one_group_of_the_front_page():
    listed = [entry.label for entries in GROUPS.values() for entry in entries]
    assert sorted(listed) == sorted(model._meta.label for model in admin.site._registry)


def test_operator_finds_every_list_with_its_purpose_and_its_way_there(client, organization):
    page = signed_in(client, is_superuser=True).get("/admin/")
    groups = {group["name"]: group["models"] for group in page.context["app_list"]}
    assert {name: len(models) for name, models in groups.items()} == {
        name: len(entries) for name, entries in GROUPS.items()
    }
    for entry in chain(*GROUPS.values()):
        assert entry.purpose in page.text
    addresses = [model["admin_url"] for models in groups.values() for model in models]
    assert {client.get(address).status_code for address in addresses} == {200}


def test_instructor_finds_rubrics_roles_and_the_way_to_the_site(as_instructor, organization):
    page = as_instructor.get("/admin/")
    assert {
        group["name"]: [model["name"] for model in group["models"]]
        for group in page.context["app_list"]
    } == {
        "People and institutions": ["Memberships", "Invitations"],
        "Rubrics": ["Rubrics", "Rubric versions"],
    }
    assert f'href="/o/{organization.slug}/"' in page.text


def test_page_of_one_app_has_the_same_groups(client, organization):
    page = signed_in(client, is_superuser=True).get("/admin/grading/")
    assert [group["name"] for group in page.context["app_list"]] == list(GROUPS)


def test_staff_without_an_organization_see_nothing(client):
    AuditFactory()
    staff = signed_in(client)
    assert {staff.get(changelist(name)).status_code for name in NAMES} == {403}


def test_a_student_has_no_admin(client, organization):
    client.force_login(student(CohortFactory(organization=organization)).user)
    assert client.get("/admin/").status_code == 302


def test_every_list_shows_ones_own_organization_only(as_instructor, organization):
    for owner in (organization, OrganizationFactory()):
        AuditFactory(submission__assignment__cohort__organization=owner, done=True)
    for name in (
        "organization",
        "cohort",
        "enrollment",
        "rubric",
        "rubricversion",
        "assignment",
        "submission",
        "audit",
    ):
        rows = result_rows(as_instructor.get(changelist(name)))
        assert [row if name == "organization" else row.organization for row in rows] == [
            organization
        ]


def test_a_superuser_sees_every_organization(client):
    cohorts = {CohortFactory(), CohortFactory()}
    response = signed_in(client, is_superuser=True).get(changelist("cohort"))
    assert set(result_rows(response)) == cohorts


def test_every_list_can_be_searched(as_instructor):
    assert {as_instructor.get(f"{changelist(name)}?q=x").status_code for name in NAMES} == {200}


def test_another_organizations_object_is_missing(as_instructor):
    for pk in (CohortFactory().pk, 10**9):
        assert (
            as_instructor.get(reverse("admin:grading_cohort_change", args=[pk])).status_code == 302
        )


@pytest.mark.parametrize(
    "name",
    [
        "assignment",
        "audit",
        "activity",
        "submission",
        "grade",
        "modelusage",
    ],
)
def test_what_the_site_writes_is_only_looked_at(as_instructor, name):
    assert as_instructor.get(reverse(f"admin:grading_{name}_add")).status_code == 403


def test_an_assignment_is_changed_at_its_settings_which_keep_promises_and_not_here(
    as_instructor, organization
):
    assignment = AssignmentFactory(cohort__organization=organization)
    url = reverse("admin:grading_assignment_change", args=[assignment.pk])
    place = f"/o/{organization.slug}/c/{assignment.cohort.slug}/a/{assignment.slug}/settings/"
    assert f'href="{place}"' in as_instructor.get(url).content.decode()
    assert as_instructor.post(url, {"title": "Another", "max_attempts": 1}).status_code == 403
    with everywhere():
        assert Assignment.objects.get().title == assignment.title


def test_an_audit_is_shown_without_its_lease_and_cannot_be_changed(as_instructor, organization):
    audit = AuditFactory(submission__assignment__cohort__organization=organization, running=True)
    url = reverse("admin:grading_audit_change", args=[audit.pk])
    page = as_instructor.get(url)
    assert page.status_code == 200
    assert str(audit.lease_token) not in page.text
    assert as_instructor.post(url, {"state": "done"}).status_code == 403


def test_a_change_is_logged_and_stays_in_its_organization(as_instructor, organization):
    cohort, theirs = CohortFactory(organization=organization), OrganizationFactory()
    url = reverse("admin:grading_cohort_change", args=[cohort.pk])
    sent = {
        "name": "Renamed",
        "slug": cohort.slug,
        "organization": theirs.pk,
        "starts_on": "",
        "ends_on": "",
    }
    assert as_instructor.post(url, sent).status_code == 302
    with everywhere():
        assert list(Cohort.objects.values_list("name", "organization")) == [
            ("Renamed", organization.pk)
        ]
        assert list(Activity.objects.values_list("verb", "detail")) == [
            ("admin.changed", {"fields": ["name"]})
        ]


def test_nothing_can_be_added_to_another_organization(as_instructor):
    sent = {
        "name": "Mine",
        "slug": "mine",
        "organization": OrganizationFactory().pk,
        "starts_on": "",
        "ends_on": "",
    }
    response = as_instructor.post(reverse("admin:grading_cohort_add"), sent)
    assert list(response.context["adminform"].form.errors) == ["organization"]


def test_drafts_are_published_from_the_list_and_what_cannot_be_is_said(as_instructor, organization):
    good, bad = (
        RubricVersionFactory(
            rubric=RubricFactory(organization=organization), draft=True, document=document
        )
        for document in (rubric_document(), {"id": "of no use"})
    )
    sent = {"action": "publish", "_selected_action": [good.pk, bad.pk]}
    page = as_instructor.post(changelist("rubricversion"), sent, follow=True)
    assert sorted(message.level_tag for message in page.context["messages"]) == ["error", "success"]
    with everywhere():
        published = RubricVersion.objects.filter(state=RubricState.PUBLISHED)
        assert list(published) == [good]


def test_a_published_version_cannot_be_edited(as_instructor, organization):
    version = RubricVersionFactory(rubric=RubricFactory(organization=organization))
    url = reverse("admin:grading_rubricversion_change", args=[version.pk])
    assert as_instructor.get(url).status_code == 200
    assert as_instructor.post(url, {"number": 9}).status_code in {400, 403}
    with everywhere():
        assert list(RubricVersion.objects.values_list("number", "document")) == [
            (version.number, version.document)
        ]


@pytest.mark.parametrize("name", ["audit", "submission", "enrollment", "cohort"])
def test_a_longer_list_costs_no_more_queries(
    as_instructor, organization, name, django_assert_max_num_queries
):
    cohort = CohortFactory(organization=organization)
    costs = []
    for rows in (1, 3):
        for _ in range(rows):
            AuditFactory(submission__assignment__cohort=cohort, done=True)
            CohortFactory(organization=organization)
        with django_assert_max_num_queries(40) as counted:
            as_instructor.get(changelist(name))
        costs.append(len(counted))
    assert costs[0] == costs[1]
