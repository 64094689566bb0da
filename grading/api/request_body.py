"""Parsers with limits: larger, deeper and unknown input is refused before it is processed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

# The longest rubric (1,000,000 characters), with each character escaped as \uXXXX, and some room.
MAX_JSON_BYTES = 8 * 2**20
# Room for the boundaries and other fields of a form.
FORM_OVERHEAD = 2**20


class TooLarge(APIException):
    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


class BoundedJSON(JSONParser):
    """Parser of JSON of limited length and depth, without unpaired surrogates."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        _check_length(parser_context["request"], MAX_JSON_BYTES)
        try:
            data = super().parse(stream, media_type, parser_context)
            # PostgreSQL cannot store an unpaired surrogate: encoding finds it.
            json.dumps(data, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except UnicodeEncodeError as error:
            raise ParseError("The JSON contains an unpaired surrogate.") from error
        return data


class BoundedForm(MultiPartParser):
    """Parser of a form with one file of at most the upload limit."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        _check_length(parser_context["request"], settings.UPLOAD_MAX_BYTES + FORM_OVERHEAD)
        return super().parse(stream, media_type, parser_context)


class OwnRenderer(DefaultContentNegotiation):
    """Negotiation that ignores Accept: each address has one media type, errors are JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


def refuse_unknown(request: Request, allowed: Iterable[str]) -> None:
    """Raise ValidationError for unknown query parameters: a misspelt filter must not pass."""
    unknown = sorted(set(request.query_params) - set(allowed))
    if unknown:
        raise ValidationError({name: ["Unknown parameter."] for name in unknown})


def _check_length(request: Request, limit: int) -> None:
    length = str(request.META.get("CONTENT_LENGTH") or "")
    if length.isdecimal() and int(length) > limit:
        raise TooLarge(f"Request too large: the limit is {limit // 2**20} MB.")
