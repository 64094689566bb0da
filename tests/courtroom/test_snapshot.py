"""Taking a snapshot: over real smart HTTP and from a path, with every refusal a repository or a server can earn."""

from __future__ import annotations

import os
import shutil

import pytest

from courtroom.case import Limits
from courtroom.errors import ChildFailed, CourtroomError, RepositoryRefused, UrlRefused
from courtroom.forensics.git.clone import BROKEN_OFF
from courtroom.forensics.snapshot import (
    Snapshot,
    TreeEntry,
    lines_of,
    list_tree,
    probe_repository,
    read_lines,
    take_snapshot,
)
from tests.factories.git_server import serve_repositories
from tests.factories.repositories import Commit, git, make_repository

LIMITS = Limits()
HISTORY = [
    Commit("First", {"README.md": "one\n", "src/app.py": "x = 1\ny = 2\nz = 3\n"}),
    Commit("Side", {"side.py": "s = 1\n"}, branch="side/work"),
    Commit("Second", {"README.md": "two\n"}),
]


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
        return take_snapshot(str(url), ref=ref, into=tmp_path / "taken", limits=limits, allow_local=True)

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
def test_a_server_that_gives_no_repository_is_refused_in_its_own_words(server, refused, endpoint, code):
    assert refused(f"{server.url}/{endpoint}") == code
    with pytest.raises(RepositoryRefused) as probed:
        probe_repository(f"{server.url}/{endpoint}", ref=None, allow_local=True)
    assert probed.value.code == code


def test_a_redirect_is_not_followed(server, refused):
    refused(f"{server.url}/redirect/good.git")
    assert [path.split("?")[0] for path in server.requests] == ["/redirect/good.git/info/refs"]


def test_a_server_that_hangs_is_too_slow(server, refused):
    assert refused(f"{server.url}/hang/x.git", limits=Limits(clone_seconds=0.5)) == "repository_too_slow"
    with pytest.raises(RepositoryRefused) as probed:
        probe_repository(f"{server.url}/hang/x.git", ref=None, allow_local=True, seconds=0.5)
    assert probed.value.code == "repository_too_slow"


def test_a_server_that_never_stops_advertising_is_too_large(server, refused):
    limits = Limits(child_memory_bytes=200 * 1024 * 1024, clone_seconds=20)
    assert refused(f"{server.url}/flood/x.git", limits=limits) == "repository_too_large"


def test_a_server_that_is_not_there_is_unreachable(refused):
    assert refused("http://127.0.0.1:1/x.git") == "repository_unreachable"


def test_loopback_is_refused_unless_local_addresses_are_allowed(server, tmp_path):
    with pytest.raises(UrlRefused) as refusal:
        take_snapshot(f"{server.url}/good.git", ref=None, into=tmp_path, limits=LIMITS, allow_local=False)
    assert (refusal.value.code, server.requests) == ("url_not_https", [])


def test_a_repository_without_commits_is_empty(tmp_path, refused):
    make_repository(tmp_path / "empty.git", [])
    assert refused(tmp_path / "empty.git") == "repository_empty"
    with pytest.raises(RepositoryRefused) as probed:
        probe_repository(str(tmp_path / "empty.git"), ref=None, allow_local=True)
    assert probed.value.code == "repository_empty"


def test_a_repository_of_sha256_objects_is_not_called_empty(tmp_path, refused):
    repository = tmp_path / "sha256.git"
    git("init", "-q", "--bare", "-b", "main", "--object-format=sha256", str(repository))
    tree, identity = git("mktree", at=repository), ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    git("update-ref", "HEAD", git(*identity, "commit-tree", "-m", "New", tree, at=repository), at=repository)
    assert refused(repository) == "repository_sha256"
    with pytest.raises(RepositoryRefused) as probed:
        probe_repository(str(repository), ref=None, allow_local=True)
    assert probed.value.code == "repository_sha256"


def test_a_path_that_holds_no_repository_is_not_found(tmp_path, refused):
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
def test_a_ref_that_does_not_exist_is_unknown(good, refused, ref):
    assert refused(good, ref=ref) == "repository_ref_unknown"


@pytest.mark.parametrize(
    "ref", ["", "-b", "--upload-pack=touch x", "a b", "a\nb", "a\x00b", "../x", "x.lock", "r" * 256]
)
def test_a_ref_is_data_and_never_an_option(good, refused, ref):
    assert refused(good, ref=ref) == "repository_ref_unknown"


def test_a_repository_over_the_size_limit_is_too_large(tmp_path, server, refused):
    large = tmp_path / "served" / "large.git"
    make_repository(large, [Commit(files={"data.bin": os.urandom(600_000)})])
    limits = Limits(repository_bytes=300_000)
    codes = [refused(large, limits=limits), refused(f"{server.url}/large.git", limits=limits)]
    assert codes == ["repository_too_large"] * 2


def test_a_transfer_cut_in_the_middle_is_not_blamed_on_the_repository(tmp_path, server, refused):
    make_repository(tmp_path / "served" / "x.git", [Commit(files={"data.bin": os.urandom(100_000)})])
    assert refused(f"{server.url}/cut/x.git") == "repository_unreachable"


