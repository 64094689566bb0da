"""Where one signs in, and who a client is signed in as."""

from __future__ import annotations

from django.test import Client

LOGIN = "/accounts/login/"


def person_of(client: Client) -> str | None:
    return client.session.get("_auth_user_id")
