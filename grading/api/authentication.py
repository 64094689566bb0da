"""Who a program is: the bearer of a token, or a browser that has signed in."""

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

if TYPE_CHECKING:  # the framework's own settings import this module
    from rest_framework.views import APIView

SCHEME = "bearer"


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer aa_...`; a request without it is left to the next way in."""

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
    """How the schema names it."""

    target_class = BearerAuthentication
    name = "token"

    def get_security_definition(self, _auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": SCHEME, "description": "A token from /accounts/tokens/."}


class TokenReaches(BasePermission):
    """A token does what its scopes say, of what its user may do; who signed in with a browser may all of that.

    A view says in `scopes` what each method needs.
    """

    message = "This token does not reach so far: it lacks the scope “{}”."
    code = "scope_missing"

    def has_permission(self, request: Request, view: APIView) -> bool:
        scopes: dict[str, ApiScope] = getattr(view, "scopes", {})
        method = "GET" if request.method == "HEAD" else request.method or ""
        needed = scopes.get(method, ApiScope.READ)
        if not isinstance(request.auth, ApiToken) or needed in request.auth.scopes:
            return True
        self.message = self.message.format(needed)
        return False
