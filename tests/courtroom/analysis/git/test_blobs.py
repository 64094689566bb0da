"""Reading of a tree's files through one git process."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.git.blobs import Blob, BlobReader
from tests.factories.repositories import Commit, git, make_repository

CONTENTS = {"a.py": b"x = 1\n", "empty.txt": b"", "b.bin": b"\0\n\n", "last.py": b"y = 2"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "repo.git"
    make_repository(path, [Commit(files=dict(CONTENTS))])
    return path


def reader_of(repository: Path, oids: dict[str, str] | None = None) -> BlobReader:
    blobs = {
        path: Blob(path, (oids or {}).get(path) or oid_of(repository, path), len(content), "100644")
        for path, content in CONTENTS.items()
    }
    return BlobReader(repository, blobs, file_bytes=100, total_bytes=1000)


def oid_of(repository: Path, path: str) -> str:
    return git("rev-parse", f"HEAD:{path}", at=repository)


def test_every_file_is_read_with_its_own_bytes(repository: Path):
    with reader_of(repository) as reader:
        assert reader.read_all(CONTENTS) == CONTENTS
        assert reader.refused == {}


def test_an_object_that_is_missing_costs_only_its_own_file(repository: Path):
    with reader_of(repository, {"b.bin": "0" * 40}) as reader:
        contents = reader.read_all(CONTENTS)
        assert contents == {path: CONTENTS[path] for path in CONTENTS if path != "b.bin"}
        assert reader.refused == {"b.bin": "git could not read its contents"}


def test_files_are_refused_once_git_has_ended(tmp_path: Path):
    with BlobReader(
        tmp_path / "nothing.git", {"a.py": Blob("a.py", "0" * 40, 1, "100644")}, 100, 1000
    ) as reader:
        assert reader.read("a.py") is None
        assert reader.refused == {"a.py": "git could not read its contents"}
