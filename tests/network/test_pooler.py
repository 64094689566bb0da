"""Tenants that share connections behind PgBouncer, which gives them away after each transaction."""

from __future__ import annotations

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, ProgrammingError, connection, transaction
from django.test import Client
from django_scopes import scope

from auditor_site import addresses
from grading.core.enums import AuditState
from grading.core.held_slots import held_slot
from grading.core.rls.base import as_owner
from grading.core.rls.rls_scope import as_dispatcher, as_person
from grading.jobs import run_audit
from grading.models import Audit, Cohort, Membership, Organization
from tests.factories.people import CohortFactory, MembershipFactory, everywhere, staff_user
from tests.factories.races import alone
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AuditFactory, rubric_document
from tests.network.pgbouncer import SERVER_CONNECTIONS, Pooler
from tests.tenancy.tables import asked, changed, organizations_in

pytestmark = [pytest.mark.processes, pytest.mark.usefixtures("redis")]

THREADS, ROUNDS = 6, 10
BACKEND = "SELECT pg_backend_pid()"
LOCAL = "SELECT current_user::text, current_setting('auditor.organization', true)"
# In a session of its own, each would stay until somebody changes it. The locks of other sessions,
# of tests that run beside this one, are not counted.
TRACES = """
SELECT (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors),
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
    (SELECT count(*) FROM pg_class WHERE relpersistence = 't'),
    (SELECT count(*) FROM pg_listening_channels()), current_user = session_user,
    coalesce(current_setting('auditor.organization', true), '')
"""
NO_TRACES = (0, 0, 0, 0, 0, True, "")


def read(organization: Organization) -> None:
    with scope(organization=organization):
        assert organizations_in("grading_cohort") == {organization.pk}
    assert organizations_in("grading_cohort") == set()


def write(organization: Organization) -> None:
    with scope(organization=organization), transaction.atomic():
        cohort = Cohort.objects.create(organization=organization, name="New", slug=uuid4().hex)
        assert organizations_in("grading_cohort") == {organization.pk}
        assert Cohort.objects.filter(pk=cohort.pk).update(name="Newer") == 1


def fail(organization: Organization) -> None:
    with scope(organization=organization):
        cohort = Cohort.objects.order_by("pk")[0]
        with pytest.raises(IntegrityError), transaction.atomic():
            Cohort.objects.create(organization=organization, name="Twice", slug=cohort.slug)
        assert organizations_in("grading_cohort") == {organization.pk}


def fail_in_a_part(organization: Organization) -> None:
    with transaction.atomic():
        with pytest.raises(DatabaseError), transaction.atomic(), scope(organization=organization):
            asked("SELECT 1 / 0")
        assert organizations_in("grading_cohort") == set()
        with scope(organization=organization):
            assert organizations_in("grading_cohort") == {organization.pk}


def roll_back(organization: Organization) -> None:
    with scope(organization=organization), transaction.atomic():
        assert changed("DELETE FROM grading_joinlink") == 0
        Cohort.objects.create(organization=organization, name="Gone", slug="gone")
        transaction.set_rollback(True)


def ask_as_others(organization: Organization) -> None:
    with as_dispatcher():
        assert organizations_in("grading_cohort") == set()
    with scope(organization=organization):
        member = Membership.objects.select_related("user").get()
    with as_person(member.user):
        assert organizations_in("grading_membership") == {organization.pk}


