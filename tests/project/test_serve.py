"""`manage.py serve` and its supervisor, each in its own process: stopping ends every descendant."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError

from grading.management.commands.serve import answers, refuse_taken_port
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
PRELUDE = """
import sys, time
from grading.management.supervisor import Supervisor

supervisor = Supervisor(report=lambda line: print(line, flush=True))
"""


def supervise(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + script],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def printed(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_taken_port_is_refused_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError) as refused:
            refuse_taken_port(port)

    assert str(refused.value) == (
        f"Port {port} cannot be used (Address already in use): "
        f"choose another, as in `PORT={port + 1} make run`."
    )


def test_port_without_a_listener_does_not_answer() -> None:
    # Bound, so that no other process gets it meanwhile; nobody listens.
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        assert answers(bound.getsockname()[1]) is False


def test_ended_child_is_restarted_and_reported() -> None:
    process = supervise(
        "supervisor.keep('worker 1', ['sh', '-c', 'echo started; exit 3'])\n"
        "while True: supervisor.tend(); time.sleep(0.01)"
    )
    lines = [printed(process) for _ in range(4)]
    process.kill()
    process.communicate()

    assert lines == [
        "started",
        "worker 1 ended with code 3; it starts again in 1.0 s.",
        "started",
        "worker 1 ended with code 3; it starts again in 2.0 s.",
    ]


def test_one_time_task_is_not_restarted_and_its_failure_is_reported() -> None:
    process = supervise(
        "supervisor.once('demo cohort', ['sh', '-c', 'exit 5'])\n"
        "while not supervisor.is_settled: supervisor.tend(); time.sleep(0.01)\nprint('over')"
    )
    out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert out.splitlines() == ["demo cohort failed with code 5; its output says why.", "over"]


def test_programs_print_to_the_file_that_they_are_started_with(tmp_path: Path) -> None:
    process = supervise(
        "from functools import partial\n"
        "from grading.management.supervisor import start_program\n"
        f"log = open({str(tmp_path / 'log')!r}, 'wb')\n"
        "supervisor = Supervisor(print, start_once=partial(start_program, errors=log))\n"
        "supervisor.once('demo cohort', ['sh', '-c', 'echo the logins; echo a warning >&2'])\n"
        "while not supervisor.is_settled: supervisor.tend(); time.sleep(0.01)"
    )
    out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert (out, (tmp_path / "log").read_text()) == ("the logins\n", "a warning\n")


def test_stop_ends_grandchildren_in_other_sessions() -> None:
    process = supervise(
        "supervisor.keep('worker 1', ['sh', '-c', 'setsid sleep 60 & echo $!; wait'])\n"
        "sys.stdin.readline()\nsupervisor.stop()\nprint('stopped', flush=True)"
    )
    pid = int(printed(process))

    assert is_alive(pid)

    out, _ = process.communicate(timeout=PATIENCE_SECONDS)

    assert (out, process.returncode, is_alive(pid)) == ("stopped\n", 0, False)


def test_orphans_of_a_child_are_reaped() -> None:
    process = supervise(
        "supervisor.keep('worker 1', ['sh', '-c', '(sleep 0.05 & echo $!); exec sleep 60'])\n"
        "while True: supervisor.tend(); time.sleep(0.01)"
    )
    pid = int(printed(process))
    wait_until(lambda: not is_alive(pid))
    process.terminate()
    process.communicate(timeout=PATIENCE_SECONDS)


def test_killed_supervisor_ends_its_children() -> None:
    process = supervise(
        "supervisor.keep('worker 1', ['sh', '-c', 'echo $$; exec sleep 60'])\ntime.sleep(60)"
    )
    pid = int(printed(process))
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE_SECONDS)
    wait_until(lambda: not is_alive(pid))
