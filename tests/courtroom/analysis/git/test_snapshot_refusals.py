"""Refusals of repositories and servers, over real smart HTTP and from a path."""

from __future__ import annotations

import os

import pytest

from courtroom.analysis.git.clone import BROKEN_OFF
from courtroom.analysis.git.snapshot import list_tree, probe_repository, take_snapshot
from courtroom.models.case import Limits
from courtroom.models.errors import RepositoryRefused, UrlRefused
from tests.factories.repositories import Commit, git, make_repository


@pytest.mark.parametrize(
    ("endpoint", "code"),
    [
        ("redirect/good.git", "repository_redirected"),
        ("login/x.git", "repository_login_required"),
        ("forbidden/x.git", "repository_login_required"),
        ("missing/x.git", "repository_not_found"),
        ("nowhere.git", "repository_not_found"),
        ("broken/x.git", "repository_unreachable"),
        ("nonsense/x.git", "repository_unreachable"),
        ("page/x.git", "repository_empty"),
        ("silent/x.git", "repository_empty"),
    ],
)
def test_server_without_a_repository_is_refused_with_its_own_code(server, refused, endpoint, code):
    assert refused(f"{server.url}/{endpoint}") == code
    with pytest.raises(RepositoryRefused) as probed:
        probe_repository(f"{server.url}/{endpoint}", ref=None, allow_local=True)
    assert probed.value.code == code


def test_redirect_is_not_followed(server, refused):
    refused(f"{server.url}/redirect/good.git")
    assert [path.split("?")[0] for path in server.requests] == ["/redirect/good.git/info/refs"]


def test_server_that_hangs_is_too_slow(server, refused):
    assert (
        refused(f"{server.url}/hang/x.git", limits=Limits(clone_seconds=0.5))
        == "repository_too_slow"
    )
    with pytest.raises(RepositoryRefused) as probed:
        probe_repository(f"{server.url}/hang/x.git", ref=None, allow_local=True, seconds=0.5)
    assert probed.value.code == "repository_too_slow"


def test_server_that_never_stops_advertising_is_too_large(server, refused):
    limits = Limits(child_memory_bytes=200 * 1024 * 1024, clone_seconds=20)
    assert refused(f"{server.url}/flood/x.git", limits=limits) == "repository_too_large"


def test_server_that_is_not_there_is_unreachable(refused):
    assert refused("http://127.0.0.1:1/x.git") == "repository_unreachable"


def test_loopback_is_refused_unless_local_addresses_are_allowed(server, tmp_path):
    with pytest.raises(UrlRefused) as refusal:
        take_snapshot(
            f"{server.url}/good.git", ref=None, into=tmp_path, limits=Limits(), allow_local=False
        )
    assert (refusal.value.code, server.requests) == ("url_not_https", [])


def test_repository_without_commits_is_empty(tmp_path, refused):
    make_repository(tmp_path / "empty.git", [])
    assert refused(tmp_path / "empty.git") == "repository_empty"
    with pytest.raises(RepositoryRefused) as probed:
        probe_repository(str(tmp_path / "empty.git"), ref=None, allow_local=True)
    assert probed.value.code == "repository_empty"


def test_sha256_repository_is_refused_as_such_and_not_as_empty(tmp_path, refused):
    repository = tmp_path / "sha256.git"
    git("init", "-q", "--bare", "-b", "main", "--object-format=sha256", str(repository))
    tree, identity = (
        git("mktree", at=repository),
        ["-c", "user.name=A", "-c", "user.email=a@example.org"],
    )
    git(
        "update-ref",
        "HEAD",
        git(*identity, "commit-tree", "-m", "New", tree, at=repository),
        at=repository,
    )
    assert refused(repository) == "repository_sha256"
    with pytest.raises(RepositoryRefused) as probed:
        probe_repository(str(repository), ref=None, allow_local=True)
    assert probed.value.code == "repository_sha256"


