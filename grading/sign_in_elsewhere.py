"""An issuer that does not answer is its own trouble: who wanted to sign in through it is told so, and no page breaks."""

from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from requests import RequestException

log = structlog.get_logger(__name__)
BAD_GATEWAY = 502


class IssuerDownMiddleware:
    """allauth asks the issuer in the middle of a request, and lets through what goes wrong there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, RequestException) or not request.path_info.startswith("/accounts/"):
            return None
        log.warning("issuer_down", reason=str(exception))
        return render(request, "socialaccount/authentication_error.html", status=BAD_GATEWAY)
