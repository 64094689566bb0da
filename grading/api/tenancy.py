"""Where a request of the API enters its tenant's scope: after the token is known, before anything is asked."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django_scopes import scope
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from grading.enums import ApiScope
from grading.models import Organization
from grading.permissions import access_organization
from grading.remembering import remembering


def member(request: Request) -> User:
    """Who asks; the permissions have let nobody in who has not signed in."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


class TenantView(APIView):
    """A view below o/<org>/. Someone else's organization answers like a missing one.

    `scopes` names the scope that a token needs for each method, ApiScope.READ where it names none.
    """

    scopes: dict[str, ApiScope] = {}
    organization: Organization

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with remembering(), ExitStack() as self._inside:
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.organization = access_organization(request.user, kwargs["org"])
        self._inside.enter_context(scope(organization=self.organization))
