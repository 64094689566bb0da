"""Lines of a file beside those of an earlier attempt."""

from __future__ import annotations

from grading.submitted_work.aligned_lines import CONTEXT, MAX_ROWS, AlignedFile, align


def shape(aligned: AlignedFile) -> list[tuple[int | None, int | None, str]]:
    return [
        (
            row.before.number if row.before else None,
            row.after.number if row.after else None,
            row.kind,
        )
        for row in aligned.rows
    ]


def numbered(count: int) -> list[str]:
    return [f"line {number}" for number in range(1, count + 1)]


def test_changed_added_and_removed_lines_stand_beside_each_other() -> None:
    before = ["a", "b", "gone", "c", "d"]
    after = ["a", "B", "c", "new", "d"]
    assert shape(align("x.txt", after, before)) == [
        (1, 1, "same"),
        (2, 2, "changed"),
        (3, None, "removed"),
        (4, 3, "same"),
        (None, 4, "added"),
        (5, 5, "same"),
    ]


def test_cited_lines_have_ten_lines_around_and_the_rest_is_counted() -> None:
    aligned = align("x.txt", numbered(100), cited=(50, 51))
    numbers = [row.after.number for row in aligned.rows if row.after]
    assert numbers == list(range(50 - CONTEXT, 52 + CONTEXT))
    assert [row.after.number for row in aligned.rows if row.is_cited and row.after] == [50, 51]
    assert (aligned.rows[0].skipped, aligned.rest) == (39, 39)


def test_lines_that_moved_down_are_found_beside_the_cited_ones() -> None:
    before = numbered(60)
    after = ["import os", "", *before]
    aligned = align("x.py", after, before, cited=(42, 42))
    (cited,) = [row for row in aligned.rows if row.is_cited]
    assert (cited.before and cited.before.number, cited.kind) == (40, "same")


def test_without_cited_lines_only_changes_are_shown_with_their_context() -> None:
    before = numbered(200)
    after = [*before[:99], "changed", *before[100:]]
    aligned = align("x.txt", after, before)
    assert len(aligned.rows) == 2 * CONTEXT + 1
    assert (aligned.rows[0].skipped, aligned.rest) == (89, 90)


def test_long_file_is_cut_and_says_how_much_is_missing() -> None:
    aligned = align("x.txt", numbered(MAX_ROWS + 5))
    assert (len(aligned.rows), aligned.rest) == (MAX_ROWS, 5)


def test_removed_file_shows_its_old_lines() -> None:
    assert shape(align("x.txt", [], ["a"])) == [(1, None, "removed")]


def test_markup_and_invisible_characters_are_shown_as_text() -> None:
    (row,) = align("x.txt", ["<script>\u202e"]).rows
    assert row.after is not None
    assert row.after.html == "&lt;script&gt;[U+202E]"


def test_lines_repeated_to_slow_the_comparison_down_are_shown_as_replaced() -> None:
    before = [text for number in range(400) for text in ("x", f"u{number}")]
    after = ["new", *(text for number in range(400) for text in ("x", f"v{number}"))]
    kinds = {row.kind for row in align("x.txt", after, before).rows}
    assert kinds == {"changed", "added"}