def test_a_damaged_repository_is_not_called_out_of_reach(tmp_path, server, take):
    make_repository(tmp_path / "served" / "x.git", [Commit(files={"data.bin": "x" * 1000})])
    git("repack", "-a", "-d", "-q", at=tmp_path / "served" / "x.git")
    pack = next((tmp_path / "served" / "x.git" / "objects" / "pack").glob("*.pack"))
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[:40] + bytes(20) + pack.read_bytes()[60:])
    told = []
    for url in (tmp_path / "served" / "x.git", f"{server.url}/x.git"):
        with pytest.raises(RepositoryRefused) as refusal:
            take(url)
        told.append(refusal.value.message)
    assert told == [BROKEN_OFF] * 2


def test_a_tree_with_too_many_files_is_refused(tmp_path, take):
    make_repository(tmp_path / "many.git", [Commit(files={f"f{n}": "" for n in range(11)})])
    taken = take(tmp_path / "many.git")
    with pytest.raises(RepositoryRefused) as refusal:
        list_tree(taken, Limits(tree_entries=10))
    assert refusal.value.code == "repository_too_many_files"
    assert len(list_tree(taken, Limits(tree_entries=11))) == 11


def test_a_tree_of_ten_billion_paths_in_a_few_objects_is_refused_soon(tmp_path, take):
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


def test_a_path_longer_than_the_limit_is_refused(tmp_path, take):
    make_repository(tmp_path / "long.git", [Commit(files={"d/" * 20 + "f": ""})])
    with pytest.raises(RepositoryRefused) as refusal:
        list_tree(take(tmp_path / "long.git"), Limits(path_bytes=40))
    assert refusal.value.code == "repository_path_too_long"


def test_a_branch_a_tag_and_a_commit_id_are_resolved_alike_by_snapshot_and_probe(good, take, tmp_path):
    head, side = git("rev-parse", "main", at=good), git("rev-parse", "side/work", at=good)
    wanted = {None: head, "main": head, "side/work": side, "v1.0": side, head: head, "face": side}
    for ref, commit in wanted.items():
        taken = take(good, ref=ref)
        assert (taken.commit, taken.ref, taken.malformed_objects) == (commit, ref, False)
        assert probe_repository(str(good), ref=ref, allow_local=True) == commit
        shutil.rmtree(taken.git_dir)
    assert take(good, ref=side[:8].upper()).commit == side


def test_an_annotated_tag_leads_to_its_commit(good, take):
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    git(*identity, "tag", "-a", "-m", "Release", "v2", "main", at=good)
    head = git("rev-parse", "main", at=good)
    assert probe_repository(str(good), ref="v2", allow_local=True) == head
    assert take(good, ref="v2").commit == head


def test_a_snapshot_over_http_holds_the_whole_history_and_can_fetch_nothing(server, take, tmp_path):
    taken = take(f"{server.url}/good.git")
    assert git("rev-list", "--count", taken.commit, at=taken.git_dir) == "2"
    assert git("config", "--local", "--list", at=taken.git_dir).splitlines() == [
        "core.repositoryformatversion=0",
        "core.bare=true",
    ]
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["repository.git"]
    assert not (taken.git_dir / "hooks").exists()
    assert probe_repository(f"{server.url}/good.git", ref=None, allow_local=True) == taken.commit


def test_a_repository_of_another_user_can_be_read_where_local_paths_are_allowed(good, take):
    if os.getuid() == 0:
        for folder, _, files in os.walk(good):
            for name in ["", *files]:
                os.chown(os.path.join(folder, name), 65534, 65534)  # noqa: PTH118 -- beside os.walk
    assert take(good).commit == git("-c", "safe.directory=*", "rev-parse", "main", at=good)


def test_objects_of_an_old_form_are_taken_and_recorded(tmp_path, take):
    repository = tmp_path / "old.git"
    make_repository(repository, [])
    blob = git("hash-object", "-w", "--stdin", at=repository)
    padded = b"0100644 f\0" + bytes.fromhex(blob)
    tree = git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", at=repository, stdin=padded)
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    commit = git(*identity, "commit-tree", "-m", "Old", tree, at=repository)
    git("update-ref", "refs/heads/main", commit, at=repository)
    taken = take(repository)
    assert (taken.commit, taken.malformed_objects) == (commit, True)
    assert [entry.path for entry in list_tree(taken, LIMITS)] == ["f"]


def test_the_tree_lists_files_links_and_submodules_with_their_sizes(tmp_path, take):
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
    assert entries[0] == TreeEntry("a b.py", "100644", 2, git("rev-parse", "main:a b.py", at=repository))


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


def test_a_file_too_large_to_quote_is_not_read(tmp_path, take):
    make_repository(
        tmp_path / "big.git", [Commit(files={"big.py": "#" * 1024 * 1024 + "\n", "small.py": "x\n"})]
    )
    assert read_lines(take(tmp_path / "big.git"), [("big.py", 1, 1), ("small.py", 1, 1)]) == [None, "x"]


def test_a_broken_repository_is_a_failure_of_ours(good, take):
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
def test_a_files_lines_end_where_python_ends_them_and_hold_no_control_characters(content, lines):
    assert lines_of(content) == lines