def test_tenants_that_share_connections_in_threads_see_and_write_their_own_rows_alone(
    pooled: Pooler,
) -> None:
    organizations = [CohortFactory().organization for _ in range(2)]
    for organization in organizations:
        MembershipFactory(organization=organization)
    backends: dict[int, set[int]] = {organization.pk: set() for organization in organizations}

    def work(organization: Organization) -> None:
        try:
            for _ in range(ROUNDS):
                for act in (read, write, fail, fail_in_a_part, roll_back, ask_as_others):
                    act(organization)
                    backends[organization.pk] |= {pid for (pid,) in asked(BACKEND)}
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, organizations * (THREADS // 2)))

    ours, theirs = backends.values()
    assert ours == theirs
    assert len(ours) == SERVER_CONNECTIONS
    for organization in organizations:
        with scope(organization=organization):
            assert Cohort.objects.filter(name="Newer").count() == ROUNDS * THREADS // 2
            assert not Cohort.objects.filter(name__in=["Twice", "Gone"]).exists()


def test_statement_outside_a_scope_sees_nothing_on_a_connection_of_a_tenant(
    pooled: Pooler,
) -> None:
    organization = CohortFactory().organization
    with scope(organization=organization), transaction.atomic():
        mine = asked(BACKEND)
        assert asked(LOCAL) == [("auditor_site", str(organization.pk))]
    # A program that knows nothing of scopes gets the connection that the tenant just had.
    with pooled.connect(connection.settings_dict["NAME"]) as other:
        assert other.execute(BACKEND).fetchone() == mine[0]
        assert other.execute(LOCAL).fetchone() == (pooled.user, "")
        assert other.execute("SELECT count(*) FROM grading_cohort").fetchone() == (0,)


def test_settings_that_another_session_left_behind_open_nothing(pooled: Pooler) -> None:
    organization = CohortFactory().organization
    with pooled.connect(connection.settings_dict["NAME"]) as other:
        for _ in range(SERVER_CONNECTIONS):
            other.execute(f"SET auditor.organization = '{organization.pk}'".encode())
        try:
            assert organizations_in("grading_cohort") == set()
            with transaction.atomic():
                assert organizations_in("grading_cohort") == set()
            with as_dispatcher():
                assert organizations_in("grading_cohort") == set()
        finally:
            for _ in range(SERVER_CONNECTIONS):
                other.execute("RESET auditor.organization")


def test_pages_a_job_and_slots_leave_nothing_in_the_sessions_of_the_server(
    pooled: Pooler, tmp_path: Path
) -> None:
    commits = [Commit(message=f"Step {n}", files={"main.py": f"print({n})"}) for n in range(4)]
    make_repository(tmp_path / "work", commits)
    audit = AuditFactory(
        submission__repo_url=str(tmp_path / "work"),
        submission__assignment__rubric_version__document=rubric_document(),
    )
    run_audit(str(audit.pk), 1)
    organization = audit.organization
    client = Client()
    client.force_login(staff_user(organization))
    with held_slot("a test", slots=1, seconds=60) as mine:
        with held_slot("a test", slots=1, seconds=60) as none_left:
            assert (mine, none_left) == (0, None)
        assert client.get(f"/o/{organization.slug}/").status_code == 200

    with everywhere():
        ended = Audit.objects.get(pk=audit.pk)
        assert ended.state == AuditState.DONE, ended.report
    with pooled.connect(connection.settings_dict["NAME"]) as other:
        traces = [other.execute(TRACES).fetchone() for _ in range(SERVER_CONNECTIONS)]
    assert traces == [NO_TRACES] * SERVER_CONNECTIONS


def test_owner_changes_tables_through_the_pooler_and_leaves_no_role_behind(
    pooled: Pooler,
) -> None:
    connection.close()
    with as_owner():
        assert asked("SELECT current_user = session_user") == [(True,)]
        changed("CREATE TABLE grading_made_here (id int)")
        # PostgreSQL makes it outside a transaction alone.
        changed("CREATE INDEX CONCURRENTLY ON grading_made_here (id)")
    connection.close()
    with pytest.raises(ProgrammingError, match="must be owner"):
        changed("DROP TABLE grading_made_here")
    with as_owner():
        connection.close()
        changed("DROP TABLE grading_made_here")
    connection.close()


def test_statements_without_a_message_of_their_own_carry_the_scope_of_their_transaction(
    pooled: Pooler,
) -> None:
    ours, _theirs = CohortFactory(), CohortFactory()
    rename = "UPDATE grading_cohort SET name = %s"
    with scope(organization=ours.organization):
        with connection.cursor() as cursor:
            with pytest.raises(ProgrammingError, match="needs a transaction"):
                cursor.executemany(rename, [["Renamed"]])
            with pytest.raises(psycopg.ProgrammingError, match="needs a transaction"):
                cursor.copy("COPY grading_cohort TO STDOUT")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(rename, [["Renamed"]])
            assert cursor.rowcount == 1
        with (
            transaction.atomic(),
            connection.cursor() as cursor,
            cursor.copy("COPY (SELECT name FROM grading_cohort) TO STDOUT") as rows,
        ):
            assert b"".join(rows) == b"Renamed\n"
        with transaction.atomic():
            assert [cohort.pk for cohort in Cohort.objects.iterator(chunk_size=1)] == [ours.pk]
        assert [cohort.pk for cohort in Cohort.objects.iterator(chunk_size=1)] == [ours.pk]


def test_transaction_in_which_nothing_happens_gives_its_locks_back(
    pooled: Pooler, settings: Any
) -> None:
    """A machine that dies or is cut off in a transaction leaves it open on the server."""
    settings.IDLE_TRANSACTION_SECONDS = 1
    organization = CohortFactory().organization
    locked, taken = Event(), Event()

    def hang() -> None:
        with scope(organization=organization), transaction.atomic():
            Cohort.objects.update(name="Lost")
            locked.set()
            taken.wait(30)
            Cohort.objects.update(name="Late")

    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(alone, hang)
        assert locked.wait(30)
        with scope(organization=organization):
            assert Cohort.objects.update(name="In time") == 1
            taken.set()
            with pytest.raises(DatabaseError):
                hanging.result()
            assert Cohort.objects.get().name == "In time"


def test_session_gives_up_a_server_that_is_cut_off(pooled: Pooler) -> None:
    connection.settings_dict["OPTIONS"] = addresses.database("postgresql://site@db/site")["OPTIONS"]
    connection.ensure_connection()
    with socket.socket(fileno=os.dup(connection.connection.fileno())) as session:
        options = [
            session.getsockopt(socket.IPPROTO_TCP, option)
            for option in (socket.TCP_USER_TIMEOUT, socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL)
        ]
    assert options == [30_000, 30, 10]
