"""/healthz of a real server while database and queue are stopped: in time, with a word."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import httpx
from django.conf import settings

from auditor_site.localservices.postgres import Postgres
from auditor_site.localservices.valkey import Valkey
from tests.faults.conftest import Servers, own
from tests.waiting import PATIENCE_SECONDS, eventually

# The site gives its servers less than two seconds; the rest is for what runs beside this test.
ANSWER_SECONDS = 10.0
Answer = tuple[int, dict[str, bool]]
WELL: Answer = (200, {"database": True, "queue": True, "storage": True})


@contextmanager
def web(database: Servers, queue: Servers) -> Iterator[str]:
    """The address of a gunicorn with the container's settings, but one process."""
    environment = os.environ | {
        "DATABASE_URL": database.server.url,
        "REDIS_URL": queue.server.url,
        "DJANGO_SETTINGS_MODULE": "auditor_site.settings.test",
    }

    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "auditor_site.wsgi",
        "-c",
        "python:auditor_site.webserver",
        "--workers",
        "1",
        "--bind",
        "127.0.0.1:0",
    ]

    with subprocess.Popen(
        command, env=environment, cwd=settings.BASE_DIR, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr
        listening = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in server.stderr)
        try:
            yield next(match[0] for match in listening if match)
        finally:
            server.terminate()


def health_of(address: str, path: str = "/healthz") -> Answer:
    """Return the answer, which does not wait for a server that stands still."""
    begin = monotonic()
    answer = httpx.get(f"{address}{path}", timeout=20)
    assert monotonic() - begin < ANSWER_SECONDS
    return answer.status_code, answer.json()


@contextmanager
def standing_still(servers: Servers) -> Iterator[None]:
    os.kill(servers.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(servers.pid, signal.SIGCONT)


def test_a_server_that_stands_still_is_said_in_time() -> None:
    with own(Postgres) as database, own(Valkey) as queue, web(database, queue) as address:
        # For its first page the server imports the site.
        eventually(
            lambda: httpx.get(f"{address}/healthz", timeout=PATIENCE_SECONDS).status_code == 200
        )
        assert health_of(address) == WELL
        with standing_still(database):
            answers = [health_of(address) for _ in range(2)]
            assert answers == [(503, WELL[1] | {"database": False})] * 2
            assert health_of(address, "/healthz/live") == (200, {"live": True})
        eventually(lambda: health_of(address) == WELL)
        with standing_still(queue):
            assert health_of(address) == (503, WELL[1] | {"queue": False})
        eventually(lambda: health_of(address) == WELL)
