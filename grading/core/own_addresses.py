"""Addresses that a user has shown to be theirs."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User


def addresses_of(user: User) -> set[str]:
    """Return the user's addresses in lower case, verified ones only where that is mandatory.

    Otherwise anyone could take a classmate's invitation by signing up with their address.
    """
    addresses = EmailAddress.objects.filter(user=user)
    if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
        return {address.email.lower() for address in addresses.filter(verified=True)}
    return {address.email.lower() for address in addresses} | {user.email.lower()} - {""}
