"""Read the invitations of a person."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Lower
from django_scopes import scope

from grading.core.enums import STAFF_ROLES, InvitationState, Role
from grading.core.own_addresses import addresses_of
from grading.core.rls.rls_scope import as_person
from grading.core.user_text import name_in_email, without_links
from grading.models import Enrollment, Invitation, Membership, Organization

WAITING = Q(state=InvitationState.INVITED) | Q(state=InvitationState.ACCEPTED, user=None)
REFUSED = Q(state__in=(InvitationState.DECLINED, InvitationState.LEFT))


@dataclass(frozen=True, slots=True)
class OpenInvitation:
    """Invitation as its person sees it: names without links, and the cohorts that wait."""

    invitation: Invitation
    organization: str
    cohorts: tuple[str, ...]

    @property
    def offers_role(self) -> bool:
        return self.invitation.role != Role.STUDENT

    @property
    def is_refused(self) -> bool:
        return self.invitation.state in {InvitationState.DECLINED, InvitationState.LEFT}


def invitations_to(user: User, *, with_refused: bool = False) -> list[OpenInvitation]:
    """Return the open invitations of the user's addresses. Needs no scope. Three queries at most.

    A student's invitation whose cohorts were all deleted leads nowhere and is left out.
    """
    with as_person(user):
        rows = Invitation.objects.filter(WAITING | REFUSED if with_refused else WAITING)
        seen = list(rows.select_related("organization").order_by("pk"))
    if not seen:
        return []

    # The policy also shows those of addresses that are not verified.
    own = addresses_of(user)
    invitations = [
        invitation
        for invitation in seen
        if invitation.email in own and invitation.organization.is_usable
    ]
    cohorts = _waiting_cohorts(own, {invitation.organization for invitation in invitations})
    shown = [
        OpenInvitation(
            invitation,
            name_in_email(invitation.organization.name),
            cohorts.get((invitation.organization_id, invitation.email), ()),
        )
        for invitation in invitations
    ]
    return [line for line in shown if line.cohorts or line.offers_role or line.is_refused]


def _waiting_cohorts(
    emails: Collection[str], organizations: Collection[Organization]
) -> dict[tuple[int, str], tuple[str, ...]]:
    """Return the names of cohorts by organization and address, whose enrollments wait."""
    cohorts: dict[tuple[int, str], tuple[str, ...]] = {}
    with scope(organization=list(organizations)):
        waiting = Enrollment.objects.annotate(lowered=Lower("email")).filter(
            lowered__in=emails, user=None
        )
        for enrollment in waiting.select_related("cohort").order_by("pk"):
            key = enrollment.organization_id, enrollment.email.lower()
            cohorts[key] = (*cohorts.get(key, ()), without_links(enrollment.cohort.name))
    return cohorts


def staff_of(organization: Organization) -> list[Membership]:
    """Return the members who are staff, owners first. One query."""
    members = Membership.objects.select_related("user", "organization").filter(
        organization=organization, role__in=STAFF_ROLES
    )
    return sorted(members, key=lambda member: (list(Role).index(Role(member.role)), member.email))


def open_offers(organization: Organization) -> list[Invitation]:
    """Return the offers of a role of staff that wait for an answer. One query."""
    return list(
        Invitation.objects.filter(
            organization=organization, role__in=STAFF_ROLES, state=InvitationState.INVITED
        ).order_by("email")
    )
