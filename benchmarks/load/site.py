"""The site as in production on this machine: servers, gunicorn, one worker and the reconciler."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg

from auditor_site.localservices.places import SHORT_ROOT, ephemeral_place
from auditor_site.localservices.postgres import Postgres
from auditor_site.localservices.server import Server, start
from auditor_site.localservices.valkey import Valkey
from benchmarks.load.processor import OTHERS, Meter
from grading.management.commands.serve import answers, web_command

START_SECONDS = 60
COURSE = "benchmarks.load.course"
# Busy cores of programs that only wait.
IDLE_SHARE = 0.1


@dataclasses.dataclass(frozen=True, slots=True)
class Site:
    """A running site. `processes` are the root process ids of its parts, by their names in the
    output.
    """

    address: str
    environment: dict[str, str]
    processes: dict[str, list[int]]
    folder: Path
    stack: contextlib.ExitStack

    def start(self, name: str) -> None:
        """Start one of PROGRAMS, beside those of that name; it is stopped with the site."""
        roots = self.processes.setdefault(name, [])
        command = [sys.executable, "manage.py", *PROGRAMS[name]]
        log = self.folder / f"{name}{len(roots) + 1}.log"
        roots.append(_start_process(command, self.environment, self.stack, log))

    def settle(self) -> None:
        """Wait until the programs have started: their imports take seconds of the processor."""
        used = 1.0
        while used > IDLE_SHARE:
            with Meter(self.processes) as meter:
                time.sleep(2)
            used = sum(busy for name, busy in meter.busy.items() if name != OTHERS)

    @contextlib.contextmanager
    def connected(self, course: dict[str, Any]) -> Iterator[psycopg.Connection]:
        """Connect as the site does, in the scope of the course's organization."""
        with psycopg.connect(self.environment["DATABASE_URL"], autocommit=True) as database:
            database.execute(
                "SELECT set_config('auditor.organization', %s, false)",
                [str(course["organization"])],
            )
            yield database

    def make_course(self, students: int, repositories: list[str]) -> dict[str, Any]:
        """Make an organization with a cohort of this many signed-in students (course.py)."""
        course: dict[str, Any] = self.run(COURSE, "people", str(students), *repositories)
        return course

    def queries(self) -> dict[str, tuple[int, ...]]:
        """Return the number of queries of each page, for the smallest and the largest course."""
        return {page: tuple(counts) for page, counts in self.run(COURSE, "queries").items()}

    def run(self, module: str, *words: str) -> Any:
        """Run a module with the site's settings; return the JSON of its last line."""
        command = [sys.executable, "-m", module, *words]
        done = subprocess.run(
            command, env=self.environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return json.loads(done.stdout.splitlines()[-1])


PROGRAMS = {
    "worker": ["audit_worker"],
    "letter_worker": ["letter_worker"],
    "reconciler": ["reconcile", "--forever"],
}


@contextlib.contextmanager
def run_site(
    folder: Path,
    programs: Sequence[str] = tuple(PROGRAMS),
    *,
    bubblewrap: bool = True,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Site]:
    """Run the site with these programs during the block, and remove everything afterwards.

    `settings` go before those of production. Without bubblewrap the processor time of all children
    is measured (processor.py).
    """
    with contextlib.ExitStack() as stack:
        # A temporary folder, but on a disk and with durability as in production.
        place = dataclasses.replace(ephemeral_place(SHORT_ROOT), ephemeral=False)
        stack.callback(shutil.rmtree, place.home, ignore_errors=True)
        servers: dict[str, Server] = {"DATABASE_URL": Postgres(place), "REDIS_URL": Valkey(place)}
        roots = {server.name: _start_server(server, stack) for server in servers.values()}
        port = free_port()
        environment = production_environment(folder, port)
        environment |= {name: server.url for name, server in servers.items()}
        environment |= settings or {}
        if not bubblewrap:
            environment["PATH"] = f"{_failing_bubblewrap(folder)}:{environment['PATH']}"
        prepare_site(environment)
        roots["web"] = [_start_process(web_command(port), environment, stack, folder / "web.log")]
        wait_for_site(port)
        stack.callback(print_errors, folder / "web.log")
        site = Site(f"http://127.0.0.1:{port}", environment, roots, folder, stack)
        for name in programs:
            site.start(name)
        yield site


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _failing_bubblewrap(folder: Path) -> Path:
    """Return a folder whose bubblewrap may do nothing: the sandbox then goes without it."""
    program = folder / "programs" / "bwrap"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    return program.parent


def print_errors(log: Path) -> None:
    """Print the last errors of the site's own log."""
    errors = [line for line in log.read_text(errors="replace").splitlines() if '"error"' in line]
    sys.stderr.writelines(f"{line[:2000]}\n" for line in errors[-3:])


def _start_server(server: Server, stack: contextlib.ExitStack) -> list[int]:
    running = start(server)
    if running is None:
        raise RuntimeError(f"{server.name} already runs in a new folder")
    stack.callback(running.stop)
    return [running.process.pid]


def production_environment(folder: Path, port: int) -> dict[str, str]:
    """Return the settings of production, without the addresses of servers."""
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "auditor_site.settings.production",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "127.0.0.1",
        "SITE_URL": f"https://127.0.0.1:{port}",
        "EMAIL_URL": "console:",
        "ALLOW_LOCAL_REPOSITORIES": "true",
        "SUBMISSION_GRACE_SECONDS": "0",
        "MEDIA_ROOT": str(folder / "media"),
        "PORT": str(port),
    }


def prepare_site(environment: dict[str, str]) -> None:
    """Make the tables and the static files."""
    for arguments in (
        ["migrate", "--verbosity", "0"],
        ["collectstatic", "--noinput", "--verbosity", "0"],
    ):
        subprocess.run([sys.executable, "manage.py", *arguments], env=environment, check=True)


def _start_process(
    command: list[str], environment: dict[str, str], stack: contextlib.ExitStack, log: Path
) -> int:
    output = stack.enter_context(log.open("wb"))
    # In a session of its own, as by systemd, a container or `manage.py serve`.
    process = subprocess.Popen(
        command, env=environment, stdout=output, stderr=output, start_new_session=True
    )
    stack.callback(process.wait, 30)
    stack.callback(process.terminate)
    return process.pid


def wait_for_site(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(port):
        if time.monotonic() > deadline:
            raise RuntimeError(f"the site did not answer within {START_SECONDS} s")
        time.sleep(0.2)
