"""Lookup of a commit and of a path it changes, in a clone of all branches."""

from unicodedata import normalize

import pytest

from courtroom import CommitTouch, commit_touches
from tests.factories.repositories import Commit, git, make_repository

APART = "pru\u0308fer"


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    path = tmp_path_factory.mktemp("history") / "student.git"
    body = "\n".join(f"line {n}" for n in range(40))
    make_repository(
        path,
        [
            Commit("Begin", {"src/tools.py": body, "README.md": "x"}),
            Commit("Fix the shell", {"src/tools.py": body + "\nmore"}),
            Commit("Move", {"src/tools.py": None, "src/shell/tools.py": body + "\nmore"}),
            Commit("Accent", {f"src/{APART}.py": "1"}),
            Commit("Elsewhere", {"notes.md": "y"}, branch="deadbeef"),
            Commit("On the side", {"side.py": "1"}, branch="side"),
            Commit("Join", {"side.py": "1"}, merge="side"),
        ],
    )
    return path


def commit(repository, subject: str) -> str:
    return git("log", "--all", "--format=%H", f"--grep=^{subject}$", at=repository)


def look(repository, named: str, path: str | None) -> CommitTouch:
    return commit_touches(str(repository), named, path, allow_local=True)


@pytest.mark.parametrize(
    ("subject", "path", "touched"),
    [
        ("Fix the shell", "src/tools.py", "src/tools.py"),
        ("Fix the shell", "./src/tools.py", "src/tools.py"),
        ("Fix the shell", "tools.py", "src/tools.py"),
        ("Fix the shell", "src", "src/tools.py"),
        ("Begin", "README.md", "README.md"),
        ("Move", "src/tools.py", "src/tools.py"),
        ("Move", "src/shell/tools.py", "src/shell/tools.py"),
        ("Accent", f"src/{APART}.py", f"src/{APART}.py"),
        ("Accent", f"src/{normalize('NFC', APART)}.py", f"src/{APART}.py"),
        ("On the side", "side.py", "side.py"),
        ("Join", "side.py", "side.py"),
    ],
)
def test_commit_that_changes_the_path_touches_it(
    repository, subject: str, path: str, touched: str
) -> None:
    full = commit(repository, subject)
    expected = CommitTouch(True, True, f"{full[:8]} changes {touched}.", full)
    assert look(repository, full[:7].upper(), path) == expected


@pytest.mark.parametrize(
    "path", ["README.md", "src/tool", "src/tools.py.bak", "../src/tools.py", "--all"]
)
def test_commit_that_leaves_the_path_does_not_touch_it(repository, path: str) -> None:
    full = commit(repository, "Fix the shell")
    assert look(repository, full, path) == CommitTouch(
        True, False, f"{full[:8]} does not change {path}.", full
    )


def test_without_a_path_only_the_commit_is_looked_up(repository) -> None:
    full = commit(repository, "Begin")
    assert look(repository, full, None) == CommitTouch(
        True, None, f"{full[:8]} is in the repository's history.", full
    )


@pytest.mark.parametrize("named", ["abc", "HEAD", "main", "--output=x", "g" * 40, "", "a" * 41])
def test_invalid_commit_id_does_not_exist(repository, named: str) -> None:
    assert look(repository, named, "README.md") == CommitTouch(
        False, None, "A commit id must have between 7 and 40 hexadecimal digits."
    )


@pytest.mark.parametrize("named", ["0" * 40, "1234567", "deadbeef"])
def test_unknown_commit_or_a_branch_called_like_one_does_not_exist(repository, named: str) -> None:
    assert look(repository, named, "README.md") == CommitTouch(
        False, None, f"No single commit in the repository's history begins with {named}."
    )


def test_unreachable_repository_leaves_existence_unknown(tmp_path) -> None:
    assert look(tmp_path / "none", "a" * 40, "x.py") == CommitTouch(
        None, None, "No repository was found at this address. Check the spelling."
    )


def test_refused_address_leaves_existence_unknown(repository) -> None:
    assert commit_touches(str(repository), "a" * 40, "x.py").exists is None
