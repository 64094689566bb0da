"""Snapshot of a repository at one commit: cloned once, read without a checkout.

Imports no pydantic, because confined child processes use Snapshot too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from courtroom.analysis.git.clone import EMPTY, NOT_FOUND, REF_UNKNOWN, clone, list_remote_refs
from courtroom.analysis.git.git_process import MEBIBYTE, read_git
from courtroom.analysis.git.repository_addresses import CheckedUrl, check_url, is_folder
from courtroom.analysis.sandbox.sandbox import ChildLimits
from courtroom.analysis.security.committed_secrets import redacted
from courtroom.models.errors import ChildFailed, RepositoryRefused
from courtroom.models.repository_access import DeployKey, RepositoryAccess

if TYPE_CHECKING:
    from courtroom.models.case import Limits

PROBE_SECONDS = 10.0
LONGEST_REF = 255
# Lines are quoted from source files, and the analysis does not read larger ones either.
QUOTABLE_FILE_BYTES = MEBIBYTE
ENTRY_HEADER_BYTES = 80
REMEMBERED_BYTES = 4 * MEBIBYTE

Span = tuple[str, int, int]

_COMMIT_ID = re.compile(r"[0-9a-fA-F]{4,40}")
_WHOLE_ID = re.compile(r"[0-9a-fA-F]{40}")
# The rules of git check-ref-format, as one pattern of what they forbid. We add the leading dash:
# it would read as an option.
_FORBIDDEN_REF = re.compile(
    r"^[-/]|[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|(^|/)\.|\.lock(/|$)|[/.]$|^@$|^$"
)
_LINE_END = re.compile(r"\r\n|\r|\n")
_OBJECT_HEADER = re.compile(rb"[0-9a-f]{40} [a-z]+ (\d+)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Bare clone in `git_dir` that can fetch nothing, with the requested `ref` and its `commit`.

    `malformed_objects` is true when git's own object check failed and it was cloned without it.
    `_read` are files that were read, or None for those that cannot be quoted: every stage of an
    audit quotes the same few, and each reading is a process of its own.
    """

    git_dir: Path
    commit: str
    ref: str | None
    malformed_objects: bool
    _read: dict[str, bytes | None] = field(default_factory=dict, repr=False, compare=False)

    def remembered(self, paths: Iterable[str]) -> dict[str, bytes | None]:
        """Return what is known of these paths."""
        return {path: self._read[path] for path in paths if path in self._read}

    def remember(self, paths: Iterable[str], files: Mapping[str, bytes]) -> None:
        """Keep these files for the next stage, up to REMEMBERED_BYTES in all."""
        room = REMEMBERED_BYTES - sum(len(content or b"") for content in self._read.values())
        for path in paths:
            content = files.get(path)
            if content is None or len(content) <= room:
                self._read[path] = content
                room -= len(content or b"")


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One path of the tree. `mode` is git's, such as 100644; `size` is in bytes, submodules 0."""

    path: str
    mode: str
    size: int
    oid: str


def take_snapshot(
    repo_url: str,
    *,
    ref: str | None,
    into: Path,
    limits: Limits,
    allow_local: bool,
    access: RepositoryAccess | None = None,
) -> Snapshot:
    """Clone `repo_url` into a folder of `into` and resolve `ref`: a branch, tag or commit id.

    Without `ref`, HEAD is resolved. Raises UrlRefused or RepositoryRefused for what the student
    must fix, ExaminationFailed for the rest.
    """
    url = _checked_url(repo_url, allow_local=allow_local, access=access)
    _check_ref(ref)
    # git clone cannot name a commit id as its branch, so an id needs the clone of all branches.
    is_commit_id = ref is not None and _COMMIT_ID.fullmatch(ref) is not None
    git_dir = into / "repository.git"
    into.mkdir(parents=True, exist_ok=True)
    malformed = clone(
        url,
        branch=None if is_commit_id else ref,
        every_branch=is_commit_id,
        into=git_dir,
        limits=_clone_limits(limits),
        access=access,
    )
    commit = _resolve_commit(git_dir, ref if is_commit_id else None)
    if commit is None:
        shutil.rmtree(git_dir)
        raise _missing_commit(ref)

    return Snapshot(git_dir=git_dir, commit=commit, ref=ref, malformed_objects=malformed)


