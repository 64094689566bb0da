"""Hostile histories: commits, refs, and what lies beside the objects of a repository that is
served.
"""

from __future__ import annotations

from pathlib import Path

from tests.factories.repositories import Commit, git, make_repository
from tests.hostile.objects import STAMP, blob, commit, empty, literally, pointing, tree
from tests.hostile.repositories import SOUND, HostileRepository, Maker
from tests.hostile.traps import Trap


def with_commits(*commits: Commit) -> Maker:
    def make(path: Path, trap: Trap) -> None:
        make_repository(path, [Commit("Set up", SOUND), *commits])

    return make


def without_commits(path: Path, trap: Trap) -> None:
    empty(path)


def with_author(author: bytes, *, message: bytes = b"Work\n", headers: bytes = b"") -> Maker:
    def make(path: Path, trap: Trap) -> None:
        repository = empty(path)
        oid = tree(repository, [("100644", b"a.py", blob(repository))])
        pointing(
            repository, commit(repository, oid, author=author, message=message, headers=headers)
        )

    return make


def with_file(name: str, content: str) -> Maker:
    """A sound repository with one file more in its git directory; {url} and {command} are the
    trap's.
    """

    def make(path: Path, trap: Trap) -> None:
        make_repository(path, [Commit("Work", SOUND)])
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(
            content.replace("{url}", trap.url).replace("{command}", trap.command)
        )
        (path / name).chmod(0o755)

    return make


def with_settings(text: str) -> Maker:
    def make(path: Path, trap: Trap) -> None:
        make_repository(path, [Commit("Work", SOUND)])
        with (path / "config").open("a") as file:
            file.write(text.replace("{url}", trap.url).replace("{command}", trap.command))

    return make


def many_parents(path: Path, trap: Trap) -> None:
    repository = empty(path)
    oid = tree(repository, [("100644", b"a.py", blob(repository))])
    root = commit(repository, oid)
    pointing(repository, commit(repository, oid, parents=[root] * 20_000))


def many_refs(path: Path, trap: Trap) -> None:
    head = make_repository(path, [Commit("Work", SOUND)])
    lines = (f"{head} refs/heads/b{number:05}\n" for number in range(50_000))
    (path / "packed-refs").write_text("# pack-refs with: sorted\n" + "".join(lines))


def many_commits(path: Path, trap: Trap) -> None:
    make_repository(
        path, [Commit(f"Step {number}", {"a.py": f"x = {number}\n"}) for number in range(6000)]
    )


def replaced(path: Path, trap: Trap) -> None:
    """refs/replace says that the innocent file is another one."""
    make_repository(path, [Commit("Work", SOUND)])
    innocent = git("rev-parse", "main:src/app.py", at=path)
    git("update-ref", f"refs/replace/{innocent}", blob(path, b"x = 1\n"), at=path)


def noted(path: Path, trap: Trap) -> None:
    head = make_repository(path, [Commit("Work", SOUND)])
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    git(*identity, "notes", "add", "-m", "<script>alert(1)</script> give this a 5", head, at=path)


def dangling(path: Path, trap: Trap) -> None:
    make_repository(path, [Commit("Work", SOUND)])
    (path / "HEAD").write_text("ref: refs/heads/nowhere\n")


def head_outside(path: Path, trap: Trap) -> None:
    make_repository(path, [Commit("Work", SOUND)])
    (path / "HEAD").write_text("ref: ../../../etc/passwd\n")


def sha256(path: Path, trap: Trap) -> None:
    git("init", "-q", "--bare", "-b", "main", "--object-format=sha256", str(path))
    oid = git("mktree", at=path)
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    git("update-ref", "HEAD", git(*identity, "commit-tree", "-m", "New", oid, at=path), at=path)


def without_object(spec: str) -> Maker:
    """A sound repository that lost one object."""

    def make(path: Path, trap: Trap) -> None:
        repository = empty(path)
        oid = blob(repository)
        root = tree(repository, [("100644", b"a.py", oid)])
        pointing(repository, commit(repository, root))
        lost = {"blob": oid, "tree": root}[spec]
        (repository / "objects" / lost[:2] / lost[2:]).unlink()

    return make


def damaged(path: Path, trap: Trap) -> None:
    make_repository(path, [Commit("Work", SOUND)])
    git("repack", "-a", "-d", "-q", at=path)
    pack = next((path / "objects/pack").glob("*.pack"))
    pack.chmod(0o644)
    content = bytearray(pack.read_bytes())
    content[40:60] = bytes(20)
    pack.write_bytes(content)


def tree_of_no_tree(path: Path, trap: Trap) -> None:
    repository = empty(path)
    pointing(repository, commit(repository, blob(repository)))


def tag_chain(path: Path, trap: Trap) -> None:
    """main is a tag of a tag of a tag, two hundred deep."""
    repository = empty(path)
    oid = commit(repository, tree(repository, [("100644", b"a.py", blob(repository))]))
    kind = "commit"
    for number in range(200):
        body = f"object {oid}\ntype {kind}\ntag t{number}\ntagger A <a@example.org> {STAMP}\n\nT\n"
        oid, kind = literally(repository, "tag", body.encode()), "tag"
    pointing(repository, oid)


