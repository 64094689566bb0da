"""A repository as it was at one commit: taken once, read without a checkout.

Imports no pydantic: confined children hold a Snapshot too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from courtroom.analysis.git.addresses import CheckedUrl, check_url, is_folder
from courtroom.analysis.git.clone import EMPTY, NOT_FOUND, REF_UNKNOWN, advertised, clone
from courtroom.analysis.git.git_process import MEBIBYTE, read_git
from courtroom.analysis.sandbox.sandbox import ChildLimits
from courtroom.analysis.security.committed_secrets import redacted
from courtroom.models.errors import ChildFailed, RepositoryRefused

if TYPE_CHECKING:
    from courtroom.models.case import Limits

PROBE_SECONDS = 10.0
LONGEST_REF = 255
# Lines are quoted from source files; a larger one was not read as source either.
QUOTABLE_FILE_BYTES = MEBIBYTE
ENTRY_HEADER_BYTES = 80

Span = tuple[str, int, int]

_COMMIT_ID = re.compile(r"[0-9a-fA-F]{4,40}")
# git check-ref-format, as one pattern of what it forbids; a leading dash is ours.
_NO_REF = re.compile(r"^[-/]|[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|(^|/)\.|\.lock(/|$)|[/.]$|^@$|^$")
_LINE_END = re.compile(r"\r\n|\r|\n")
_OBJECT = re.compile(rb"[0-9a-f]{40} [a-z]+ (\d+)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`git_dir` is a bare clone that can fetch nothing; `ref` is what was asked for, `commit` its full id.

    `malformed_objects`: git's own check refused some object's form, so it was cloned without that check.
    """

    git_dir: Path
    commit: str
    ref: str | None
    malformed_objects: bool


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One path of the tree. `mode` as git writes it, such as 100644; `size` in bytes, 0 for a submodule."""

    path: str
    mode: str
    size: int
    oid: str


def take_snapshot(
    repo_url: str, *, ref: str | None, into: Path, limits: Limits, allow_local: bool
) -> Snapshot:
    """Clone `repo_url` under the directory `into` and resolve `ref` (branch, tag or commit id; HEAD if None).

    Raises UrlRefused or RepositoryRefused for what the student must mend, ExaminationFailed for the rest.
    """
    url = _reachable(repo_url, allow_local=allow_local)
    _check_ref(ref)
    by_id = ref is not None and _COMMIT_ID.fullmatch(ref) is not None
    git_dir = into / "repository.git"
    into.mkdir(parents=True, exist_ok=True)
    malformed = clone(
        url,
        branch=None if by_id else ref,
        every_branch=by_id,
        into=git_dir,
        limits=_clone_limits(limits),
    )
    commit = _resolve(git_dir, ref if by_id else None)
    if commit is None:
        shutil.rmtree(git_dir)
        raise RepositoryRefused(*_nothing_at(ref))
    return Snapshot(git_dir=git_dir, commit=commit, ref=ref, malformed_objects=malformed)


def probe_repository(
    repo_url: str, *, ref: str | None, allow_local: bool, seconds: float = PROBE_SECONDS
) -> str:
    """The commit `ref` points to now, without cloning. Raises UrlRefused or RepositoryRefused.

    A commit id that no branch or tag points to is answered as it was given: only a clone can tell.
    """
    url = _reachable(repo_url, allow_local=allow_local)
    _check_ref(ref)
    names = (
        ["HEAD"]
        if ref is None
        else [f"refs/heads/{ref}", f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}"]
    )
    refs = advertised(url, names, seconds=seconds)
    found = next((refs[name] for name in names if name in refs), None)
    if found is None and ref is not None and _COMMIT_ID.fullmatch(ref):
        return ref.lower()
    if found is None:
        raise RepositoryRefused(*_nothing_at(ref))
    return found


def list_tree(snapshot: Snapshot, limits: Limits) -> tuple[TreeEntry, ...]:
    """Every file, link and submodule at the commit, in git's order.

    A tree can hold billions of paths in a few objects: git is stopped once it has printed what the limits
    allow. Raises RepositoryRefused repository_too_many_files or repository_path_too_long.
    """
    enough = limits.tree_entries * (limits.path_bytes + ENTRY_HEADER_BYTES)
    words = ["ls-tree", "-r", "-z", "-l", "--full-tree", snapshot.commit]
    try:
        listing = read_git(snapshot.git_dir, words, output_bytes=enough)
    except ChildFailed as failed:
        if failed.code == "child_output":
            raise _too_many_files(limits) from failed
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
    """The lines start..end (1-based, both included) of each path at the commit, as `lines_of` gives them.

    None where there is no such file or line, or the file is larger than QUOTABLE_FILE_BYTES.
    """
    texts = read_files(snapshot, [path for path, _, _ in requests])
    return [_cut(texts.get(path), start, end) for path, start, end in requests]


def lines_of(content: bytes) -> list[str]:
    """A file's lines as they are quoted: UTF-8 without its mark, else Latin-1; control characters shown as U+FFFD.

    Lines end where Python's parser ends them, so that line numbers agree.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return [_CONTROL.sub("\ufffd", line) for line in _LINE_END.split(text)]


