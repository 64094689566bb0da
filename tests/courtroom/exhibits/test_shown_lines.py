"""Places that a careful reader's sentence names, as the benchmark reads them."""

from __future__ import annotations

import pytest

from benchmarks.shown_lines import Row, folded_lines, named_lines
from courtroom.exhibits.sheets import file_sheet
from courtroom.models.exhibit import CriterionExhibits, Exhibit

PATHS = ["src/state.py", "src/graph.py", "src/nodes/judges.py", "old/judges.py", "src/a b.py"]


@pytest.mark.parametrize(
    ("why", "named"),
    [
        ("typed (src/state.py:3-5, :8)", ["state 3", "state 4", "state 5", "state 8"]),
        ("abbreviated graph.py:7", ["graph 7"]),
        ("ambiguous judges.py:7, 9 and (src/graph.py:2)", ["graph 2"]),
        ("src/state.py:1, 4; then (6, 8-9) and lines 11-12", [1, 4, 6, 8, 9, 11, 12]),
        ("operator.ior (src/state.py:2), score 2/5/5, 20 % (1.86), commit (537a18f)", [2]),
        ("page 5 shows START, 49 commits over 2026-02-24..03-02", []),
        ("no path (12-14)", []),
    ],
)
def test_place_without_a_path_continues_the_last_one(
    why: str, named: list[str] | list[int]
) -> None:
    expected = [row if isinstance(row, str) else f"state {row}" for row in named]
    lines = [f"{path.rpartition('/')[2][:-3]} {line}" for path, line in named_lines(why, PATHS)]
    assert lines == expected


def test_share_is_of_the_named_lines() -> None:
    named, in_prompt = frozenset({("a", 1), ("a", 2)}), frozenset({("a", 2), ("a", 3)})
    assert Row("r", "c", named, in_prompt, 10).share == 0.5


def test_lines_of_a_docstring_are_folded_and_blank_ones_are_not() -> None:
    lines = [
        "def f():",
        '    """First of a docstring that is long enough',
        "",
        "    last of it.",
        '    """',
        "",
        "    return 1",
    ]
    sheet = file_sheet("a.py", lines, "c" * 40)
    exhibit = Exhibit(
        kind="code", title="x", location=sheet.location(10, 16), text="\n".join(lines)
    )
    bundle = CriterionExhibits(criterion_id="c", exhibits=(exhibit,))
    assert {("a.py", 13), ("a.py", 14)} <= set(folded_lines(bundle, shows_strings=False))
    assert ("a.py", 16) not in set(folded_lines(bundle, shows_strings=False))
