"""`manage.py serve`: run the whole site on this machine, and stop everything at the end.

It runs the web server on 127.0.0.1, the workers and the reconciler, and the demo cohort once the
first page answers. A child that ends is started again after a growing pause, with a message. Ctrl-C
or SIGTERM ends every process below this one.
"""

import http.client
import signal
import socket
import sys
import time
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command, get_commands

from grading.management.supervisor import Supervisor

FIRST_PAGE_SECONDS = 60
POLL_SECONDS = 0.2


class Command(BaseCommand):
    help = "Run the site, its workers and its reconciler on this machine."

    def handle(self, *_args: Any, **_options: Any) -> None:
        refuse_taken_port(settings.PORT)
        call_command("migrate", interactive=False, verbosity=0)
        supervisor = Supervisor(report=self.stderr.write)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, supervisor_stopper(supervisor))

        try:
            self._run(supervisor)
        finally:
            supervisor.stop()

    def _run(self, supervisor: Supervisor) -> None:
        supervisor.keep("web", web_command(settings.PORT))
        self._wait_for_first_page(supervisor)
        for number in range(1, settings.AUDIT_WORKERS + 1):
            supervisor.keep(f"worker {number}", manage("audit_worker"))

        supervisor.keep("letter worker", manage("letter_worker"))
        supervisor.keep("reconciler", manage("reconcile", "--forever"))
        if "seed_demo" in get_commands():
            supervisor.once("demo cohort", manage("seed_demo"))

        while not supervisor.stopping:
            supervisor.tend()
            time.sleep(POLL_SECONDS)

    def _wait_for_first_page(self, supervisor: Supervisor) -> None:
        address = f"http://127.0.0.1:{settings.PORT}/"
        deadline = time.monotonic() + FIRST_PAGE_SECONDS
        while not supervisor.stopping and not answers(settings.PORT):
            if time.monotonic() > deadline:
                raise CommandError(
                    f"{address} did not answer in {FIRST_PAGE_SECONDS} s; the lines above say why."
                )
            supervisor.tend()
            time.sleep(POLL_SECONDS)

        if not supervisor.stopping:
            self.stdout.write(f"\nAutomaton Auditor is at {address} -- Ctrl-C stops it.\n")
            self.stdout.flush()


def supervisor_stopper(supervisor: Supervisor) -> Any:
    """Return a signal handler that stops the supervisor; a second signal changes nothing."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        supervisor.stopping = True

    return stop


def refuse_taken_port(port: int) -> None:
    """Raise CommandError, before anything is started, when the port is in use."""
    with socket.socket() as probe:
        # Without it, closing connections of the last run would make the port look taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(
                f"Port {port} cannot be used ({error.strerror}): "
                f"choose another, as in `PORT={port + 1} make run`.",
            ) from error


def manage(*words: str) -> list[str]:
    """Return one of our own commands, run by the same Python."""
    return [sys.executable, sys.argv[0], *words]


def web_command(port: int) -> list[str]:
    """Return gunicorn's command as in production, for this machine alone."""
    return [
        *(
            sys.executable,
            "-m",
            "gunicorn",
            "auditor_site.wsgi",
            "-c",
            "python:auditor_site.webserver",
        ),
        # The timeout is shorter than STOP_SECONDS of the supervisor: gunicorn ends by itself.
        *("--bind", f"127.0.0.1:{port}", "--graceful-timeout", "5", "--log-level", "warning"),
    ]


def answers(port: int) -> bool:
    """Return whether the site answers on this port with a page of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
