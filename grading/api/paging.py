"""Long lists, a page at a time: by cursor, so that what is added meanwhile shifts nothing."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.core.signing import BadSignature, Signer
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.utils.urls import remove_query_param, replace_query_param

Row = TypeVar("Row")
PAGE, MOST = 50, 200
PAGED = ("cursor", "page_size")
_WHOLE = re.compile(r"[0-9]{1,6}")


class ByCursor(CursorPagination):
    """`{next, previous, results}`; a view names its own order in `ordering`.

    A cursor is signed for its list: of another one, or made by hand, it would reach the database as what it is not.
    """

    page_size = PAGE
    page_size_query_param = "page_size"
    max_page_size = MOST
    ordering = "-pk"

    def get_page_size(self, request: Request) -> int:
        asked = request.query_params.get(self.page_size_query_param, str(PAGE))
        if not _WHOLE.fullmatch(asked) or not 1 <= int(asked) <= MOST:
            raise ValidationError(
                {self.page_size_query_param: [f"A whole number from 1 to {MOST}."]}
            )
        return int(asked)

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        return tuple(getattr(view, "ordering", (self.ordering,)))

    def encode_cursor(self, cursor: Cursor) -> str:
        sealed = self._signer().sign_object(tuple(cursor))
        return str(replace_query_param(str(self.base_url), self.cursor_query_param, sealed))

    def decode_cursor(self, request: Request) -> Cursor | None:
        sealed = request.query_params.get(self.cursor_query_param)
        if sealed is None:
            return None
        try:
            return Cursor(*self._signer().unsign_object(sealed))
        except BadSignature as error:
            raise NotFound(self.invalid_cursor_message) from error

    def _signer(self) -> Signer:
        return Signer(salt=urlsplit(str(self.base_url)).path)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = super().get_schema_operation_parameters(view)
        bounds = {"minimum": 1, "maximum": MOST}
        return [
            each | {"schema": each["schema"] | bounds}
            if each["name"] == self.page_size_query_param
            else each
            for each in told
        ]


class ByPlace(ByCursor):
    """The same for what is worked out in one piece: the cursor names the last row of the page before."""

    def page_of(
        self,
        rows: Sequence[Row],
        request: Request,
        *,
        key: Callable[[Row], str],
        told: Callable[[Row], Any],
    ) -> dict[str, Any]:
        """`key` is what is stable of a row, `told` how it is written. Raises NotFound for a cursor that names none."""
        keys = [key(row) for row in rows]
        begin, size = _after(request.query_params.get("cursor"), keys), self.get_page_size(request)
        here = request.build_absolute_uri()
        last, before = begin + size, max(0, begin - size)
        return {
            "next": _at(here, keys[last - 1]) if last < len(rows) else None,
            "previous": (
                _at(here, keys[before - 1]) if before else remove_query_param(here, "cursor")
            )
            if begin
            else None,
            "results": [told(row) for row in rows[begin:last]],
        }


def _after(cursor: str | None, keys: Sequence[str]) -> int:
    if not cursor:
        return 0
    try:
        return keys.index(urlsafe_b64decode(cursor.encode()).decode()) + 1
    except ValueError as error:  # of all three steps
        raise NotFound("Invalid cursor") from error


def _at(address: str, key: str) -> str:
    return str(replace_query_param(address, "cursor", urlsafe_b64encode(key.encode()).decode()))
