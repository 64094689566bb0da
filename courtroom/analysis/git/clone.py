"""Fetch a repository's full history into a bare clone, or explain why that is not possible.

The history is complete, because its progress is evidence and one shallow commit looks like a bulk
upload. No object filter is used: a server may ignore it, it makes git skip the checks on objects,
and a filtered blob would look like a missing one. A clone is bounded by the deadline, the file
limit and the directory's size.
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

from courtroom.analysis.git.access_handover import handed_over
from courtroom.analysis.git.git_process import READING, run_git
from courtroom.analysis.git.repository_addresses import CheckedUrl
from courtroom.analysis.sandbox.bubblewrap import Reach
from courtroom.analysis.sandbox.sandbox import ChildLimits
from courtroom.models.errors import (
    ChildFailed,
    CourtroomError,
    ExaminationFailed,
    RepositoryRefused,
)
from courtroom.models.repository_access import RepositoryAccess

# http.curloptResolve, which pins the connection to the checked addresses, is ignored by older ones.
OLDEST_GIT = (2, 37)
# A local repository may belong to another user, which only a setting of the serving side allows.
SERVE_LOCAL = "--upload-pack=git -c safe.directory=* upload-pack"
SHA1_DIGITS = 40
BARE_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"

LOGIN = (
    "The repository requires a login: it is private or the address is misspelt. Give access to it, "
    "or make it public."
)
ACCESS_REFUSED = (
    "The host no longer opens this repository with the access that was given: the access was "
    "revoked, has expired or does not cover it, or the repository is gone."
)
HOST_KEY_DIFFERS = (
    "The server showed another host key than the one that was confirmed, so nothing was sent to "
    "it. If its owners changed the key, read it again and confirm the new one."
)
# Answers that mean a lost right where an access was shown.
_OF_RIGHTS = frozenset({"login_required", "not_found"})
NOT_FOUND = "No repository was found at this address. Check the spelling."
REDIRECTED = "The address redirects to another one. Use that address instead."
TOO_SLOW = "The repository could not be fetched in the time allowed. Try again, or make it smaller."
REF_UNKNOWN = "The repository has no branch, tag or commit of that name."
# To git, a web page looks like an empty repository, so one message covers both.
EMPTY = (
    "No commits were found. Push your work to the repository's default branch, or check the "
    "address."
)
UNREACHABLE = (
    "We couldn't reach the repository's site, or it did not answer as a git server. Try again "
    "later."
)
# A cut connection and an object that the server cannot read look the same from the client.
BROKEN_OFF = (
    "The repository was found, but the transfer was interrupted. Try again. If that does not help, "
    "push it again: it may be damaged on the server."
)
# Patterns of git's stderr under LC_ALL=C, with error code and message; the first match decides.
# Lines from the server are ignored. An index-pack with invalid output and no reason was killed by
# a limit.
GIT_ERRORS = (
    (
        r"No space left on device|cannot be started|ssh: (command )?not found",
        "child_died",
        "The machine could not run the clone.",
    ),
    (
        r"Host key verification failed|host key is known for|IDENTIFICATION HAS CHANGED",
        "host_key_differs",
        HOST_KEY_DIFFERS,
    ),
    (
        r"could not read (User|Pass)|Authentication failed|Permission denied|returned error: 403",
        "login_required",
        LOGIN,
    ),
    (r"returned error: 30\d|redirect", "redirected", REDIRECTED),
    (r"Remote branch .* not found", "ref_unknown", REF_UNKNOWN),
    (
        r"repository '.*' not found|repository '.*' does not exist",
        "not_found",
        NOT_FOUND,
    ),
    (
        r"does not appear to be a git|returned error: 4(04|10)",
        "not_found",
        NOT_FOUND,
    ),
    (r"Operation too slow|timed out", "too_slow", TOO_SLOW),
    (r"ssh: |kex_exchange|[Cc]onnection (closed|reset)", "unreachable", UNREACHABLE),
    (
        r"early EOF|RPC failed|is corrupt|not our ref|remote did not send all necessary objects",
        "unreachable",
        BROKEN_OFF,
    ),
    # What ssh leaves where a host says the reason in words of its own.
    (r"Repository not found|Could not read from remote repository", "not_found", NOT_FOUND),
    (r"[Oo]ut of memory|Cannot allocate memory|invalid index-pack output", "too_large", ""),
)


def clone(
    url: CheckedUrl,
    *,
    branch: str | None,
    every_branch: bool,
    into: Path,
    limits: ChildLimits,
    access: RepositoryAccess | None = None,
) -> bool:
    """Clone `url` as a bare repository into `into`; return whether git found malformed objects.

    `limits.file_bytes` also bounds the whole directory. Raises RepositoryRefused or
    ExaminationFailed, and leaves nothing behind then. git rejects some old but honest repositories
    because of the form of their objects. Those are cloned again without that check, which is safe
    because nothing is ever checked out.
    """
    scope = [] if every_branch else ["--single-branch", "--no-tags"]
    if branch is not None:
        scope.append(f"--branch={branch}")

    arguments = ["clone", "-q", "--bare", "--template=", "--no-local"]
    arguments += [*_upload_pack_option(url), *scope, "--"]
    attempt = _CloneAttempt([*arguments, url.url, str(into)], url, into, limits, access)

    try:
        malformed = not attempt.run(check_objects=True)
        if malformed:
            shutil.rmtree(into, ignore_errors=True)
            attempt.run(check_objects=False)
        if "\tobjectformat = sha256" in (into / "config").read_text().lower().splitlines():
            raise _sha256_refusal()
    except CourtroomError:
        shutil.rmtree(into, ignore_errors=True)
        raise

    # Without a remote in its configuration, the clone can fetch nothing later.
    (into / "config").write_text(BARE_CONFIG)
    return malformed


def list_remote_refs(
    url: CheckedUrl,
    patterns: list[str],
    *,
    seconds: float,
    access: RepositoryAccess | None = None,
) -> dict[str, str]:
    """Return name to object id of the remote's matching refs. Raises as `clone` does."""
    limits = replace(READING, wall_seconds=seconds)
    arguments = ["ls-remote", "-q", *_upload_pack_option(url), "--", url.url, *patterns]
    output = _run_remote(arguments, url, limits, [], (), access=access)
    lines = output.decode(errors="replace").splitlines()
    refs = {name: oid for oid, _, name in (line.partition("\t") for line in lines)}
    if any(len(oid) > SHA1_DIGITS for oid in refs.values()):
        raise _sha256_refusal()
    return refs