def probe_repository(
    repo_url: str,
    *,
    ref: str | None,
    allow_local: bool,
    seconds: float = PROBE_SECONDS,
    access: RepositoryAccess | None = None,
) -> str:
    """Return the commit that `ref` points to now, without cloning.

    A commit id that no branch or tag points to is returned unchecked: only a clone can check it.
    Raises UrlRefused or RepositoryRefused.
    """
    url = _checked_url(repo_url, allow_local=allow_local, access=access)
    _check_ref(ref)
    is_whole_id = ref is not None and _WHOLE_ID.fullmatch(ref) is not None
    names = ["HEAD"]
    if ref is not None and not is_whole_id:
        # An annotated tag has its own object; the name with ^{} is the commit it points to.
        names = [f"refs/heads/{ref}", f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}"]

    refs = list_remote_refs(url, names, seconds=seconds, access=access)
    commit = next((refs[name] for name in names if name in refs), None)
    if commit is not None and not is_whole_id:
        return commit
    if ref is not None and _COMMIT_ID.fullmatch(ref):
        return ref.lower()

    raise _missing_commit(ref)


def list_tree(snapshot: Snapshot, limits: Limits) -> tuple[TreeEntry, ...]:
    """Return all files, links and submodules at the commit, in git's order.

    Raises RepositoryRefused repository_too_many_files or repository_path_too_long.
    """
    # A tree can hold billions of paths in a few objects, so the output is bounded, too.
    output_bytes = limits.tree_entries * (limits.path_bytes + ENTRY_HEADER_BYTES)
    arguments = ["ls-tree", "-r", "-z", "-l", "--full-tree", snapshot.commit]
    try:
        listing = read_git(snapshot.git_dir, arguments, output_bytes=output_bytes)
    except ChildFailed as failure:
        if failure.code == "child_output":
            raise _too_many_files(limits) from failure
        raise

    lines = listing.split(b"\0")[:-1]
    if len(lines) > limits.tree_entries:
        raise _too_many_files(limits)
    if any(len(line.partition(b"\t")[2]) > limits.path_bytes for line in lines):
        raise RepositoryRefused(
            "repository_path_too_long",
            f"A file's path is longer than {limits.path_bytes} bytes. Shorten it.",
        )

    return tuple(map(entry_of, lines))


def read_lines(snapshot: Snapshot, requests: Sequence[Span]) -> list[str | None]:
    """Return the lines start..end (1-based, inclusive) of the requested files at the commit.

    None stands for a missing file or line and for a file larger than QUOTABLE_FILE_BYTES.
    """
    files = read_files(snapshot, [path for path, _, _ in requests])
    return [_line_range(files.get(path), start, end) for path, start, end in requests]


def lines_of(content: bytes) -> list[str]:
    """Return a file's lines for quoting, with control characters replaced by U+FFFD.

    The encoding is UTF-8 without its mark, or else Latin-1.
    """
    # Lines end where Python's parser ends them, so that line numbers agree.
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return [_CONTROL.sub("\ufffd", line) for line in _LINE_END.split(text)]


def _checked_url(
    repo_url: str, *, allow_local: bool, access: RepositoryAccess | None
) -> CheckedUrl:
    allow_ssh = isinstance(access, DeployKey)
    url = check_url(repo_url, allow_local=allow_local, allow_ssh=allow_ssh)
    if url.protocol == "file" and not is_folder(Path(url.url)):
        raise RepositoryRefused("repository_not_found", NOT_FOUND)
    return url


def _check_ref(ref: str | None) -> None:
    if ref is not None and (len(ref) > LONGEST_REF or _FORBIDDEN_REF.search(ref)):
        raise RepositoryRefused(
            "repository_ref_unknown", "This is not a valid name of a branch, tag or commit."
        )


def _missing_commit(ref: str | None) -> RepositoryRefused:
    if ref is None:
        return RepositoryRefused("repository_empty", EMPTY)
    return RepositoryRefused("repository_ref_unknown", REF_UNKNOWN)


def _clone_limits(limits: Limits) -> ChildLimits:
    return ChildLimits(
        memory_bytes=limits.child_memory_bytes,
        cpu_seconds=limits.child_cpu_seconds,
        file_bytes=limits.repository_bytes,
        wall_seconds=limits.clone_seconds,
        output_bytes=MEBIBYTE,
    )


