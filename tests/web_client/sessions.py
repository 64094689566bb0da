"""Signed-in clients."""

from __future__ import annotations

from django.test import Client

LOGIN = "/accounts/login/"


def person_of(client: Client) -> str | None:
    return client.session.get("_auth_user_id")
