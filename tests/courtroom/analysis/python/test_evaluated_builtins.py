"""Builtins of known values: what the evaluator makes of them, and where it makes nothing."""

from __future__ import annotations

import pytest

from courtroom.analysis.python.symbolic_execution.values import UNKNOWN
from tests.courtroom.sources import values_of


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("max([1, 3, 2])", 3),
        ("min(3, 1)", 1),
        ("max(['aa', 'b'], key=len)", "aa"),
        ("min(rows, key=lambda row: row['size'])['name']", "small"),
        ("max([], default=4)", 4),
        ("round(2.567, 1)", 2.6),
        ("round(2.5)", 2),
        ("abs(-3)", 3),
        ("float('1.5')", 1.5),
        ("statistics.mean([1, 2])", 1.5),
        ("statistics.median([3, 1, 2])", 2),
        ("sum([1, 2])", 3),
        ("len(sum([[1], [2]], []))", 2),
        ("[unknown] == []", False),
        ("next(row for row in rows)['name']", "large"),
        ("next((row for row in rows if row['size'] > 9), 5)", 5),
    ],
)
def test_builtin_of_known_values_is_known(code: str, value: object):
    rows = "rows = [{'name': 'large', 'size': 2}, {'name': 'small', 'size': 1}]\n"
    assert values_of(f"import statistics\n{rows}a = {code}\n")["a"] == value


@pytest.mark.parametrize(
    "code",
    [
        "max(['a', 1])",
        "[unknown] == [1]",
        "{1, unknown} == {1}",
        "max([])",
        "max([open('a'), 1])",
        "max([1, 2], key=open)",
        "round('x')",
        "round(1, 'x')",
        "float('x')",
        "sum([1], 4)",
        "statistics.median([])",
        "statistics.mean(['a'])",
        "next([*open('a')])",
    ],
)
def test_builtin_of_anything_else_is_not_known(code: str):
    assert values_of(f"import statistics\na = {code}\n")["a"] is UNKNOWN