def test_path_that_holds_no_repository_is_not_found(tmp_path, refused):
    (tmp_path / "folder").mkdir()
    codes = [
        refused(tmp_path / "folder"),
        refused(tmp_path / "nothing"),
        refused(f"file://{tmp_path}/nothing"),
    ]
    assert codes == ["repository_not_found"] * 3


@pytest.mark.parametrize(
    "ref", ["nowhere", "abcd1234", "f" * 40, "side", "v1.0^{tree}", "HEAD~1", "a..b", "@"]
)
def test_ref_that_does_not_exist_is_unknown(good, refused, ref):
    assert refused(good, ref=ref) == "repository_ref_unknown"


@pytest.mark.parametrize(
    "ref", ["", "-b", "--upload-pack=touch x", "a b", "a\nb", "a\x00b", "../x", "x.lock", "r" * 256]
)
def test_ref_is_data_and_never_an_option(good, refused, ref):
    assert refused(good, ref=ref) == "repository_ref_unknown"


def test_repository_over_the_size_limit_is_too_large(tmp_path, server, refused):
    large = tmp_path / "served" / "large.git"
    make_repository(large, [Commit(files={"data.bin": os.urandom(600_000)})])
    limits = Limits(repository_bytes=300_000)
    codes = [refused(large, limits=limits), refused(f"{server.url}/large.git", limits=limits)]
    assert codes == ["repository_too_large"] * 2


def test_interrupted_transfer_is_unreachable_and_not_malformed(tmp_path, server, refused):
    make_repository(
        tmp_path / "served" / "x.git", [Commit(files={"data.bin": os.urandom(100_000)})]
    )
    assert refused(f"{server.url}/cut/x.git") == "repository_unreachable"


def test_damaged_repository_is_refused_as_interrupted(tmp_path, server, take):
    make_repository(tmp_path / "served" / "x.git", [Commit(files={"data.bin": "x" * 1000})])
    git("repack", "-a", "-d", "-q", at=tmp_path / "served" / "x.git")
    pack = next((tmp_path / "served" / "x.git" / "objects" / "pack").glob("*.pack"))
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[:40] + bytes(20) + pack.read_bytes()[60:])
    refusal_message = []
    for url in (tmp_path / "served" / "x.git", f"{server.url}/x.git"):
        with pytest.raises(RepositoryRefused) as refusal:
            take(url)
        refusal_message.append(refusal.value.message)
    assert refusal_message == [BROKEN_OFF] * 2


def test_tree_with_too_many_files_is_refused(tmp_path, take):
    make_repository(tmp_path / "many.git", [Commit(files={f"f{n}": "" for n in range(11)})])
    taken = take(tmp_path / "many.git")
    with pytest.raises(RepositoryRefused) as refusal:
        list_tree(taken, Limits(tree_entries=10))
    assert refusal.value.code == "repository_too_many_files"
    assert len(list_tree(taken, Limits(tree_entries=11))) == 11


def test_tree_of_ten_billion_paths_is_refused_quickly(tmp_path, take):
    repository = tmp_path / "bomb.git"
    make_repository(repository, [])
    oid, mode = git("hash-object", "-w", "--stdin", at=repository), "100644 blob"
    for _ in range(10):
        lines = "".join(f"{mode} {oid}\td{n}\n" for n in range(10))
        oid, mode = git("mktree", at=repository, stdin=lines.encode()), "040000 tree"
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    commit = git(*identity, "commit-tree", "-m", "Bomb", oid, at=repository)
    git("update-ref", "refs/heads/main", commit, at=repository)
    with pytest.raises(RepositoryRefused) as refusal:
        list_tree(take(repository), Limits(tree_entries=1000))
    assert refusal.value.code == "repository_too_many_files"


def test_path_longer_than_the_limit_is_refused(tmp_path, take):
    make_repository(tmp_path / "long.git", [Commit(files={"d/" * 20 + "f": ""})])
    with pytest.raises(RepositoryRefused) as refusal:
        list_tree(take(tmp_path / "long.git"), Limits(path_bytes=40))
    assert refusal.value.code == "repository_path_too_long"
