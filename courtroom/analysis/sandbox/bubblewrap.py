"""The outer walls of a confined process: bubblewrap, where this machine has it and lets it work.

Inside, the file system is read-only, /tmp, /var/tmp and /run are empty but for what was named, no process of the
machine is in sight, and there is no network unless it was asked for. Without bubblewrap the limits stand all the
same, and launch.py still closes the network; the file system is then what the user may see.
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
TRIAL_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Reach:
    """What a confined process may touch: read these paths, write under those folders, use the network.

    The system's own folders can be read in any case, and nothing else be written.
    """

    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    network: bool = False


NOTHING = Reach()


@cache
def bubblewrap() -> str | None:
    """The program's path when it can build these walls here; None when it is absent or forbidden to."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    command = [*around(program, NOTHING), sys.executable, "-I", "-S", "-c", ""]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TRIAL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if done.returncode == 0 else None


def bare_environment() -> dict[str, str]:
    """All that a confined process is told of ours."""
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


def around(program: str, reach: Reach, *, shared: bool = False) -> list[str]:
    """bubblewrap's own words, to be followed by the command it confines.

    What is `shared` by many children outlives the thread that starts it, and has nowhere to write to at all.
    """
    words = [
        program,
        *([] if shared else ["--die-with-parent"]),
        "--unshare-pid",
        "--unshare-ipc",
        "--cap-drop",
        "ALL",
        "--chdir",
        "/",
    ]
    words += [] if reach.network else ["--unshare-net"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    private = [folder for folder in PRIVATE_FOLDERS if Path(folder).is_dir()]
    for folder in private:
        words += ["--size", str(PRIVATE_BYTES), "--tmpfs", folder]
    for path in dict.fromkeys(_place(path.absolute()) for path in (*_ourselves(), *reach.reads)):
        words += ["--ro-bind-try", str(path), str(path)]
    for path in reach.writes:
        words += ["--bind", str(path.absolute()), str(path.absolute())]
    for folder in ["/dev", *private] if shared else []:
        words += ["--remount-ro", folder]
    return [*words, "--"]


def _ourselves() -> tuple[Path, ...]:
    """Where Python and this package are, should they lie in a folder that is hidden."""
    return (PROJECT_ROOT, Path(sys.prefix), Path(sys.base_prefix))


def _place(path: Path) -> Path:
    """Where to mount it: a link that stays in sight cannot be mounted on, so there it is what the link leads to."""
    hidden = any(map(path.is_relative_to, PRIVATE_FOLDERS)) and not path.is_relative_to(
        PROJECT_ROOT
    )
    return path if hidden else path.resolve()
