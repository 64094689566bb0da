"""Bytes of a tree's files, handed to a reader that sees no repository and starts no git.

Imports no pydantic, because confined child processes read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from courtroom.analysis.git.blobs import REGULAR_FILES, BlobReader
from courtroom.analysis.git.git_process import MEBIBYTE, read_git
from courtroom.models.errors import ChildFailed

if TYPE_CHECKING:
    from types import TracebackType

    from courtroom.analysis.git.snapshot import Snapshot, TreeEntry
    from courtroom.models.case import Limits

# Of larger works the reading takes longer than the start of its child.
MOST_BYTES = 4 * MEBIBYTE
LINK = "120000"
# No reader asks for their contents. A file that is asked for and was not given ends the reading.
NOT_GIVEN = re.compile(
    r"\.(?:bmp|db|docx|eot|exe|gif|gz|ico|jar|jpe?g|mov|mp[34]|npy|otf|parquet|pdf|pkl|png|pptx|pyc"
    r"|so|sqlite|tar|ttf|webp|whl|woff2?|xlsx|zip)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """Object id and size of each content, and the contents one after another."""

    sizes: tuple[tuple[str, int], ...]
    content: bytes


def gather_files(
    snapshot: Snapshot, entries: Sequence[TreeEntry], limits: Limits
) -> GivenFiles | None:
    """Return the files that readers ask for; None where they are too much, or git failed."""
    sizes = {
        entry.oid: entry.size
        for entry in entries
        if (entry.mode in REGULAR_FILES or entry.mode == LINK)
        and entry.size <= limits.source_file_bytes
        and not NOT_GIVEN.search(entry.path)
    }
    if sum(sizes.values()) > MOST_BYTES:
        return None

    try:
        bodies = dict(_bodies(snapshot.git_dir, sizes))
    except ChildFailed:
        return None
    rows = tuple((oid, len(body)) for oid, body in bodies.items())
    return GivenFiles(rows, b"".join(bodies.values()))


def _bodies(git_dir: Path, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    stdin = "".join(f"{oid}\n" for oid in oids).encode()
    listing, position = read_git(git_dir, ["cat-file", "--batch"], stdin=stdin), 0
    while position < len(listing):
        start = listing.index(b"\n", position) + 1
        # "<oid> <type> <size>", a body and a line end; or "<oid> missing".
        header = listing[position:start].split()
        position = start
        if len(header) == len(("oid", "type", "size")):
            end = start + int(header[2])
            yield header[0].decode(), listing[start:end]
            position = end + 1


def contents_of(sizes: Sequence[Sequence[object]], content: bytes) -> dict[str, bytes]:
    """Return the contents by object id."""
    contents, position = {}, 0
    for oid, size in sizes:
        assert isinstance(oid, str)  # noqa: S101 -- the rows are those of GivenFiles
        assert isinstance(size, int)  # noqa: S101
        contents[oid] = content[position : position + size]
        position += size
    return contents


@dataclass
class GivenBlobReader(BlobReader):
    """Reads what was given. `missed` are the ids of what was asked for and not given."""

    given: Mapping[str, bytes] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.missed and value is None:
            raise ChildFailed("child_died", "A file was asked for that was not given.")

    def _read_object(self, oid: str) -> bytes | None:
        content = self.given.get(oid)
        if content is None:
            self.missed.append(oid)
        return content
