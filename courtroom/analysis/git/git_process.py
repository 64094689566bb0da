"""Run git as a confined process, by argument list and with no configuration but ours.

The settings and the environment were tested against hostile repositories and servers. They allow
a repository no prompt, hook, redirect, submodule, filter, maintenance or second host.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from courtroom.analysis.sandbox.bubblewrap import NOTHING, Reach
from courtroom.analysis.sandbox.sandbox import ChildLimits, Completed, run_confined
from courtroom.models.errors import ChildFailed

MEBIBYTE = 1024 * 1024
SETTINGS = (
    "http.followRedirects=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=15",
    "credential.helper=",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=false",
    "core.quotePath=false",
    "core.bigFileThreshold=16m",
    # Newer git reads attributes from a bare repository's tree, and they can hide files.
    "attr.tree=no-such-tree",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "pack.threads=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "transfer.bundleURI=false",
)
ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",
}
# For reads from our own clone: nothing is written, so the output matters most.
READING = ChildLimits(
    memory_bytes=1024 * MEBIBYTE,
    cpu_seconds=60,
    file_bytes=0,
    wall_seconds=90,
    output_bytes=64 * MEBIBYTE,
)


def run_git(
    arguments: Sequence[str],
    *,
    limits: ChildLimits,
    protocol: str = "",
    settings: Sequence[str] = (),
    stdin: bytes = b"",
    reach: Reach = NOTHING,
    watch: Callable[[], None] | None = None,
    env: Mapping[str, str] | None = None,
    descriptors: tuple[int, ...] = (),
) -> Completed:
    """Run git once. `protocol` is the only transport it may use; the default is none.

    `env` and `descriptors` are those of access_handover.py.
    """
    options = [word for setting in (*SETTINGS, *settings) for word in ("-c", setting)]
    return run_confined(
        ["git", *options, *arguments],
        limits=limits,
        stdin=stdin,
        env={**ENVIRONMENT, "GIT_ALLOW_PROTOCOL": protocol, **(env or {})},
        reach=reach,
        watch=watch,
        descriptors=descriptors,
    )


def read_git(
    git_dir: Path,
    arguments: Sequence[str],
    *,
    stdin: bytes = b"",
    output_bytes: int = READING.output_bytes,
    settings: Sequence[str] = (),
) -> bytes:
    """Return git's output about a cloned repository. Raises ChildFailed."""
    completed = run_git(
        [f"--git-dir={git_dir}", *arguments],
        limits=replace(READING, output_bytes=output_bytes),
        settings=settings,
        stdin=stdin,
        reach=Reach(reads=(git_dir,)),
    )
    if completed.returncode != 0:
        failure = ChildFailed("child_died", f"git {arguments[0]} could not read the repository.")
        failure.add_note(completed.stderr[-2000:].decode(errors="replace"))
        raise failure
    return completed.stdout
