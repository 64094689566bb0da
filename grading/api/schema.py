"""OpenAPI schema: the error responses that every address may give."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework.serializers import CharField, DictField, ListField, Serializer, URLField

from grading.api.paging import MAX_PAGE_SIZE


class FaultSerializer(Serializer[Any]):
    """Error. `field` is the only field at fault, or null; `fields` holds all with their sentences."""

    code = CharField()
    message = CharField()
    field = CharField(allow_null=True)
    fields = DictField(child=ListField(child=CharField()))  # type: ignore[assignment]  # -- the word is the contract's


class RefusalSerializer(Serializer[Any]):
    """Error response; all of them have this shape."""

    error = FaultSerializer()


ERRORS: dict[int, Any] = {
    400: OpenApiResponse(RefusalSerializer, "The request is malformed or invalid."),
    401: OpenApiResponse(RefusalSerializer, "Not signed in, or the token is invalid."),
    403: OpenApiResponse(RefusalSerializer, "Missing scope: the token lacks it."),
    404: OpenApiResponse(RefusalSerializer, "Not found, or you don't have access."),
    409: OpenApiResponse(
        RefusalSerializer,
        "Conflict: already running, not ready yet, or changed by somebody at the same time.",
    ),
    413: OpenApiResponse(RefusalSerializer, "Request too large."),
    415: OpenApiResponse(RefusalSerializer, "Unsupported content type."),
    422: OpenApiResponse(
        RefusalSerializer, "Understood but refused: `code` and `message` say why."
    ),
    429: OpenApiResponse(
        RefusalSerializer, "Too many requests: `Retry-After` says when to try again."
    ),
}
ALWAYS_POSSIBLE = (400, 401, 403, 404, 429)
# For views that are described by extend_schema.
READ_ERRORS = {code: ERRORS[code] for code in ALWAYS_POSSIBLE}
PAGING = [
    OpenApiParameter("cursor", str, description="Cursor of a page, from `next` or `previous`."),
    OpenApiParameter("page_size", {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE}),
]


class ApiSchema(AutoSchema):
    """Schema that adds the error responses to every address."""

    def get_response_serializers(self) -> Any:
        serializers = super().get_response_serializers()
        success = "201" if self.method == "POST" else "200"
        responses = serializers if isinstance(serializers, dict) else {success: serializers}
        codes = ALWAYS_POSSIBLE if self.method == "GET" else tuple(ERRORS)
        return {str(code): ERRORS[code] for code in codes} | responses


def paged(serializer: type[Serializer[Any]]) -> Any:
    """Return the serializer of a page, for views that compute their list themselves."""
    return inline_serializer(
        f"Page of {serializer.__name__.removesuffix('Serializer')}s".title().replace(" ", ""),
        {
            "next": URLField(allow_null=True),
            "previous": URLField(allow_null=True),
            "results": serializer(many=True),
        },
    )