def _reachable(repo_url: str, *, allow_local: bool) -> CheckedUrl:
    url = check_url(repo_url, allow_local=allow_local)
    if url.protocol == "file" and not is_folder(Path(url.url)):
        raise RepositoryRefused("repository_not_found", NOT_FOUND)
    return url


def _check_ref(ref: str | None) -> None:
    if ref is not None and (len(ref) > LONGEST_REF or _NO_REF.search(ref)):
        raise RepositoryRefused(
            "repository_ref_unknown", "That is not a name a branch, tag or commit can have."
        )


def _nothing_at(ref: str | None) -> tuple[str, str]:
    return ("repository_empty", EMPTY) if ref is None else ("repository_ref_unknown", REF_UNKNOWN)


def _clone_limits(limits: Limits) -> ChildLimits:
    return ChildLimits(
        memory_bytes=limits.child_memory_bytes,
        cpu_seconds=limits.child_cpu_seconds,
        file_bytes=limits.repository_bytes,
        wall_seconds=limits.clone_seconds,
        output_bytes=MEBIBYTE,
    )


def _resolve(git_dir: Path, commit_id: str | None) -> str | None:
    """A branch or tag may look like a commit id: names come first, as they do in git."""
    names = (
        ["HEAD"]
        if commit_id is None
        else [f"refs/heads/{commit_id}", f"refs/tags/{commit_id}", commit_id]
    )
    asked = "".join(f"{name}^{{commit}}\n" for name in names).encode()
    answers = (
        read_git(git_dir, ["cat-file", "--batch-check"], stdin=asked)
        .decode(errors="replace")
        .splitlines()
    )
    found = (answer.split() for answer in answers)
    return next((words[0] for words in found if len(words) == 3 and words[1] == "commit"), None)


def _too_many_files(limits: Limits) -> RepositoryRefused:
    return RepositoryRefused(
        "repository_too_many_files",
        f"The repository holds more than {limits.tree_entries} files. Remove installed packages and built output.",
    )


def entry_of(line: bytes) -> TreeEntry:
    """One line of `git ls-tree -l -z`."""
    header, _, path = line.partition(b"\t")
    mode, _, oid, size = header.decode().split()
    return TreeEntry(path.decode(errors="replace"), mode, 0 if size == "-" else int(size), oid)


def _is_plain(path: str) -> bool:
    """Whether `commit:path` on one line means this path: git reads ./ and ../ as relative to a checkout."""
    return bool(path) and "\n" not in path and not path.startswith(("./", "../"))


def read_files(snapshot: Snapshot, requests: Iterable[str]) -> dict[str, list[str]]:
    """All lines of each of these files, as `lines_of` gives them; what is missing or too large is left out."""
    paths = list(dict.fromkeys(path for path in requests if _is_plain(path)))
    return (
        {path: _shown_lines(path, content) for path, content in _contents(snapshot, paths)}
        if paths
        else {}
    )


def _shown_lines(path: str, content: bytes) -> list[str]:
    """A file's lines without the secrets in them: a key may span lines of which only some are quoted."""
    return redacted("\n".join(lines_of(content)), path).split("\n")


def _contents(snapshot: Snapshot, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The files among the paths that are small enough to quote. Sizes are asked first only if all is too much."""
    try:
        output = _batch(snapshot, "--batch", paths)
    except ChildFailed as failed:
        if failed.code != "child_output":
            raise
        checked = _batch(snapshot, "--batch-check", paths).splitlines()
        paths = [path for path, line in zip(paths, checked, strict=True) if _is_quotable(line)]
        output = _batch(snapshot, "--batch", paths)
    position = 0
    for path in paths:
        start = output.index(b"\n", position) + 1
        header = output[position : start - 1]
        # "<oid> <type> <size>" and a body with a line end, or "<name> missing"; a name may hold spaces of its own.
        match = _OBJECT.fullmatch(header)
        position = start + int(match[1]) + 1 if match else start
        if _is_quotable(header):
            yield path, output[start : position - 1]


def _batch(snapshot: Snapshot, mode: str, paths: Iterable[str]) -> bytes:
    asked = b"".join(f"{snapshot.commit}:{path}\n".encode() for path in paths)
    return read_git(snapshot.git_dir, ["cat-file", mode], stdin=asked)


def _is_quotable(header: bytes) -> bool:
    match = _OBJECT.fullmatch(header)
    return match is not None and b" blob " in header and int(match[1]) <= QUOTABLE_FILE_BYTES


def _cut(lines: list[str] | None, start: int, end: int) -> str | None:
    if lines is None or not 1 <= start <= end <= len(lines):
        return None
    return "\n".join(lines[start - 1 : end])
