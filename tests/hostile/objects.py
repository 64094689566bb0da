"""Git objects as no git would write them: trees, commits and tags byte by byte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.factories.repositories import git, make_repository

STAMP = "1767603600 +0000"
NOBODY = f"A <a@example.org> {STAMP}"

Entry = tuple[str, bytes, str]


def blob(repository: Path, content: bytes = b"x = 1\n") -> str:
    return git("hash-object", "-w", "--stdin", at=repository, stdin=content)


def tree(repository: Path, entries: Sequence[Entry]) -> str:
    """Entries (mode, name, object id) in the order given, whatever they say."""
    body = b"".join(
        mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries
    )
    return literally(repository, "tree", body)


def commit(
    repository: Path,
    tree_id: str,
    *,
    parents: Sequence[str] = (),
    author: bytes = NOBODY.encode(),
    message: bytes = b"Work\n",
    headers: bytes = b"",
) -> str:
    """A commit's id; `headers` are lines that follow the committer's."""
    lines = [f"tree {tree_id}\n".encode(), *(f"parent {parent}\n".encode() for parent in parents)]
    lines += [
        b"author " + author + b"\n",
        f"committer {NOBODY}\n".encode(),
        headers,
        b"\n",
        message,
    ]
    return literally(repository, "commit", b"".join(lines))


def literally(repository: Path, kind: str, body: bytes) -> str:
    return git("hash-object", "-w", "-t", kind, "--stdin", "--literally", at=repository, stdin=body)


def empty(path: Path) -> Path:
    make_repository(path, [])
    return path


def pointing(repository: Path, commit_id: str) -> None:
    """Let main be this commit, and pack what is there, as a site would serve it."""
    (repository / "refs/heads").mkdir(parents=True, exist_ok=True)
    (repository / "refs/heads/main").write_text(commit_id + "\n")


def of_tree(path: Path, entries: Sequence[Entry], *, sound: bool = True) -> None:
    """A repository of one commit with these entries, and a sound file beside them that must still
    be read.
    """
    repository = empty(path)
    beside: list[Entry] = [("100644", b"zz_sound.py", blob(repository))] if sound else []
    named = [(mode, name, oid or blob(repository)) for mode, name, oid in entries]
    pointing(repository, commit(repository, tree(repository, [*named, *beside])))
