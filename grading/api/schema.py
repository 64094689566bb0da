"""What the schema says of every address: how it refuses."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework.serializers import CharField, DictField, ListField, Serializer, URLField

from grading.api.paging import MOST


class FaultSerializer(Serializer[Any]):
    """`field` is the one at fault, null where it is none or several; `fields` all of them, each with its sentences."""

    code = CharField()
    message = CharField()
    field = CharField(allow_null=True)
    fields = DictField(child=ListField(child=CharField()))  # type: ignore[assignment]  # -- the word is the contract's


class RefusalSerializer(Serializer[Any]):
    """The one shape of everything that is not an answer."""

    error = FaultSerializer()


REFUSALS: dict[int, Any] = {
    400: OpenApiResponse(RefusalSerializer, "What was sent cannot be read as what is asked for."),
    401: OpenApiResponse(RefusalSerializer, "Nobody has signed in, or the token is none."),
    403: OpenApiResponse(RefusalSerializer, "The token does not reach so far."),
    404: OpenApiResponse(RefusalSerializer, "There is nothing here, or nothing that you may see."),
    409: OpenApiResponse(
        RefusalSerializer, "The same is under way already, or was changed at the same moment."
    ),
    413: OpenApiResponse(RefusalSerializer, "This is more than is read here."),
    415: OpenApiResponse(RefusalSerializer, "This content type is not read here."),
    422: OpenApiResponse(
        RefusalSerializer, "It was understood and refused: the code and the sentence say why."
    ),
    429: OpenApiResponse(
        RefusalSerializer, "Too many requests: Retry-After says when to ask again."
    ),
}
ALWAYS = (400, 401, 403, 404, 429)
# For what extend_schema describes by hand.
READING = {code: REFUSALS[code] for code in ALWAYS}
PAGING = [
    OpenApiParameter(
        "cursor", str, description="Of another page: the pages before and after name it."
    ),
    OpenApiParameter("page_size", {"type": "integer", "minimum": 1, "maximum": MOST}),
]


class RefusingSchema(AutoSchema):
    """Every address refuses in the same shape."""

    def get_response_serializers(self) -> Any:
        told = super().get_response_serializers()
        given = (
            told if isinstance(told, dict) else {"201" if self.method == "POST" else "200": told}
        )
        codes = ALWAYS if self.method == "GET" else tuple(REFUSALS)
        return {str(code): REFUSALS[code] for code in codes} | given


def paged(serializer: type[Serializer[Any]]) -> Any:
    """A page of such rows, where a view works its list out by itself."""
    return inline_serializer(
        f"Page of {serializer.__name__.removesuffix('Serializer')}s".title().replace(" ", ""),
        {
            "next": URLField(allow_null=True),
            "previous": URLField(allow_null=True),
            "results": serializer(many=True),
        },
    )
