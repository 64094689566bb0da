"""Hostile repositories: trees, names, links and submodules. Each case stands beside what must come
of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.factories.repositories import Commit, make_repository
from tests.hostile.objects import Entry, blob, commit, empty, of_tree, pointing, tree
from tests.hostile.traps import Trap

Maker = Callable[[Path, Trap], None]
SOUND = {"README.md": "# Work\n", "src/app.py": "import os\n\nos.system('ls')\n"}


@dataclass(frozen=True)
class HostileRepository:
    """`refused` is the error code it is turned away with; else `facts` and `errors` (codes) of its
    report.

    `full`: too slow for the fast cut.
    """

    name: str
    make: Maker
    refused: str | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    errors: tuple[str, ...] = ()


def with_entries(*entries: tuple[str, bytes]) -> Maker:
    def make(path: Path, trap: Trap) -> None:
        of_tree(path, [(mode, name, "") for mode, name in entries])

    return make


def with_folder(name: bytes, *, inside: bytes = b"config") -> Maker:
    """A folder that a checkout would write into, with a file inside it."""

    def make(path: Path, trap: Trap) -> None:
        repository = empty(path)
        command = f"[core]\n\tfsmonitor = {trap.command}\n".encode()
        folder = tree(repository, [("100644", inside, blob(repository, command))])
        entries: list[Entry] = [
            ("40000", name, folder),
            ("100644", b"zz_sound.py", blob(repository)),
        ]
        pointing(repository, commit(repository, tree(repository, entries)))

    return make


def with_files(files: Mapping[str, str | bytes], modes: Mapping[str, str] | None = None) -> Maker:
    """Ordinary commits of these files beside sound ones; {url} and {command} are the trap's."""

    def make(path: Path, trap: Trap) -> None:
        filled = {name: _filled(content, trap) for name, content in files.items()}
        make_repository(path, [Commit("Work", {**SOUND, **filled}, modes=modes or {})])

    return make


def _filled(content: str | bytes, trap: Trap) -> str | bytes:
    if isinstance(content, bytes):
        return content
    return content.replace("{url}", trap.url).replace("{command}", trap.command)


def with_submodule(declared: str) -> Maker:
    def make(path: Path, trap: Trap) -> None:
        repository = empty(path)
        modules = str(_filled(declared, trap)).encode()
        entries: list[Entry] = [
            ("100644", b".gitmodules", blob(repository, modules)),
            ("160000", b"sub", "1" * 40),
            ("100644", b"zz_sound.py", blob(repository)),
        ]
        pointing(repository, commit(repository, tree(repository, entries)))

    return make


def git_bomb(path: Path, trap: Trap) -> None:
    """Ten billion paths in twelve objects."""
    repository = empty(path)
    mode, oid = "100644", blob(repository)
    for _ in range(10):
        oid = tree(repository, [(mode, b"d%d" % number, oid) for number in range(10)])
        mode = "40000"
    pointing(repository, commit(repository, oid))


def nested(depth: int) -> Maker:
    """One file under so many folders of one letter."""

    def make(path: Path, trap: Trap) -> None:
        make_repository(path, [Commit("Work", {"d/" * depth + "f.py": "x = 1\n"})])

    return make


def many_files(count: int) -> Maker:
    def make(path: Path, trap: Trap) -> None:
        repository = empty(path)
        oid = blob(repository)
        entries = [("100644", b"f%06d.py" % number, oid) for number in range(count)]
        pointing(repository, commit(repository, tree(repository, entries)))

    return make


ODD_NAMES = {
    "src/\x1b[2J\x1b]0;owned\x07.py": "x = 1\n",
    "src/a\r\nb\t.py": "x = 1\n",
    "src/<script>alert(1)<script>.py": "x = 1\n",
    'src/"><img src=x onerror=alert(1)>.py': "x = 1\n",
    "src/\u202egnp.py": "x = 1\n",
    "src/\u200b.py": "x = 1\n",
    "src/|pipe `tick` [link](javascript:alert(1)).py": "x = 1\n",
    "src/--output=pwned.py": "x = 1\n",
    "-rf": "x\n",
    "CON": "x\n",
    "aux.py ": "x\n",
    "=cmd|'/C calc'!A0.py": "x = 1\n",
}
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 99999999999\n"

