"""Names of new accounts, which say nothing about the person."""

from __future__ import annotations

from secrets import token_hex
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter


class PlainNamesAdapter(DefaultAccountAdapter):
    """Replaces allauth's names, which are made of the first address.

    The administration shows them to staff, who may know the account by another address.
    """

    def populate_username(self, _request: Any, user: Any) -> None:
        user.username = user.username or f"user-{token_hex(6)}"
