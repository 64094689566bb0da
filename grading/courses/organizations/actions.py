"""Create organizations, link enrollments to accounts and change roles."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.db import transaction
from django.db.models.functions import Lower
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import TEACHING_ROLES, Role
from grading.core.errors import RoleRefused
from grading.core.rls.rls_scope import as_person
from grading.models import Enrollment, Membership, Organization


def link_enrollments(*, user: User) -> int:
    """Link every enrollment that has one of the user's emails and no account. Return how many.

    Only verified emails count where verification is mandatory: otherwise anyone could claim a
    classmate's enrollment by signing up with their address.
    """
    emails = _emails_of(user)
    with as_person(user):
        unlinked = Enrollment.objects.annotate(lowered=Lower("email")).filter(
            lowered__in=emails, user=None
        )
        enrollments = list(unlinked)

    with transaction.atomic():
        return sum(_link(enrollment, user) for enrollment in enrollments)


def _emails_of(user: User) -> set[str]:
    addresses = EmailAddress.objects.filter(user=user)
    if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
        return {address.email.lower() for address in addresses.filter(verified=True)}
    return {address.email.lower() for address in addresses} | {user.email.lower()} - {""}


def _link(enrollment: Enrollment, user: User) -> bool:
    """Link one enrollment, in the scope of its own organization; say whether it was linked."""
    organization = enrollment.organization_id
    with scope(organization=organization):
        # A roster may list two emails of one person; one enrollment per cohort has the account.
        if Enrollment.objects.filter(cohort=enrollment.cohort_id, user=user).exists():
            return False
        # A concurrent login may have linked it since it was read.
        if not Enrollment.objects.filter(pk=enrollment.pk, user=None).update(user=user):
            return False

        # Never changes a role: an instructor on a roster stays an instructor.
        Membership.objects.get_or_create(
            organization_id=organization, user=user, defaults={"role": Role.STUDENT}
        )
        record_activity(
            organization=organization, actor=user, verb="enrollment.linked", about=enrollment
        )
    return True


def connect_signals() -> None:
    """Link enrollments at every login and confirmed email. Called once, when the app is ready."""
    # The uid keeps a second call from connecting the same receiver again.
    user_logged_in.connect(_on_login, dispatch_uid="link_enrollments_on_login")
    email_confirmed.connect(_on_confirmation, dispatch_uid="link_enrollments_on_confirmation")


def _on_login(user: User, **_: Any) -> None:
    link_enrollments(user=user)


def _on_confirmation(email_address: EmailAddress, **_: Any) -> None:
    link_enrollments(user=email_address.user)


def add_member(
    *, organization: Organization, user: User, role: Role, by: User | None
) -> Membership:
    """Make `user` a member with this role, or change their role. `by` is None for the site itself.

    Owners and instructors gain admin access, others lose it. Raises RoleRefused.
    """
    with transaction.atomic(), scope(organization=organization):
        # Without this lock two owners could remove each other at the same time.
        Organization.objects.select_for_update().get(pk=organization.pk)

        check_role_change(organization=organization, user=user, role=role, by=by)
        membership, _created = Membership.objects.update_or_create(
            organization=organization, user=user, defaults={"role": role}
        )
        record_activity(
            organization=organization,
            actor=by,
            verb="membership.granted",
            about=membership,
            role=role,
        )
        update_admin_access(organization=organization, user=user, by=by)
    return membership


def check_role_change(
    *, organization: Organization, user: User, role: Role, by: User | None
) -> None:
    """Raise RoleRefused if `by` may not give `user` this role. Needs the organization's scope."""
    members = Membership.objects.filter(organization=organization)
    current = members.filter(user=user).values_list("role", flat=True).first()

    if by is not None and by.pk == user.pk:
        raise RoleRefused("role_own", "You can't change your own role: ask another owner.")
    # The current role counts too: removing an owner is as grave as adding one.
    if {role, current} & set(TEACHING_ROLES) and not _may_appoint_teachers(organization, by):
        raise RoleRefused("role_of_owners", "Only owners can add or remove owners and instructors.")

    owners = members.filter(role=Role.OWNER)
    if current == Role.OWNER and role != Role.OWNER and not owners.exclude(user=user).exists():
        raise RoleRefused(
            "role_last_owner", "An organization needs an owner: make somebody else an owner first."
        )


def _may_appoint_teachers(organization: Organization, by: User | None) -> bool:
    if by is None or by.is_superuser:
        return True
    return Membership.objects.filter(organization=organization, user=by, role=Role.OWNER).exists()


def update_admin_access(*, organization: Organization, user: User, by: User | None) -> None:
    """Give or remove admin access: users need it if they teach in any organization."""
    # Across organizations: the user may still teach in another one.
    with as_person(user):
        taught = Membership.objects.filter(user=user, role__in=TEACHING_ROLES)
        teaches = taught.filter(organization__in=Organization.objects.usable()).exists()
    may_enter = teaches or user.is_superuser

    with transaction.atomic():
        if User.objects.filter(pk=user.pk).exclude(is_staff=may_enter).update(is_staff=may_enter):
            verb = "administration.opened" if may_enter else "administration.closed"
            record_activity(organization=organization, actor=by, verb=verb, about=user)
    # The UPDATE does not reach the object that the caller holds.
    user.is_staff = may_enter
