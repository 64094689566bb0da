"""Fetch a repository's full history into a bare clone, and say in words why when that cannot be done.

Full history, because its progress is evidence and one shallow commit looks like a bulk upload. No object
filter: it is a saving a server may ignore, it makes git skip the checks on objects, and a missing blob would
have to be told from an absent one. What bounds a clone is the deadline, the file limit and the directory's size.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from courtroom.analysis.git.addresses import CheckedUrl
from courtroom.analysis.git.git_process import READING, run_git
from courtroom.analysis.sandbox.bubblewrap import Reach
from courtroom.analysis.sandbox.sandbox import ChildLimits
from courtroom.models.errors import (
    ChildFailed,
    CourtroomError,
    ExaminationFailed,
    RepositoryRefused,
)

# http.curloptResolve, which pins the connection to the checked addresses, is ignored by older ones.
OLDEST_GIT = (2, 37)
# A local repository may belong to another user; git allows that only by a setting of the serving side.
SERVE_LOCAL = "--upload-pack=git -c safe.directory=* upload-pack"
SHA1_DIGITS = 40
BARE_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"

LOGIN = (
    "The repository asks for a login: it is private, or its address is misspelt. Make it public."
)
NOT_FOUND = "No repository was found at this address. Check the spelling."
REDIRECTED = "The address leads to another one. Give the address it leads to."
TOO_SLOW = "The repository could not be fetched in the time allowed. Try again, or make it smaller."
REF_UNKNOWN = "The repository has no branch, tag or commit of that name."
# A web page answers git's question like an empty repository does, hence both in one sentence.
EMPTY = "No commits were found: push your work to the branch the repository shows first, or check the address."
UNREACHABLE = "The repository's site could not be reached, or did not answer as a git server. Try again later."
# A cut connection and an object that its server cannot read look alike from here.
BROKEN_OFF = (
    "The repository was found, but its transfer broke off. Try again; if that does not help, push it anew: it may be "
    "damaged where it lies."
)
# What git says on stderr under LC_ALL=C, first match decides. Lines the server wrote are not read. An index-pack
# that gave no reason for its invalid output was killed by a limit.
COMPLAINTS = (
    (
        r"No space left on device|cannot be started",
        "child_died",
        "The machine could not run the clone.",
    ),
    (
        r"could not read (Username|Password)|Authentication failed|returned error: 403",
        "login_required",
        LOGIN,
    ),
    (r"returned error: 30\d|redirect", "redirected", REDIRECTED),
    (r"Remote branch .* not found", "ref_unknown", REF_UNKNOWN),
    (
        r"repository '.*' (not found|does not exist)|does not appear to be a git|returned error: 4(04|10)",
        "not_found",
        NOT_FOUND,
    ),
    (r"Operation too slow|timed out", "too_slow", TOO_SLOW),
    (
        r"early EOF|RPC failed|is corrupt|not our ref|remote did not send all necessary objects",
        "unreachable",
        BROKEN_OFF,
    ),
    (r"[Oo]ut of memory|Cannot allocate memory|invalid index-pack output", "too_large", ""),
)


def clone(
    url: CheckedUrl, *, branch: str | None, every_branch: bool, into: Path, limits: ChildLimits
) -> bool:
    """Clone `url` bare into the directory `into`; answer whether git found malformed objects in it.

    `limits.file_bytes` also bounds the directory as a whole. Raises RepositoryRefused or ExaminationFailed and
    leaves nothing behind then. git refuses some old but honest repositories for the form of their objects:
    those are cloned again without the check, which costs only what a checkout would have risked.
    """
    narrow = [] if every_branch else ["--single-branch", "--no-tags"]
    chosen = [] if branch is None else [f"--branch={branch}"]
    arguments = [
        "clone",
        "-q",
        "--bare",
        "--template=",
        "--no-local",
        *_serving(url),
        *narrow,
        *chosen,
        "--",
    ]
    attempt = _Attempt([*arguments, url.url, str(into)], url, into, limits)
    try:
        malformed = not attempt.run(check_objects=True)
        if malformed:
            shutil.rmtree(into, ignore_errors=True)
            attempt.run(check_objects=False)
        if "\tobjectformat = sha256" in (into / "config").read_text().lower().splitlines():
            raise _sha256()
    except CourtroomError:
        shutil.rmtree(into, ignore_errors=True)
        raise
    (into / "config").write_text(
        BARE_CONFIG
    )  # forgets where it came from: nothing can be fetched later
    return malformed


def advertised(url: CheckedUrl, patterns: list[str], *, seconds: float) -> dict[str, str]:
    """The remote's refs that match, name to object id. Raises as `clone` does."""
    limits = replace(READING, wall_seconds=seconds)
    words = ["ls-remote", "-q", *_serving(url), "--", url.url, *patterns]
    pairs = _remote(words, url, limits, [], ()).decode(errors="replace").splitlines()
    refs = {name: oid for oid, _, name in (pair.partition("\t") for pair in pairs)}
    if any(len(oid) > SHA1_DIGITS for oid in refs.values()):
        raise _sha256()
    return refs


