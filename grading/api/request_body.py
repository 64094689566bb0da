"""What is read of a request, and how much: everything else is refused before it is worked on."""

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

MOST_JSON_BYTES = 8 * 2**20  # a rubric's text at its longest, each character written as \uXXXX
AROUND_A_FILE = 2**20


class TooLarge(APIException):
    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


class BoundedJSON(JSONParser):
    """JSON that can be stored as text: of bounded length and depth, without halves of surrogate pairs."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        _refuse_longer(parser_context["request"], MOST_JSON_BYTES)
        try:
            data = super().parse(stream, media_type, parser_context)
            json.dumps(data, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError("This is nested too deeply to be read.") from error
        except UnicodeEncodeError as error:
            raise ParseError(
                "There is half of a surrogate pair in it, which is no character."
            ) from error
        return data


class BoundedForm(MultiPartParser):
    """A form with one file of the site's size at most."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        _refuse_longer(parser_context["request"], settings.UPLOAD_MAX_BYTES + AROUND_A_FILE)
        return super().parse(stream, media_type, parser_context)


class OneForm(DefaultContentNegotiation):
    """Each address answers in one form, whatever is accepted: report.md in Markdown, and refuses in JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


def refuse_unknown(request: Request, known: Iterable[str]) -> None:
    """A filter that is misspelt must not answer as if it had been applied. Raises ValidationError."""
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        raise ValidationError({name: ["This is not asked here."] for name in unknown})


def _refuse_longer(request: Request, most: int) -> None:
    length = str(request.META.get("CONTENT_LENGTH") or "")
    if length.isdecimal() and int(length) > most:
        raise TooLarge(f"At most {most // 2**20} MB are read here.")
