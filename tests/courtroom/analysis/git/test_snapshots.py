"""Taking a snapshot over real smart HTTP and from a path, and reading in it."""

from __future__ import annotations

import os
import shutil

import pytest

from courtroom.analysis.git import snapshot
from courtroom.analysis.git.line_counts import count_lines
from courtroom.analysis.git.snapshot import (
    Snapshot,
    TreeEntry,
    lines_of,
    list_tree,
    probe_repository,
    read_lines,
)
from courtroom.models.case import Limits
from courtroom.models.errors import ChildFailed
from tests.factories.repositories import Commit, git, make_repository

LIMITS = Limits()


def test_branch_a_tag_and_a_commit_id_are_resolved_alike_by_snapshot_and_probe(
    good, take, tmp_path
):
    head, side = git("rev-parse", "main", at=good), git("rev-parse", "side/work", at=good)
    wanted = {None: head, "main": head, "side/work": side, "v1.0": side, head: head, "face": side}
    for ref, commit in wanted.items():
        taken = take(good, ref=ref)
        assert (taken.commit, taken.ref, taken.malformed_objects) == (commit, ref, False)
        assert probe_repository(str(good), ref=ref, allow_local=True) == commit
        shutil.rmtree(taken.git_dir)
    assert take(good, ref=side[:8].upper()).commit == side


@pytest.mark.parametrize("namespace", ["heads", "tags"])
def test_branch_or_tag_named_like_a_whole_commit_id_does_not_stand_for_the_commit(
    good, take, namespace
):
    head, side = git("rev-parse", "main", at=good), git("rev-parse", "side/work", at=good)
    git("update-ref", f"refs/{namespace}/{side}", head, at=good)
    assert probe_repository(str(good), ref=side, allow_local=True) == side
    assert take(good, ref=side).commit == side


def test_annotated_tag_leads_to_its_commit(good, take):
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    git(*identity, "tag", "-a", "-m", "Release", "v2", "main", at=good)
    head = git("rev-parse", "main", at=good)
    assert probe_repository(str(good), ref="v2", allow_local=True) == head
    assert take(good, ref="v2").commit == head


def test_snapshot_over_http_has_the_whole_history_and_can_fetch_nothing(server, take, tmp_path):
    taken = take(f"{server.url}/good.git")
    assert git("rev-list", "--count", taken.commit, at=taken.git_dir) == "2"
    assert git("config", "--local", "--list", at=taken.git_dir).splitlines() == [
        "core.repositoryformatversion=0",
        "core.bare=true",
    ]
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["repository.git"]
    assert not (taken.git_dir / "hooks").exists()
    assert probe_repository(f"{server.url}/good.git", ref=None, allow_local=True) == taken.commit


def test_repository_of_another_user_can_be_read_where_local_paths_are_allowed(good, take):
    if os.getuid() == 0:
        for folder, _, files in os.walk(good):
            for name in ["", *files]:
                os.chown(os.path.join(folder, name), 65534, 65534)  # noqa: PTH118 -- beside os.walk
    assert take(good).commit == git("-c", "safe.directory=*", "rev-parse", "main", at=good)


def test_malformed_objects_are_cloned_and_recorded(tmp_path, take):
    repository = tmp_path / "old.git"
    make_repository(repository, [])
    blob = git("hash-object", "-w", "--stdin", at=repository)
    padded = b"0100644 f\0" + bytes.fromhex(blob)
    tree = git(
        "hash-object", "-t", "tree", "-w", "--stdin", "--literally", at=repository, stdin=padded
    )
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    commit = git(*identity, "commit-tree", "-m", "Old", tree, at=repository)
    git("update-ref", "refs/heads/main", commit, at=repository)
    taken = take(repository)
    assert (taken.commit, taken.malformed_objects) == (commit, True)
    assert [entry.path for entry in list_tree(taken, LIMITS)] == ["f"]


