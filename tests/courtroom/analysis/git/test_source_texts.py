"""Texts of a repository's files, kept to be shown beside citations."""

from __future__ import annotations

import pytest

from courtroom.analysis.git import source_texts
from courtroom.analysis.git.snapshot import Snapshot, list_tree
from courtroom.analysis.git.source_texts import read_sources
from courtroom.models.case import Limits
from courtroom.models.source_file import SourceFile
from tests.factories.repositories import Commit, git, make_repository

LIMITS = Limits()
KEY = "AKIA" + "Q3EGRTU7VPLM2XWZ"


def _sources_of(snapshot: Snapshot) -> dict[str, SourceFile]:
    return read_sources(snapshot, list_tree(snapshot, LIMITS))


@pytest.fixture
def texts(tmp_path, take):
    def read(files) -> dict[str, str | None]:
        make_repository(tmp_path / "work.git", [Commit("Work", files)])
        sources = _sources_of(take(tmp_path / "work.git"))
        return {path: file.text for path, file in sources.items()}

    return read


def test_small_texts_are_kept_and_binary_files_are_only_named(texts):
    kept = texts({"src/app.py": "x = 1\n", "mark.png": b"\x89PNG\0\1", "empty.py": ""})
    assert kept == {"src/app.py": "x = 1\n", "mark.png": None, "empty.py": ""}


def test_file_over_the_limit_is_only_named_and_the_smallest_are_kept(texts, monkeypatch):
    monkeypatch.setattr(source_texts, "MAX_FILE_BYTES", 20)
    monkeypatch.setattr(source_texts, "MAX_TOTAL_BYTES", 12)
    kept = texts({"a.txt": "12345\n", "b.txt": "123456\n", "c.txt": "1\n", "d.txt": "x" * 30})
    assert kept == {"a.txt": "12345\n", "b.txt": None, "c.txt": "1\n", "d.txt": None}


def test_secret_is_replaced_and_the_lines_keep_their_numbers(texts):
    kept = texts({"settings.py": f'DEBUG = 1\naws_key = "{KEY}"\nPORT = 2\n'})
    text = kept["settings.py"]
    assert text is not None
    assert KEY not in text
    assert text.split("\n")[2] == "PORT = 2"


def test_object_ids_are_those_of_git(tmp_path, take):
    make_repository(tmp_path / "work.git", [Commit("Work", {"a.py": "x = 1\n"})])
    sources = _sources_of(take(tmp_path / "work.git"))
    assert sources["a.py"].oid == git("rev-parse", "HEAD:a.py", at=tmp_path / "work.git")
