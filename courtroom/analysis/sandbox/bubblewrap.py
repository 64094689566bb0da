"""Namespaces around a confined process: bubblewrap, where this machine has it and lets it work.

Inside, the file system is read-only, /tmp, /var/tmp and /run hold only what was named, no process
of the machine is in sight, and there is no network unless it was asked for. Without bubblewrap the
limits stand all the same, and launch.py still closes the network; the file system is then what the
user may see.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[3]
PRIVATE_FOLDERS = ("/tmp", "/var/tmp", "/run")  # noqa: S108 -- these are hidden, not written to
PRIVATE_BYTES = 16 * 1024 * 1024
# On a machine with work for minutes: after it, this process goes without bubblewrap to its end.
TRIAL_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Reach:
    """Paths a confined process may read, folders it may write, and whether it has a network.

    The system's own folders can be read in any case, and nothing else be written; if it
    `is_sealed`, it leaves not even a name behind in its own /tmp, for what comes after it in there.
    """

    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    network: bool = False
    is_sealed: bool = False


NOTHING = Reach()


@cache
def bubblewrap() -> str | None:
    """Return the program's path; None when it is absent, or may not make namespaces here."""
    program = shutil.which("bwrap")
    if program is None:
        return None

    command = [*bubblewrap_command(program, NOTHING), sys.executable, "-I", "-S", "-c", ""]
    try:
        completed = subprocess.run(command, capture_output=True, timeout=TRIAL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None

    return program if completed.returncode == 0 else None


def bare_environment() -> dict[str, str]:
    """Return all that a confined process gets of our environment."""
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


def bubblewrap_command(program: str, reach: Reach, call_filter: int | None = None) -> list[str]:
    """Return bubblewrap and its options; the confined command follows.

    `call_filter` is an open file with the kernel's filter of system calls (launch.py).
    """
    command = [program, "--die-with-parent", "--unshare-pid", "--unshare-ipc"]
    command += ["--cap-drop", "ALL", "--chdir", "/"]
    command += [] if reach.network else ["--unshare-net"]
    command += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]

    # Mounts apply in order: the private folders are emptied first, so that the paths to read and
    # write appear in them.
    for folder in PRIVATE_FOLDERS:
        if Path(folder).is_dir():
            command += ["--size", str(PRIVATE_BYTES), "--tmpfs", folder]

    paths = (*_own_folders(), *reach.reads)
    for path in dict.fromkeys(_mount_point(path.absolute()) for path in paths):
        command += ["--ro-bind-try", str(path), str(path)]

    for path in reach.writes:
        command += ["--bind", str(path.absolute()), str(path.absolute())]

    if reach.is_sealed:
        private = [folder for folder in (*PRIVATE_FOLDERS, "/dev") if Path(folder).is_dir()]
        command += [word for folder in private for word in ("--remount-ro", folder)]
    if call_filter is not None:
        command += ["--seccomp", str(call_filter)]
    return [*command, "--"]


def _own_folders() -> tuple[Path, ...]:
    """Return the folders of Python and of this package, should they lie in a hidden folder."""
    return (PROJECT_ROOT, Path(sys.prefix), Path(sys.base_prefix))


def _mount_point(path: Path) -> Path:
    # bubblewrap cannot mount on a link that stays visible, so there its target is mounted.
    is_private = any(map(path.is_relative_to, PRIVATE_FOLDERS))
    is_hidden = is_private and not path.is_relative_to(PROJECT_ROOT)
    return path if is_hidden else path.resolve()
