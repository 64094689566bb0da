"""Limits of a program behind bubblewrap, set by prlimit of util-linux: no Python starts for them.

bubblewrap itself sees to the rest of launch.py's part: it dies with its parent, and applies the
filter of system calls. An audit starts git some ten times, and each Python took 11 ms of processor
time where this takes 1.
"""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from courtroom.analysis.sandbox.child_io import ChildLimits
from courtroom.analysis.sandbox.launch import limits_of, socket_filter

OPTIONS = {
    resource.RLIMIT_AS: "as",
    resource.RLIMIT_CPU: "cpu",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_NOFILE: "nofile",
    resource.RLIMIT_CORE: "core",
}


@cache
def prlimit() -> str | None:
    """Return the program's path; None where it is absent."""
    return shutil.which("prlimit")


def limited(program: str, argv: Sequence[str], limits: ChildLimits) -> list[str]:
    """Return the command that sets the limits and becomes `argv`; `program` is prlimit."""
    table = limits_of(limits.memory_bytes, limits.cpu_seconds, limits.file_bytes)
    options = (f"--{OPTIONS[kind]}={soft}:{hard}" for kind, (soft, hard) in table.items())
    return [program, *options, "--", *argv]


@contextmanager
def no_sockets() -> Iterator[int | None]:
    """Hold the filter that refuses sockets open for bubblewrap; None where the kernel has none."""
    content = socket_filter()
    if not content:
        yield None
        return

    file = os.memfd_create("calls")
    try:
        os.write(file, content)
        os.lseek(file, 0, os.SEEK_SET)
        yield file
    finally:
        os.close(file)
