"""Accept an invitation by signing up or in: the letter's link remembers it in the session."""

from __future__ import annotations

from typing import Any

from allauth.account.signals import email_confirmed
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.http import Http404, HttpRequest

from grading.core.bearer_access import access_invitation_by_link
from grading.core.letter_proof import ACCEPTING
from grading.core.own_addresses import addresses_of
from grading.courses.organizations.invitations import accept_invitation


def connect_signals() -> None:
    """Accept at login and at a confirmed address. Called once, when the app is ready."""
    # The uid keeps a second call from connecting the same receiver again.
    user_logged_in.connect(_on_login, dispatch_uid="accept_invitation_on_login")
    email_confirmed.connect(_on_confirmation, dispatch_uid="accept_invitation_on_confirmation")


def _on_login(request: HttpRequest | None, user: User, **_: Any) -> None:
    _accept_remembered(request, user)


def _on_confirmation(request: HttpRequest | None, email_address: Any, **_: Any) -> None:
    _accept_remembered(request, email_address.user)


def _accept_remembered(request: HttpRequest | None, user: User) -> None:
    """Accept the remembered invitation once the user has shown that its address is theirs."""
    # A login by a program has no session.
    session: Any = getattr(request, "session", {})
    if ACCEPTING not in session:
        return
    try:
        invitation = access_invitation_by_link(session[ACCEPTING])
    except Http404:
        return
    # Not yet confirmed: it stays remembered, and waits on the home page in any case.
    if invitation.email in addresses_of(user):
        del session[ACCEPTING]
        accept_invitation(invitation=invitation, user=user)
