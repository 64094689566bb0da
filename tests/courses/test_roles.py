"""Changes of roles, by the action and in the administration."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_scopes import scope

from grading.core.enums import Role
from grading.core.errors import RoleRefused
from grading.courses.organizations.actions import add_member
from grading.courses.organizations.approval import create_organization
from grading.courses.organizations.invitations import accept_invitation, decline_invitation
from grading.models import Activity, Invitation, Membership, Organization
from tests.factories.people import (
    MembershipFactory,
    OrganizationFactory,
    UserFactory,
    everywhere,
    staff_user,
)

pytestmark = pytest.mark.django_db
OWNER, INSTRUCTOR, ASSISTANT, STUDENT = Role


@pytest.fixture
def organization() -> Organization:
    return OrganizationFactory.create()


@pytest.fixture
def people(organization: Organization) -> dict[Role, User]:
    """One of each role."""
    return {role: staff_user(organization, role) for role in Role}


def give(organization: Organization, user: User, role: Role, by: User) -> None:
    """Give the role, and accept it for the user."""
    if add_member(organization=organization, user=user, role=role, by=by) is None:
        with scope(organization=organization):
            offer = Invitation.objects.get(email=user.email)
        accept_invitation(invitation=offer, user=user)


def roles_of(user: User) -> list[str]:
    with everywhere():
        return list(Membership.objects.filter(user=user).values_list("role", flat=True))


def refusal(organization: Organization, user: User, role: Role, by: User) -> str:
    before = roles_of(user)
    with pytest.raises(RoleRefused) as refused:
        add_member(organization=organization, user=user, role=role, by=by)
    assert roles_of(user) == before
    return refused.value.code


@pytest.mark.parametrize(
    ("member", "role"),
    [(STUDENT, INSTRUCTOR), (ASSISTANT, OWNER), (OWNER, STUDENT), (OWNER, INSTRUCTOR)],
)
def test_only_owners_appoint_teachers(organization, people, member, role):
    assert refusal(organization, people[member], role, by=people[INSTRUCTOR]) == "role_of_owners"


@pytest.mark.parametrize("member", [OWNER, INSTRUCTOR])
def test_nobody_can_change_their_own_role(organization, people, member):
    assert refusal(organization, people[member], STUDENT, by=people[member]) == "role_own"


def test_last_owner_cannot_be_removed(organization, people):
    operator = UserFactory.create(is_superuser=True)
    assert refusal(organization, people[OWNER], INSTRUCTOR, by=operator) == "role_last_owner"


def test_owner_of_another_organization_is_refused(organization, people):
    stranger = staff_user(OrganizationFactory.create(), OWNER)
    assert refusal(organization, people[STUDENT], INSTRUCTOR, by=stranger) == "role_of_owners"


def test_new_owner_may_replace_the_old_one(organization, people):
    give(organization, people[INSTRUCTOR], OWNER, by=people[OWNER])
    give(organization, people[OWNER], ASSISTANT, by=people[INSTRUCTOR])
    assert (roles_of(people[INSTRUCTOR]), roles_of(people[OWNER])) == ([OWNER], [ASSISTANT])


def test_instructor_may_appoint_assistants(organization, people):
    give(organization, people[STUDENT], ASSISTANT, by=people[INSTRUCTOR])
    assert roles_of(people[STUDENT]) == [ASSISTANT]


def test_creator_of_an_organization_has_admin_access(client: Client):
    founder = UserFactory.create()
    create_organization(name="Ours", slug="ours", founder=founder)
    client.force_login(founder)
    assert client.get(reverse("admin:grading_membership_changelist")).status_code == 200


def test_admin_access_follows_the_teaching_role(organization, people):
    student, owner = people[STUDENT], people[OWNER]
    is_staff = []
    for role in (ASSISTANT, INSTRUCTOR, OWNER, STUDENT):
        give(organization, student, role, by=owner)
        is_staff.append(User.objects.get(pk=student.pk).is_staff)
    assert is_staff == [False, True, True, False]
    with scope(organization=organization):
        log = Activity.objects.filter(verb__startswith="administration.").order_by("pk")
        assert list(log.values_list("verb", "actor", "object_id")) == [
            ("administration.opened", student.pk, str(student.pk)),
            ("administration.closed", owner.pk, str(student.pk)),
        ]


def test_teachers_elsewhere_and_operators_keep_admin_access(organization, people):
    elsewhere = staff_user(OrganizationFactory.create())
    operator = UserFactory.create(is_superuser=True, is_staff=True)
    for user in (elsewhere, operator):
        for role in (INSTRUCTOR, STUDENT):
            give(organization, user, role, by=people[OWNER])
        assert User.objects.get(pk=user.pk).is_staff is True


def change(client: Client, by: User, membership: Membership, role: Role) -> Any:
    User.objects.filter(pk=by.pk).update(is_staff=True)
    client.force_login(by)
    return client.post(
        reverse("admin:grading_membership_change", args=[membership.pk]), {"role": role}
    )


@pytest.mark.parametrize("by", [INSTRUCTOR, OWNER])
def test_administration_shows_a_refusal_at_the_role(client, organization, people, by):
    with everywhere():
        own = Membership.objects.get(user=people[by])
    page = change(client, people[by], own, ASSISTANT)
    assert page.context["adminform"].form.errors == {
        "role": ["You can't change your own role: ask another owner."]
    }
    assert roles_of(people[by]) == [by]


def test_owner_offers_a_role_in_the_administration(client, organization, people):
    member = MembershipFactory.create(organization=organization)
    assert change(client, people[OWNER], member, INSTRUCTOR).status_code == 302
    assert (roles_of(member.user), User.objects.get(pk=member.user_id).is_staff) == (
        [STUDENT],
        False,
    )
    with scope(organization=organization):
        offer = Invitation.objects.get(email=member.email)
    accept_invitation(invitation=offer, user=member.user)
    assert (roles_of(member.user), User.objects.get(pk=member.user_id).is_staff) == (
        [INSTRUCTOR],
        True,
    )


def test_owner_withdraws_an_offer_by_another_role(organization, people):
    add_member(organization=organization, user=people[STUDENT], role=OWNER, by=people[OWNER])
    with scope(organization=organization):
        offer = Invitation.objects.get(email=people[STUDENT].email)
    add_member(organization=organization, user=people[STUDENT], role=STUDENT, by=people[OWNER])
    accept_invitation(invitation=offer, user=people[STUDENT])
    assert roles_of(people[STUDENT]) == [STUDENT]


def test_refused_role_is_not_given_by_a_late_acceptance(organization, people):
    add_member(organization=organization, user=people[STUDENT], role=OWNER, by=people[OWNER])
    with scope(organization=organization):
        offer = Invitation.objects.get(email=people[STUDENT].email)
    decline_invitation(invitation=offer, by=people[STUDENT])
    assert refusal(organization, people[STUDENT], OWNER, by=people[OWNER]) == "role_declined"
    accept_invitation(invitation=offer, user=people[STUDENT])
    assert roles_of(people[STUDENT]) == [STUDENT]


def invite_in_admin(client: Client, by: User, **sent: Any) -> Any:
    User.objects.filter(pk=by.pk).update(is_staff=True)
    client.force_login(by)
    return client.post(reverse("admin:grading_invitation_add"), sent)


@pytest.mark.parametrize(("by", "role"), [(INSTRUCTOR, OWNER), (INSTRUCTOR, INSTRUCTOR)])
def test_instructor_cannot_invite_teachers(client, organization, people, by, role):
    sent = {"email": "new@example.org", "role": role, "organization": organization.pk}
    page = invite_in_admin(client, people[by], **sent)
    assert list(page.context["adminform"].form.errors) == ["role"]


@pytest.mark.parametrize("by", [OWNER, None])
def test_invited_teacher_is_a_member_after_accepting(client, organization, people, by):
    by = people[by] if by else UserFactory.create(is_staff=True, is_superuser=True)
    user = UserFactory.create()
    sent = {"email": user.email.upper(), "role": OWNER, "organization": organization.pk}
    assert invite_in_admin(client, by, **sent).status_code == 302
    assert roles_of(user) == []
    with scope(organization=organization):
        offer = Invitation.objects.get(email=user.email)
    accept_invitation(invitation=offer, user=user)
    assert (roles_of(user), User.objects.get(pk=user.pk).is_staff) == ([OWNER], True)


@pytest.mark.parametrize("leaves", ["address", "account"])
def test_role_taken_back_does_not_return_with_the_address(organization, people, leaves):
    former = people[INSTRUCTOR]
    add_member(organization=organization, user=former, role=OWNER, by=people[OWNER])
    with scope(organization=organization):
        offer = Invitation.objects.get(email=former.email)
    accept_invitation(invitation=offer, user=former)
    add_member(organization=organization, user=former, role=STUDENT, by=people[OWNER])

    if leaves == "account":
        with everywhere():
            former.delete()
    else:
        EmailAddress.objects.filter(user=former).update(email="elsewhere@example.org")
    heir = UserFactory.create(email=offer.email)
    accept_invitation(invitation=offer, user=heir)
    assert roles_of(heir) == [STUDENT]


def test_invited_student_is_offered_a_role_and_the_owner_takes_it_back(
    client, organization, people
):
    with scope(organization=organization):
        offer = Invitation.objects.create(organization=organization, email="typo@example.org")
    sent = {"email": offer.email, "role": OWNER, "organization": organization.pk}
    assert invite_in_admin(client, people[OWNER], **sent).status_code == 302

    data = {"action": "withdraw", "_selected_action": [offer.pk]}
    for by, role in ((INSTRUCTOR, OWNER), (OWNER, STUDENT)):
        User.objects.filter(pk=people[by].pk).update(is_staff=True)
        client.force_login(people[by])
        client.post(reverse("admin:grading_invitation_changelist"), data)
        with scope(organization=organization):
            offer.refresh_from_db()
        assert offer.role == role


def test_administration_makes_nobody_a_member(client):
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    assert client.get(reverse("admin:grading_membership_add")).status_code == 403
