"""Roles of staff on the site: owners give all, instructors invite assistants."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_scopes import scope

from grading.core.enums import InvitationState, Role
from grading.core.errors import RoleRefused
from grading.courses.organizations.actions import change_role, invite_staff, remove_staff
from grading.courses.organizations.invitations import accept_invitation
from grading.models import Activity, Invitation, Membership, Notice, Organization
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    OrganizationFactory,
    UserFactory,
    staff_user,
)
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def organization() -> Organization:
    made: Organization = OrganizationFactory.create()
    return made


@pytest.fixture
def owner(organization: Organization) -> User:
    return staff_user(organization, Role.OWNER)


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(organization: Organization) -> str:
    return f"/o/{organization.slug}/staff/"


def roles(organization: Organization) -> dict[int, str]:
    with scope(organization=organization):
        return dict(Membership.objects.values_list("user", "role"))


def membership_of(user: User, organization: Organization) -> Membership:
    with scope(organization=organization):
        return Membership.objects.get(user=user)


def sent(user: User, organization: Organization, **data: Any) -> str:
    return client_of(user).post(page(organization), data, follow=True).content.decode()


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.STUDENT])
def test_page_is_missing_for_all_but_teachers(role: Role, organization: Organization) -> None:
    client = client_of(staff_user(organization, role))
    for answer in (client.get(page(organization)), client.post(page(organization))):
        assert answer.status_code == 404


def test_owner_reads_the_staff_and_a_refused_form_says_why(
    organization: Organization, owner: User
) -> None:
    helper = staff_user(organization, Role.ASSISTANT)
    html = client_of(owner).get(page(organization)).content.decode()
    assert helper.email in html
    assert faults_of(html) == []
    refused = sent(owner, organization, email="no address", role="assistant")
    assert "Enter a valid email address." in refused


def test_invited_colleague_has_the_role_after_accepting(
    organization: Organization, owner: User
) -> None:
    colleague = UserFactory.create(email="col@example.org")
    answer_html = sent(owner, organization, email="COL@example.org", role="instructor")
    assert "col@example.org is invited as instructor." in answer_html
    assert "Offers without an answer" in answer_html
    assert colleague.pk not in roles(organization)
    with scope(organization=organization):
        offer = Invitation.objects.get()
    accept_invitation(invitation=offer, user=colleague)
    assert roles(organization)[colleague.pk] == Role.INSTRUCTOR


def test_offer_is_withdrawn_once(organization: Organization, owner: User) -> None:
    sent(owner, organization, email="col@example.org", role="owner")
    with scope(organization=organization):
        offer = Invitation.objects.get()
    assert "was withdrawn" in sent(owner, organization, act="withdraw", offer=offer.pk)
    assert "no longer open" in sent(owner, organization, act="withdraw", offer=offer.pk)


def test_lower_role_holds_at_once_and_a_higher_one_after_accepting(
    organization: Organization, owner: User
) -> None:
    member = membership_of(staff_user(organization), organization)
    change = {"act": "change", "member": member.pk}
    sent(owner, organization, **change, was="instructor", role="assistant")
    assert roles(organization)[member.user_id] == Role.ASSISTANT
    answer_html = sent(owner, organization, **change, was="assistant", role="owner")
    assert "after accepting it" in answer_html
    assert roles(organization)[member.user_id] == Role.ASSISTANT


def test_role_that_somebody_else_changed_meanwhile_stays(
    organization: Organization, owner: User
) -> None:
    member = membership_of(staff_user(organization, Role.ASSISTANT), organization)
    answer_html = sent(
        owner, organization, act="change", member=member.pk, was="instructor", role="assistant"
    )
    assert "was changed meanwhile" in answer_html


@pytest.mark.parametrize("act", ["change", "remove"])
def test_nobody_changes_their_own_role_so_the_last_owner_stays(
    act: str, organization: Organization, owner: User
) -> None:
    own = membership_of(owner, organization)
    answer_html = sent(owner, organization, act=act, member=own.pk, was="owner", role="assistant")
    assert "change your own role" in answer_html
    assert roles(organization) == {owner.pk: Role.OWNER}


def test_removed_colleague_is_no_member_and_can_be_invited_again(
    organization: Organization, owner: User
) -> None:
    colleague = UserFactory.create(email="col@example.org")
    sent(owner, organization, email=colleague.email, role="instructor")
    with scope(organization=organization):
        accept_invitation(invitation=Invitation.objects.get(), user=colleague)
    assert User.objects.get(pk=colleague.pk).is_staff

    member = membership_of(colleague, organization)
    with scope(organization=organization):
        Notice.objects.create(
            organization=organization, user=colleague, kind="staff_daily", subject="x", path="/"
        )
    assert "no longer staff" in sent(owner, organization, act="remove", member=member.pk)
    assert colleague.pk not in roles(organization)
    assert not User.objects.get(pk=colleague.pk).is_staff
    assert client_of(colleague).get(f"/o/{organization.slug}/").status_code == 404
    with scope(organization=organization):
        assert Invitation.objects.get().state == InvitationState.REVOKED
        assert Activity.objects.filter(verb="membership.removed").count() == 1
        assert not Notice.objects.filter(user=colleague).exists()
    assert "is invited" in sent(owner, organization, email=colleague.email, role="assistant")


def test_removed_colleague_who_is_on_a_roster_stays_a_student(
    organization: Organization, owner: User
) -> None:
    colleague = staff_user(organization, Role.ASSISTANT)
    EnrollmentFactory.create(cohort=CohortFactory.create(organization=organization), user=colleague)
    member = membership_of(colleague, organization)
    sent(owner, organization, act="remove", member=member.pk)
    assert roles(organization)[colleague.pk] == Role.STUDENT


def test_member_of_another_organization_is_missing(organization: Organization, owner: User) -> None:
    foreign = OrganizationFactory.create()
    member = membership_of(staff_user(foreign), foreign)
    answer = client_of(owner).post(page(organization), {"act": "remove", "member": member.pk})
    assert answer.status_code == 404
    assert len(roles(foreign)) == 1


def test_form_sent_from_elsewhere_is_refused(organization: Organization, owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.post(page(organization), {"act": "remove"}).status_code == 403


@pytest.fixture
def instructor(organization: Organization) -> User:
    return staff_user(organization)


def offers(organization: Organization) -> dict[str, str]:
    with scope(organization=organization):
        open_ones = Invitation.objects.filter(state=InvitationState.INVITED)
        return dict(open_ones.values_list("email", "role"))


def test_instructor_invites_and_withdraws_and_removes_assistants(
    organization: Organization, instructor: User
) -> None:
    helper = membership_of(staff_user(organization, Role.ASSISTANT), organization)
    answer_html = sent(instructor, organization, email="new@example.org", role="assistant")
    assert "new@example.org is invited as assistant." in answer_html
    assert faults_of(answer_html) == []
    with scope(organization=organization):
        offer = Invitation.objects.get(email="new@example.org")
    assert "was withdrawn" in sent(instructor, organization, act="withdraw", offer=offer.pk)
    assert "no longer staff" in sent(instructor, organization, act="remove", member=helper.pk)
    assert roles(organization) == {instructor.pk: Role.INSTRUCTOR}


@pytest.mark.parametrize("role", ["owner", "instructor"])
def test_instructor_may_invite_nobody_to_a_teaching_role(
    role: str, organization: Organization, instructor: User
) -> None:
    answer_html = sent(instructor, organization, email="new@example.org", role=role)
    assert "is not one of the available choices" in answer_html
    assert "new@example.org" in answer_html
    with pytest.raises(RoleRefused) as refused, scope(organization=organization):
        invite_staff(
            organization=organization, email="new@example.org", role=Role(role), by=instructor
        )
    assert refused.value.code == "role_of_owners"
    assert offers(organization) == {}


def test_instructor_raises_no_assistant(organization: Organization, instructor: User) -> None:
    helper = membership_of(staff_user(organization, Role.ASSISTANT), organization)
    change = {"act": "change", "member": helper.pk, "was": "assistant"}
    for role in ("instructor", "owner"):
        answer_html = sent(instructor, organization, **change, role=role)
        assert "Only owners can add or remove" in answer_html
    assert roles(organization)[helper.user_id] == Role.ASSISTANT
    assert offers(organization) == {}


@pytest.mark.parametrize("act", ["change", "remove"])
def test_instructor_touches_no_other_teacher(
    act: str, organization: Organization, owner: User, instructor: User
) -> None:
    before = roles(organization)
    colleague = membership_of(staff_user(organization), organization)
    for member, was in ((membership_of(owner, organization), "owner"), (colleague, "instructor")):
        answer_html = sent(
            instructor, organization, act=act, member=member.pk, was=was, role="assistant"
        )
        assert "Only owners can add or remove" in answer_html
    assert roles(organization) == before | {colleague.user_id: Role.INSTRUCTOR}


def test_instructor_neither_withdraws_nor_lowers_an_offer_of_an_owner(
    organization: Organization, owner: User, instructor: User
) -> None:
    sent(owner, organization, email="col@example.org", role="instructor")
    with scope(organization=organization):
        offer = Invitation.objects.get()
    changes: list[dict[str, Any]] = [
        {"act": "withdraw", "offer": offer.pk},
        {"act": "offer", "offer": offer.pk, "was": "instructor", "role": "assistant"},
        {"email": "col@example.org", "role": "assistant"},
    ]
    for change in changes:
        assert "Only owners can add or remove" in sent(instructor, organization, **change)
    assert offers(organization) == {"col@example.org": "instructor"}


def test_assistant_changes_no_role_by_any_action(organization: Organization, owner: User) -> None:
    helper = staff_user(organization, Role.ASSISTANT)
    other = membership_of(staff_user(organization, Role.ASSISTANT), organization)
    with scope(organization=organization):
        with pytest.raises(RoleRefused) as invited:
            invite_staff(
                organization=organization, email="a@example.org", role=Role.ASSISTANT, by=helper
            )
        with pytest.raises(RoleRefused) as removed:
            remove_staff(membership=other, by=helper)
        with pytest.raises(RoleRefused) as changed:
            change_role(membership=other, role=Role.OWNER, was="assistant", by=helper)
    codes = [error.value.code for error in (invited, removed, changed)]
    assert codes == ["role_of_teachers", "role_of_teachers", "role_of_owners"]


def test_offered_role_changes_until_it_is_answered(organization: Organization, owner: User) -> None:
    colleague = UserFactory.create(email="col@example.org")
    sent(owner, organization, email=colleague.email, role="owner")
    with scope(organization=organization):
        offer = Invitation.objects.get()
    change = {"act": "offer", "offer": offer.pk, "role": "assistant"}
    assert "is now invited as assistant" in sent(owner, organization, **change, was="owner")
    assert "was changed meanwhile" in sent(owner, organization, **change, was="owner")
    accept_invitation(invitation=offer, user=colleague)
    assert roles(organization)[colleague.pk] == Role.ASSISTANT
    assert "no longer open" in sent(owner, organization, **change, was="assistant")