class _CloneAttempt:
    """One clone that may need a second run, inside one deadline."""

    def __init__(
        self,
        arguments: list[str],
        url: CheckedUrl,
        into: Path,
        limits: ChildLimits,
        access: RepositoryAccess | None,
    ) -> None:
        self.arguments, self.url, self.into, self.limits = arguments, url, into, limits
        self.access = access
        self.deadline = time.monotonic() + limits.wall_seconds

    def run(self, *, check_objects: bool) -> bool:
        """Clone; return False when git rejected the objects because of their form."""
        limits = replace(self.limits, wall_seconds=self.deadline - time.monotonic())
        setting = f"fetch.fsckObjects={str(check_objects).lower()}"
        try:
            _run_remote(
                self.arguments,
                self.url,
                limits,
                [setting],
                (self.into.parent,),
                self._check_size,
                self.access,
            )
        except _MalformedObjects:
            return False

        return True

    def _check_size(self) -> None:
        if _directory_size(self.into) > self.limits.file_bytes:
            raise _too_large(self.limits.file_bytes)


class _MalformedObjects(ExaminationFailed):
    """git's object check rejected the repository."""


def _too_large(file_bytes: int) -> RepositoryRefused:
    # A probe writes no file and so has no file limit: only its list of refs can be too large.
    if not file_bytes:
        return RepositoryRefused(
            "repository_too_large", "The repository has more branches and tags than we can list."
        )

    size = f"{file_bytes / 1024 / 1024:g} MB"
    return RepositoryRefused(
        "repository_too_large",
        f"The repository is larger than {size}. Remove data files and built output.",
    )


def _sha256_refusal() -> RepositoryRefused:
    return RepositoryRefused(
        "repository_sha256",
        "The repository uses SHA-256 object names, which we cannot read. Submit a SHA-1 one.",
    )


def _upload_pack_option(url: CheckedUrl) -> list[str]:
    return [SERVE_LOCAL] if url.protocol == "file" else []


def _run_remote(
    arguments: list[str],
    url: CheckedUrl,
    limits: ChildLimits,
    settings: list[str],
    writes: tuple[Path, ...],
    watch: Callable[[], None] | None = None,
    access: RepositoryAccess | None = None,
) -> bytes:
    if url.protocol == "https":
        _require_pinning()

    pin = [] if url.pin is None else [f"http.curloptResolve={url.pin}"]
    is_local = url.protocol == "file"
    reach = Reach(reads=(Path(url.url),) if is_local else (), writes=writes, network=not is_local)

    try:
        with handed_over(access, url) as handover:
            completed = run_git(
                arguments,
                limits=limits,
                protocol=url.protocol,
                settings=[*settings, *pin, *handover.settings],
                reach=reach,
                watch=watch,
                env=handover.env,
                descriptors=handover.descriptors,
            )
    except ChildFailed as failure:
        raise _error_of_failure(failure, limits) from failure

    if completed.returncode != 0:
        raise _error_of_stderr(completed.stderr, limits, has_access=access is not None)

    return completed.stdout


def _error_of_failure(failure: ChildFailed, limits: ChildLimits) -> CourtroomError:
    if failure.code == "child_timeout":
        return RepositoryRefused("repository_too_slow", TOO_SLOW)
    if failure.code in ("child_memory", "child_output"):
        return _too_large(limits.file_bytes)
    return failure


def _error_of_stderr(stderr: bytes, limits: ChildLimits, *, has_access: bool) -> CourtroomError:
    lines = stderr.decode(errors="replace").splitlines()
    message = "\n".join(line for line in lines if not line.startswith("remote:"))
    if "fsck error" in message:
        return _MalformedObjects("child_died", "git found malformed objects.")

    for pattern, code, sentence in GIT_ERRORS:
        if re.search(pattern, message):
            if has_access and code in _OF_RIGHTS:
                code, sentence = "access_refused", ACCESS_REFUSED
            return _error_of_code(code, sentence, limits)

    error = RepositoryRefused("repository_unreachable", UNREACHABLE)
    error.add_note(message[-2000:])
    return error


def _error_of_code(code: str, sentence: str, limits: ChildLimits) -> CourtroomError:
    if code == "child_died":
        return ChildFailed(code, sentence)
    if code == "too_large":
        return _too_large(limits.file_bytes)
    return RepositoryRefused(f"repository_{code}", sentence)


def _directory_size(directory: Path) -> int:
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # git removes files while it works
                total += Path(folder, name).lstat().st_size
    return total


@cache
def _require_pinning() -> None:
    completed = run_git(["--version"], limits=READING)
    version = re.search(rb"(?<!\d)(\d+)\.(\d+)", completed.stdout)
    if not version or tuple(map(int, version.groups())) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        raise ExaminationFailed(
            "git_too_old", f"Fetching a repository safely requires git {oldest} or newer."
        )
