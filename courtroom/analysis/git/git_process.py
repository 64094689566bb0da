"""git as a confined process: by argument list, away from every configuration but this one.

The settings and the environment were tried on hostile repositories and servers (docs/architecture.md). They
leave no prompt, hook, redirect, submodule, filter, maintenance or second host for a repository to use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    "attr.tree=no-such-tree",  # newer git reads attributes from a bare repository's tree, and hides files by them
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
# Reading objects of a repository we cloned: the output is what is worth bounding.
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
) -> Completed:
    """Run git once. `protocol` is the only transport it may use; none by default."""
    options = [word for setting in (*SETTINGS, *settings) for word in ("-c", setting)]
    env = {**ENVIRONMENT, "GIT_ALLOW_PROTOCOL": protocol}
    return run_confined(
        ["git", *options, *arguments], limits=limits, stdin=stdin, env=env, reach=reach, watch=watch
    )


def read_git(
    git_dir: Path,
    arguments: Sequence[str],
    *,
    stdin: bytes = b"",
    output_bytes: int = READING.output_bytes,
    settings: Sequence[str] = (),
) -> bytes:
    """What git prints about a cloned repository. ChildFailed when it does not end well."""
    limits = ChildLimits(
        READING.memory_bytes,
        READING.cpu_seconds,
        READING.file_bytes,
        READING.wall_seconds,
        output_bytes,
    )
    reach = Reach(reads=(git_dir,))
    words = [f"--git-dir={git_dir}", *arguments]
    done = run_git(words, limits=limits, settings=settings, stdin=stdin, reach=reach)
    if done.returncode != 0:
        failure = ChildFailed("child_died", f"git {arguments[0]} could not read the repository.")
        failure.add_note(done.stderr[-2000:].decode(errors="replace"))
        raise failure
    return done.stdout
