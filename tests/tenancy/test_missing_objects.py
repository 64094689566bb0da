"""Someone else's object answers byte for byte like one that does not exist, to every person and every method."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.tenancy.matrix_rows import AUDIT, MISSING, NOWHERE, ROWS
from tests.tenancy.world import World

METHODS = ("get", "post")
# The API also describes itself: OPTIONS passes the same checks as GET.
API_METHODS = (*METHODS, "options")
INSIDE = [route for route in ROWS if re.match(r"(api/v1/)?o/", route)]


@pytest.mark.parametrize("route", INSIDE)
def test_another_institutions_address_answers_everybody_like_a_missing_one(
    route: str, world: World
) -> None:
    theirs, missing = (
        world.address(route, **world.elsewhere.names()),
        world.address(route, **NOWHERE),
    )
    # A member of another institution, and somebody who is a member of none.
    assert_the_same(world, ["instructor", "operator"], theirs, missing, {404})


@pytest.mark.parametrize("route", INSIDE)
def test_who_must_sign_in_first_learns_nothing_by_it(route: str, world: World) -> None:
    theirs, missing = world.address(route), world.address(route, **NOWHERE)
    for person in ("anonymous", "deactivated"):
        client: Any = world.client(person)
        there, nowhere = client.get(theirs), client.get(missing)
        if route.startswith("api/"):
            assert (there.status_code, there.content) == (401, nowhere.content)
        else:
            assert (there.status_code, there.url.replace(theirs, missing)) == (302, nowhere.url)


@pytest.mark.parametrize("route", [route for route in INSIDE if route.count("<") > 1])
def test_another_institutions_object_under_ones_own_address_answers_like_a_missing_one(
    route: str, world: World
) -> None:
    own = {"org": world.here.organization.slug}
    theirs = world.address(route, **world.elsewhere.names() | own)
    missing = world.address(route, **NOWHERE | own)
    members = ["student", "assistant", "instructor"]
    assert_the_same(world, members, theirs, missing, {404, 405})


@pytest.mark.parametrize("route", [route for route in INSIDE if "audit_id" in route])
def test_another_students_audit_answers_like_a_missing_one(route: str, world: World) -> None:
    theirs, missing = world.address(route), world.address(route, audit_id=MISSING)
    assert_the_same(world, ["classmate", "neighbour"], theirs, missing, {404, 405})


@pytest.mark.parametrize("route", [route for route in INSIDE if "<slug:cohort>" in route])
def test_another_cohort_answers_a_student_like_a_missing_one(route: str, world: World) -> None:
    theirs, missing = (
        world.address(route),
        world.address(route, cohort="missing", assignment="missing"),
    )
    assert_the_same(world, ["neighbour"], theirs, missing, {404, 405})


def assert_the_same(
    world: World, persons: list[str], theirs: str, missing: str, statuses: set[int]
) -> None:
    """Compare status, headers and page with those of an object that is not there."""
    for person in persons:
        client = world.client(person)
        for method in API_METHODS if theirs.startswith("/api/") else METHODS:
            there, nowhere = (
                seen(getattr(client, method)(address)) for address in (theirs, missing)
            )
            assert (person, method, there) == (person, method, nowhere)
            assert there[0] in statuses | ({200} if method == "options" else set())


def seen(response: Any) -> tuple[int, dict[str, str], bytes]:
    of_the_moment = {"X-Request-Id", "Expires"}
    headers = {name: value for name, value in response.headers.items() if name not in of_the_moment}
    return response.status_code, headers, without_token(response.content)


def without_token(page: bytes) -> bytes:
    return re.sub(rb'name="csrfmiddlewaretoken" value="\w+"', b"", page)


def test_an_audit_is_reached_through_its_own_organization_only(world: World) -> None:
    address = world.address(AUDIT, org=world.elsewhere.organization.slug)
    assert [
        world.client(person).get(address).status_code for person in ("foreigner", "instructor")
    ] == [
        404,
        404,
    ]
