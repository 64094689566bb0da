"""A token and a private key are looked for in every byte that the site and a worker write, and are in none."""

from __future__ import annotations

import base64
import logging
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse
from redis import Redis

from grading.core.enums import AuditState
from grading.engine.repository_access import unsealed
from grading.models import Audit, RepositoryAccess
from tests.factories.github_server import GithubServer
from tests.factories.people import everywhere
from tests.factories.private_git_server import PrivateServer
from tests.factories.repository_accesses import TOKEN, app_access_of
from tests.factories.ssh_server import serve_ssh
from tests.faults.site import surroundings
from tests.waiting import AUDIT_PATIENCE_SECONDS, eventually

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("empty_cache"),
]
APP_VARIABLES = (
    "GITHUB_APP_ID",
    "GITHUB_APP_SLUG",
    "GITHUB_APP_PRIVATE_KEY",
    "GITHUB_APP_CLIENT_ID",
    "GITHUB_APP_CLIENT_SECRET",
)


@pytest.fixture
def written(tmp_path: Path, github: GithubServer) -> Iterator[Path]:
    """A folder for all that the worker writes: its log, and its temporary files."""
    (tmp_path / "temporary").mkdir()
    command = [sys.executable, "manage.py", "audit_worker"]
    environment = (
        surroundings()
        | {
            "DJANGO_SETTINGS_MODULE": "auditor_site.settings.local",
            "TMPDIR": str(tmp_path / "temporary"),
            "HOME": str(tmp_path),
            "SECRET_KEY": settings.SECRET_KEY,
            "GITHUB_APP_URL": github.url,
        }
        | dict(zip(APP_VARIABLES, settings.GITHUB_APP, strict=True))
    )
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            env=os.environ | environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        yield tmp_path
        process.terminate()
        process.wait(AUDIT_PATIENCE_SECONDS)


def files_below(folder: Path) -> Iterator[bytes]:
    # git removes files and folders while it works: os.walk passes over those that are gone.
    for parent, _folders, names in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            with suppress(FileNotFoundError):
                yield path.read_bytes() if path.is_file() else b""


def other_processes() -> Iterator[bytes]:
    """Arguments and variables of every other process of this machine."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and folder.name != str(os.getpid()):
            for name in ("cmdline", "environ"):
                try:
                    yield (folder / name).read_bytes()
                except OSError:
                    continue


def database() -> Iterator[bytes]:
    # Row-level security shows the rows of the organizations that were entered.
    with everywhere(), connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT row::text FROM "{table}" AS row')  # noqa: S608 -- our own names
            yield from (text.encode() for (text,) in cursor.fetchall())


def queue(redis: Redis) -> Iterator[bytes]:
    """Every value; RQ compresses its jobs."""
    readers: dict[Any, Any] = {
        b"string": redis.get,
        b"hash": redis.hgetall,
        b"list": lambda key: redis.lrange(key, 0, -1),
        b"set": redis.smembers,
        b"zset": lambda key: redis.zrange(key, 0, -1),
    }
    for key in redis.scan_iter():
        value = readers.get(redis.type(key), lambda _: b"")(key)
        values = value.values() if isinstance(value, dict) else value
        for part in [values] if isinstance(values, bytes) else values or []:
            yield part
            try:
                yield zlib.decompress(part)
            except zlib.error:
                continue


def test_no_secret_is_in_any_byte_that_was_written(
    private: PrivateServer,
    served: Path,
    assignment: Any,
    ada: Any,
    redis: Redis,
    github: GithubServer,
    written: Path,
    caplog: Any,
) -> None:
    client, slugs = Client(), [ada.organization.slug, ada.cohort.slug]
    client.force_login(ada.user)
    page, submit = (
        reverse("repositories", args=slugs),
        reverse("submit", args=[*slugs, assignment.slug]),
    )
    address = f"{private.url}/course/ada.git"
    visible: set[bytes] = set()
    private.asked = lambda: visible.update(other_processes(), files_below(written))

    with caplog.at_level(logging.DEBUG), serve_ssh(served) as ssh:
        client.post(page, {"do": "token", "address": address, "token": TOKEN})
        client.post(page, {"do": "key", "address": ssh.url("course/ben.git")})
        with everywhere():
            key = RepositoryAccess.objects.get(kind="deploy_key")
            RepositoryAccess.objects.filter(pk=key.pk).update(host_key_confirmed_at=key.created_at)
        ssh.allowed = [" ".join(key.public_key.split()[:2])]
        host, cyds = urlsplit(private.url).netloc, "private/course/cyd"
        ids = {"repository_id": 3, "account_id": 300, "account_login": "cyd"}
        app_access_of(ada, host=host, path=cyds, **ids)
        for repository in (address, ssh.url("course/ben.git"), f"http://{host}/{cyds}.git"):
            client.post(submit, {"repo_url": repository})
        with everywhere():
            done = Audit.objects.filter(state=AuditState.DONE)
            eventually(
                lambda: done.count() == 3,
                AUDIT_PATIENCE_SECONDS,
                describe=lambda: list(Audit.objects.values()),
            )

    private_key: str = unsealed(key).private_key  # type: ignore[union-attr]  # -- a deploy key
    secrets = [max(private_key.splitlines(), key=len).encode()]
    for login in (f"oauth2:{TOKEN}", *(f"x-access-token:{token}" for token in github.tokens)):
        secrets += [login.partition(":")[2].encode(), base64.b64encode(login.encode())]
    assert len(secrets) == 1 + 2 * (1 + len(github.tokens)) > 3
    everything = {
        "processes and files of the clone": list(visible),
        "files": list(files_below(written)) + list(files_below(Path(settings.MEDIA_ROOT))),
        "database": list(database()),
        "queue": list(queue(redis)),
        "log": [caplog.text.encode()],
        "pages": [client.get(page).content, client.get(f"{page}{key.pk}/").content],
    }
    # What would make the search blind: nothing searched, or what is known to be there not seen.
    assert any(address.encode() in text for text in everything["database"])
    assert any(b"git" in text for text in visible)
    assert everything["queue"]
    assert any(b"bare = true" in text for text in visible)
    assert {
        place: [secret for secret in secrets if any(secret in text for text in texts)]
        for place, texts in everything.items()
    } == {place: [] for place in everything}
