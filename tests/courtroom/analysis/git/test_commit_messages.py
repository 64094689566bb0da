"""Commit messages that name nothing, and those that say more than their commit holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from courtroom.analysis.git.history import History, messages_on_files, weak_messages
from courtroom.analysis.git.message_claims import (
    overclaimed_messages,
    template_messages,
    untouched_files,
)
from tests.courtroom.analysis.git.test_history import history_with


@pytest.mark.parametrize(
    "subject",
    [
        *("", ".", "wip", "Update", "fix fix", "final update 2", "Add files via upload", "!!! 123"),
        *(
            "repo updated",
            "project updated",
            "code update",
            "chore: final commit",
            "Fix bugs (#12)",
        ),
        *("check", "clean up", "big refactor", "Initial commit", "init"),
        *("feat: completed the last fixes, score 90/100", "refcator: update logic", "Final polish"),
        *("Changed some files according to the rubric", "Created codes", "chore: delete file."),
        *("Deat : Bug Fix", "chore: initialize branch with current changes"),
        *("Fix: Auditing System", "Update the Automaton Auditor"),
        *("final submisson", "makin everything up to date", "updatting files"),
    ],
)
def test_message_that_does_not_say_what_changed_is_weak(subject):
    assert [commit.subject for commit in weak_messages(history_with((subject, ("a.py",))))] == [
        subject
    ]


@pytest.mark.parametrize(
    "subject",
    [
        *("Fix typo", "Add parser", "Initial graph", "feat: retry", "修复解析器", "Fix #12"),
        *("Version 1.2", "Update repo_tools", "Check the address", "As per advice, retry clones"),
        *(
            "Judge: bug fix",
            "Heal: bug fix",
            "Add padding",
            "Updater",
            "Bring the lock file up to date",
        ),
    ],
)
def test_message_that_names_a_thing_is_not_weak(subject):
    assert weak_messages(history_with((subject, ("a.py",)))) == ()


@pytest.mark.parametrize(
    ("subject", "paths", "is_weak"),
    [
        ("Add Test Init", ("tests/__init__.py",), False),
        ("test file add", ("tests/test_graph.py", "tests/test_state.py"), False),
        ("Add Test Init", ("tests/__init__.py", "graph.py"), True),
        ("fix the submission", ("graph.py",), True),
        ("test", ("tests/test_graph.py",), True),
    ],
)
def test_message_of_common_words_names_files_that_are_all_called_so(subject, paths, is_weak):
    commits = weak_messages(history_with((subject, paths)))
    assert [commit.subject for commit in commits] == [subject] * is_weak


@pytest.mark.parametrize(
    ("subject", "is_bare"),
    [
        ("Update src/graph.py", True),
        ("chore: updated the graph", True),
        ("Add graph.py", False),
        ("Update the joins of the graph", False),
        ("Update", False),
    ],
)
def test_message_may_only_name_a_file_that_was_changed(subject, is_bare):
    commits = messages_on_files(history_with((subject, ("src/graph.py",))))
    assert [commit.subject for commit in commits] == [subject] * is_bare


@pytest.mark.parametrize(
    ("subject", "paths", "lines", "is_more"),
    [
        ("feat: implement the judges", ("src/judges.py",), 1, True),
        ("Add functions for the clone", ("src/__init__.py",), 0, True),
        ("feat: implement the judges", ("src/judges.py",), 2, False),
        ("feat: implement the judges", ("src/judges.py", "prompts.md"), 0, False),
        ("Implement the skeleton of the judges", ("src/judges.py",), 0, False),
        ("Add a flag", ("src/judges.py",), 1, False),
        ("Define Opinion and AuditReport models", (".gitignore",), 0, False),
        ("Define AuditReport and its fields", (".gitignore",), 0, True),
        ("feat: implement the judges", (".env",), 0, True),
        ("Implement pre-commit hooks", (".pre-commit-config.yaml",), 0, False),
        ("Add AuditReport", ("docs/report.md",), 0, False),
    ],
)
def test_message_may_say_more_than_its_commit_holds(subject, paths, lines, is_more):
    made = history_with((subject, paths))
    commits = (replace(made.commits[0], python_lines_added=lines),)
    told = overclaimed_messages(History(commits, 1, truncated=False))
    assert [commit.subject for commit in told] == [subject] * is_more


@pytest.mark.parametrize(
    ("subject", "is_template"),
    [
        ("Describe one focused change: e.g. add a helper", True),
        ("<type>: <subject>", True),
        ("your commit message", True),
        ("Describe the graph in the README", False),
        ("Add List<Opinion> to the parser", False),
        ("Fix the paths, e.g. that of the rubric", False),
    ],
)
def test_message_may_be_a_template_still(subject, is_template):
    commits = template_messages(history_with((subject, ("a.py",))))
    assert [commit.subject for commit in commits] == [subject] * is_template


@pytest.mark.parametrize(
    ("subject", "paths", "names"),
    [
        ("Update .gitignore to ignore caches", ("src/copy/graph.py",), [".gitignore"]),
        ("docs: update the README.md", ("main.py",), ["README.md"]),
        ("Update .gitignore to ignore caches", (".gitignore",), []),
        ("fix src/tools/repo-tools.py", ("src/tools/repo_tools.py",), []),
        ("Remove old.py", ("old.py\tnew.py",), []),
        ("Add .env to .gitignore", (".gitignore",), []),
        ("Remove .env from tracking", (".gitignore",), []),
        ("Fix README.md typos", ("main.py",), []),
        ("Update README.md", (), []),
    ],
)
def test_message_may_name_a_file_that_its_commit_leaves_alone(subject, paths, names):
    pairs = untouched_files(history_with((subject, paths)))
    assert [name for _, name in pairs] == names
