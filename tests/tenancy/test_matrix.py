"""Who gets what from every route of the site. A route without a row fails: nothing is opened by accident.

The rows are written by hand (matrix_rows.py), the routes come from the URLconf.
"""

from __future__ import annotations

import re

import pytest

from tests.tenancy.matrix_rows import (
    ACCOUNTS,
    ALSO,
    EVERYBODY,
    NOBODY,
    OUTSIDE_STAFF,
    PERSONS,
    ROWS,
    SENT_BY_CODE_HOSTS,
    SENT_FROM_PLATFORMS,
    SIGNED_IN,
)
from tests.tenancy.thread_traces import traces_in
from tests.tenancy.world import World, routes, site_routes


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    assert sorted(site_routes()) == sorted(ROWS)


def test_every_page_about_accounts_is_known() -> None:
    account_routes = {
        route.removeprefix("accounts/") for route in routes() if route.startswith("accounts/")
    }
    assert account_routes == ACCOUNTS


@pytest.mark.parametrize("route", ROWS)
def test_get_answers_each_person_as_the_row_says(route: str, world: World) -> None:
    answers = {person: world.client(person).get(world.address(route)) for person in PERSONS}
    statuses = {person: answer.status_code for person, answer in answers.items()}
    assert statuses == dict(zip(PERSONS, ROWS[route][0], strict=True))
    # The student's work has a staff thread.
    traces = {person: traces_in(answers[person]) for person in OUTSIDE_STAFF}
    assert [person for person, is_visible in traces.items() if is_visible] == []


@pytest.mark.parametrize("route", [route for route, row in ROWS.items() if row[1]])
def test_an_empty_post_answers_each_person_as_the_row_says(route: str, world: World) -> None:
    answers = [world.client(person).post(world.address(route)).status_code for person in PERSONS]
    assert dict(zip(PERSONS, answers, strict=True)) == dict(
        zip(PERSONS, ROWS[route][1] or (), strict=True)
    )


# One person for each answer that `refusal_of` knows. The other persons get the same answers from
# the same checks, and tests/tenancy/test_methods.py reads every view: they post in CI.
ONE_OF_A_KIND = ("anonymous", "student", "foreigner")
EVERYBODY_ELSE = tuple(person for person in PERSONS if person not in ONE_OF_A_KIND)


@pytest.mark.parametrize(
    ("method", "persons"),
    [
        *((method, ONE_OF_A_KIND) for method in ("post", "put", "patch", "delete")),
        pytest.param("post", EVERYBODY_ELSE, marks=pytest.mark.slow),
    ],
)
def test_no_other_method_does_anything(method: str, persons: tuple[str, ...], world: World) -> None:
    clients = {person: world.client(person) for person in persons}
    readable = [
        route
        for route, row in ROWS.items()
        if not (row[1] if method == "post" else (method, route) in ALSO)
    ]
    answers = {
        (route, person): getattr(client, method)(world.address(route)).status_code
        for route in readable
        for person, client in clients.items()
    }
    assert answers == {request_key: refusal_of(*request_key) for request_key in answers}


@pytest.mark.parametrize(("method", "route"), ALSO)
def test_what_else_may_be_done_answers_each_person_as_the_row_says(
    method: str, route: str, world: World
) -> None:
    answers = [
        getattr(world.client(person), method)(world.address(route)).status_code
        for person in PERSONS
    ]
    assert dict(zip(PERSONS, answers, strict=True)) == dict(
        zip(PERSONS, ALSO[method, route], strict=True)
    )


def refusal_of(route: str, person: str) -> int:
    """Return the expected answer: a redirect to sign in, a 404, or anything else."""
    if person in {"anonymous", "deactivated"} and (
        route.startswith("o/") or ROWS[route][0] == SIGNED_IN
    ):
        return 302
    if ROWS[route][0] == NOBODY and route.startswith("api/"):
        return 404
    if (
        person in {"anonymous", "deactivated"}
        and route.startswith("api/")
        and ROWS[route][0] != EVERYBODY
    ):
        return 401
    return 404 if re.match(r"(api/v1/)?o/", route) and person in {"foreigner", "operator"} else 405


@pytest.mark.parametrize(
    "route",
    [
        route
        for route, row in ROWS.items()
        if row[1] is not None and route not in (*SENT_FROM_PLATFORMS, *SENT_BY_CODE_HOSTS)
    ],
)
def test_a_form_sent_from_elsewhere_is_refused(route: str, world: World) -> None:
    answers = zip(PERSONS, ROWS[route][1] or (), strict=True)
    allowed = next(
        person
        for person, answer in answers
        # The API's words for an empty form; 302 where a button alone is the whole form.
        if answer in {200, 201, 202, 400, 415, 422} or (answer, person) == (302, "instructor")
    )
    assert (
        world.client(allowed, enforce_csrf_checks=True).post(world.address(route)).status_code
        == 403
    )


def test_the_admin_lets_only_its_staff_in(world: World) -> None:
    pages = sorted(
        {
            route
            for route in routes()
            if route.startswith("admin/") and "<" not in route and "(?P" not in route
        }
    )
    answers = {page: world.client("instructor").get(f"/{page}").status_code for page in pages}
    assert {page: status for page, status in answers.items() if status not in {302, 403}} == {}
