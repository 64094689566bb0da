"""Roles of members: the rules of who may give which, and access to the administration."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction

from grading.core.activity_writer import record_activity
from grading.core.enums import STAFF_ROLES, TEACHING_ROLES, Role
from grading.core.errors import RoleRefused
from grading.core.rls.rls_scope import as_person
from grading.models import Membership, Organization


def lock_roles(organization_id: int) -> Organization:
    """Lock the organization's roles until the end of the transaction, and return it.

    Without it two owners could remove each other at the same time.
    """
    return Organization.objects.select_for_update().get(pk=organization_id)


def set_role(*, organization: Organization, user: User, email: str, role: Role) -> Membership:
    """Write the membership; `email` is kept from an earlier one."""
    membership, _created = Membership.objects.update_or_create(
        organization=organization,
        user=user,
        defaults={"role": role},
        create_defaults={"role": role, "email": email.lower()},
    )
    return membership


def is_promotion(membership: Membership | None, role: Role) -> bool:
    """Return whether the role is the first one or higher than the current one."""
    order = list(Role)
    return membership is None or order.index(role) < order.index(Role(membership.role))


def check_role_change(
    *, organization: Organization, user: User, role: Role, by: User | None
) -> None:
    """Raise RoleRefused if `by` may not give `user` this role. Needs the organization's scope."""
    members = Membership.objects.filter(organization=organization)
    current = members.filter(user=user).values_list("role", flat=True).first()

    if by is not None and by.pk == user.pk:
        raise RoleRefused("role_own", "You can't change your own role: ask another owner.")
    # The current role counts too: removing an owner is as grave as adding one.
    refuse_roles(organization, [role, current], by)

    if role != Role.OWNER:
        refuse_last_owner(organization=organization, user=user)


def refuse_last_owner(*, organization: Organization, user: User) -> None:
    """Raise RoleRefused if the user is the only owner. Needs the organization's scope."""
    owners = Membership.objects.filter(organization=organization, role=Role.OWNER)
    if owners.filter(user=user).exists() and not owners.exclude(user=user).exists():
        raise RoleRefused(
            "role_last_owner", "An organization needs an owner: make somebody else an owner first."
        )


def refuse_roles(
    organization: Organization, roles: Collection[str | None], by: User | None
) -> None:
    """Raise RoleRefused if `by` may not give or end one of these roles of staff."""
    refused = set(roles).intersection(STAFF_ROLES) - set(roles_given_by(organization, by))
    if refused.intersection(TEACHING_ROLES):
        raise RoleRefused("role_of_owners", "Only owners can add or remove owners and instructors.")
    if refused:
        raise RoleRefused(
            "role_of_teachers", "Only owners and instructors can add or remove assistants."
        )


def roles_given_by(organization: Organization, by: User | None) -> tuple[Role, ...]:
    """Return the roles of staff that `by` gives and ends: never one as high as an instructor's own.

    Owners give all of them, since an organization without a second owner would depend on one person.
    """
    if may_appoint_teachers(organization, by):
        return STAFF_ROLES
    instructors = Membership.objects.filter(organization=organization, role=Role.INSTRUCTOR)
    return (Role.ASSISTANT,) if instructors.filter(user=by).exists() else ()


def may_appoint_teachers(organization: Organization, by: User | None) -> bool:
    """Return whether `by` is an owner, the operator, or the site itself."""
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
