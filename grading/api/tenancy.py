"""Base views of the API; they enter the tenant's scope after authentication."""

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

from grading.api.paging import PAGING_PARAMETERS
from grading.api.request_body import BoundedJSON, OwnRenderer, refuse_unknown
from grading.core.enums import ApiScope
from grading.core.permissions import access_organization
from grading.core.request_cache import request_cache
from grading.models import Organization


def member(request: Request) -> User:
    """Return the signed-in user; the permissions have refused everybody else."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


class ApiView(APIView):
    """View of the API; `filters` are its query parameters besides those of paging."""

    parser_classes: tuple[type[BaseParser], ...] = (BoundedJSON,)
    content_negotiation_class = OwnRenderer
    filters: tuple[str, ...] = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.enter_scope(request, **kwargs)
        refuse_unknown(
            request,
            (*self.filters, *(PAGING_PARAMETERS if isinstance(self, ListModelMixin) else ())),
        )

    def enter_scope(self, request: Request, **kwargs: Any) -> None:
        """Enter the scope of the request; called after authentication and permissions."""

    def finalize_response(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Forbid caching: responses depend on the user."""
        response = super().finalize_response(request, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class TenantView(ApiView):
    """View below o/<org>/. Another tenant's organization is answered like a missing one.

    `scopes` maps methods to the scope that a token needs; the default is ApiScope.READ.
    """

    scopes: dict[str, ApiScope] = {}
    organization: Organization

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with request_cache(), ExitStack() as self._exit_stack:
            return super().dispatch(request, *args, **kwargs)

    def enter_scope(self, request: Request, **kwargs: Any) -> None:
        self.organization = access_organization(request.user, kwargs["org"])
        self._exit_stack.enter_context(scope(organization=self.organization))