class _Attempt:
    """One clone that may need a second go, inside one deadline."""

    def __init__(
        self, arguments: list[str], url: CheckedUrl, into: Path, limits: ChildLimits
    ) -> None:
        self.arguments, self.url, self.into, self.limits = arguments, url, into, limits
        self.deadline = time.monotonic() + limits.wall_seconds

    def run(self, *, check_objects: bool) -> bool:
        """False when git refused the objects for their form."""
        limits = replace(self.limits, wall_seconds=self.deadline - time.monotonic())
        setting = f"fetch.fsckObjects={str(check_objects).lower()}"
        try:
            _remote(self.arguments, self.url, limits, [setting], (self.into.parent,), self._watch)
        except _MalformedObjects:
            return False
        return True

    def _watch(self) -> None:
        if _bytes_under(self.into) > self.limits.file_bytes:
            raise _too_large(self.limits.file_bytes)


class _MalformedObjects(ExaminationFailed):
    """git's object check refused the repository."""


def _too_large(file_bytes: int) -> RepositoryRefused:
    """A probe writes no file: there, only the list of refs can be too large."""
    if not file_bytes:
        return RepositoryRefused(
            "repository_too_large", "The repository has more branches and tags than we can list."
        )
    size = f"{file_bytes / 1024 / 1024:g} MB"
    return RepositoryRefused(
        "repository_too_large",
        f"The repository is larger than {size}. Remove data files and built output.",
    )


def _sha256() -> RepositoryRefused:
    return RepositoryRefused(
        "repository_sha256",
        "The repository names its objects by SHA-256, which we cannot read. Hand in a SHA-1 one.",
    )


def _serving(url: CheckedUrl) -> list[str]:
    return [SERVE_LOCAL] if url.protocol == "file" else []


def _remote(
    arguments: list[str],
    url: CheckedUrl,
    limits: ChildLimits,
    settings: list[str],
    writes: tuple[Path, ...],
    watch: Callable[[], None] | None = None,
) -> bytes:
    if url.protocol == "https":
        _require_pinning()
    pinned = [] if url.pin is None else [f"http.curloptResolve={url.pin}"]
    local = url.protocol == "file"
    reach = Reach(reads=(Path(url.url),) if local else (), writes=writes, network=not local)
    try:
        done = run_git(
            arguments,
            limits=limits,
            protocol=url.protocol,
            settings=[*settings, *pinned],
            reach=reach,
            watch=watch,
        )
    except ChildFailed as failed:
        raise _as_refusal(failed, limits) from failed
    if done.returncode != 0:
        raise _complaint(done.stderr, limits)
    return done.stdout


def _as_refusal(failed: ChildFailed, limits: ChildLimits) -> CourtroomError:
    if failed.code == "child_timeout":
        return RepositoryRefused("repository_too_slow", TOO_SLOW)
    if failed.code in ("child_memory", "child_output"):
        return _too_large(limits.file_bytes)
    return failed


def _complaint(stderr: bytes, limits: ChildLimits) -> CourtroomError:
    lines = stderr.decode(errors="replace").splitlines()
    said = "\n".join(line for line in lines if not line.startswith("remote:"))
    if "fsck error" in said:
        return _MalformedObjects("child_died", "git found malformed objects.")
    for pattern, code, sentence in COMPLAINTS:
        if re.search(pattern, said):
            return _refusal(code, sentence, limits)
    failure = RepositoryRefused("repository_unreachable", UNREACHABLE)
    failure.add_note(said[-2000:])
    return failure


def _refusal(code: str, sentence: str, limits: ChildLimits) -> CourtroomError:
    if code == "child_died":
        return ChildFailed(code, sentence)
    return (
        _too_large(limits.file_bytes)
        if code == "too_large"
        else RepositoryRefused(f"repository_{code}", sentence)
    )


def _bytes_under(directory: Path) -> int:
    """Files may vanish while git works; those count as nothing."""
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += Path(folder, name).lstat().st_size
    return total


@cache
def _require_pinning() -> None:
    done = run_git(["--version"], limits=READING)
    version = re.search(rb"(\d+)\.(\d+)", done.stdout)
    if not version or tuple(map(int, version.groups())) < OLDEST_GIT:
        wanted = ".".join(map(str, OLDEST_GIT))
        raise ExaminationFailed(
            "git_too_old", f"Fetching a repository safely needs git {wanted} or newer."
        )
