"""Create organizations and change roles."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import InvitationState, Role
from grading.core.errors import RoleRefused
from grading.courses.organizations.invitations import check_offer, offer_role, withdraw_offer
from grading.courses.organizations.roles import (
    check_role_change,
    is_promotion,
    lock_roles,
    set_role,
    update_admin_access,
)
from grading.models import Enrollment, Invitation, Membership, Organization
from grading.notifications.emails import drop_waiting_emails


def add_member(
    *, organization: Organization, user: User, role: Role, by: User | None
) -> Membership | None:
    """Give `user` this role. `by` is None for the site itself. Raises RoleRefused.

    A higher role, and the first one, is an offer: None is returned and nothing changes until the
    user accepts. Owners and instructors gain admin access, others lose it.
    """
    with transaction.atomic(), scope(organization=organization):
        lock_roles(organization.pk)
        check_role_change(organization=organization, user=user, role=role, by=by)
        membership = Membership.objects.filter(organization=organization, user=user).first()
        if by is not None and is_promotion(membership, role):
            email = membership.email if membership else ""
            offer_role(organization=organization, email=email or user.email, role=role, by=by)
            return None

        membership = set_role(organization=organization, user=user, email=user.email, role=role)
        withdraw_offer(membership)
        record_activity(
            organization=organization,
            actor=by,
            verb="membership.granted",
            about=membership,
            role=role,
        )
        update_admin_access(organization=organization, user=user, by=by)
    return membership


def invite_staff(*, organization: Organization, email: str, role: Role, by: User) -> Invitation:
    """Offer a role of staff to an address; it holds once the person accepts. Raises RoleRefused."""
    with transaction.atomic(), scope(organization=organization):
        lock_roles(organization.pk)
        check_offer(organization=organization, email=email.lower(), role=role, by=by)
        return offer_role(organization=organization, email=email, role=role, by=by)


def change_offer(*, invitation: Invitation, role: Role, was: str, by: User) -> None:
    """Offer another role instead of an open one; `was` is the role that was shown.

    Raises RoleRefused role_changed if the offer is answered or another one by now.
    """
    with transaction.atomic():
        organization = lock_roles(invitation.organization_id)
        current = Invitation.objects.get(pk=invitation.pk)
        if current.state != InvitationState.INVITED or current.role != was:
            raise RoleRefused("role_changed", "This offer was changed meanwhile. Check it again.")
        if role == was:
            return
        check_offer(organization=organization, email=current.email, role=role, by=by)
        offer_role(organization=organization, email=current.email, role=role, by=by)


def change_role(*, membership: Membership, role: Role, was: str, by: User) -> Membership | None:
    """Give a member of staff another role, as add_member does; `was` is the role that was shown.

    Raises RoleRefused role_changed if it is another one by now.
    """
    with transaction.atomic():
        lock_roles(membership.organization_id)
        current = Membership.objects.select_related("user", "organization").get(pk=membership.pk)
        if current.role != was:
            raise RoleRefused("role_changed", "This role was changed meanwhile. Check it again.")
        return add_member(organization=current.organization, user=current.user, role=role, by=by)


def remove_staff(*, membership: Membership, by: User) -> None:
    """End a role of staff; who is also on a roster stays a member as a student.

    An invitation of theirs is withdrawn, so that owners may invite them again. Raises RoleRefused.
    """
    organization, user = membership.organization, membership.user
    with transaction.atomic(), scope(organization=organization):
        lock_roles(organization.pk)
        check_role_change(organization=organization, user=user, role=Role.STUDENT, by=by)
        if Enrollment.objects.filter(organization=organization, user=user).exists():
            add_member(organization=organization, user=user, role=Role.STUDENT, by=by)
            return

        record_activity(
            organization=organization,
            actor=by,
            verb="membership.removed",
            about=membership,
            role=membership.role,
            email=membership.email,
        )
        Invitation.objects.filter(organization=organization, user=user).update(
            state=InvitationState.REVOKED, role=Role.STUDENT, user=None, answered_at=None
        )
        drop_waiting_emails(organization_id=organization.pk, user_id=user.pk)
        Membership.objects.filter(pk=membership.pk).delete()
        update_admin_access(organization=organization, user=user, by=by)
