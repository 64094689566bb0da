"""The contents of a tree's files, read in one conversation with `git cat-file --batch` (GitPython keeps it open)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from courtroom.analysis.git.git_process import ENVIRONMENT

REGULAR_FILES = frozenset({"100644", "100755"})
# A zero byte within the first bytes makes a file binary: git's own measure.
BINARY_PROBE = 8000


@dataclass(frozen=True, slots=True)
class Blob:
    path: str
    oid: str
    size: int
    mode: str

    @property
    def is_file(self) -> bool:
        return self.mode in REGULAR_FILES


@dataclass
class BlobReader:
    """Reads each file at most once. A file over `file_bytes`, or past `total_bytes` in all, is not read but named."""

    git_dir: Path
    blobs: Mapping[str, Blob]
    file_bytes: int
    total_bytes: int
    refused: dict[str, str] = field(default_factory=dict)
    _read: dict[str, bytes] = field(default_factory=dict)

    def __enter__(self) -> Self:
        os.environ.update(ENVIRONMENT, GIT_DIR=str(self.git_dir))
        import git

        self._repository = git.Repo(self.git_dir, odbt=git.GitCmdObjectDB)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._repository.close()

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The readable ones of these paths, in their order."""
        found = {path: self.read(path) for path in paths}
        return {path: content for path, content in found.items() if content is not None}

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None for what is no file of the tree, or too large (then its path is in `refused`)."""
        if path in self._read:
            return self._read[path]
        blob = self.blobs.get(path)
        if blob is None or not blob.is_file or not self._is_affordable(blob):
            return None
        self.total_bytes -= blob.size
        content = self._ask(blob.oid)
        if content is None:
            self.refused[path] = "git could not give its contents"
        else:
            self._read[path] = content
        return content

    def _ask(self, oid: str) -> bytes | None:
        """One object's bytes; None when the repository does not have it."""
        try:
            return bytes(self._repository.odb.stream(bytes.fromhex(oid)).read())
        except ValueError:
            return None

    def _is_affordable(self, blob: Blob) -> bool:
        if blob.size > self.file_bytes:
            self.refused[blob.path] = f"it is larger than {self.file_bytes // 1024} KB"
        elif blob.size > self.total_bytes:
            self.refused[blob.path] = (
                "the files before it already fill what is read of one repository"
            )
        else:
            return True
        return False


def text_of(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
