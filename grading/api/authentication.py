"""Authentication by bearer token, and the permission that checks a token's scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from grading.api.tokens.actions import token_for
from grading.core.enums import ApiScope
from grading.models import ApiToken

# The settings of REST framework import this module: an import at run time would be circular.
if TYPE_CHECKING:
    from rest_framework.views import APIView

SCHEME = "bearer"


class BearerAuthentication(BaseAuthentication):
    """Authentication by `Authorization: Bearer aa_...`; without it the next class is tried."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _, text = get_authorization_header(request).partition(b" ")
        if scheme.lower() != SCHEME.encode():
            return None

        try:
            token = token_for(text.strip().decode("ascii"))
        except UnicodeDecodeError:
            token = None
        if token is None:
            raise AuthenticationFailed(
                "This token is unknown, expired or revoked.", code="token_invalid"
            )
        return token.user, token

    def authenticate_header(self, _request: Request) -> str:
        return "Bearer"


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # -- drf-spectacular registers the class itself
    """Description of the bearer token in the OpenAPI schema."""

    target_class = BearerAuthentication
    name = "token"

    def get_security_definition(self, _auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": SCHEME, "description": "A token from /accounts/tokens/."}


class TokenHasScope(BasePermission):
    """Permission that checks the scope of a token; a browser session needs none.

    A view maps methods to scopes in `scopes`.
    """

    message = "Missing scope: this token lacks the scope “{}”."
    code = "scope_missing"

    def has_permission(self, request: Request, view: APIView) -> bool:
        scopes: dict[str, ApiScope] = getattr(view, "scopes", {})
        method = "GET" if request.method == "HEAD" else request.method or ""
        needed = scopes.get(method, ApiScope.READ)
        if not isinstance(request.auth, ApiToken) or needed in request.auth.scopes:
            return True
        self.message = self.message.format(needed)
        return False
