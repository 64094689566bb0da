"""Niceness that counts where the kernel shares the processor out among sessions.

With autogroups (sched(7)) every session gets the same share, and the niceness of a process counts
within its session only. The session has a niceness of its own, 0 for a new one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def lower_priority(niceness: int) -> None:
    """Make this process and its children give way to others, also to those of other sessions."""
    os.nice(niceness)
    # A session that another process leads is that one's, with what else it runs.
    if os.getsid(0) == os.getpid():
        pass_on_niceness(os.getpid())


def pass_on_niceness(session: int) -> None:
    """Give a session that this process has begun its own niceness."""
    niceness = os.nice(0)
    if niceness > 0:
        # Absent in a kernel without autogroups; and it refuses more than ten changes a second.
        with suppress(OSError):
            Path(f"/proc/{session}/autogroup").write_text(str(niceness), encoding="ascii")
