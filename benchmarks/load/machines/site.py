"""Start the machines: two with gunicorn, workers, one for letters and one for the reconciler."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.load.machines.network import Machine, bridge, build_clock
from benchmarks.load.machines.servers import DATABASE, MAIL, QUEUE, STORE, balanced, run_servers
from benchmarks.load.site import (
    Site,
    free_port,
    prepare_site,
    print_errors,
    production_environment,
    wait_for_site,
)
from benchmarks.load.submissions import Submissions
from grading.management.commands.serve import web_command
from tests.factories.mail_server import MailServer
from tests.waiting import eventually

WEB_MACHINES = 2
# Every second machine's clock is ahead by this.
AHEAD_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Machines:
    """The running site, its worker machines, and the letters that arrived."""

    site: Site
    workers: list[Machine]
    mail: MailServer


@contextmanager
def run_machines(folder: Path, submissions: Submissions, *, workers: int) -> Iterator[Machines]:
    """Run the site during the block, and remove everything afterwards."""
    with ExitStack() as stack:
        stack.enter_context(bridge([DATABASE, QUEUE, STORE, MAIL]))
        servers = stack.enter_context(run_servers(folder))
        git_port = urlsplit(submissions.repositories[0]).port
        port = free_port()
        environment = production_environment(folder, port) | servers.environment
        environment["GIT_PORT"] = str(git_port)
        direct = environment | {"DATABASE_URL": servers.database_url}
        prepare_site(direct)
        build_clock(folder / "repositories")

        machines = [
            _machine(number, name, command, environment, folder, stack)
            for number, (name, command) in enumerate(_programs(workers, port))
        ]
        web = [f"{machine.address}:{port}" for machine in machines[:WEB_MACHINES]]
        roots = {machine.name: _roots(machine) for machine in machines}
        # A request that nginx sends to a machine which is not up yet fails.
        for machine in machines[:WEB_MACHINES]:
            eventually(partial(_listens, machine, port), describe=machine.log.read_text)
        roots |= servers.processes | {"nginx": [stack.enter_context(balanced(folder, port, web))]}
        wait_for_site(port)
        yield Machines(
            Site(f"http://127.0.0.1:{port}", direct, roots, folder, stack),
            [machine for machine in machines if machine.name.startswith("worker")],
            servers.mail,
        )


def _programs(workers: int, port: int) -> list[tuple[str, list[str]]]:
    web = [word.replace("127.0.0.1:", "0.0.0.0:") for word in web_command(port)]
    manage = [web[0], "manage.py"]
    return [
        *((f"web{number + 1}", web) for number in range(WEB_MACHINES)),
        *((f"worker{number + 1}", [*manage, "audit_worker"]) for number in range(workers)),
        ("letters", [*manage, "letter_worker"]),
        ("reconciler", [*manage, "reconcile", "--forever"]),
    ]


def _machine(
    number: int,
    name: str,
    command: list[str],
    environment: dict[str, str],
    folder: Path,
    stack: ExitStack,
) -> Machine:
    machine = Machine(
        name,
        number,
        command,
        environment,
        outside=folder / "repositories",
        log=folder / f"{name}.log",
        ahead=AHEAD_SECONDS * (number % 2),
    )
    stack.callback(print_errors, machine.log)
    machine.connect()
    stack.callback(machine.remove)
    machine.power_on()
    stack.callback(machine.power_off)
    return machine


def _listens(machine: Machine, port: int) -> bool:
    with suppress(OSError), socket.create_connection((machine.address, port), 1):
        return True
    return False


def _roots(machine: Machine) -> list[int]:
    assert machine.process  # it was powered on
    return [machine.process.pid]
