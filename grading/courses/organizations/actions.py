"""Create organizations and change roles."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import Role
from grading.courses.organizations.invitations import offer_role, withdraw_offer
from grading.courses.organizations.roles import (
    check_role_change,
    is_promotion,
    lock_roles,
    set_role,
    update_admin_access,
)
from grading.models import Membership, Organization


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