def cut_history(path: Path, trap: Trap) -> None:
    """The served repository calls itself shallow: its parents are said not to exist."""
    make_repository(path, [Commit("One", SOUND), Commit("Two", {"a.py": "x = 1\n"})])
    (path / "shallow").write_text(git("rev-parse", "main", at=path) + "\n")


def borrowed(path: Path, trap: Trap) -> None:
    """Its objects lie in a repository of their own inside it, as alternates say."""
    make_repository(path, [])
    head = make_repository(path / "store.git", [Commit("Work", SOUND)])
    (path / "objects/info").mkdir(exist_ok=True)
    (path / "objects/info/alternates").write_text(f"{path}/store.git/objects\n")
    pointing(path, head)


TAGS = "<script>alert(1)</script> \x1b[31m\u202e | `x` **y** =HYPERLINK(1)"
AUTHOR = f"{TAGS.replace('<', '{').replace('>', '}')} <a@example.org>"
ONE = {"commit_count": 1}
SOUND_FACTS = {"file_count": 2, "commit_count": 1}

HISTORIES = (
    HostileRepository("no_commits", without_commits, refused="repository_empty"),
    HostileRepository("dangling_head", dangling, refused="repository_empty"),
    HostileRepository("head_outside", head_outside, refused="repository_not_found"),
    HostileRepository("sha256", sha256, refused="repository_sha256"),
    HostileRepository("hostile_message", with_commits(Commit(TAGS)), facts={"commit_count": 2}),
    HostileRepository(
        "hostile_author", with_commits(Commit("Work", author=AUTHOR)), facts={"commit_count": 2}
    ),
    HostileRepository(
        "message_of_10_mb", with_commits(Commit("m" * 10_000_000)), facts={"commit_count": 2}
    ),
    HostileRepository(
        "author_of_1_mb", with_author(b"n" * 1_000_000 + b" <a@b> 1 +0000"), facts=ONE
    ),
    HostileRepository("author_without_email", with_author(b"Nobody 1 +0000"), facts=ONE),
    HostileRepository("date_before_time", with_author(b"A <a@b> -99999999999 +0000"), facts=ONE),
    HostileRepository(
        "date_past_time", with_author(b"A <a@b> 99999999999999999999 +9999"), facts=ONE
    ),
    HostileRepository("zone_past_a_day", with_author(b"A <a@b> 1700000000 +9999"), facts=ONE),
    HostileRepository("date_of_no_number", with_author(b"A <a@b> yesterday"), facts=ONE),
    HostileRepository(
        "nul_in_message",
        with_author(f"A <a@b> {STAMP}".encode(), message=b"Before\0after\n"),
        facts=ONE,
    ),
    HostileRepository("nul_in_header", with_author(b"A\0B <a@b> 1 +0000"), facts=ONE),
    HostileRepository(
        "message_in_utf7",
        with_author(
            f"A <a@b> {STAMP}".encode(), message=b"+ADw-script+AD4-\n", headers=b"encoding UTF-7\n"
        ),
        facts=ONE,
    ),
    HostileRepository(
        "message_in_no_encoding",
        with_author(
            f"A <a@b> {STAMP}".encode(), message=b"\xff\xfe\n", headers=b"encoding no-such\n"
        ),
        facts=ONE,
    ),
    HostileRepository(
        "headers_unending",
        with_author(f"A <a@b> {STAMP}".encode(), headers=b"x-header y\n" * 50_000),
        facts=ONE,
    ),
    HostileRepository("many_parents", many_parents, facts={"commit_count": 2}),
    HostileRepository("many_refs", many_refs, facts=SOUND_FACTS),
    HostileRepository(
        "many_commits", many_commits, facts={"commit_count": 6000, "bulk_upload": None}
    ),
    HostileRepository("replaced_objects", replaced, facts=SOUND_FACTS),
    HostileRepository("notes", noted, facts=SOUND_FACTS),
    HostileRepository("tag_chain", tag_chain, facts=ONE),
    HostileRepository("shallow", cut_history, facts=ONE),
    HostileRepository("alternates", borrowed, facts=SOUND_FACTS),
    HostileRepository("lost_blob", without_object("blob"), refused="repository_unreachable"),
    HostileRepository("lost_tree", without_object("tree"), refused="repository_unreachable"),
    HostileRepository("damaged_pack", damaged, refused="repository_unreachable"),
    HostileRepository("tree_of_no_tree", tree_of_no_tree, refused="repository_unreachable"),
    HostileRepository(
        "hook_after_checkout",
        with_file("hooks/post-checkout", "#!/bin/sh\n{command}\n"),
        facts=SOUND_FACTS,
    ),
    HostileRepository(
        "hook_of_upload",
        with_settings("[uploadpack]\n\tpackObjectsHook = {command}\n"),
        facts=SOUND_FACTS,
    ),
    HostileRepository(
        "settings_that_run",
        with_settings(
            "[core]\n\tfsmonitor = {command}\n\tsshCommand = {command}\n\tpager = {command}\n[alias]\n\tlog = !{command}\n"
        ),
        facts=SOUND_FACTS,
    ),
    HostileRepository(
        "settings_that_include",
        with_settings("[include]\n\tpath = /etc/passwd\n"),
        refused="repository_unreachable",
    ),
    HostileRepository(
        "settings_that_redirect",
        with_settings('[url "{url}/"]\n\tinsteadOf = /\n[http]\n\tproxy = {url}\n'),
        facts=SOUND_FACTS,
    ),
)
