"""Who may give which role to whom, and the administration that comes and goes with a role.

An institution's owners decide who teaches; whoever teaches decides who assists; the operator (a superuser) may do what
owners may. Nobody changes a role of their own, and an institution keeps an owner.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django_scopes import scope

from grading.actions.activities import note
from grading.enums import TEACHING_ROLES, Role
from grading.errors import RoleRefused
from grading.models import Membership, Organization
from grading.walls import as_person


def add_member(*, organization: Organization, user: User, role: Role, by: User | None) -> Membership:
    """Make `user` a member with this role, or change the role they have; None as `by` is the site itself.

    Raises RoleRefused. Owners and instructors may enter the administration, others may not.
    """
    with transaction.atomic(), scope(organization=organization):
        Organization.objects.select_for_update().get(
            pk=organization.pk
        )  # two owners may not remove each other
        refuse_role(organization=organization, user=user, role=role, by=by)
        membership, _created = Membership.objects.update_or_create(
            organization=organization, user=user, defaults={"role": role}
        )
        note(organization=organization, actor=by, verb="membership.granted", about=membership, role=role)
        open_or_close_administration(organization=organization, user=user, by=by)
    return membership


def refuse_role(*, organization: Organization, user: User, role: Role, by: User | None) -> None:
    """Raises RoleRefused where `by` may not make this of `user`; to be called within the organization's scope."""
    members = Membership.objects.filter(organization=organization)
    has = members.filter(user=user).values_list("role", flat=True).first()
    if by is not None and by.pk == user.pk:
        raise RoleRefused("role_own", "Nobody changes a role of their own: ask another owner.")
    if {role, has} & set(TEACHING_ROLES) and not _decides_who_teaches(organization, by):
        raise RoleRefused("role_of_owners", "Only an owner decides who is an owner or an instructor.")
    owners = members.filter(role=Role.OWNER)
    if has == Role.OWNER and role != Role.OWNER and not owners.exclude(user=user).exists():
        raise RoleRefused("role_last_owner", "An institution keeps an owner: make somebody else one first.")


def _decides_who_teaches(organization: Organization, by: User | None) -> bool:
    if by is None or by.is_superuser:
        return True
    return Membership.objects.filter(organization=organization, user=by, role=Role.OWNER).exists()


def open_or_close_administration(*, organization: Organization, user: User, by: User | None) -> None:
    """Whoever teaches somewhere may enter the administration, and sees there what is theirs."""
    with as_person(user):
        teaches = Membership.objects.filter(user=user, role__in=TEACHING_ROLES).exists()
    may_enter = teaches or user.is_superuser
    with transaction.atomic():
        if User.objects.filter(pk=user.pk).exclude(is_staff=may_enter).update(is_staff=may_enter):
            verb = "administration.opened" if may_enter else "administration.closed"
            note(organization=organization, actor=by, verb=verb, about=user)
    user.is_staff = may_enter
