"""Error responses, all of one shape: {"error": {"code", "message", "field", "fields"}}."""

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

from grading.core.errors import (
    ActionRefused,
    AlreadyRunning,
    EditionNotReady,
    OrganizationClosed,
    UploadNotStored,
)
from grading.core.middleware import CONFLICT_SENTENCE, is_conflict

log = structlog.get_logger(__name__)
REFUSED_WITH = {
    EditionNotReady: HTTPStatus.CONFLICT,
    UploadNotStored: HTTPStatus.SERVICE_UNAVAILABLE,
}
MISSING = ("not_found", "Not found, or you don't have access.")


def refusal(
    status: int,
    code: str,
    message: str,
    *,
    field: str | None = None,
    fields: dict[str, list[str]] | None = None,
) -> Response:
    """Return an error response.

    `field` names the only field at fault; `fields` holds all of them with their sentences.
    """
    all_fields = fields or ({field: [message]} if field else {})
    error = {"code": code, "message": message, "field": field, "fields": all_fields}
    return Response({"error": error}, status=status)


def exception_response(error: Exception, _context: dict[str, Any]) -> Response:
    """Return the response to any exception of a view (DRF setting EXCEPTION_HANDLER).

    An unexpected exception is logged; the response does not show its cause.
    """
    set_rollback()
    match error:
        case AlreadyRunning():
            response = refusal(HTTPStatus.CONFLICT, error.code, error.sentence)
            response.data["error"]["audit"] = str(error.audit_id)
            return response
        case ActionRefused():
            return refusal(
                REFUSED_WITH.get(type(error), HTTPStatus.UNPROCESSABLE_ENTITY),
                error.code,
                error.sentence,
                field=getattr(error, "field", None) or None,
            )
        case Http404():
            return refusal(HTTPStatus.NOT_FOUND, *MISSING)
        case ObjectDoesNotExist():
            # Deleted after it was loaded.
            log.error("gone_meanwhile", exc_info=error)
            return refusal(HTTPStatus.NOT_FOUND, *MISSING)
        case PermissionDenied() | OrganizationClosed():
            return _forbidden(error)
        case exceptions.ValidationError():
            return _invalid(error)
        case RequestDataTooBig():
            return refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", "The request is too large."
            )
        case SuspiciousOperation():
            return refusal(HTTPStatus.BAD_REQUEST, "parse_error", "We couldn't read the request.")
        case exceptions.APIException():
            return _framework_response(error)
    return _unexpected(error)


def _forbidden(error: PermissionDenied | OrganizationClosed) -> Response:
    if isinstance(error, OrganizationClosed):
        return refusal(HTTPStatus.FORBIDDEN, error.code, error.sentence)
    return refusal(HTTPStatus.FORBIDDEN, "forbidden", "You don't have permission to do this.")


def _unexpected(error: Exception) -> Response:
    if is_conflict(error):
        log.error("collided", exc_info=error)
        return refusal(HTTPStatus.CONFLICT, "collided", CONFLICT_SENTENCE)
    log.error("api_failed", error=type(error).__name__, exc_info=error)
    return refusal(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "failed",
        "Something went wrong on our side; we logged it.",
    )


def _invalid(error: exceptions.ValidationError) -> Response:
    detail = error.detail if isinstance(error.detail, dict) else {"": error.detail}
    fields = {name: _sentences(errors) for name, errors in detail.items()}
    named = [name for name in fields if name and name != "non_field_errors"]
    first = next(sentence for sentences in fields.values() for sentence in sentences)
    return refusal(
        HTTPStatus.BAD_REQUEST,
        "invalid",
        first,
        field=named[0] if len(fields) == len(named) == 1 else None,
        fields=fields,
    )


def _sentences(errors: Any) -> list[str]:
    """Flatten DRF's nested errors."""
    if isinstance(errors, dict):
        return [
            f"{name}: {sentence}"
            for name, inner in errors.items()
            for sentence in _sentences(inner)
        ]
    if isinstance(errors, (list, tuple)):
        return [sentence for inner in errors for sentence in _sentences(inner)]
    return [str(errors)]


def _framework_response(error: exceptions.APIException) -> Response:
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
def unknown_path(_request: HttpRequest, **_rest: Any) -> JsonResponse:
    """Return 404 as JSON for every other address under /api/v1/."""
    code, message = MISSING
    error: dict[str, Any] = {"code": code, "message": message, "field": None, "fields": {}}
    return JsonResponse({"error": error}, status=HTTPStatus.NOT_FOUND)
