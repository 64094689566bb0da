"""Access to what a request bears the link, code or key of, whoever sends it.

It enters the scope that row-level security opens for that key alone. What is missing raises
Http404, or is None where a webhook asks.
"""

from __future__ import annotations

from uuid import UUID

from django.http import Http404
from django_scopes import scope

from grading.core.invitation_links import read_token
from grading.core.rls.rls_scope import (
    as_github_repository,
    as_join_code,
    as_platform,
    as_push_link,
)
from grading.models import (
    Invitation,
    JoinLink,
    LtiRegistration,
    PushLink,
)


def access_invitation_by_link(token: str) -> Invitation:
    """Return the invitation that a letter's link opens, for anybody who has the letter."""
    organization_id, invitation_id = read_token(token)
    with scope(organization=organization_id):
        invitation = (
            Invitation.objects.select_related("organization").filter(pk=invitation_id).first()
        )
    if invitation is None:
        raise Http404
    return invitation


def access_join_link(code: str) -> JoinLink:
    """Return the join link with this code, for anybody who knows it, ended ones too.

    Those of an organization that cannot be used are missing.
    """
    with as_join_code(code):
        organization_id = (
            JoinLink.objects.filter(code=code).values_list("organization", flat=True).first()
        )
    if organization_id is None:
        raise Http404
    with scope(organization=organization_id):
        links = JoinLink.objects.select_related("organization", "cohort__organization")
        link = links.filter(code=code).first()
    if link is None or not link.organization.is_usable:
        raise Http404
    return link


def access_platform(key: UUID) -> LtiRegistration:
    """Return the learning platform under this key, for anybody who knows it.

    Those of an organization that cannot be used are missing.
    """
    with as_platform(key):
        rows = LtiRegistration.objects.filter(key=key)
        organization_id = rows.values_list("organization", flat=True).first()
    if organization_id is None:
        raise Http404
    with scope(organization=organization_id):
        rows = LtiRegistration.objects.select_related("organization")
        registration = rows.filter(key=key).first()
    if registration is None or not registration.organization.is_usable:
        raise Http404
    return registration


def push_link_of_hook(key: UUID) -> PushLink | None:
    """Return the link under this key, for whoever signs with its secret; None where it is unknown."""
    with as_push_link(key):
        rows = PushLink.objects.filter(key=key)
        organization_id = rows.values_list("organization", flat=True).first()
    if organization_id is None:
        return None
    with scope(organization=organization_id):
        return PushLink.objects.filter(key=key).first()


def push_links_of_repository(repository_id: int | None) -> list[PushLink]:
    """Return the links by the GitHub App of a repository that GitHub named, in any organization."""
    if repository_id is None:
        return []
    with as_github_repository(repository_id):
        return list(PushLink.objects.filter(repository_id=repository_id))
