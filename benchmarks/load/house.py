"""The site as in production, on this machine: its servers, gunicorn, one worker and the reconciler."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditor_site.localservices.places import ephemeral_place
from auditor_site.localservices.postgres import Postgres
from auditor_site.localservices.server import Server, start
from auditor_site.localservices.valkey import Valkey
from grading.management.commands.serve import answers, web_command

PORT = 8765
START_SECONDS = 60


@dataclasses.dataclass(frozen=True, slots=True)
class House:
    """`processes` are the roots of what runs, by what they are called in the figures."""

    address: str
    environment: dict[str, str]
    processes: dict[str, list[int]]

    def town(self, students: int, repositories: list[str]) -> dict[str, Any]:
        """A new institution with a cohort of this many students who are signed in
        (benchmarks/load/town.py).
        """
        found: dict[str, Any] = self._told("people", str(students), *repositories)
        return found

    def queries(self) -> dict[str, tuple[int, ...]]:
        """How many queries each page asks, in the smallest town and in the largest."""
        return {page: tuple(counts) for page, counts in self._told("queries").items()}

    def _told(self, *words: str) -> Any:
        command = [sys.executable, "-m", "benchmarks.load.town", *words]
        said = subprocess.run(
            command, env=self.environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return json.loads(said.stdout.splitlines()[-1])


@contextlib.contextmanager
def open_house(folder: Path) -> Iterator[House]:
    """The site answers when the block begins; everything is gone when it ends."""
    with contextlib.ExitStack() as stack:
        place = dataclasses.replace(ephemeral_place(), ephemeral=False)
        stack.callback(shutil.rmtree, place.home, ignore_errors=True)
        servers: dict[str, Server] = {"DATABASE_URL": Postgres(place), "REDIS_URL": Valkey(place)}
        roots = {server.name: _started(server, stack) for server in servers.values()}
        environment = _environment(folder, {name: server.url for name, server in servers.items()})
        for errand in (
            ["migrate", "--verbosity", "0"],
            ["collectstatic", "--noinput", "--verbosity", "0"],
        ):
            subprocess.run([sys.executable, "manage.py", *errand], env=environment, check=True)
        roots["web"] = [_running(web_command(PORT), environment, stack, folder / "web.log")]
        _wait()
        for name, words in {
            "worker": ["audit_worker"],
            "reconciler": ["reconcile", "--forever"],
        }.items():
            command = [sys.executable, "manage.py", *words]
            roots[name] = [_running(command, environment, stack, folder / f"{name}.log")]
        stack.callback(_say_errors, folder / "web.log")
        yield House(f"http://127.0.0.1:{PORT}", environment, roots)


def _say_errors(log: Path) -> None:
    """The last of what the site itself complained of."""
    errors = [line for line in log.read_text(errors="replace").splitlines() if '"error"' in line]
    sys.stderr.writelines(f"{line[:2000]}\n" for line in errors[-3:])


def _started(server: Server, stack: contextlib.ExitStack) -> list[int]:
    running = start(server)
    if running is None:
        raise RuntimeError(f"{server.name} runs already in a folder that is new")
    stack.callback(running.stop)
    return [running.process.pid]


def _environment(folder: Path, servers: dict[str, str]) -> dict[str, str]:
    return (
        os.environ
        | servers
        | {
            "DJANGO_SETTINGS_MODULE": "auditor_site.settings.production",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "ALLOWED_HOSTS": "127.0.0.1",
            "SITE_URL": f"https://127.0.0.1:{PORT}",
            "EMAIL_URL": "console:",
            "ALLOW_LOCAL_REPOSITORIES": "true",
            "MEDIA_ROOT": str(folder / "media"),
            "PORT": str(PORT),
        }
    )


def _running(
    command: list[str], environment: dict[str, str], stack: contextlib.ExitStack, log: Path
) -> int:
    output = stack.enter_context(log.open("wb"))
    process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    stack.callback(process.wait, 30)
    stack.callback(process.terminate)
    return process.pid


def _wait() -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(PORT):
        if time.monotonic() > deadline:
            raise RuntimeError(f"the site did not answer within {START_SECONDS} s")
        time.sleep(0.2)
