"""Fixtures of every fault: a repository, the expected end, and a line on the scoreboard."""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from auditor_site import addresses
from auditor_site.localservices.places import ephemeral_place
from auditor_site.localservices.postgres import Postgres
from auditor_site.localservices.server import Running, Server, start
from auditor_site.localservices.valkey import Valkey
from auditor_site.settings import derived
from grading.core.enums import AuditState
from grading.models import Audit
from tests.factories.repositories import Commit, make_repository
from tests.faults.site import RECOVERY_SECONDS, eventually, is_over, now_of, results_of

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


@pytest.fixture
def own_queue(settings: Any) -> Iterator[Servers]:
    with own(Valkey) as servers:
        settings.REDIS_URL = servers.server.url
        settings.RQ_QUEUES = derived.queues(servers.server.url, settings.QUEUES)
        yield servers


@pytest.fixture(scope="module")
def postgres() -> Iterator[Servers]:
    """A PostgreSQL made once for the module's tests, because migrating takes seconds."""
    with own(Postgres) as servers:
        environment = os.environ | {
            "DATABASE_URL": servers.server.url,
            "DJANGO_SETTINGS_MODULE": "auditor_site.settings.test",
        }
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "-v", "0"], env=environment, check=True
        )
        yield servers


@pytest.fixture
def own_database(
    postgres: Servers, django_db_setup: None, django_db_blocker: Any
) -> Iterator[Servers]:
    """Move this test's database to a PostgreSQL of its own."""
    before = dict(connection.settings_dict)
    with django_db_blocker.unblock():
        connection.close()
        connection.settings_dict.update(addresses.database(postgres.server.url))
        try:
            yield postgres
        finally:
            connection.close()
            connection.settings_dict.update(before)


@pytest.fixture
def pause() -> Callable[[float], bool]:
    """Return a wait of a given time, for the length of a fault."""
    never = threading.Event()
    return never.wait
