"""Proof of an address by an invitation's letter: who opened its link has read the mail there."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from grading.core.bearer_access import access_invitation_by_link
from grading.core.enums import InvitationState
from grading.core.invitation_links import is_recent

# Key of the session: the token of the letter whose reader pressed “Accept”.
ACCEPTING = "accepting_invitation"


def is_proven_by_letter(request: HttpRequest, email: str) -> bool:
    """Return whether this browser came by the letter of an open invitation to this address.

    The token is in that letter and nowhere else: not on a page, in the log or in the API. An old
    letter, or an invitation that was answered or withdrawn, proves nothing.
    """
    token = request.session.get(ACCEPTING, "")
    if not is_recent(token):
        return False
    try:
        invitation = access_invitation_by_link(token)
    except Http404:
        return False
    return invitation.state == InvitationState.INVITED and invitation.email == email.lower()
