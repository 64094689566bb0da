"""Read the contents of a tree's files through one `git cat-file --batch` that is kept open."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from courtroom.analysis.git.git_process import ENVIRONMENT, SETTINGS

REGULAR_FILES = frozenset({"100644", "100755"})
# A zero byte within the first bytes makes a file binary: git uses the same rule.
BINARY_PROBE = 8000


@dataclass(frozen=True, slots=True)
class Blob:
    """One file of the tree. `mode` is git's, such as 100644; `size` is in bytes."""

    path: str
    oid: str
    size: int
    mode: str

    @property
    def is_file(self) -> bool:
        return self.mode in REGULAR_FILES


@dataclass
class BlobReader:
    """Reads files, and each of them at most once.

    A file larger than `file_bytes`, or past the total of `total_bytes`, is not read: `refused` maps
    its path to the reason.
    """

    git_dir: Path
    blobs: Mapping[str, Blob]
    file_bytes: int
    total_bytes: int
    refused: dict[str, str] = field(default_factory=dict)
    _read: dict[str, bytes] = field(default_factory=dict)

    def __enter__(self) -> Self:
        options = [word for setting in SETTINGS for word in ("-c", setting)]
        self._git = subprocess.Popen(
            ["git", *options, f"--git-dir={self.git_dir}", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": os.environ.get("PATH", os.defpath), **ENVIRONMENT},
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._git.communicate()

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return path to content of the files that can be read, in the order of `paths`."""
        contents = {path: self.read(path) for path in paths}
        return {path: content for path, content in contents.items() if content is not None}

    def read(self, path: str, most_bytes: int = 0) -> bytes | None:
        """Return a file's bytes, or None when it is not in the tree or cannot be read.

        `most_bytes` is for a kind of file that may be larger than others. The reason a file of the
        tree was not read is in `refused`.
        """
        if path in self._read:
            return self._read[path]

        blob = self.blobs.get(path)
        if blob is None or not blob.is_file or not self._is_affordable(blob, most_bytes):
            return None

        self.total_bytes -= blob.size
        content = self._read_object(blob.oid)
        if content is None:
            self.refused[path] = "git could not read its contents"
        else:
            self._read[path] = content

        return content

    def _read_object(self, oid: str) -> bytes | None:
        """Return one object's bytes, or None when the repository does not have it."""
        assert self._git.stdin and self._git.stdout  # noqa: S101, PT018 -- both were opened as pipes
        try:
            self._git.stdin.write(f"{oid}\n".encode())
            self._git.stdin.flush()
        except BrokenPipeError:
            return None
        # "<oid> <type> <size>", "<oid> missing", or nothing once git has ended.
        header = self._git.stdout.readline().split()
        if len(header) != len(("oid", "type", "size")):
            return None

        # A line end follows the contents.
        size = int(header[-1])
        content = self._git.stdout.read(size + 1)
        return content[:-1] if len(content) == size + 1 else None

    def _is_affordable(self, blob: Blob, most_bytes: int) -> bool:
        limit = max(self.file_bytes, most_bytes)
        if blob.size > limit:
            self.refused[blob.path] = f"it is larger than {limit // 1024} KB"
        elif blob.size > self.total_bytes:
            self.refused[blob.path] = "the files before it reach the limit for one repository"
        else:
            return True
        return False


def text_of(content: bytes) -> str:
    """Decode UTF-8 without its mark, or else Latin-1, which never fails."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
