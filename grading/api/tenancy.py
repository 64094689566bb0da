"""Where a request of the API enters its tenant's scope: after the token is known, before anything is asked."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django_scopes import scope
from rest_framework.exceptions import NotAuthenticated
from rest_framework.mixins import ListModelMixin
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from grading.api.paging import PAGED
from grading.api.request_body import BoundedJSON, OneForm, refuse_unknown
from grading.core.enums import ApiScope
from grading.core.permissions import access_organization
from grading.core.request_cache import remembering
from grading.models import Organization


def member(request: Request) -> User:
    """Who asks; the permissions have let nobody in who has not signed in."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


class ApiView(APIView):
    """A view of the API: `filters` are what may be asked behind the “?”, beside a list's pages."""

    parser_classes: tuple[type[BaseParser], ...] = (BoundedJSON,)
    content_negotiation_class = OneForm
    filters: tuple[str, ...] = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.enter(request, **kwargs)
        refuse_unknown(
            request, (*self.filters, *(PAGED if isinstance(self, ListModelMixin) else ()))
        )

    def enter(self, request: Request, **kwargs: Any) -> None:
        """What comes before anything is answered to somebody who has signed in."""

    def finalize_response(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Nothing is kept on the way."""
        response = super().finalize_response(request, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class TenantView(ApiView):
    """A view below o/<org>/. Someone else's organization answers like a missing one.

    `scopes` names the scope that a token needs for each method, ApiScope.READ where it names none.
    """

    scopes: dict[str, ApiScope] = {}
    organization: Organization

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with remembering(), ExitStack() as self._inside:
            return super().dispatch(request, *args, **kwargs)

    def enter(self, request: Request, **kwargs: Any) -> None:
        self.organization = access_organization(request.user, kwargs["org"])
        self._inside.enter_context(scope(organization=self.organization))
