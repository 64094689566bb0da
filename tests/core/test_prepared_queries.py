"""Plans of compiled queries that a connection keeps: one for all tenants, and none that is needed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django_scopes import scope

from grading.core.compiled_queries import OrganizationQuery
from grading.core.rls.repeated_queries import RepeatedQuery
from grading.models import Assignment, Organization
from tests.factories.people import OrganizationFactory
from tests.factories.work import AssignmentFactory
from tests.tenancy.tables import asked, changed

EXECUTIONS = "SELECT generic_plans + custom_plans FROM pg_prepared_statements"
# At the sixth time PostgreSQL may take a plan for any values.
TIMES = 8


@pytest.fixture(autouse=True)
def own_connection(transactional_db: None) -> Iterator[None]:
    """Give the test a connection that has prepared nothing, and nobody else that connection."""
    connection.close()
    yield
    connection.close()


def by_title(title: str) -> QuerySet[Any, Any]:
    rows: QuerySet[Any, Any] = Assignment.objects.filter(title=title).values("slug")
    return rows


BY_TITLE = OrganizationQuery(by_title, title=str)


def slugs_in(organization: Organization, title: str) -> list[str]:
    with scope(organization=organization):
        rows = BY_TITLE.rows(organization=organization.pk, title=title)
    return [row["slug"] for row in rows]


def executions() -> list[int]:
    """Return how often each plan of this connection was used."""
    return [number for (number,) in asked(EXECUTIONS)]


def test_one_plan_of_a_connection_gives_each_organization_its_own_rows() -> None:
    rows = [AssignmentFactory.create(title="A title; -- '%s'") for _ in range(TIMES)]
    connection.close()
    assert [slugs_in(row.organization, row.title) for row in rows] == [[row.slug] for row in rows]
    assert executions() == [TIMES]


def test_plan_made_in_one_organization_shows_nothing_of_another() -> None:
    ours, theirs = AssignmentFactory.create(), OrganizationFactory.create()
    for _ in range(TIMES):
        assert slugs_in(ours.organization, ours.title) == [ours.slug]
    # The organization of the statement is theirs, the scope ours, and the other way round.
    for entered, named in ((theirs, ours.organization), (ours.organization, theirs)):
        with scope(organization=entered):
            assert BY_TITLE.rows(organization=named.pk, title=ours.title) == []
    assert BY_TITLE.rows(organization=ours.organization_id, title=ours.title) == []


def test_query_within_a_transaction_is_not_prepared() -> None:
    row = AssignmentFactory.create()
    connection.close()
    with transaction.atomic():
        assert slugs_in(row.organization, row.title) == [row.slug]
        assert executions() == []


def test_lost_plan_costs_no_answer() -> None:
    row = AssignmentFactory.create()
    slugs_in(row.organization, row.title)
    changed("DEALLOCATE ALL")
    assert [slugs_in(row.organization, row.title) for _ in range(2)] == [[row.slug]] * 2
    assert executions() == []


def test_changed_table_costs_no_answer() -> None:
    changed("CREATE TEMPORARY TABLE changing (a int)")
    changed("INSERT INTO changing VALUES (1)")
    query = RepeatedQuery("SELECT * FROM changing WHERE a = %s", [1], [True])
    answers = []
    for statement in ("SELECT 1", "ALTER TABLE changing ADD b text DEFAULT 'new'"):
        changed(statement)
        with connection.cursor() as cursor:
            cursor.execute(query, [1])
            answers.append(cursor.fetchall())
    assert answers == [[(1,)], [(1, "new")]]


@pytest.mark.parametrize(
    "value", ["it's 100 % \\ ü", 2**40, -1, UUID(int=7), date(2026, 1, 2), datetime.now(UTC)]
)
def test_value_of_each_type_arrives_as_it_was(value: Any) -> None:
    query = RepeatedQuery("SELECT %s = %s, %s, '%%'", [value, value, "kept"], [True, False, False])
    with connection.cursor() as cursor:
        for _ in range(2):
            cursor.execute(query, [value, value, "kept"])
            assert cursor.fetchall() == [(True, "kept", "%")]


def test_constants_are_part_of_the_name() -> None:
    names = [RepeatedQuery("SELECT %s, %s", [1, kept], [True, False]).name for kept in "aab"]
    assert (names[0] == names[1], names[0] == names[2]) == (True, False)
