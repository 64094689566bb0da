"""Whether a commit exists in a repository's history and changes a path: looked up in a clone of every branch."""

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
def test_a_commit_that_changes_the_path(repository, subject: str, path: str, touched: str) -> None:
    full = commit(repository, subject)
    expected = CommitTouch(True, True, f"{full[:8]} changes {touched}.", full)
    assert look(repository, full[:7].upper(), path) == expected


@pytest.mark.parametrize(
    "path", ["README.md", "src/tool", "src/tools.py.bak", "../src/tools.py", "--all"]
)
def test_a_commit_that_does_not_change_the_path(repository, path: str) -> None:
    full = commit(repository, "Fix the shell")
    assert look(repository, full, path) == CommitTouch(
        True, False, f"{full[:8]} does not change {path}.", full
    )


def test_without_a_path_only_the_commit_is_looked_for(repository) -> None:
    full = commit(repository, "Begin")
    assert look(repository, full, None) == CommitTouch(
        True, None, f"{full[:8]} is in the repository's history.", full
    )


@pytest.mark.parametrize("named", ["abc", "HEAD", "main", "--output=x", "g" * 40, "", "a" * 41])
def test_what_names_no_commit_does_not_exist(repository, named: str) -> None:
    assert look(repository, named, "README.md") == CommitTouch(
        False, None, "A commit id must have between 7 and 40 hexadecimal digits."
    )


@pytest.mark.parametrize("named", ["0" * 40, "1234567", "deadbeef"])
def test_an_unknown_commit_or_a_branch_called_like_one_does_not_exist(
    repository, named: str
) -> None:
    assert look(repository, named, "README.md") == CommitTouch(
        False, None, f"No single commit in the repository's history begins with {named}."
    )


def test_where_nobody_could_look_nothing_is_known(tmp_path) -> None:
    assert look(tmp_path / "none", "a" * 40, "x.py") == CommitTouch(
        None, None, "No repository was found at this address. Check the spelling."
    )


def test_an_address_we_would_not_connect_to_is_the_reason(repository) -> None:
    assert commit_touches(str(repository), "a" * 40, "x.py").exists is None
