"""A program that speaks to the API as somebody."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from grading.api.tokens.actions import create_token
from grading.core.enums import ApiScope


class Program:
    """A client with a token of its own, inside one organization."""

    def __init__(
        self, user: User, org: str, scopes: Collection[ApiScope] = tuple(ApiScope)
    ) -> None:
        text = create_token(user=user, name="program", scopes=scopes, days=1)[1]
        self.client: Any = Client(headers={"authorization": f"Bearer {text}"})
        self.org = org

    def get(self, path: str) -> Any:
        return self.client.get(f"/api/v1/o/{self.org}/{path}")

    def head(self, path: str) -> Any:
        return self.client.head(f"/api/v1/o/{self.org}/{path}")

    def post(self, path: str, data: Any = None, **options: Any) -> Any:
        options.setdefault("content_type", "application/json")
        return self.client.post(f"/api/v1/o/{self.org}/{path}", data, **options)

    def patch(self, path: str, data: Any) -> Any:
        return self.client.patch(
            f"/api/v1/o/{self.org}/{path}", data, content_type="application/json"
        )

    def delete(self, path: str) -> Any:
        return self.client.delete(f"/api/v1/o/{self.org}/{path}")


def error_of(answer: Any) -> Any:
    """{code, message, field, fields}"""
    return answer.json()["error"]
