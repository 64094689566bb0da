"""Compiled queries: the answer of the query set, for the organization and the values at hand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Q, QuerySet
from django.test.utils import CaptureQueriesContext
from django_scopes import scope
from django_scopes.exceptions import ScopeError

from grading.core.compiled_queries import CompiledQuery, OrganizationQuery
from grading.models import Assignment, Cohort, PersonalCalendar, Submission
from tests.factories.people import CohortFactory, UserFactory
from tests.factories.work import AssignmentFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


def due_assignments(title: str, cohort: int, now: datetime) -> QuerySet[Any, Any]:
    runs = Q(cohort__ends_on=None) | Q(cohort__ends_on__gte=now.date())
    rows = Assignment.objects.filter(runs, title=title, cohort=cohort, due_at__gte=now)
    listed: QuerySet[Any, Any] = rows.order_by("due_at").values("slug", "due_at")
    return listed


DUE = OrganizationQuery(due_assignments, title=str, cohort=int, now=datetime)


def both_ways(assignment: Assignment, now: datetime) -> tuple[list[Any], list[Any]]:
    values: dict[str, Any] = {
        "title": assignment.title,
        "cohort": assignment.cohort_id,
        "now": now,
    }
    with scope(organization=assignment.organization):
        compiled = DUE.rows(organization=assignment.organization_id, **values)
        return compiled, list(due_assignments(**values))


@pytest.mark.parametrize("late", [timedelta(0), timedelta(days=1), timedelta(days=3)])
def test_rows_are_those_of_the_query_set(late: timedelta) -> None:
    cohort = CohortFactory.create(ends_on=NOON.date() + timedelta(days=1))
    due = NOON + timedelta(days=2)
    assignment = AssignmentFactory.create(cohort=cohort, title="%s '\"", due_at=due)
    compiled, plain = both_ways(assignment, NOON + late)
    assert compiled == plain
    assert bool(plain) == (late < timedelta(days=2))


def test_second_organization_gets_its_own_rows() -> None:
    rows = []
    for _ in range(2):
        assignment = AssignmentFactory.create(due_at=NOON)
        compiled, plain = both_ways(assignment, NOON)
        rows.append([row["slug"] for row in compiled])
        assert (compiled, len(plain)) == (plain, 1)
    assert rows[0] != rows[1]


def test_row_of_another_organization_is_not_given_by_its_key() -> None:
    own, foreign = AssignmentFactory.create(due_at=NOON), AssignmentFactory.create(due_at=NOON)
    values: dict[str, Any] = {"title": foreign.title, "cohort": foreign.cohort_id, "now": NOON}
    with scope(organization=own.organization):
        assert DUE.rows(organization=own.organization_id, **values) == []


def test_rows_may_be_objects_with_their_related_ones() -> None:
    query = CompiledQuery(
        lambda key: User.objects.select_related("calendar").filter(pk=key), key=int
    )
    with_zone, without = UserFactory.create(), UserFactory.create()
    PersonalCalendar.objects.create(user=with_zone, time_zone="Asia/Tokyo")
    with CaptureQueriesContext(connection) as queries:
        users = [*query.rows(key=with_zone.pk), *query.rows(key=without.pk), *query.rows(key=0)]
        zones = [user.calendar.time_zone for user in users if hasattr(user, "calendar")]
    assert (users, zones, len(queries)) == ([with_zone, without], ["Asia/Tokyo"], 3)


def test_rows_of_another_thread_come_over_its_own_connection() -> None:
    query = CompiledQuery(lambda key: User.objects.filter(pk=key), key=int)
    user = UserFactory.create()
    assert query.rows(key=user.pk) == [user]
    with ThreadPoolExecutor(1) as pool:
        # The transaction of this test is no other connection's.
        assert pool.submit(query_and_close, query, user.pk).result() == []


def query_and_close(query: CompiledQuery[User], key: int) -> list[User]:
    try:
        return query.rows(key=key)
    finally:
        connection.close()


def test_query_is_made_once_and_asked_each_time() -> None:
    calls = []

    def build(current: str) -> QuerySet[Any, Any]:
        calls.append(current)
        rows: QuerySet[Any, Any] = Cohort.objects.filter(slug=current).values("name")
        return rows

    query, cohort = OrganizationQuery(build, current=str), CohortFactory.create()
    with scope(organization=cohort.organization), CaptureQueriesContext(connection) as queries:
        names = [
            query.rows(organization=cohort.organization_id, current=slug)
            for slug in (cohort.slug, "x")
        ]
    assert (names, len(queries), len(calls)) == ([[{"name": cohort.name}], []], 2, 1)


def test_parameter_that_the_query_leaves_out_is_refused() -> None:
    query = OrganizationQuery(lambda **_: Cohort.objects.values("name"), current=str)
    cohort = CohortFactory.create()
    with scope(organization=cohort.organization), pytest.raises(ValueError, match="stand-in"):
        query.rows(organization=cohort.organization_id, current=cohort.slug)


def test_row_is_that_of_the_entered_scope() -> None:
    query = OrganizationQuery(lambda key: Submission.objects.filter(pk=key), key=UUID)
    own, foreign = SubmissionFactory.create(), SubmissionFactory.create()
    with scope(organization=own.organization):
        assert [query.row(key=row.pk) for row in (own, foreign)] == [own, None]
    # The scope of the administration: some organizations, and none.
    for organizations, row in (([own.organization], own), ([], None)):
        with scope(organization=organizations):
            assert query.row(key=own.pk) == row
    with pytest.raises(ScopeError):
        query.row(key=own.pk)


@pytest.mark.parametrize("values", [{}, {"current": "a", "user": 1}])
def test_missing_or_further_value_is_refused(values: dict[str, Any]) -> None:
    query = OrganizationQuery(lambda current: Cohort.objects.filter(slug=current), current=str)
    with pytest.raises(TypeError, match="current"):
        query.rows(organization=CohortFactory.create().organization_id, **values)


def test_rows_are_those_of_the_organizations_in_scope() -> None:
    calls = []

    def build(key: UUID) -> QuerySet[Submission, Submission]:
        calls.append(key)
        return Submission.objects.exclude(pk=key)

    query = OrganizationQuery(build, key=UUID)
    ours, theirs = SubmissionFactory.create(), SubmissionFactory.create()
    of_both = [ours.organization, theirs.organization]
    rows = []
    for organizations in ([ours.organization], [theirs.organization], of_both, []):
        with scope(organization=organizations):
            rows.append({row.pk for row in query.rows_in_scope(key=UUID(int=0))})
    assert rows == [{ours.pk}, {theirs.pk}, {ours.pk, theirs.pk}, set()]
    # Compiled once for one organization, made anew for others.
    assert len(calls) == 3
