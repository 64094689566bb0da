"""Order of the lines of a page: from its top, where the stream draws lists after the rest."""

import pytest

from courtroom.analysis.pdf.page_text import Piece, in_page_order, lines_of


def _lines(*rows: tuple[str, float, float]) -> list[str]:
    pieces = [Piece(text, x, y, 10.0) for text, x, y in rows]
    return [line.text for line in in_page_order(lines_of(pieces))]


def test_lists_that_the_stream_draws_last_stand_in_their_places() -> None:
    rows = [
        ("The judges are three:", 50, 700),
        ("All read the evidence.", 50, 640),
        ("The Chief Justice waits for:", 50, 620),
        ("The end of the page.", 50, 560),
        ("opinions", 70, 600),
        ("\u2022", 60, 600),
        ("Prosecutor looks for gaps", 70, 680),
        ("\u2022", 60, 680),
        ("Defense looks for effort", 70, 660),
        ("\u2022", 60, 660),
    ]
    assert _lines(*rows) == [
        "The judges are three:",
        "\u2022 Prosecutor looks for gaps",
        "\u2022 Defense looks for effort",
        "All read the evidence.",
        "The Chief Justice waits for:",
        "\u2022 opinions",
        "The end of the page.",
    ]


@pytest.mark.parametrize(
    "rows",
    [
        # Two columns, each from the top; twice.
        [
            ("left one", 50, 700),
            ("left two", 50, 680),
            ("right one", 300, 700),
            ("right two", 300, 680),
            ("left three", 50, 690),
        ],
        # Cells of one row, not on one height.
        [
            ("Detectives write to", 50, 700),
            ("other keys", 50, 688),
            ("evidences", 300, 694),
            ("Judges append", 50, 670),
            ("a list", 50, 658),
            ("opinions", 300, 664),
            ("Heading", 50, 690),
        ],
    ],
)
def test_columns_and_cells_keep_the_order_of_the_stream(
    rows: list[tuple[str, float, float]],
) -> None:
    assert _lines(*rows) == [text for text, _, _ in rows]


def test_heading_that_the_stream_draws_last_stands_above_its_text() -> None:
    rows = [("The first line", 50, 700), ("The second line", 50, 680), ("7. Heading", 50, 720)]
    assert _lines(*rows)[0] == "7. Heading"
