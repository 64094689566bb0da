"""Diagrams in pictures: boxes read from pixels and compared with the code's graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from courtroom.analysis.diagrams.diagram_kind import diagram_of
from courtroom.analysis.diagrams.parallel_branches import (
    code_widths,
    matching_widths,
    picture_splits,
)
from courtroom.analysis.pdf.box_layout import layout_of
from courtroom.analysis.pdf.image_regions import boxes_in
from courtroom.analysis.pdf.pdf_content import Layout, Level, PdfImage, PdfReading
from courtroom.analysis.pdf.picture_layouts import picture_layouts
from courtroom.analysis.pdf.pixels import cells_of
from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.checks.diagram import Diagram, best_diagram
from courtroom.models.case import Limits
from courtroom.models.facts import GraphFact
from tests.courtroom.surveys import CHECK_FIELDS
from tests.factories.pdfs import Image, Page, make_pdf

PARALLEL, SIMILAR, ACCURATE = (
    Diagram(**CHECK_FIELDS, aspect=aspect) for aspect in ("parallel", "similar", "accurate")
)
WIDTH, ROW = 600, 90
WHITE, LILAC, BLACK = b"\xff\xff\xff", b"\xec\xec\xff", b"\x30\x30\x30"


class Painter:
    """Paints boxes with borders and straight lines on white, 8-bit RGB."""

    def __init__(self, height: int, paper: bytes = WHITE) -> None:
        self.height = height
        self.samples = bytearray(paper * (WIDTH * height))

    def fill(self, left: int, top: int, right: int, bottom: int, colour: bytes) -> None:
        for y in range(top, bottom):
            start = 3 * (y * WIDTH + left)
            self.samples[start : start + 3 * (right - left)] = colour * (right - left)

    def box(self, x: int, y: int, colour: bytes = LILAC, border: bytes = BLACK) -> None:
        self.fill(x - 42, y - 17, x + 42, y + 17, border)
        self.fill(x - 40, y - 15, x + 40, y + 15, colour)

    def dashed_box(self, x: int, y: int) -> None:
        """A border with gaps, through which the paper runs into the box."""
        self.box(x, y, WHITE)
        for left in range(x - 38, x + 38, 10):
            self.fill(left, y - 17, left + 1, y + 17, WHITE)

    def line(self, x: int, y: int, to_x: int, to_y: int) -> None:
        for step in range(401):
            at_x, at_y = x + (to_x - x) * step // 400, y + (to_y - y) * step // 400
            self.fill(at_x - 1, at_y - 1, at_x + 1, at_y + 1, BLACK)


def _painted(
    *widths: int,
    paper: bytes = WHITE,
    fill: bytes = LILAC,
    border: bytes = BLACK,
    dashed: bool = False,
) -> Painter:
    """Rows of boxes from the top; every box of a row is joined with every box of the next."""
    painter = Painter(ROW * len(widths), paper)
    columns = [[WIDTH * (index + 1) // (width + 1) for index in range(width)] for width in widths]
    middles = [ROW * row + ROW // 2 for row in range(len(widths))]
    for row in range(len(widths) - 1):
        for x in columns[row]:
            for to_x in columns[row + 1]:
                painter.line(x, middles[row] + 17, to_x, middles[row + 1] - 17)
    for row, y in enumerate(middles):
        for x in columns[row]:
            if dashed:
                painter.dashed_box(x, y)
            else:
                painter.box(x, y, fill, border)
    return painter


def _layout(painter: Painter) -> Layout:
    layout = layout_of(1, bytes(painter.samples), WIDTH, painter.height)
    assert layout is not None
    return layout


def _level(boxes: int, linked: int, above: int, below: int) -> Level:
    """A level whose boxes are in no chain; those that lines enter are those that they leave."""
    return Level(boxes, linked, above, below, through=min(above, below), in_chain=0)


def _graph(*widths: int) -> GraphFact:
    """A graph whose splits are as wide as said, with one node between them."""
    edges: list[tuple[str, str]] = []
    source = "START"
    for split, width in enumerate(widths):
        for number in range(width):
            name = f"n{split}_{number}"
            edges += [(source, name), (name, f"join{split}")]
        source = f"join{split}"
    edges.append((source, "END"))
    nodes = dict.fromkeys(name for edge in edges for name in edge if name not in {"START", "END"})
    return GraphFact(
        path="src/graph.py", state_graph_line=1, nodes=tuple(nodes), edges=edges, conditional=()
    )


def _kind(
    tmp_path: Path, painter: Painter, graph: GraphFact | None
) -> tuple[str | None, int | None]:
    image = Image(WIDTH, painter.height, bytes(painter.samples))
    report = make_pdf(
        tmp_path / "report.pdf", [Page(["Text."]), Page(["Figure 1."], images=[image])]
    )
    result = diagram_of(read_pdf(report, Limits()), graph)
    return result.kind, result.page


def test_samples_that_do_not_fill_the_image_are_ignored() -> None:
    assert cells_of(b"\x00" * 10, 4, 4) is None


def test_picture_with_one_split_stays_unknown(tmp_path: Path) -> None:
    assert _kind(tmp_path, _painted(1, 3, 1, 1), _graph(3, 3)) == (None, 2)


def test_picture_of_the_codes_splits_in_order_is_accurate(tmp_path: Path) -> None:
    assert _kind(tmp_path, _painted(1, 2, 1, 3, 1), _graph(2, 3)) == ("accurate", 2)


@pytest.mark.parametrize("graph", [_graph(3, 2), _graph(3), None])
def test_picture_of_other_splits_is_parallel_but_not_accurate(
    tmp_path: Path, graph: GraphFact | None
) -> None:
    assert _kind(tmp_path, _painted(1, 2, 1, 3, 1), graph) == ("parallel_shown", 2)


@pytest.mark.parametrize(("paper", "fill"), [(WHITE, WHITE), (b"\x22\x22\x22", b"\x60\x60\x60")])
def test_boxes_are_recognised_by_outline_in_any_colour(paper: bytes, fill: bytes) -> None:
    layout = _layout(_painted(1, 3, 1, 3, 1, paper=paper, fill=fill))
    assert [level.boxes for level in layout.levels] == [1, 3, 1, 3, 1]


@pytest.mark.parametrize(
    "painter",
    [
        _painted(1, 3, 1, 3, 1, fill=WHITE, border=b"\xe2\xf0\xfa"),
        _painted(1, 3, 1, 3, 1, dashed=True),
    ],
    ids=["pale", "dashed"],
)
def test_pale_and_dashed_borders_close_a_box(painter: Painter) -> None:
    assert [level.boxes for level in _layout(painter).levels] == [1, 3, 1, 3, 1]


def test_shades_of_a_fill_are_no_border() -> None:
    painter = _painted(1, 3, 1, 3, 1)
    samples = bytearray(painter.samples)
    # Every second pixel of the fill is on the other side of a limit between two colours.
    for start in range(0, len(samples), 6):
        if samples[start : start + 3] == LILAC:
            samples[start : start + 3] = b"\xdc\xec\xff"
    painter.samples = samples
    assert [level.boxes for level in _layout(painter).levels] == [1, 3, 1, 3, 1]


@pytest.mark.parametrize(("boxes", "splits"), [((1, 3, 1), 2), ((1, 2, 1), 1), ((1, 3, 2), 1)])
def test_lines_that_miss_boxes_of_a_row_between_single_boxes_still_part(
    boxes: Sequence[int], splits: int
) -> None:
    above, row, below = boxes
    levels = [(1, 1, 0, 1), (3, 3, 3, 3), (above, 1, 1, 1), (row, row, 1, row), (below, 1, 1, 0)]
    layout = Layout(1, tuple(_level(*level) for level in levels))
    assert len(picture_splits(layout)) == splits


GRAPHS = (_graph(3, 4), _graph(3))


@pytest.mark.parametrize(
    ("boxes", "kind"),
    [((1, 3, 3, 1, 4, 1), "parallel_shown"), ((1, 3, 1, 2, 1), None), ((3, 1, 3, 1), None)],
)
def test_two_rows_between_single_boxes_are_shown_without_all_their_lines(
    boxes: Sequence[int], kind: str | None
) -> None:
    layout = Layout(1, tuple(_level(width, width, 0, width) for width in boxes))
    reading = PdfReading(pages=("Text.",), images=(PdfImage(1, 600, 400),), layouts=(layout,))
    result = diagram_of(reading, GRAPHS[0])
    assert result.kind == kind
    assert ("not all lines between them were recognised" in result.reason) == (kind is not None)
    if kind:
        # As many rows as the code has leave open what joins them; others are not like it, and
        # without the lines no proof of branches.
        for check, expected in ((ACCURATE, [None, False]), (PARALLEL, [True, None])):
            met = [best_diagram(check, diagram_of(reading, graph)).met for graph in GRAPHS]
            assert met == expected


def test_row_whose_boxes_are_entered_or_left_but_not_both_is_no_split() -> None:
    levels = [(1, 1, 0, 1, 0), (4, 4, 2, 2, 0), (1, 1, 1, 1, 1), (2, 2, 2, 2, 2), (1, 1, 1, 0, 0)]
    layout = Layout(1, tuple(Level(*level, in_chain=0) for level in levels))
    assert picture_splits(layout) == (frozenset({2}),)


def _chain_before_a_split() -> Painter:
    """A row of four boxes from left to right, of which one leads to a split of three."""
    painter = Painter(4 * ROW)
    row = (90, 230, 370, 510)
    for x, to_x in pairwise(row):
        painter.line(x + 42, 45, to_x - 42, 45)
    for x in row:
        painter.box(x, 45)
    painter.line(300, 135, 230, 62)
    for x in (150, 300, 450):
        painter.line(300, 135, x, 225)
        painter.line(x, 225, 300, 315)
        painter.box(x, 225)
    for y in (135, 315):
        painter.box(300, y)
    return painter


def test_row_of_boxes_that_lines_join_one_after_the_other_is_no_split(tmp_path: Path) -> None:
    painter = _chain_before_a_split()
    image = Image(WIDTH, painter.height, bytes(painter.samples))
    report = make_pdf(tmp_path / "report.pdf", [Page(["Figure 1."], images=[image])])
    result = diagram_of(read_pdf(report, Limits()), _graph(4, 3))

    assert (result.kind, result.is_partial, result.shares_split) == ("parallel_shown", True, True)
    assert best_diagram(PARALLEL, result).reason == (
        "The picture on page 1 does not show all parallel branches, going by the outlines of its boxes (boxes side by side: 3; counted"
        " by outline, as their text was not read; nodes side by side in the code: 4, then 3; lines"
        " join 4 boxes of another row one after the other)."
    )
    assert [best_diagram(check, result).met for check in (PARALLEL, ACCURATE)] == [False, False]


def test_chain_in_a_picture_leaves_open_what_another_one_with_rows_shows() -> None:
    levels = [Level(4, 4, 0, 1, 0, 4), *map(_level, *zip((1,) * 4, (3,) * 4, strict=True))]
    layouts = [Layout(page, tuple(levels)) for page in (1, 2)]
    for count, kind in ((1, "parallel_shown"), (2, None)):
        pictures = tuple(PdfImage(page, 600, 400) for page in range(1, count + 1))
        for laid_out in {1, count}:
            reading = PdfReading(("Text.",) * 2, pictures, layouts=tuple(layouts[:laid_out]))
            assert diagram_of(reading, _graph(4, 3)).kind == kind


@pytest.mark.parametrize(("drawn", "is_similar"), [((3, 3), True), ((4, 4), False), ((5, 2), True)])
def test_splits_as_wide_as_none_of_the_code_are_not_similar(
    drawn: Sequence[int], is_similar: bool
) -> None:
    rows = [level for w in drawn for level in ((1, 1, 1, 1), (w, w, w, w))]
    layout = Layout(1, tuple(_level(*level) for level in (*rows, (1, 1, 1, 0))))
    reading = PdfReading(("Text.",), (PdfImage(1, 600, 400),), layouts=(layout,))
    result = diagram_of(reading, _graph(2, 3))
    finding = best_diagram(SIMILAR, result)
    assert (result.kind, finding.met) == ("parallel_shown", is_similar)
    as_many = "as many" if is_similar else "nowhere as many"
    by = "" if is_similar else ", going by the outlines of its boxes"
    assert ("a box that lines divide counts once" in finding.reason) != is_similar
    assert finding.reason.startswith(
        f"The picture on page 1 has {as_many} boxes side by side as a split of the code has"
        f" branches{by} (boxes side by side:"
    )


def test_boxes_of_a_matching_picture_are_counted_with_those_that_no_line_joins() -> None:
    levels = [(1, 1, 0, 1), (4, 4, 4, 3), (1, 1, 1, 1), (3, 3, 3, 3), (1, 1, 1, 0)]
    layout = Layout(1, tuple(_level(*level) for level in levels))
    reading = PdfReading(pages=("Text.",), images=(PdfImage(1, 600, 400),), layouts=(layout,))
    assert diagram_of(reading, _graph(3, 3)).reason.startswith(
        "boxes side by side as in the code: 3, then 3; outlines in a row, of boxes and labels alike: 4, then 3;"
    )


def test_picture_without_boxes_stays_unknown(tmp_path: Path) -> None:
    painter = _painted(1)
    painter.samples = bytearray((x * x // 7 + 31 * x) % 256 for x in range(len(painter.samples)))
    painter.samples[: 40 * 3 * WIDTH] = WHITE * (40 * WIDTH)
    painter.height = 4 * ROW
    painter.samples += bytearray(WHITE * (3 * ROW * WIDTH))
    assert _kind(tmp_path, painter, _graph(3, 3)) == (None, 2)


def test_lines_are_counted_by_the_sides_they_reach() -> None:
    assert _layout(_painted(1, 2, 1)).levels == (
        _level(1, 1, 0, 1),
        _level(2, 2, 2, 2),
        _level(1, 1, 1, 0),
    )


def test_table_of_cells_that_touch_is_no_split() -> None:
    painter = Painter(300)
    painter.fill(50, 50, 550, 250, BLACK)
    for row, column in ((row, column) for row in range(4) for column in range(4)):
        left, top = 52 + 125 * column, 52 + 50 * row
        painter.fill(left, top, left + 120, top + 45, WHITE)
    assert picture_splits(_layout(painter)) == ()


def test_frame_around_boxes_is_no_box() -> None:
    painter = Painter(200)
    painter.fill(150, 20, 450, 75, BLACK)
    painter.fill(152, 22, 448, 73, b"\xff\xff\xaa")
    painter.box(300, 48)
    cells = cells_of(bytes(painter.samples), WIDTH, 200)
    assert cells is not None
    assert [len(boxes) for boxes in boxes_in(cells)] == [1, 1]


def test_pieces_of_frames_and_of_the_paper_between_them_are_no_boxes() -> None:
    painter = Painter(5 * ROW)
    for top in (100, 190, 280):
        painter.fill(90, top, 510, top + 70, BLACK)
        painter.fill(92, top + 2, 508, top + 68, b"\xff\xff\xde")
    for x in (180, 420):
        painter.line(300, 45, x, 135)
        painter.line(x, 135, x, 315)
        painter.line(x, 315, 300, 405)
    painter.line(300, 45, 300, 405)
    three = (180, 300, 420)
    for y, columns in ((45, (300,)), (135, three), (225, (300,)), (315, three), (405, (300,))):
        for x in columns:
            painter.box(x, y)

    assert [level.boxes for level in _layout(painter).levels] == [1, 3, 1, 3, 1]


def test_tags_on_the_lines_of_a_split_belong_to_it() -> None:
    levels = [(1, 1, 0, 1), (3, 3, 3, 3), (3, 3, 2, 2), (1, 1, 1, 1), (4, 3, 3, 3), (1, 1, 1, 0)]
    splits = picture_splits(Layout(1, tuple(_level(*level) for level in levels)))
    assert splits == (frozenset({2, 3}), frozenset({3, 4}))


@pytest.mark.parametrize(
    ("widths", "kind"),
    [((3, 2), "parallel_shown"), ((2, 3), None), ((3,), None)],
)
def test_splits_of_the_code_in_a_picture_each_are_shown_in_part(
    widths: Sequence[int], kind: str | None
) -> None:
    rows = [((1, 1, 0, 1), (width, width, width, width), (1, 1, 1, 0)) for width in widths]
    layouts = tuple(
        Layout(page, tuple(_level(*level) for level in levels))
        for page, levels in enumerate(rows, start=1)
    )
    pictures = tuple(PdfImage(layout.page, 600, 400) for layout in layouts)
    reading = PdfReading(pages=("Text.",) * len(rows), images=pictures, layouts=layouts)
    result = diagram_of(reading, _graph(3, 2))
    assert result.kind == kind
    assert ("3 on page 1, then 2 on page 2" in result.reason) == (kind is not None)
    # None of them shows both.
    met = [best_diagram(check, result).met for check in (PARALLEL, SIMILAR)]
    assert met == ([False, True] if kind else [None, None])


@pytest.mark.parametrize(
    ("widths", "further"), [((3, 2), ()), ((3, 2, 4), (4,)), ((4, 3, 2), (4,)), ((3, 5, 2), (5,))]
)
def test_splits_beside_those_of_the_code_are_told_from_them(
    widths: Sequence[int], further: Sequence[int]
) -> None:
    rows = [level for w in widths for level in ((1, 1, 1, 1), (w, w, w, w))]
    levels = tuple(_level(*level) for level in ((1, 1, 0, 1), *rows, (1, 1, 1, 0)))
    image = PdfImage(1, 600, 400)
    reading = PdfReading(pages=("Text.",), images=(image,), layouts=(Layout(1, levels),))
    result = diagram_of(reading, _graph(3, 2))
    assert (result.kind, result.has_more) == ("accurate", bool(further))
    sentence = f"that the code does not have: {', then '.join(map(str, further))}"
    assert result.reason.endswith(sentence) == bool(further)


@pytest.mark.parametrize("is_followed", [True, False])
def test_picture_with_fewer_boxes_than_the_code_has_nodes_is_not_like_it(
    is_followed: bool,
) -> None:
    rows = [level for w in (3, 3) for level in ((1, 1, 1, 1), (w, w, w * is_followed, w))]
    layout = Layout(1, tuple(_level(*level) for level in (*rows, (1, 1, 1, 0))))
    reading = PdfReading(("Text.",), (PdfImage(1, 600, 400),), layouts=(layout,))
    whole = _graph(3, 3)
    like_code = "has rows of boxes like the graph of the code, and fewer boxes than it has nodes"
    for more, met in ((3, True if is_followed else None), (4, False)):
        nodes = (*whole.nodes, *(f"later_{number}" for number in range(more)))
        finding = best_diagram(
            ACCURATE, diagram_of(reading, whole.model_copy(update={"nodes": nodes}))
        )
        assert finding.met is met
        assert (like_code in finding.reason) == (met is False)
        assert (
            "9 outlines, START and END with them where they are drawn; 12 nodes in the code"
            in finding.reason
        ) == (met is False)


def test_all_nodes_of_the_code_are_counted_beside_fewer_outlines() -> None:
    rows = [level for w in (3, 3) for level in ((1, 1, 1, 1), (w, w, w, w))]
    layout = Layout(1, tuple(_level(*level) for level in (*rows, (1, 1, 1, 0))))
    reading = PdfReading(("Text.",), (PdfImage(1, 600, 400),), layouts=(layout,))
    whole = _graph(3, 3)
    nodes = (*whole.nodes, *(f"later_{number}" for number in range(4)), "skip_doc_analyst", "end")
    result = diagram_of(reading, whole.model_copy(update={"nodes": nodes}))
    assert result.reason.endswith(
        "START and END with them where they are drawn; 14 nodes in the code"
    )


def test_rows_are_compared_with_the_code_without_its_alternatives_too() -> None:
    whole = _graph(3, 3)
    exits = [("START", "skip_tools"), ("skip_tools", "join0")]
    graph = whole.model_copy(
        update={"nodes": (*whole.nodes, "skip_tools"), "edges": (*whole.edges, *exits)}
    )
    layout = Layout(1, tuple(_level(w, w, 0, w) for w in (1, 3, 1, 3, 1)))
    reading = PdfReading(("Text.",), (PdfImage(1, 600, 400),), layouts=(layout,))
    finding = best_diagram(ACCURATE, diagram_of(reading, graph))
    assert finding.met is None
    assert "in the code: 4, then 3, without alternatives 3, then 3;" in finding.reason


@pytest.mark.parametrize("widths", [(3, 3), (2, 3), (10, 30)])
def test_codes_splits_are_counted_from_start_on(widths: Sequence[int]) -> None:
    assert code_widths(_graph(*widths)) == widths


def test_alternatives_of_a_step_are_parallel() -> None:
    graph = GraphFact(
        path="src/graph.py",
        state_graph_line=1,
        nodes=("a", "b", "run_a", "skip_a", "run_b", "skip_b", "join"),
        edges=(
            ("START", "a"),
            ("START", "b"),
            ("run_a", "join"),
            ("skip_a", "join"),
            ("run_b", "join"),
            ("skip_b", "join"),
            ("join", "END"),
        ),
        conditional=(
            {"from": "a", "to": ("run_a", "skip_a")},
            {"from": "b", "to": ("run_b", "skip_b")},
        ),
    )
    assert code_widths(graph) == (2, 4)


def test_layers_without_a_join_between_them_may_be_one_split_of_the_picture() -> None:
    gates, detectives, judges = ("a", "b"), ("run_a", "run_b", "sync"), ("p", "d", "t")
    layers = [(gates, ("START",)), (("join",), detectives), (judges, ("join",)), (("z",), judges)]
    graph = GraphFact(
        path="src/graph.py",
        state_graph_line=1,
        nodes=(*gates, *detectives, "join", *judges, "z"),
        edges=tuple((start, end) for ends, starts in layers for end in ends for start in starts),
        conditional=tuple({"from": gate, "to": (f"run_{gate}", "sync")} for gate in gates),
    )
    levels = [(1, 1, 0, 1), (2, 2, 2, 2), (3, 3, 3, 3), (1, 1, 1, 1), (3, 3, 3, 3), (1, 1, 1, 0)]
    layout = Layout(1, tuple(_level(*level) for level in levels))
    assert matching_widths(layout, graph) == code_widths(graph) == (2, 3, 3)
    without_gates = Layout(1, layout.levels[2:])
    assert matching_widths(without_gates, graph) == ()


@pytest.mark.processes
def test_picture_decoded_by_pdfium_has_the_layout_that_its_samples_have(
    tmp_path: Path,
) -> None:
    painter = _painted(1, 3, 1, 3, 1)
    image = Image(WIDTH, painter.height, rgb=bytes(painter.samples))
    path = make_pdf(tmp_path / "report.pdf", [Page(["Text."]), Page(images=[image])])
    layouts = picture_layouts(path, [1, 2], Limits())
    assert layouts == read_pdf(path, Limits()).layouts
    assert [layout.page for layout in layouts] == [2]


@pytest.mark.processes
def test_file_that_pdfium_refuses_has_no_layouts(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(b"%PDF-1.7 and nothing else")
    assert picture_layouts(path, [1], Limits()) == ()


def _painted_from_left(*heights: int) -> Painter:
    """Columns of boxes from the left; every box of a column is joined with every box of the next."""
    painter = Painter(ROW * max(heights))
    middles = [WIDTH * (2 * column + 1) // (2 * len(heights)) for column in range(len(heights))]
    rows = [
        [painter.height * (2 * index + 1) // (2 * height) for index in range(height)]
        for height in heights
    ]
    for column in range(len(heights) - 1):
        for y in rows[column]:
            for to_y in rows[column + 1]:
                painter.line(middles[column] + 42, y, middles[column + 1] - 42, to_y)
    for column, x in enumerate(middles):
        for y in rows[column]:
            painter.box(x, y)
    return painter


@pytest.mark.parametrize(
    ("heights", "kind"), [((1, 3, 1, 3, 1), "accurate"), ((1, 3, 1, 2, 1), "parallel_shown")]
)
def test_picture_from_left_to_right_is_read_by_columns(
    tmp_path: Path, heights: tuple[int, ...], kind: str
) -> None:
    painter = _painted_from_left(*heights)
    image = Image(WIDTH, painter.height, bytes(painter.samples))
    report = make_pdf(tmp_path / "report.pdf", [Page(["Figure 1."], images=[image])])
    result = diagram_of(read_pdf(report, Limits()), _graph(3, 3))

    assert (result.kind, result.page) == (kind, 1)
    assert result.reason.startswith("boxes one below the other, from left to right")
    assert best_diagram(ACCURATE, result).reason.startswith(
        "The picture on page 1 has columns of boxes like the graph of the code (boxes one below"
        if kind == "accurate"
        else "The picture on page 1 shows parallel branches, but is not like the graph of the code"
    )


def test_row_of_boxes_from_left_to_right_is_no_split() -> None:
    layout = _layout(_painted_from_left(1, 1, 3, 1, 1))
    assert (layout.from_left, picture_splits(layout)) == (False, ())
