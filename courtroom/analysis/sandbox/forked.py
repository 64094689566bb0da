"""Run one piece of work in a fork of a confined child, so that a crash costs one answer.

Only a confined child may fork: its limits bind the fork too, and it has no threads.
"""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Callable
from typing import Any, NoReturn


class ForkFailed(Exception):
    """The fork ended without an answer; the message is the reason."""


def run_forked(work: Callable[[], Any], *, cpu_seconds: int) -> Any:
    """Return the result of `work`, plain JSON, from a fork with so much processor time.

    Raises ForkFailed when the fork crashes or takes longer.
    """
    return json.loads(written_by_fork(work, cpu_seconds=cpu_seconds))


def written_by_fork(work: Callable[[], Any], *, cpu_seconds: int) -> bytes:
    """Return the result of `work` as the fork wrote it: JSON, unless it was taken over."""
    reader, writer = os.pipe()
    process = os.fork()
    if not process:
        _answer_and_exit(work, writer, cpu_seconds)

    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(process, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise ForkFailed(_reason(code, cpu_seconds))

    return answer


def _reason(code: int, cpu_seconds: int) -> str:
    if -code == signal.SIGXCPU:
        return f"it took more than {cpu_seconds} s"
    return f"it was stopped by signal {-code}" if code < 0 else "it failed"


def _answer_and_exit(work: Callable[[], Any], writer: int, cpu_seconds: int) -> NoReturn:
    # Exit without cleaning up: open files and their unwritten bytes belong to the parent.
    try:
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, hard))
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(json.dumps(work()).encode())
    except BaseException:  # noqa: BLE001 -- nothing above this frame is the fork's to run
        os._exit(1)
    os._exit(0)
