"""Every view says which methods it takes, and takes those that its row in the matrix names.

The views themselves are read, and no request is sent: so it holds for every person and every object.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.views import APIView

from tests.tenancy.matrix_rows import ALSO, NOBODY, ROWS

READ = {"GET", "HEAD"}
API_READ = {*READ, "OPTIONS"}


def views(resolver: URLResolver | None = None, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every route of the URLconf, with its view."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, pattern.callback
        else:
            yield from views(pattern, route)


VIEWS = dict(views())


def methods_of(view: Any) -> set[str]:
    """The methods that a view declares: in its class, or by Django's `require_...` decorators."""
    view_class = getattr(view, "cls", None)
    if view_class is not None:
        return methods_of_class(view_class)
    return set(declared_by_decorator(view))


def methods_of_class(view_class: type[APIView]) -> set[str]:
    """The methods that have a handler; Django's `as_view` answers HEAD by the one for GET."""
    methods = {name.upper() for name in view_class.http_method_names if hasattr(view_class, name)}
    return methods | ({"HEAD"} if "GET" in methods else set())


def declared_by_decorator(view: Callable[..., Any] | None) -> list[str]:
    """The list that `require_http_methods` keeps, through whatever other decorators wrap it."""
    while view is not None:
        names = inspect.getclosurevars(view).nonlocals
        if "request_method_list" in names:
            return list(names["request_method_list"])
        view = getattr(view, "__wrapped__", None)
    return []


def expected(route: str) -> set[str]:
    """The methods that the rows of the matrix give answers for."""
    answers, answers_to_post = ROWS[route]
    methods = set(API_READ if route.startswith("api/") else READ)
    if answers_to_post and answers[1] == 405:
        methods -= READ
    if answers_to_post:
        methods.add("POST")
    return methods | {method.upper() for method, path in ALSO if path == route}


@pytest.mark.parametrize("route", [route for route in ROWS if not route.endswith("^.*$")])
def test_a_view_takes_the_methods_of_its_row_and_no_other(route: str) -> None:
    assert methods_of(VIEWS[route]) == expected(route)


def test_an_unknown_address_of_the_api_is_missing_by_every_method() -> None:
    """It declares no method: its answer is 404 whatever is asked."""
    assert ROWS["api/v1/^.*$"] == (NOBODY, None)
    assert methods_of(VIEWS["api/v1/^.*$"]) == set()


def test_a_view_that_declares_no_methods_is_noticed() -> None:
    assert methods_of(lambda _request: None) == set()