def test_tree_lists_files_links_and_submodules_with_their_sizes(tmp_path, take):
    repository = tmp_path / "kinds.git"
    files = {"a b.py": "x\n", "link": "a b.py", "run.sh": "#!/bin/sh\n", "é/ü.txt": "z"}
    make_repository(repository, [Commit(files=files, modes={"link": "120000", "run.sh": "100755"})])
    entries = list_tree(take(repository), LIMITS)
    assert [(entry.path, entry.mode, entry.size) for entry in entries] == [
        ("a b.py", "100644", 2),
        ("link", "120000", 6),
        ("run.sh", "100755", 10),
        ("é/ü.txt", "100644", 1),
    ]
    assert entries[0] == TreeEntry(
        "a b.py", "100644", 2, git("rev-parse", "main:a b.py", at=repository)
    )


def test_lines_are_read_verbatim_and_missing_ones_are_none(good, take):
    wanted = [
        ("src/app.py", 2, 3),
        ("README.md", 1, 1),
        ("src/app.py", 4, 4),
        ("src/app.py", 3, 9),
        ("src/app.py", 0, 1),
        ("src/app.py", 2, 1),
        ("absent.py", 1, 1),
        ("src", 1, 1),
        ("../src/app.py", 1, 1),
        ("./src/app.py", 1, 1),
        ("", 1, 1),
        ("README.md\nsrc/app.py", 1, 1),
    ]
    assert read_lines(take(good), wanted) == ["y = 2\nz = 3", "two", "", *[None] * 9]
    assert read_lines(take_again(good), []) == []


def take_again(good) -> Snapshot:
    return Snapshot(good, git("rev-parse", "main", at=good), None, malformed_objects=False)


def test_lines_of_a_file_are_read_once(good, take):
    taken = take(good)
    wanted = [("src/app.py", 2, 3), ("absent.py", 1, 1)]
    first = read_lines(taken, wanted)
    shutil.rmtree(taken.git_dir)
    assert read_lines(taken, wanted) == first == ["y = 2\nz = 3", None]
    with pytest.raises(ChildFailed):
        read_lines(taken, [("README.md", 1, 1)])


def test_file_over_the_room_that_is_left_is_read_again(good, take, monkeypatch):
    monkeypatch.setattr(snapshot, "REMEMBERED_BYTES", 1)
    taken = take(good)
    assert read_lines(taken, [("src/app.py", 2, 2)]) == ["y = 2"]
    shutil.rmtree(taken.git_dir)
    with pytest.raises(ChildFailed):
        read_lines(taken, [("src/app.py", 2, 2)])


def test_file_too_large_to_quote_is_not_read(tmp_path, take):
    make_repository(
        tmp_path / "big.git",
        [Commit(files={"big.py": "#" * 1024 * 1024 + "\n", "small.py": "x\n"})],
    )
    assert read_lines(take(tmp_path / "big.git"), [("big.py", 1, 1), ("small.py", 1, 1)]) == [
        None,
        "x",
    ]


def test_broken_snapshot_is_an_examination_failure(good, take):
    taken = take(good)
    shutil.rmtree(taken.git_dir / "objects")
    with pytest.raises(ChildFailed) as failed:
        list_tree(taken, LIMITS)
    assert failed.value.code == "child_died"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"\xef\xbb\xbfx = 1\r\ny\rz\n", ["x = 1", "y", "z", ""]),
        (b"a\x0cb\xe2\x80\xa8c\td\n", ["a\ufffdb\u2028c\td", ""]),
        (b"na\xefve \x00\x1b[0m", ["naïve \ufffd\ufffd[0m"]),
        (b"", [""]),
    ],
)
def test_files_lines_end_where_python_ends_them_and_hold_no_control_characters(content, lines):
    assert lines_of(content) == lines


def test_lines_of_each_file_are_counted(take, tmp_path):
    files = {
        "empty.txt": "",
        "one.py": "x = 1",
        "two.py": "x = 1\ny = 2\n",
        "a folder/ä.md": "# A\n",
        "picture.png": "\0binary\n",
        ".gitattributes": "*.py -diff\n",
    }
    repository = tmp_path / "counted.git"
    make_repository(repository, [Commit("All", files)])
    assert count_lines(take(repository), LIMITS) == {
        "empty.txt": 0,
        "one.py": 1,
        "two.py": 2,
        "a folder/ä.md": 1,
        "picture.png": None,
        ".gitattributes": 1,
    }
