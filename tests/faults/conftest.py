"""Fixtures of every fault: a repository, the expected end, and a line on the scoreboard."""

import contextlib
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as configuration
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from redis import Redis

from auditor_site import addresses
from auditor_site.localservices.places import ephemeral_place
from auditor_site.localservices.postgres import Postgres
from auditor_site.localservices.server import Running, Server, start
from auditor_site.localservices.valkey import Valkey
from auditor_site.settings import derived
from grading.core.enums import AuditState
from grading.core.rls.base import as_owner
from grading.models import Audit
from tests.factories.repositories import Commit, make_repository
from tests.faults.site import (
    RECOVERY_SECONDS,
    Crew,
    crew,
    is_over,
    now_of,
    results_of,
)
from tests.waiting import eventually

CRITERIA = 2
Ends = Callable[..., None]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "work.git"
    make_repository(
        path, [Commit(files={"README.md": "# Work", "main.py": f"print({n})"}) for n in range(4)]
    )
    return path


@pytest.fixture
def ends(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Ends:
    """Return `ends(audit, ...)`: each audit ends within 90 s, with one result; `failure` is its
    code.
    """
    kind = request.node.originalname.removeprefix("test_")
    record_property("fault", {"kind": kind, "seconds": 0.0})

    def end(*audits: Audit, state: AuditState = AuditState.DONE, failure: str = "") -> None:
        seconds = eventually(lambda: all(map(is_over, audits)), RECOVERY_SECONDS)
        record_property("fault", {"kind": kind, "seconds": seconds})
        verdicts = 0 if state == AuditState.FAILED else CRITERIA

        for audit in audits:
            current = now_of(audit)
            assert (current.state, current.failure_code, results_of(audit)) == (
                state,
                failure,
                (1, verdicts),
            )

    return end


@pytest.fixture(scope="module")
def crew_environment() -> Mapping[str, str]:
    """Further environment of the module's crew; a module that needs some overrides it."""
    return {}


@pytest.fixture(scope="module")
def crew_of_module(
    crew_environment: Mapping[str, str], django_db_setup: None, django_db_blocker: Any
) -> Iterator[Crew]:
    """A crew started once for the module's tests, because starting it takes three seconds.

    Tables and queue are emptied before and after the module, not between its tests: that would
    take away the worker's registration, and TRUNCATE and the reconciler would wait for each other.
    """
    queue = Redis.from_url(configuration.REDIS_URL)
    queue.flushdb()
    with django_db_blocker.unblock():
        with crew(environment=crew_environment) as site_crew:
            yield site_crew

        connection.close()
        with as_owner():
            call_command("flush", interactive=False, verbosity=0)
            connection.close()
    queue.flushdb()
    queue.close()


@pytest.fixture
def db(crew_of_module: Crew) -> None:
    """Replace pytest-django's fixture, which would wrap the test in a transaction.

    By its name pytest-django knows that the test needs the migrated database.
    """


@pytest.fixture
def site_crew(db: None, crew_of_module: Crew) -> Crew:
    """The module's crew, at rest: what an earlier test broke has come back."""
    eventually(crew_of_module.is_at_rest)
    return crew_of_module


class Servers:
    """A server of one test, to be killed, stopped and started again on the same data."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.running: Running | None = None
        self.start()

    @property
    def pid(self) -> int:
        assert self.running is not None
        return self.running.process.pid

    def start(self) -> None:
        self.running = start(self.server)

    def stop(self) -> None:
        """Shut down in order, or clean up after a kill."""
        if self.running is not None:
            self.running.stop()
            self.running = None

    def kill(self) -> None:
        assert self.running is not None
        self.running.process.kill()
        self.stop()


@contextlib.contextmanager
def own(kind: type[Server]) -> Iterator[Servers]:
    place = ephemeral_place()
    servers = Servers(kind(place))
    try:
        yield servers
    finally:
        servers.stop()
        shutil.rmtree(place.home, ignore_errors=True)


@contextlib.contextmanager
def queue_of_its_own() -> Iterator[Servers]:
    with own(Valkey) as servers:
        url = servers.server.url
        queues = derived.queues(url, configuration.QUEUES)
        with override_settings(REDIS_URL=url, RQ_QUEUES=queues):
            yield servers


@pytest.fixture
def own_queue() -> Iterator[Servers]:
    with queue_of_its_own() as servers:
        yield servers


@contextlib.contextmanager
def connected_to(postgres: Servers) -> Iterator[None]:
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(addresses.database(postgres.server.url))
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


@pytest.fixture(scope="module")
def postgres(django_db_blocker: Any) -> Iterator[Servers]:
    """A PostgreSQL made once for the module's tests, because migrating takes seconds."""
    with own(Postgres) as servers:
        with django_db_blocker.unblock(), connected_to(servers):
            call_command("migrate", verbosity=0)

        # A server of the tests keeps commits in its own memory for a while, where a kill loses them.
        with psycopg.connect(servers.server.url, autocommit=True) as owner:
            owner.execute("ALTER DATABASE auditor SET synchronous_commit = on")

        yield servers


@pytest.fixture
def own_database(
    postgres: Servers, django_db_setup: None, django_db_blocker: Any
) -> Iterator[Servers]:
    """Move this test's database to a PostgreSQL of its own."""
    with django_db_blocker.unblock(), connected_to(postgres):
        yield postgres


@pytest.fixture
def pause() -> Callable[[float], bool]:
    """Return a wait of a given time, for the length of a fault."""
    never = threading.Event()
    return never.wait
