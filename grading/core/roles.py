"""Roles of people in an organization, and the levels of access that these come to."""

from __future__ import annotations

from typing import Literal

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django_scopes import scope

from grading.core.enums import STAFF_ROLES, TEACHING_ROLES, Role
from grading.core.request_cache import cached
from grading.models import Membership, Organization

Level = Literal["student", "staff", "teacher", "owner"]
StaffLevel = Literal["staff", "teacher"]
Somebody = AbstractBaseUser | AnonymousUser
ROLES: dict[Level, tuple[Role, ...]] = {
    "student": tuple(Role),
    "staff": STAFF_ROLES,
    "teacher": TEACHING_ROLES,
    "owner": (Role.OWNER,),
}


def role_of(user: Somebody, organization: Organization) -> Role | None:
    """Return the role of a signed-in, active user in the organization, or None."""
    if not user.is_authenticated or not user.is_active:
        return None
    key = user.pk
    return cached("role", key, organization.pk, ask=lambda: _load_role(key, organization))


def remember_role(user: User, membership: Membership) -> None:
    """Keep a role that was read with others, so that role_of needs no query in this request."""
    role = Role(membership.role)
    cached("role", user.pk, membership.organization_id, ask=lambda: role)


def may(user: Somebody, organization: Organization, level: Level) -> bool:
    """Return whether the user has a role of this level in the organization."""
    return role_of(user, organization) in ROLES[level]


def _load_role(user: int, organization: Organization) -> Role | None:
    # access_organization needs the role before any scope is entered.
    with scope(organization=organization):
        role = Membership.objects.filter(user=user).values_list("role", flat=True).first()
    return Role(role) if role else None
