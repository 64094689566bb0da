"""`manage.py serve`: run the whole site on this machine, and stop everything at the end.

It runs the web server on 127.0.0.1, the workers and the reconciler, and the demo cohort once the
first page answers. The last lines on the terminal are the logins and the address: what the children
print, emails included, goes to var/serve.log. A child that ends is started again after a growing
pause, with a message. Ctrl-C or SIGTERM ends every process below this one.
"""

import http.client
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from io import FileIO
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command, get_commands

from grading.management.supervisor import Supervisor, start_program

FIRST_PAGE_SECONDS = 60
POLL_SECONDS = 0.2


class Command(BaseCommand):
    help = "Run the site, its workers and its reconciler on this machine."

    def handle(self, *_args: Any, **_options: Any) -> None:
        refuse_taken_port(settings.PORT)
        call_command("migrate", interactive=False, verbosity=0)
        log_path = settings.BASE_DIR / "var" / "serve.log"
        log_path.parent.mkdir(exist_ok=True)
        # Emails carry links that sign people in.
        log_path.touch(mode=0o600)
        with log_path.open("wb", buffering=0) as log:
            self.stdout.write(f"What the site's programs print, emails included, is in {log_path}")
            self.stdout.flush()
            self._supervise(log)

    def _supervise(self, log: FileIO) -> None:
        supervisor = Supervisor(
            report=self.stderr.write,
            start=partial(start_program, output=log, errors=log),
            # The demo cohort prints its logins.
            start_once=partial(start_program, errors=log),
        )
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, supervisor_stopper(supervisor))

        try:
            self._start(supervisor)
            # Nothing may push the logins and the address off the terminal.
            supervisor.report = lambda line: log.write(f"{line}\n".encode())
            tend_until(supervisor, lambda: False)
        finally:
            supervisor.stop()

    def _start(self, supervisor: Supervisor) -> None:
        """Start every program, one after the other; print the address as the last line."""
        address = f"http://127.0.0.1:{settings.PORT}/"
        deadline = time.monotonic() + FIRST_PAGE_SECONDS
        supervisor.keep("web", web_command(settings.PORT))
        tend_until(supervisor, lambda: answers(settings.PORT) or time.monotonic() > deadline)
        if time.monotonic() > deadline:
            raise CommandError(
                f"{address} did not answer in {FIRST_PAGE_SECONDS} s; the file named above says why."
            )

        for number in range(1, settings.AUDIT_WORKERS + 1):
            supervisor.keep(f"worker {number}", manage("audit_worker"))

        supervisor.keep("letter worker", manage("letter_worker"))
        supervisor.keep("reconciler", manage("reconcile", "--forever"))
        if "seed_demo" in get_commands():
            supervisor.once("demo cohort", manage("seed_demo"))
        tend_until(supervisor, lambda: supervisor.is_settled)

        if not supervisor.stopping:
            self.stdout.write(f"\nAutomaton Auditor is at {address} -- Ctrl-C stops it.")
            self.stdout.flush()


def tend_until(supervisor: Supervisor, is_over: Callable[[], bool]) -> None:
    """Tend the supervisor's children until this holds, or until it is asked to stop."""
    while not (supervisor.stopping or is_over()):
        supervisor.tend()
        time.sleep(POLL_SECONDS)


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
    """Return one of our own commands, started as this one was."""
    return [sys.executable, *sys.orig_argv[1 : sys.orig_argv.index("serve")], *words]


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
