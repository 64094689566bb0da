import pytest
from django_scopes import scope

from grading.core.enums import Role
from grading.core.errors import SlugTaken
from grading.courses.actions import create_cohort
from grading.courses.organizations.actions import add_member
from grading.courses.organizations.approval import create_organization
from grading.models import Activity, Membership
from tests.factories.people import (
    CohortFactory,
    OrganizationFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


def roles(organization):
    with scope(organization=organization):
        return dict(Membership.objects.values_list("user__email", "role"))


def test_taken_slug_is_refused():
    OrganizationFactory(slug="ours")
    with pytest.raises(SlugTaken):
        create_organization(name="Ours", slug="ours", founder=UserFactory())


def test_cohort_slugs_are_unique_per_organization():
    cohort = CohortFactory(slug="2026")
    with pytest.raises(SlugTaken):
        create_cohort(organization=cohort.organization, name="Again", slug="2026", by=None)
    assert (
        create_cohort(
            organization=OrganizationFactory(), name="Elsewhere", slug="2026", by=None
        ).slug
        == "2026"
    )


def test_creator_of_an_organization_is_its_owner():
    founder = UserFactory()
    organization = create_organization(name="Ours", slug="ours", founder=founder)
    assert roles(organization) == {founder.email: Role.OWNER}
    with scope(organization=organization):
        verbs = list(Activity.objects.order_by("pk").values_list("verb", "actor"))
    assert verbs == [("organization.founded", founder.pk), ("administration.opened", founder.pk)]


def test_granting_a_role_again_changes_it():
    organization, user = OrganizationFactory(), UserFactory()
    add_member(organization=organization, user=user, role=Role.ASSISTANT, by=None)
    add_member(organization=organization, user=user, role=Role.INSTRUCTOR, by=None)
    assert roles(organization) == {user.email: Role.INSTRUCTOR}
