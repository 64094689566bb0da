"""Try the sandbox's protections on this machine, and report missing ones to the operator."""

from __future__ import annotations

import sys
from dataclasses import replace

from courtroom.analysis.git.git_process import READING
from courtroom.analysis.sandbox.bubblewrap import bubblewrap
from courtroom.analysis.sandbox.sandbox import run_confined

NO_BUBBLEWRAP = (
    "bubblewrap is not used on this machine: it is not installed or may not create namespaces. "
    "Processes that read submissions still have limits and no network, but they can see all files "
    "of their user. docs/operations.md explains what to do."
)
NETWORK_OPEN = (
    "Processes that read submissions can open network connections on this machine: neither "
    "bubblewrap nor the kernel's system-call filter works. docs/operations.md explains what to do."
)


def missing_protections() -> tuple[str, ...]:
    """Return a sentence for every protection that does not work here."""
    messages = []
    if not bubblewrap():
        messages.append(NO_BUBBLEWRAP)
    if not network_is_closed():
        messages.append(NETWORK_OPEN)
    return tuple(messages)


def network_is_closed() -> bool:
    """Return whether a confined process may not connect even to this machine itself."""
    code = "import socket; socket.create_connection(('127.0.0.1', 9), 2)"
    limits = replace(READING, wall_seconds=10)
    completed = run_confined([sys.executable, "-I", "-S", "-c", code], limits=limits)
    # "Connection refused" comes from the port's side: the socket itself was allowed.
    return completed.returncode != 0 and b"ConnectionRefusedError" not in completed.stderr
