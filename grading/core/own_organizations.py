"""Organizations of a person, before any of them is entered."""

from __future__ import annotations

from django.contrib.auth.models import User

from grading.core.rls.rls_scope import as_person
from grading.core.roles import remember_role
from grading.models import Membership, Organization


def organizations_of(user: User) -> list[Organization]:
    """Return the user's organizations. Needs no scope: scopes are made from it. One query.

    The user's roles in them are kept for the rest of the request.
    """
    with as_person(user):
        memberships = Membership.objects.filter(user=user).select_related("organization")
        rows = list(memberships.order_by("organization__name", "organization"))
    if user.is_active:
        for row in rows:
            remember_role(user, row)
    return [row.organization for row in rows if row.organization.is_usable]
