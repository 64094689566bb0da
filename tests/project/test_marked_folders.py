"""Folders and files that a run leaves out unread: only those without a test that `-m` chooses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import MARKED_FOLDERS, MARKERS, may_choose, pytest_ignore_collect

TESTS = Path(__file__).parents[1]
NOTHING = frozenset[str]()


@pytest.mark.parametrize(
    ("expression", "is_chosen"),
    [
        ("not slow and not browser", False),
        ("not browser", False),
        ("slow and not browser", False),
        ("faults", True),
        ("", True),
        ("browser", True),
        ("not slow", True),
        # pytest knows further markers and refuses what is none.
        ("not browsers", True),
        ("django_db and not browser", True),
        ("slow or not browser", True),
        ("servers or slow and not browser", True),
        ("not (slow and not browser and not faults)", True),
        ("servers and not (browser or slow)", False),
    ],
)
def test_folder_is_left_out_only_without_a_test_that_may_be_chosen(
    expression: str, is_chosen: bool
) -> None:
    assert may_choose(expression, frozenset({"browser"}), MARKERS) is is_chosen


@pytest.mark.parametrize(
    ("expression", "is_chosen"),
    [
        ("slow or browser", True),
        ("not slow", True),
        ("slow and not browser", True),
        ("browser or faults", False),
        ("slow and servers", False),
    ],
)
def test_file_may_have_tests_with_and_without_the_marker_that_it_names(
    expression: str, is_chosen: bool
) -> None:
    assert may_choose(expression, NOTHING, frozenset({"slow"})) is is_chosen


def test_only_the_folder_of_an_excluded_marker_is_left_out(pytestconfig: pytest.Config) -> None:
    paths = left_out("not browser and not slow", pytestconfig)
    assert {path.partition("/")[0] for path in paths} == {"browser"}


def test_only_files_that_name_a_chosen_marker_are_read(pytestconfig: pytest.Config) -> None:
    unread = left_out("processes or slow", pytestconfig)
    assert "project/test_serve.py" not in unread
    assert "project/test_documentation.py" in unread


def left_out(expression: str, pytestconfig: pytest.Config) -> list[str]:
    before = pytestconfig.option.markexpr
    pytestconfig.option.markexpr = expression
    try:
        return [
            path.relative_to(TESTS).as_posix()
            for path in TESTS.rglob("[!.]*")
            if pytest_ignore_collect(path, pytestconfig)
        ]
    finally:
        pytestconfig.option.markexpr = before


def test_every_marked_folder_is_there() -> None:
    assert [folder for folder in MARKED_FOLDERS if not (TESTS / folder).is_dir()] == []