TREES = (
    HostileRepository("git_bomb", git_bomb, refused="repository_too_many_files"),
    HostileRepository("many_entries", many_files(200_000), refused="repository_too_many_files"),
    HostileRepository("limit_of_entries", many_files(20_000), facts={"file_count": 20_000}),
    HostileRepository("nested_past_the_limit", nested(600), refused="repository_path_too_long"),
    HostileRepository("nested_4000_deep", nested(4000), refused="repository_path_too_long"),
    HostileRepository("nested_within_the_limit", nested(400), facts={"file_count": 1}),
    HostileRepository(
        "name_of_4000", with_entries(("100644", b"n" * 4000)), refused="repository_path_too_long"
    ),
    HostileRepository("dot_git", with_folder(b".git"), facts={"file_count": 2}),
    HostileRepository("dot_git_upper", with_folder(b".GIT"), facts={"file_count": 2}),
    HostileRepository("dot_git_short_name", with_folder(b"git~1"), facts={"file_count": 2}),
    HostileRepository(
        "dot_git_joiner", with_folder(".g\u200cit".encode()), facts={"file_count": 2}
    ),
    HostileRepository(
        "dot_git_stream", with_folder(b".git::$INDEX_ALLOCATION"), facts={"file_count": 2}
    ),
    HostileRepository(
        "dot_git_hooks", with_folder(b".git", inside=b"post-checkout"), facts={"file_count": 2}
    ),
    HostileRepository("parent_folder", with_folder(b".."), facts={"file_count": 2}),
    HostileRepository("this_folder", with_folder(b"."), facts={"file_count": 2}),
    HostileRepository(
        "name_with_slash", with_entries(("100644", b"../../outside.py")), facts={"file_count": 2}
    ),
    HostileRepository(
        "absolute_name", with_entries(("100644", b"/etc/cron.d/x")), facts={"file_count": 2}
    ),
    HostileRepository(
        "empty_name", with_entries(("100644", b"")), refused="repository_unreachable"
    ),
    HostileRepository(
        "duplicates",
        with_entries(("100644", b"a.py"), ("100644", b"a.py"), ("120000", b"a.py")),
        facts={"file_count": 4},
    ),
    HostileRepository(
        "unsorted", with_entries(("100644", b"z.py"), ("100644", b"a.py")), facts={"file_count": 3}
    ),
    HostileRepository(
        "odd_modes",
        with_entries(("100666", b"a.py"), ("777", b"b.py"), ("0100644", b"c.py")),
        facts={"file_count": 4},
    ),
    HostileRepository(
        "bytes_that_are_no_text",
        with_entries(("100644", b"\xff\xfe\x80.py")),
        facts={"file_count": 2},
    ),
    HostileRepository("odd_names", with_files(ODD_NAMES), facts={"file_count": 14}),
    HostileRepository(
        "case_twins",
        with_files({"readme.MD": "x", "SRC/app.py": "x = 1\n"}),
        facts={"file_count": 4},
    ),
    HostileRepository(
        "link_to_passwd",
        with_files({"main.py": "/etc/passwd"}, {"main.py": "120000"}),
        facts={"file_count": 3},
    ),
    HostileRepository(
        "link_out_of_the_tree",
        with_files({"src/x.py": "../../../../etc/shadow"}, {"src/x.py": "120000"}),
        facts={"file_count": 3},
    ),
    HostileRepository(
        "link_to_itself",
        with_files({"a": "b", "b": "a"}, {"a": "120000", "b": "120000"}),
        facts={"file_count": 4},
    ),
    HostileRepository(
        "link_as_modules",
        with_files({".gitmodules": "/etc/passwd"}, {".gitmodules": "120000"}),
        facts={"file_count": 3},
    ),
    HostileRepository(
        "submodule_helper",
        with_submodule('[submodule "s"]\n\tpath = sub\n\turl = ext::sh -c {command}\n'),
        facts={"file_count": 3},
    ),
    HostileRepository(
        "submodule_option",
        with_submodule('[submodule "s"]\n\tpath = sub\n\turl = -u./payload\n'),
        facts={"file_count": 3},
    ),
    HostileRepository(
        "submodule_name",
        with_submodule('[submodule "../../hooks"]\n\tpath = sub\n\turl = {url}/x\n'),
        facts={"file_count": 3},
    ),
    HostileRepository(
        "submodule_return",
        with_submodule('[submodule "s"]\n\tpath = "sub\r"\n\turl = {url}/x\n'),
        facts={"file_count": 3},
    ),
    HostileRepository(
        "submodule_calls",
        with_submodule('[submodule "s"]\n\tpath = sub\n\turl = {url}/x\n\tupdate = !{command}\n'),
        facts={"file_count": 3},
    ),
    HostileRepository(
        "attributes",
        with_files(
            {
                ".gitattributes": "* export-ignore filter=x diff=x working-tree-encoding=UTF-7\n*.py binary\n"
            }
        ),
        facts={"file_count": 3},
    ),
    HostileRepository(
        "large_files",
        with_files(
            {
                "model.lfs": LFS,
                ".lfsconfig": "[lfs]\n\turl = {url}/lfs\n",
                "data.py": LFS,
                ".gitattributes": "*.lfs filter=lfs\n",
            }
        ),
        facts={"file_count": 6},
        errors=("source_unreadable",),
    ),
    HostileRepository(
        "zeroes",
        with_files({"zero.py": b"\0" * 60_000_000, "zero.bin": b"\0" * 60_000_000}),
        facts={"file_count": 4},
        errors=("source_unreadable",),
    ),
)
