"""TLS to PostgreSQL, its pooler and the queue: verified by the named authority, or refused."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from django.conf import settings as configuration
from django.db import connection
from django.test import Client, override_settings
from redis import Redis

from auditor_site import addresses, health
from auditor_site.settings import derived
from grading.core.audit_queue import enqueue
from grading.core.enums import AuditState
from grading.models import Audit
from grading.operations import healthz
from tests.factories.people import everywhere
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AuditFactory, rubric_document
from tests.network.certificates import Authority
from tests.network.conftest import connected_through
from tests.network.pgbouncer import PORT as POOLER_PORT
from tests.network.pgbouncer import Pooler, pooler
from tests.network.secure_servers import (
    PLAIN_PORT,
    TLS_PORT,
    SecureServer,
    secure_postgres,
    secure_redis,
    without_tls,
)
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.processes

UNTRUSTED = "certificate verify failed"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("stranger"))


@pytest.fixture(scope="module")
def redis_server(authority: Authority) -> Iterator[SecureServer]:
    with secure_redis(authority) as server:
        yield server


@pytest.fixture(scope="module")
def postgres_server(authority: Authority) -> Iterator[SecureServer]:
    with secure_postgres(authority) as server:
        yield server


def queue_url(server: SecureServer, trusted: Authority, **given: Any) -> str:
    at = {"host": server.address, "port": TLS_PORT, "password": server.password} | given
    return (
        f"rediss://:{at['password']}@{at['host']}:{at['port']}/0"
        f"?ssl_ca_certs={quote(str(trusted.path))}"
    )


def database_url(
    server: SecureServer, trusted: Authority, *, host: str = "", password: str = ""
) -> str:
    return (
        f"postgresql://postgres:{password or server.password}@{host or server.address}/postgres"
        f"?sslmode=verify-full&sslrootcert={quote(str(trusted.path))}"
    )


@pytest.fixture
def queue_over_tls(redis_server: SecureServer, authority: Authority) -> Iterator[str]:
    """Point the site's queue, cache and rate limits to the server with TLS."""
    url = addresses.redis(queue_url(redis_server, authority))
    with override_settings(
        REDIS_URL=url,
        RQ_QUEUES=derived.queues(url, configuration.QUEUES),
        CACHES=derived.caches(url),
    ):
        yield url


@pytest.fixture
def database_over_tls(authority: Authority, transactional_db: None) -> Iterator[Pooler]:
    """Connect to this test's database through a pooler with TLS."""
    with pooler(authority) as running:
        options = {"sslmode": "verify-full", "sslrootcert": str(authority.path)}
        with connected_through(running.address, **options):
            yield running


def test_pages_limits_health_and_a_worker_use_both_servers_over_tls(
    queue_over_tls: str,
    database_over_tls: Pooler,
    authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(healthz, "ANSWER_SECONDS", PATIENCE_SECONDS)
    client = Client()
    health_page = client.get("/healthz")
    assert (health_page.status_code, set(health_page.json().values())) == (200, {True})
    client.post("/accounts/login/", {"login": "ada@example.org", "password": "a wrong password"})
    with Redis.from_url(queue_over_tls) as server:
        assert list(server.scan_iter("*login_failed*"))

    assert connection.connection.pgconn.ssl_in_use
    commits = [Commit(message=f"Step {n}", files={"main.py": f"print({n})"}) for n in range(4)]
    make_repository(tmp_path / "work", commits)
    audit = AuditFactory(
        submission__repo_url=str(tmp_path / "work"),
        submission__assignment__rubric_version__document=rubric_document(),
    )
    enqueue(audit)
    at = connection.settings_dict
    url = (
        f"postgresql://{at['USER']}@{database_over_tls.address}:{POOLER_PORT}/{at['NAME']}"
        f"?sslmode=verify-full&sslrootcert={quote(str(authority.path))}"
    )
    done = command("audit_worker", "--burst", DATABASE_URL=url, REDIS_URL=queue_over_tls)
    assert done.returncode == 0, done.stderr
    with everywhere():
        assert Audit.objects.get(pk=audit.pk).state == AuditState.DONE


def command(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {
        "DJANGO_SETTINGS_MODULE": "auditor_site.settings.test",
        "MEDIA_ROOT": str(configuration.MEDIA_ROOT),
    }
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=configuration.BASE_DIR,
        env=os.environ | settings | environment,
        capture_output=True,
        text=True,
        check=False,
    )


REFUSED_QUEUES: dict[str, tuple[Callable[[SecureServer, Authority, Authority], str], str]] = {
    "authority": (lambda server, _, stranger: queue_url(server, stranger), UNTRUSTED),
    "address": (
        lambda server, trusted, _: queue_url(server, trusted, host=server.other_address),
        "IP address mismatch",
    ),
    "plaintext": (
        lambda server, trusted, _: queue_url(server, trusted, port=PLAIN_PORT),
        "without TLS",
    ),
    "password": (
        lambda server, trusted, _: queue_url(server, trusted, password="another"),
        "invalid username-password|invalid password",
    ),
}


@pytest.mark.parametrize("kind", REFUSED_QUEUES)
def test_queue_is_refused_with_another(
    kind: str,
    redis_server: SecureServer,
    authority: Authority,
    stranger: Authority,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_url, reason = REFUSED_QUEUES[kind]
    # In plaintext nothing but the end of the wait is told; all else comes from the server, in its time.
    monkeypatch.setattr(health, "SECONDS", 1 if kind == "plaintext" else PATIENCE_SECONDS)
    monkeypatch.setenv("REDIS_URL", make_url(redis_server, authority, stranger))
    assert health.main("worker") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(reason, line)
    assert redis_server.password not in line


def test_database_is_used_over_tls_and_refused_with_another_authority_address_or_plaintext(
    postgres_server: SecureServer, authority: Authority, stranger: Authority
) -> None:
    def connect(url: str) -> bool:
        read = addresses.database(url)
        with psycopg.connect(
            host=read["HOST"],
            user=read["USER"],
            password=read["PASSWORD"],
            dbname=read["NAME"],
            **read["OPTIONS"],
        ) as session:
            return session.pgconn.ssl_in_use

    server = postgres_server
    assert connect(database_url(server, authority))
    for url, reason in (
        (database_url(server, stranger), UNTRUSTED),
        (database_url(server, authority, host=server.other_address), "does not match host name"),
        (database_url(server, authority, password="another"), "password authentication failed"),
    ):
        with pytest.raises(psycopg.OperationalError, match=reason):
            connect(url)

    with (
        without_tls(server),
        pytest.raises(psycopg.OperationalError, match="server does not support SSL"),
    ):
        connect(database_url(server, authority))


def test_command_names_the_server_that_it_refuses_in_one_line(
    redis_server: SecureServer,
    postgres_server: SecureServer,
    authority: Authority,
    stranger: Authority,
) -> None:
    given = {
        "DATABASE_URL": database_url(postgres_server, stranger),
        "REDIS_URL": queue_url(redis_server, stranger),
    }
    worker, reconciler = (command(name, **given) for name in ("audit_worker", "reconcile"))
    for done, server in ((worker, "Valkey (REDIS_URL)"), (reconciler, "PostgreSQL (DATABASE_URL)")):
        (line,) = done.stderr.splitlines()
        assert (done.returncode, line.startswith(f"{server} cannot be used: ")) == (1, True)
        assert UNTRUSTED in line
