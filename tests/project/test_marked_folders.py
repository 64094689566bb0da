"""Folders that a run leaves out unread: only those whose tests `-m` excludes for certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import MARKED_FOLDERS, excludes, pytest_ignore_collect

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("expression", "is_excluded"),
    [
        ("not slow and not browser", True),
        ("not browser", True),
        ("", False),
        ("browser", False),
        ("not slow", False),
        ("not browsers", False),
        # These may choose a test of the folder, so pytest has to read it.
        ("slow or not browser", False),
        ("servers or slow and not browser", False),
        ("not (slow and not browser and not faults)", False),
        ("servers and not (browser or slow)", False),
    ],
)
def test_a_marker_is_excluded_only_by_a_list_of_ands(expression: str, is_excluded: bool) -> None:
    assert excludes(expression, "browser") is is_excluded


def test_only_the_folder_of_an_excluded_marker_is_left_out(pytestconfig: pytest.Config) -> None:
    expression = pytestconfig.option.markexpr
    pytestconfig.option.markexpr = "not browser and not slow"
    try:
        left_out = [
            path.relative_to(TESTS).as_posix()
            for path in TESTS.rglob("*")
            if pytest_ignore_collect(path, pytestconfig)
        ]
    finally:
        pytestconfig.option.markexpr = expression
    assert left_out == ["browser"]


def test_every_marked_folder_is_there() -> None:
    assert [folder for folder in MARKED_FOLDERS if not (TESTS / folder).is_dir()] == []
