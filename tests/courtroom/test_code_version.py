"""Version of the courtroom's code: results of other code are not reused."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.code_version import code_version_of


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("A = 1\n")
    (tmp_path / "notes.md").write_text("notes")
    return tmp_path


def test_same_sources_have_the_same_version(package: Path) -> None:
    before = code_version_of(package)
    (package / "notes.md").write_text("other notes")
    assert code_version_of(package) == before


@pytest.mark.parametrize(
    ("name", "text"), [("a.py", "A = 2\n"), ("b.py", ""), ("c/d.py", "A = 1\n")]
)
def test_changed_new_or_moved_source_has_another_version(
    package: Path, name: str, text: str
) -> None:
    before = code_version_of(package)
    (package / name).parent.mkdir(exist_ok=True)
    (package / name).write_text(text)
    assert code_version_of(package) != before
