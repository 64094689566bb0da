"""Fixtures: a repository behind a server and a local one, taken or refused as a snapshot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from courtroom.analysis.git import git_process
from courtroom.analysis.git.snapshot import Snapshot, take_snapshot
from courtroom.analysis.sandbox.sandbox import run_confined
from courtroom.models.case import Limits
from courtroom.models.errors import CourtroomError
from tests.factories.git_server import serve_repositories
from tests.factories.repositories import Commit, make_repository

LIMITS = Limits()
HISTORY = [
    Commit("First", {"README.md": "one\n", "src/app.py": "x = 1\ny = 2\nz = 3\n"}),
    Commit("Side", {"side.py": "s = 1\n"}, branch="side/work"),
    Commit("Second", {"README.md": "two\n"}),
]


@pytest.fixture(autouse=True, scope="module")
def _git_is_confined(_readers_in_process: None) -> Iterator[None]:
    """These tests are about git itself, with all of its limits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(git_process, "run_confined", run_confined)
        yield


@pytest.fixture
def server(tmp_path):
    with serve_repositories(tmp_path / "served") as running:
        make_repository(tmp_path / "served" / "good.git", HISTORY, tags={"v1.0": "side/work"})
        yield running


@pytest.fixture
def good(tmp_path):
    """A repository on this machine with two branches and a tag."""
    make_repository(tmp_path / "good.git", HISTORY, tags={"v1.0": "side/work", "face": "side/work"})
    return tmp_path / "good.git"


@pytest.fixture
def take(tmp_path):
    def take_it(url, *, ref=None, limits=LIMITS) -> Snapshot:
        return take_snapshot(
            str(url), ref=ref, into=tmp_path / "taken", limits=limits, allow_local=True
        )

    return take_it


@pytest.fixture
def refused(take, tmp_path):
    """The code a snapshot is refused with; nothing may be left of the clone."""

    def code_of(url, **more) -> str:
        with pytest.raises(CourtroomError) as refusal:
            take(url, **more)
        assert not (tmp_path / "taken" / "repository.git").exists()
        return refusal.value.code

    return code_of
