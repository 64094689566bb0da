"""`python -m tests.faults.services LETTER_WORKERS`: the workers and the reconciler under the site's
own supervisor.

They are forks of this process, which has imported the site once: each of some thirty workers would
spend two seconds on it. test_killed_worker.py starts workers as the site does.
"""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import django
from django.core.management import call_command

from grading.core.allowed_job import JOBS_MODULE
from grading.management.supervisor import Supervisor, die_with_parent

TICK_SECONDS = 0.05
# Several tests kill a worker of the same crew; none of them is about the growing pause.
STEADY_SECONDS = 5.0
FORK = multiprocessing.get_context("fork")


class ForkedCommand:
    """A command of manage.py in a fork, which the system names after the command."""

    def __init__(self, command: list[str]) -> None:
        self._process = FORK.Process(target=run_command, args=command)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> None:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("a fork", timeout or 0)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def run_command(name: str, *options: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setsid()
    die_with_parent()
    Path("/proc/self/comm").write_text(name)
    call_command(name, *options)


def main(letter_workers: int) -> None:
    django.setup()
    from grading.engine import audits

    audits.preload()
    import_module(JOBS_MODULE)
    gc.freeze()
    supervisor = Supervisor(
        report=sys.stderr.write, steady_seconds=STEADY_SECONDS, start=ForkedCommand
    )

    def stop(*_: object) -> None:
        supervisor.stopping = True

    signal.signal(signal.SIGTERM, stop)
    supervisor.keep("worker", ["audit_worker"])
    for number in range(letter_workers):
        supervisor.keep(f"letter worker {number}", ["letter_worker"])

    supervisor.keep("reconciler", ["reconcile", "--forever"])

    while not supervisor.stopping:
        supervisor.tend()
        time.sleep(TICK_SECONDS)

    supervisor.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]))
