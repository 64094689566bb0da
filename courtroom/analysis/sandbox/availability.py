"""Which walls stand on this machine, found out by trying them, and what to tell its operator about the others."""

from __future__ import annotations

import sys
from dataclasses import replace

from courtroom.analysis.git.git_process import READING
from courtroom.analysis.sandbox.bubblewrap import bubblewrap
from courtroom.analysis.sandbox.sandbox import run_confined

NO_BUBBLEWRAP = (
    "bubblewrap is not used here: it is not installed, or may not make namespaces. What reads submissions is still"
    " limited and has no network, but sees the files its user may see. docs/operations.md says what to do."
)
NETWORK_OPEN = (
    "What reads submissions could open network connections on this machine: neither bubblewrap nor the kernel's"
    " call filter works here. docs/operations.md says what to do."
)


def missing_walls() -> tuple[str, ...]:
    """A sentence for each wall that does not stand; none when all do."""
    told = [] if bubblewrap() else [NO_BUBBLEWRAP]
    return (*told, *([] if network_is_closed() else [NETWORK_OPEN]))


def network_is_closed() -> bool:
    """Whether a confined process was refused when it asked for a connection to this machine itself."""
    code = "import socket; socket.create_connection(('127.0.0.1', 9), 2)"
    limits = replace(READING, wall_seconds=10)
    done = run_confined([sys.executable, "-I", "-S", "-c", code], limits=limits)
    return done.returncode != 0 and b"ConnectionRefusedError" not in done.stderr
