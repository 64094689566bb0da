"""Founding an organization, and joining those that expect one's e-mail."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.db import IntegrityError, transaction
from django.db.models.functions import Lower
from django_scopes import scope

from grading.core.activity import record_activity
from grading.core.enums import TEACHING_ROLES, Role
from grading.core.errors import RoleRefused, SlugTaken
from grading.core.rls.rls_scope import as_person
from grading.models import Enrollment, Membership, Organization


def create_organization(*, name: str, slug: str, founder: User) -> Organization:
    """A new organization with `founder` as its owner. Raises SlugTaken."""
    try:
        with transaction.atomic():
            organization = Organization.objects.create(name=name, slug=slug)
    except IntegrityError as error:
        raise SlugTaken(
            "slug_taken", f"Another organization is called “{slug}” already."
        ) from error
    with transaction.atomic(), scope(organization=organization):
        Membership.objects.create(organization=organization, user=founder, role=Role.OWNER)
        record_activity(
            organization=organization,
            actor=founder,
            verb="organization.founded",
            about=organization,
        )
        update_admin_access(organization=organization, user=founder, by=founder)
    return organization


def link_enrollments(*, user: User) -> int:
    """Give `user` every enrollment that waits for an e-mail of theirs; answer with how many there were.

    Only verified e-mails count where verification is mandatory: else anyone could claim a classmate's
    place by signing up with their address.
    """
    emails = _own_emails(user)
    with as_person(user):
        waiting = Enrollment.objects.annotate(lowered=Lower("email")).filter(
            lowered__in=emails, user=None
        )
        enrollments = list(waiting)
    with transaction.atomic():
        return sum(_link(enrollment, user) for enrollment in enrollments)


def _own_emails(user: User) -> set[str]:
    addresses = EmailAddress.objects.filter(user=user)
    if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
        return {address.email.lower() for address in addresses.filter(verified=True)}
    return {address.email.lower() for address in addresses} | {user.email.lower()} - {""}


def _link(enrollment: Enrollment, user: User) -> bool:
    """In the enrollment's own organization; False when they are in this cohort already, or somebody was quicker."""
    organization = enrollment.organization_id
    with scope(organization=organization):
        if Enrollment.objects.filter(cohort=enrollment.cohort_id, user=user).exists():
            return False
        if not Enrollment.objects.filter(pk=enrollment.pk, user=None).update(user=user):
            return False
        Membership.objects.get_or_create(
            organization_id=organization, user=user, defaults={"role": Role.STUDENT}
        )
        record_activity(
            organization=organization, actor=user, verb="enrollment.linked", about=enrollment
        )
    return True


def connect_signals() -> None:
    """Link at every login and whenever an e-mail is confirmed (called once, when the app is ready)."""
    user_logged_in.connect(_on_login, dispatch_uid="link_enrollments_on_login")
    email_confirmed.connect(_on_confirmation, dispatch_uid="link_enrollments_on_confirmation")


def _on_login(user: User, **_: Any) -> None:
    link_enrollments(user=user)


def _on_confirmation(email_address: EmailAddress, **_: Any) -> None:
    link_enrollments(user=email_address.user)


def add_member(
    *, organization: Organization, user: User, role: Role, by: User | None
) -> Membership:
    """Make `user` a member with this role, or change the role they have; None as `by` is the site itself.

    Raises RoleRefused. Owners and instructors may enter the administration, others may not.
    """
    with transaction.atomic(), scope(organization=organization):
        Organization.objects.select_for_update().get(
            pk=organization.pk
        )  # two owners may not remove each other
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
    """Raises RoleRefused where `by` may not make this of `user`; to be called within the organization's scope."""
    members = Membership.objects.filter(organization=organization)
    has = members.filter(user=user).values_list("role", flat=True).first()
    if by is not None and by.pk == user.pk:
        raise RoleRefused("role_own", "Nobody changes a role of their own: ask another owner.")
    if {role, has} & set(TEACHING_ROLES) and not _decides_who_teaches(organization, by):
        raise RoleRefused(
            "role_of_owners", "Only an owner decides who is an owner or an instructor."
        )
    owners = members.filter(role=Role.OWNER)
    if has == Role.OWNER and role != Role.OWNER and not owners.exclude(user=user).exists():
        raise RoleRefused(
            "role_last_owner", "An institution keeps an owner: make somebody else one first."
        )


def _decides_who_teaches(organization: Organization, by: User | None) -> bool:
    if by is None or by.is_superuser:
        return True
    return Membership.objects.filter(organization=organization, user=by, role=Role.OWNER).exists()


def update_admin_access(*, organization: Organization, user: User, by: User | None) -> None:
    """Whoever teaches somewhere may enter the administration, and sees there what is theirs."""
    with as_person(user):
        teaches = Membership.objects.filter(user=user, role__in=TEACHING_ROLES).exists()
    may_enter = teaches or user.is_superuser
    with transaction.atomic():
        if User.objects.filter(pk=user.pk).exclude(is_staff=may_enter).update(is_staff=may_enter):
            verb = "administration.opened" if may_enter else "administration.closed"
            record_activity(organization=organization, actor=by, verb=verb, about=user)
    user.is_staff = may_enter
