"""One shape for everything that is not an answer: {"error": {"code", "message", "field", "fields"}}."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import (
    ObjectDoesNotExist,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from grading.core.errors import ActionRefused, AlreadyRunning
from grading.core.middleware import COLLIDED, is_collision

log = structlog.get_logger(__name__)
MISSING = ("not_found", "There is nothing here, or nothing that you may see.")


def refusal(
    status: int,
    code: str,
    message: str,
    *,
    field: str | None = None,
    fields: dict[str, list[str]] | None = None,
) -> Response:
    """`field` names the one field at fault; `fields` all of them, each with its sentences."""
    told = fields or ({field: [message]} if field else {})
    return Response(
        {"error": {"code": code, "message": message, "field": field, "fields": told}}, status=status
    )


def answer_to(error: Exception, _context: dict[str, Any]) -> Response:
    """What DRF asks whenever a view raises. What nobody foresaw is logged, and told without its cause."""
    set_rollback()
    match error:
        case AlreadyRunning():
            response = refusal(HTTPStatus.CONFLICT, error.code, error.sentence)
            response.data["error"]["audit"] = str(error.audit_id)
            return response
        case ActionRefused():
            return refusal(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                error.code,
                error.sentence,
                field=getattr(error, "field", None) or None,
            )
        case Http404():
            return refusal(HTTPStatus.NOT_FOUND, *MISSING)
        case ObjectDoesNotExist():  # deleted between being found and being asked for
            log.error("gone_meanwhile", exc_info=error)
            return refusal(HTTPStatus.NOT_FOUND, *MISSING)
        case PermissionDenied():
            return refusal(HTTPStatus.FORBIDDEN, "forbidden", "You may not do this.")
        case exceptions.ValidationError():
            return _invalid(error)
        case RequestDataTooBig():
            return refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", "This is more than is read here."
            )
        case SuspiciousOperation():
            return refusal(HTTPStatus.BAD_REQUEST, "parse_error", "This cannot be read.")
        case exceptions.APIException():
            return _of_framework(error)
    return _unforeseen(error)


def _unforeseen(error: Exception) -> Response:
    if is_collision(error):
        log.error("collided", exc_info=error)
        return refusal(HTTPStatus.CONFLICT, "collided", COLLIDED)
    log.error("api_failed", error=type(error).__name__, exc_info=error)
    return refusal(
        HTTPStatus.INTERNAL_SERVER_ERROR, "failed", "Something broke on our side; it is on record."
    )


def _invalid(error: exceptions.ValidationError) -> Response:
    detail = error.detail if isinstance(error.detail, dict) else {"": error.detail}
    fields = {name: _sentences(told) for name, told in detail.items()}
    named = [name for name in fields if name and name != "non_field_errors"]
    first = next(sentence for sentences in fields.values() for sentence in sentences)
    return refusal(
        HTTPStatus.BAD_REQUEST,
        "invalid",
        first,
        field=named[0] if len(fields) == len(named) == 1 else None,
        fields=fields,
    )


def _sentences(told: Any) -> list[str]:
    if isinstance(told, dict):
        return [
            f"{name}: {sentence}" for name, inner in told.items() for sentence in _sentences(inner)
        ]
    if isinstance(told, (list, tuple)):
        return [sentence for inner in told for sentence in _sentences(inner)]
    return [str(told)]


def _of_framework(error: exceptions.APIException) -> Response:
    codes = error.get_codes()
    response = refusal(
        error.status_code,
        codes if isinstance(codes, str) else error.default_code,
        str(error.detail),
    )
    if header := getattr(error, "auth_header", None):
        response["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        response["Retry-After"] = str(int(wait))
    return response


@csrf_exempt
def nowhere(_request: HttpRequest, **_rest: Any) -> JsonResponse:
    """An address of the API that there is not."""
    code, message = MISSING
    error: dict[str, Any] = {"code": code, "message": message, "field": None, "fields": {}}
    return JsonResponse({"error": error}, status=HTTPStatus.NOT_FOUND)
