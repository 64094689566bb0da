"""Diagrams drawn with characters: which names stand side by side."""

from __future__ import annotations

import pytest

from courtroom.analysis.diagrams.character_drawings import character_sketches

DETECTIVES = ("RepoReader", "PdfReader", "PictureReader")
BOXES = """Our graph
┌───────────┐
│ START │
└─────┬─────┘
┌───────┼───────┐
│ │ │
▼ ▼ ▼
┌──────┐ ┌──────┐
┌──────┐
│ RepoReader│ │ PdfReader │ │ PictureReader │ ← in parallel
│ (clones, │ │ (reads │ │ (looks at │
│ log, tree) │ │ text) │ │ pictures) │
└───┬───┘ └───┬───┘ └───┬───┘
│ evidence │ evidence │ evidence
└───────┼───────┘
▼
┌────────────┐
│ Evidence │
│ Aggregator │
│ joins what they found │
└─────┬──────┘
▼
┌────────────┐
│ Panel │
│ (Prosecutor, Defense, │
│ Tech Lead; each answers) │
└─────┬──────┘
▼
END"""
NESTED = """START
│
┌───────┼───────┐
▼ ▼
│ ┌──────┐ ┌──────┐ │
│ │ Prosecutor │ │ Tech │ │
│ │ │ │ Lead │ │
│ │ Output: │ │ Output: │ │
│ │ ┌────┐ │ │ ┌────┐ │ │
│ │ │ Opinion │ │ │ │ Opinion │ │ │
│ │ └────┘ │ │ └────┘ │ │
│ └──────┘ └──────┘ │
└───────┼───────┘
▼
END"""
ASCII = """+---------+
| START |
+---------+
| |
v v
+---------+ +---------+
| Tech Lead | | Defense |
+---------+ +---------+
| |
v v
END"""


PARTED = """START
│
▼ (fan-out)
┌──────────────┐
│ RepoReader │ PdfReader │ PictureReader │
└──────────────┘
│
▼
END"""
JOINED = """START
│
▼
[RepoReader] ─┐
[PdfReader] ├──► Aggregator (fan-in)
[PictureReader] ─┘
│
▼
END"""


@pytest.mark.parametrize("drawing", [PARTED, JOINED])
def test_parts_of_one_box_and_names_before_a_brace_are_side_by_side(drawing: str) -> None:
    (sketch,) = character_sketches([drawing])

    assert sketch.splits == (DETECTIVES,)


def test_marks_of_a_list_and_the_number_of_a_page_part_no_drawing() -> None:
    rows = JOINED.split("\n")
    pages = ["\n".join([*rows[:4], "1.", "2.", "3.", "•", "7 / 26"]), "\n".join(rows[4:])]

    (sketch,) = character_sketches(pages)

    assert (sketch.splits, sketch.last_page) == ((DETECTIVES,), 2)


def test_boxes_side_by_side_are_split_once_by_their_names() -> None:
    (sketch,) = character_sketches([BOXES])

    assert sketch.splits == (DETECTIVES,)
    assert "Panel" in sketch.labels
    assert "Tech Lead" not in sketch.labels


def test_name_of_several_lines_is_one_label() -> None:
    (sketch,) = character_sketches([BOXES])

    assert "Evidence Aggregator joins what they found" in sketch.labels


def test_equal_boxes_within_boxes_are_no_split() -> None:
    (sketch,) = character_sketches([NESTED])

    assert sketch.splits == (("Prosecutor", "Tech"),)


def test_boxes_of_plain_ascii_are_split_by_their_names() -> None:
    (sketch,) = character_sketches([ASCII])

    assert sketch.splits == (("Tech Lead", "Defense"),)


def test_table_in_a_frame_has_no_split() -> None:
    table = "┌────┬────┐\n│ Key │ Writer │\n├────┼────┤\n│ evidences │ detectives │\n└────┴────┘"

    one_row = "START\n│\n▼\n┌────┬────┐\n│ Key │ Writer │\n└────┴────┘\n▼\nEND"
    sketches = [*character_sketches([table]), *character_sketches([one_row])]
    assert all(not sketch.splits for sketch in sketches)


def test_repeated_header_is_no_part_of_a_drawing_over_pages() -> None:
    rows = BOXES.split("\n")
    header = "2/25/26 My Report on Courts"
    pages = [
        "\n".join(rows[:10]),
        "\n".join([header, *rows[10:]]),
        f"{header}\nmore",
        f"{header}\nend",
    ]

    (sketch,) = character_sketches(pages)

    assert "Courts" not in sketch.labels
    assert sketch.splits == (DETECTIVES,)
    assert (sketch.page, sketch.last_page) == (1, 2)


def test_numbered_heading_ends_a_drawing() -> None:
    heading = "3.2 Another diagram"
    page = f"{BOXES}\n{heading}\n{ASCII}"

    (both,) = character_sketches([page])
    first, second = character_sketches([page], {(1, heading)})

    assert both.last_page is None
    assert first.splits == (DETECTIVES,)
    assert second.splits == (("Tech Lead", "Defense"),)


@pytest.mark.parametrize("line", ["──", "━━"])
def test_source_of_a_chart_with_lines_in_its_labels_is_no_drawing(line: str) -> None:
    source = [
        "flowchart TD",
        f'a["One {line} x"] --> b["Two"]',
        f'b --> c["Three {line}"]',
        f'b --> d["Four {line}"]',
        "c --> e",
        "d --> e",
    ]

    assert character_sketches(["\n".join(source)]) == []


def test_line_before_a_whole_box_is_no_name_in_the_drawing() -> None:
    drawing = (
        "Input: state {url, path}\n┌───────┐\n│ START │\n└───┬───┘\n│\n▼\nreader, or none\n│\nEND"
    )
    (sketch,) = character_sketches([drawing])
    assert sketch.labels == ("START", "reader", "none", "END")


def test_caption_below_a_drawing_is_no_part_of_it() -> None:
    drawn = BOXES.removesuffix("\nEND")
    plain, captioned = (
        character_sketches((f"{drawn}\n{line}",))[0].labels for line in ("", "Fig 1: Graph of Flow")
    )
    assert captioned == plain
