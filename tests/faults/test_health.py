"""/healthz of a real server, while the database's and the queue's processes stand still: in time,
and in a word.
"""

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
from tests.faults.site import eventually

ANSWER_SECONDS = 2.0
Answer = tuple[int, dict[str, bool]]
WELL: Answer = (200, {"database": True, "queue": True})


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
            yield next(found[0] for found in listening if found)
        finally:
            server.terminate()


def asked(address: str, path: str = "/healthz") -> Answer:
    """What it says; an answer after two seconds is none."""
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


def test_a_server_that_stands_still_is_said_in_two_seconds() -> None:
    with own(Postgres) as database, own(Valkey) as queue, web(database, queue) as address:
        eventually(
            lambda: httpx.get(f"{address}/healthz", timeout=20).status_code == 200
        )  # its first page
        assert asked(address) == WELL
        with standing_still(database):
            seen = [asked(address) for _ in range(2)]
            assert seen == [(503, {"database": False, "queue": True})] * 2
            assert asked(address, "/healthz/live") == (200, {"live": True})
        eventually(lambda: asked(address) == WELL)
        with standing_still(queue):
            assert asked(address) == (503, {"database": True, "queue": False})
        eventually(lambda: asked(address) == WELL)
