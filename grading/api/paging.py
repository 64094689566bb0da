"""Paging by cursor, so that rows added meanwhile shift nothing."""

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
PAGE_SIZE, MAX_PAGE_SIZE = 50, 200
PAGING_PARAMETERS = ("cursor", "page_size")
_NUMBER = re.compile(r"[0-9]{1,6}")


class SignedCursorPagination(CursorPagination):
    """Pages `{next, previous, results}`; a view sets its order in `ordering`.

    Cursors are signed for their list: the value of a forged one would reach the database.
    """

    page_size = PAGE_SIZE
    page_size_query_param = "page_size"
    max_page_size = MAX_PAGE_SIZE
    ordering = "-pk"

    def get_page_size(self, request: Request) -> int:
        size = request.query_params.get(self.page_size_query_param, str(PAGE_SIZE))
        if not _NUMBER.fullmatch(size) or not 1 <= int(size) <= MAX_PAGE_SIZE:
            sentence = f"Enter a whole number from 1 to {MAX_PAGE_SIZE}."
            raise ValidationError({self.page_size_query_param: [sentence]})
        return int(size)

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
        parameters: list[dict[str, Any]] = super().get_schema_operation_parameters(view)
        bounds = {"minimum": 1, "maximum": MAX_PAGE_SIZE}
        return [
            parameter | {"schema": parameter["schema"] | bounds}
            if parameter["name"] == self.page_size_query_param
            else parameter
            for parameter in parameters
        ]


class ListPagination(SignedCursorPagination):
    """Pages of a computed list; the cursor names the last row of the previous page."""

    def page_of(
        self,
        rows: Sequence[Row],
        request: Request,
        *,
        key: Callable[[Row], str],
        serialize: Callable[[Row], Any],
    ) -> dict[str, Any]:
        """Return one page. `key` is a row's stable key. Raises NotFound for an unknown cursor."""
        keys = [key(row) for row in rows]
        start = _start_of(request.query_params.get("cursor"), keys)
        size = self.get_page_size(request)
        end, before = start + size, max(0, start - size)

        url = request.build_absolute_uri()
        previous = None
        if start:
            first_page = remove_query_param(url, "cursor")
            previous = _page_url(url, keys[before - 1]) if before else first_page
        return {
            "next": _page_url(url, keys[end - 1]) if end < len(rows) else None,
            "previous": previous,
            "results": [serialize(row) for row in rows[start:end]],
        }


def _start_of(cursor: str | None, keys: Sequence[str]) -> int:
    if not cursor:
        return 0
    try:
        return keys.index(urlsafe_b64decode(cursor.encode()).decode()) + 1
    except ValueError as error:
        # Not base64, not UTF-8, or no row of this list.
        raise NotFound("Invalid cursor") from error


def _page_url(address: str, key: str) -> str:
    return str(replace_query_param(address, "cursor", urlsafe_b64encode(key.encode()).decode()))
