"""Signed link of an invitation's letter: it opens one invitation, also without an account."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing
from django.http import Http404

SALT = "grading.invitation"
# How long after it was sent a letter proves the address of who opens its link.
PROOF = timedelta(days=14)


def token_of(organization_id: int, invitation_id: int) -> str:
    """Return the part of the link that names the invitation; it does not expire."""
    return signing.dumps([organization_id, invitation_id], salt=SALT)


def read_token(token: str) -> tuple[int, int]:
    """Return the keys of organization and invitation. Raises Http404 for a forged token."""
    try:
        organization_id, invitation_id = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError) as error:
        raise Http404 from error
    return int(organization_id), int(invitation_id)


def is_recent(token: str) -> bool:
    """Return whether the token was signed, and so its letter sent, a short while ago."""
    try:
        signing.loads(token, salt=SALT, max_age=PROOF)
    except (signing.BadSignature, ValueError):
        return False
    return True