def _resolve_commit(git_dir: Path, commit_id: str | None) -> str | None:
    names = ["HEAD"]
    if commit_id is not None and _WHOLE_ID.fullmatch(commit_id):
        # As in git: a branch of this name, made after the due date, does not stand for the commit.
        names = [commit_id]
    elif commit_id is not None:
        # A branch or tag may look like an abbreviated id: names come first, as they do in git.
        names = [f"refs/heads/{commit_id}", f"refs/tags/{commit_id}", commit_id]

    stdin = "".join(f"{name}^{{commit}}\n" for name in names).encode()
    output = read_git(git_dir, ["cat-file", "--batch-check"], stdin=stdin)
    rows = (line.split() for line in output.decode(errors="replace").splitlines())
    return next((row[0] for row in rows if len(row) == 3 and row[1] == "commit"), None)


def _too_many_files(limits: Limits) -> RepositoryRefused:
    return RepositoryRefused(
        "repository_too_many_files",
        f"The repository contains more than {limits.tree_entries} files. "
        "Remove installed packages and built output.",
    )


def entry_of(line: bytes) -> TreeEntry:
    """Parse one line of `git ls-tree -l -z`."""
    header, _, path = line.partition(b"\t")
    mode, _, oid, size = header.decode().split()
    # A submodule has "-", an object that is missing or damaged has "BAD".
    size_bytes = int(size) if size.isdecimal() else 0
    return TreeEntry(path.decode(errors="replace"), mode, size_bytes, oid)


def _is_plain(path: str) -> bool:
    """Return whether git reads `commit:path` on one line as this very path."""
    # git takes ./ and ../ as relative to a checkout.
    return bool(path) and "\n" not in path and not path.startswith(("./", "../"))


def read_files(snapshot: Snapshot, requests: Iterable[str]) -> dict[str, list[str]]:
    """Return path to lines, without secrets, of the files that exist and are not too large."""
    return {path: redacted_lines(path, content) for path, content in contents(snapshot, requests)}


def redacted_lines(path: str, content: bytes) -> list[str]:
    """Return a file's lines for quoting, with its secrets replaced."""
    # The whole file is redacted, because a key may span lines of which only some are quoted.
    return redacted("\n".join(lines_of(content)), path).split("\n")


def contents(snapshot: Snapshot, requests: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of the files that exist and are small enough to quote."""
    paths = list(dict.fromkeys(path for path in requests if _is_plain(path)))
    files = snapshot.remembered(paths)
    if unread := [path for path in paths if path not in files]:
        read = dict(_read_contents(snapshot, unread))
        snapshot.remember(unread, read)
        files |= read
    yield from ((path, content) for path in paths if (content := files.get(path)) is not None)


def _read_contents(snapshot: Snapshot, paths: list[str]) -> Iterator[tuple[str, bytes]]:
    try:
        output = _batch(snapshot, "--batch", paths)
    except ChildFailed as failure:
        # Only when everything together is too much are the sizes worth a call of their own.
        if failure.code != "child_output":
            raise
        checked = _batch(snapshot, "--batch-check", paths).splitlines()
        paths = [path for path, line in zip(paths, checked, strict=True) if _is_quotable(line)]
        output = _batch(snapshot, "--batch", paths)

    position = 0
    for path in paths:
        start = output.index(b"\n", position) + 1
        header = output[position : start - 1]
        # The header is "<oid> <type> <size>", followed by a body and a line end, or it is
        # "<name> missing", where the name may contain spaces.
        match = _OBJECT_HEADER.fullmatch(header)
        position = start + int(match[1]) + 1 if match else start
        if _is_quotable(header):
            yield path, output[start : position - 1]


def _batch(snapshot: Snapshot, mode: str, paths: Iterable[str]) -> bytes:
    stdin = b"".join(f"{snapshot.commit}:{path}\n".encode() for path in paths)
    return read_git(snapshot.git_dir, ["cat-file", mode], stdin=stdin)


def _is_quotable(header: bytes) -> bool:
    match = _OBJECT_HEADER.fullmatch(header)
    return match is not None and b" blob " in header and int(match[1]) <= QUOTABLE_FILE_BYTES


def _line_range(lines: list[str] | None, start: int, end: int) -> str | None:
    if lines is None or not 1 <= start <= end <= len(lines):
        return None
    return "\n".join(lines[start - 1 : end])
