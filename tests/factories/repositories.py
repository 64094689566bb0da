"""Real git repositories for tests, made in one `git fast-import` (about 15 ms each)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

FIRST_COMMIT_AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
STUDENT = "Ada Student <ada@example.org>"
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Commit:
    """`files` maps paths to contents (None deletes); `when` defaults to one hour after the commit
    before.

    `committed` is when it was really made, where that is not when its author says.

    A commit on a new `branch` starts at main; `merge` names a branch that becomes its second
    parent. `modes` gives a path another mode than 100644, for example 120000 for a symbolic link.
    """

    message: str = "Work"
    files: Mapping[str, str | bytes | None] = field(default_factory=dict)
    author: str = STUDENT
    when: datetime | None = None
    committed: datetime | None = None
    branch: str = "main"
    merge: str | None = None
    modes: Mapping[str, str] = field(default_factory=dict)


def make_repository(
    path: Path, commits: Sequence[Commit], *, tags: Mapping[str, str] | None = None
) -> str:
    """Make a bare repository whose HEAD is main at `path`; answer the commit HEAD points to (""
    when empty).

    `tags` maps tag names to the branch they point to.
    """
    git("init", "-q", "--bare", "--template=", "-b", "main", str(path))
    git("fast-import", "--quiet", "--done", at=path, stdin=_stream(commits, tags or {}))
    return git("rev-parse", "--verify", "-q", "HEAD", at=path) if commits else ""


def git(*arguments: str, at: Path | None = None, stdin: bytes = b"") -> str:
    """Run git away from this machine's configuration; answer what it printed, stripped."""
    where = ["-C", str(at)] if at else []
    done = subprocess.run(
        ["git", *where, *arguments], input=stdin, env=ENVIRONMENT, check=True, capture_output=True
    )
    return done.stdout.decode().strip()


def _stream(commits: Sequence[Commit], tags: Mapping[str, str]) -> bytes:
    when, branches = FIRST_COMMIT_AT, {"main"}
    out: list[bytes] = []
    for commit in commits:
        when = commit.when or when
        out += _commit_lines(commit, when, starts=commit.branch not in branches)
        branches.add(commit.branch)
        when += timedelta(hours=1)

    for tag, branch in tags.items():
        out.append(f"reset refs/tags/{tag}\nfrom refs/heads/{branch}\n".encode())

    return b"".join([*out, b"done\n"])


def _commit_lines(commit: Commit, when: datetime, *, starts: bool) -> list[bytes]:
    author_time, commit_time = (
        f"{int(moment.timestamp())} {moment:%z}" for moment in (when, commit.committed or when)
    )
    head = (
        f"commit refs/heads/{commit.branch}\n"
        f"author {commit.author} {author_time}\ncommitter {STUDENT} {commit_time}\n"
    )
    lines = [head.encode(), _data(commit.message.encode())]
    if starts:
        lines.append(b"from refs/heads/main\n")
    if commit.merge:
        lines.append(f"merge refs/heads/{commit.merge}\n".encode())

    for path, content in commit.files.items():
        lines += _file_lines(path, content, commit.modes.get(path, "100644"))

    return lines


def _file_lines(path: str, content: str | bytes | None, mode: str) -> list[bytes]:
    if content is None:
        return [f"D {_quoted(path)}\n".encode()]
    body = content.encode() if isinstance(content, str) else content
    return [f"M {mode} inline {_quoted(path)}\n".encode(), _data(body)]


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)
