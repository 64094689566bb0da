"""Diagrams read from geometry and characters, compared with the code's graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path as FilePath

import pytest

from courtroom.analysis.diagrams.diagram_kind import diagram_of
from courtroom.analysis.diagrams.diagram_match import agreement, sketch_of
from courtroom.analysis.diagrams.mermaid import read_mermaid
from courtroom.analysis.diagrams.parallel_branches import code_splits, code_widths
from courtroom.analysis.pdf.canvas import Path, Point
from courtroom.analysis.pdf.drawings import drawing_of
from courtroom.analysis.pdf.page_text import Piece
from courtroom.analysis.pdf.pdf_content import (
    Layout,
    Level,
    PdfImage,
    PdfReading,
    VisionPicture,
)
from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.checks.diagram import UNREAD_PICTURE, Diagram, best_diagram
from courtroom.models.case import Limits
from courtroom.models.facts import GraphFact
from tests.courtroom.surveys import CHECK_FIELDS
from tests.factories.pdfs import Arrow, Box, Image, Page, make_pdf, parallel_graph_page

DETECTIVES = ("repo_investigator", "doc_analyst", "vision_inspector")
JUDGES = ("prosecutor", "defense", "tech_lead")
WRITTEN = """START
│
┌───────┬───────┐
▼ ▼ ▼
repo_invest. doc_analyst vision_insp. (in parallel)
└───────┴───────┘
evidence_aggregator
├───────┬───────┐
▼ ▼ ▼
prosecutor defense tech_lead
└───────┴───────┘
chief_justice"""

ASCII = (
    """2.4 Diagram
START
|
|---> repo_investigator ----\\
|---> doc_analyst -----+---> evidence_aggregator --\\
|---> vision_inspector ----/ |
| v
| | |
| error_handler judges <--/
| |-------+--------|
7""",
    """Report
| v v v
| prosecutor defense tech_lead
| |-------+--------|
| v
| chief_justice
+----> END""",
)


def _graph(*edges: tuple[str, str]) -> GraphFact:
    nodes = dict.fromkeys(name for edge in edges for name in edge if name not in {"START", "END"})
    return GraphFact(
        path="src/graph.py", state_graph_line=1, nodes=tuple(nodes), edges=edges, conditional=()
    )


def _between(source: str, names: Iterable[str], target: str) -> list[tuple[str, str]]:
    return [edge for name in names for edge in ((source, name), (name, target))]


PARALLEL = _graph(
    *_between("START", DETECTIVES, "evidence_aggregator"),
    *_between("evidence_aggregator", JUDGES, "chief_justice"),
    ("chief_justice", "END"),
)
LINEAR = _graph(("START", "a"), ("a", "b"), ("b", "END"))


def _chain(*labels: str) -> Page:
    boxes = [Box(label, 200, 700 - 100 * row) for row, label in enumerate(labels)]
    return Page(boxes=boxes, arrows=[Arrow(row, row + 1) for row in range(len(labels) - 1)])


def _read(tmp_path: FilePath, *pages: Page) -> PdfReading:
    return read_pdf(make_pdf(tmp_path / "report.pdf", pages), Limits())


def test_report_without_pictures_or_drawings_has_no_diagram(tmp_path: FilePath) -> None:
    assert diagram_of(_read(tmp_path, Page(["START -> judges -> END."])), PARALLEL).kind == "none"


def test_picture_is_unknown_until_a_model_reads_it(tmp_path: FilePath) -> None:
    result = diagram_of(_read(tmp_path, Page(["Text."], images=[Image(400, 300)])), PARALLEL)
    assert (result.kind, result.page) == (None, 1)


def test_logo_is_no_diagram(tmp_path: FilePath) -> None:
    assert (
        diagram_of(_read(tmp_path, Page(["Text."], images=[Image(120, 120)])), PARALLEL).kind
        == "none"
    )


def test_pages_without_a_text_layer_are_unknown() -> None:
    scanned = PdfReading(pages=("",), images=(PdfImage(1, 595, 842),), text_layer="none")
    assert diagram_of(scanned, PARALLEL).kind is None


def test_drawing_with_both_splits_of_the_code_is_accurate(tmp_path: FilePath) -> None:
    result = diagram_of(_read(tmp_path, Page(["Text."]), parallel_graph_page()), PARALLEL)
    assert (result.kind, result.page) == ("accurate", 2)


@pytest.mark.parametrize("graph", [LINEAR, None])
def test_splits_that_the_code_lacks_are_shown_but_not_accurate(
    tmp_path: FilePath, graph: GraphFact | None
) -> None:
    assert diagram_of(_read(tmp_path, parallel_graph_page()), graph).kind == "parallel_shown"


def test_chain_of_boxes_is_linear(tmp_path: FilePath) -> None:
    assert (
        diagram_of(_read(tmp_path, _chain("START", "detective", "judge", "END")), PARALLEL).kind
        == "linear"
    )


def test_boxes_with_one_split_are_generic(tmp_path: FilePath) -> None:
    boxes = [
        Box("input", 200, 700),
        Box("left", 100, 600),
        Box("right", 300, 600),
        Box("output", 200, 500),
    ]
    arrows = [Arrow(0, 1), Arrow(0, 2), Arrow(1, 3), Arrow(2, 3)]
    assert diagram_of(_read(tmp_path, Page(boxes=boxes, arrows=arrows)), PARALLEL).kind == "generic"


def test_boxes_of_a_matching_diagram_that_name_no_node_are_named() -> None:
    drawn = [
        *_between("START", DETECTIVES, "evidence_aggregator"),
        *_between("evidence_aggregator", JUDGES, "chief_justice"),
        ("chief_justice", "Quality Loop"),
        ("chief_justice", "Judge router"),
        ("chief_justice", "Chief of Justice: verdict"),
        ("Quality Loop", "END"),
    ]
    labels = tuple(dict.fromkeys(name for edge in drawn for name in edge))
    edges = tuple((labels.index(start), labels.index(end)) for start, end in drawn)
    reading = PdfReading(pages=("",), vision_pictures=(VisionPicture(1, labels, edges),))
    result = diagram_of(reading, PARALLEL)
    assert result.kind == "accurate"
    assert result.reason.endswith("; named as no node of the code: Quality Loop")


def _with_nodes(graph: GraphFact, *names: str) -> GraphFact:
    edges = (*graph.edges, *(edge for name in names for edge in (("START", name), (name, "END"))))
    return graph.model_copy(update={"nodes": (*graph.nodes, *names), "edges": edges})


@pytest.mark.parametrize(
    ("names", "lacks"),
    [(("context_builder", "evidence_error"), True), (("evidence_error",), False)],
)
def test_nodes_that_a_matching_diagram_does_not_draw_are_named(
    names: tuple[str, ...], lacks: bool
) -> None:
    reading = PdfReading(pages=(WRITTEN,), errors=())
    result = diagram_of(reading, _with_nodes(PARALLEL, *names))
    assert (result.kind, result.lacks_nodes) == ("accurate", lacks)
    assert result.reason.endswith(f"nodes of the code that no box names: {' | '.join(names)}")


def test_box_with_another_name_may_be_a_node_that_no_box_names() -> None:
    drawn = [
        *_between("First step", DETECTIVES, "evidence_aggregator"),
        *_between("evidence_aggregator", JUDGES, "chief_justice"),
    ]
    labels = tuple(dict.fromkeys(name for edge in drawn for name in edge))
    edges = tuple((labels.index(start), labels.index(end)) for start, end in drawn)
    reading = PdfReading(pages=("",), vision_pictures=(VisionPicture(1, labels, edges),))
    result = diagram_of(reading, _with_nodes(PARALLEL, "context_builder"))
    assert (result.kind, result.lacks_nodes) == ("accurate", False)
    assert result.reason.endswith("; nodes of the code that no box names: context_builder")


def test_diagram_with_more_nodes_of_the_code_is_better_than_one_before_it() -> None:
    more = WRITTEN.replace("START\n│", "START\n│\ncontext_builder\n│")
    reading = PdfReading(pages=(WRITTEN, "Some text.\n" * 8, more), errors=())
    result = diagram_of(reading, _with_nodes(PARALLEL, "context_builder"))
    assert (result.page, result.lacks_nodes) == (3, False)


def test_split_that_a_diagram_lacks_is_named() -> None:
    drawn = WRITTEN.replace("prosecutor defense tech_lead", "panel")
    result = diagram_of(PdfReading(pages=(drawn,), errors=()), PARALLEL)

    assert (result.kind, result.is_partial) == ("parallel_shown", True)
    assert result.reason == (
        "side by side: repo_invest. | doc_analyst | vision_insp.;"
        " the lines between them were not followed;"
        " not drawn side by side: defense | prosecutor | tech_lead of the code"
    )


def test_cells_of_a_table_are_no_drawing(tmp_path: FilePath) -> None:
    cells = [
        Box(f"cell {row} {column}", 72 + 120 * column, 700 - 20 * row, 120, 20)
        for row in range(4)
        for column in range(3)
    ]
    assert _read(tmp_path, Page(boxes=cells)).drawn_pages == ()


def test_best_of_several_diagrams_counts_without_reading_pictures(
    tmp_path: FilePath,
) -> None:
    pages = [_chain("a", "b", "c"), parallel_graph_page(), Page(images=[Image(400, 300)])]
    assert diagram_of(_read(tmp_path, *pages), PARALLEL).kind == "accurate"


def test_diagram_drawn_with_characters_is_read_row_by_row() -> None:
    result = diagram_of(PdfReading(pages=(WRITTEN,)), PARALLEL)
    assert (result.kind, result.page) == ("accurate", 1)


@pytest.mark.parametrize(
    "text",
    [
        "| Name | Value |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |",
        "|-- src/\n| +-- graph.py\n| +-- nodes/\n+-- tests/\n+-- README.md",
        "graph TD\nA --> B\nA --> C\nB --> D\nC --> D\nD --> E",
        "The graph --> is long.\nIt runs A --> B.\nThen B --> C.\nThen C --> D.",
    ],
    ids=["table", "tree", "mermaid", "prose"],
)
def test_ascii_of_another_kind_is_no_diagram(text: str) -> None:
    assert diagram_of(PdfReading(pages=(text,)), PARALLEL).kind == "none"


OF_CHARACTERS = "the diagram on page 1, which is drawn with characters"


@pytest.mark.parametrize(
    ("boxes", "pictures", "met", "reason"),
    [
        ((), 0, False, "The diagram on page 1 is drawn with characters."),
        (
            (3, 3),
            1,
            True,
            f"A picture on page 2 shows as much as {OF_CHARACTERS}.",
        ),
        (
            (3,),
            1,
            None,
            f"The diagram on page 1 is drawn with characters. {UNREAD_PICTURE}",
        ),
    ],
)
def test_diagram_of_characters_is_no_picture_unless_one_shows_as_much(
    boxes: Sequence[int], pictures: int, met: bool | None, reason: str
) -> None:
    rows = [level for w in boxes for level in ((1, 1, 1, 1, 1, 0), (w, w, w, w, w, 0))]
    layout = Layout(2, tuple(Level(*level) for level in (*rows, (1, 1, 1, 0, 0, 0))))
    images = (PdfImage(2, 600, 400),) * pictures
    result = diagram_of(PdfReading((WRITTEN, "Text."), images, layouts=(layout,)), PARALLEL)
    finding = best_diagram(Diagram(**CHECK_FIELDS, aspect="picture"), result)
    assert (finding.met, finding.reason) == (met, reason)


def test_drawing_that_is_like_the_code_is_a_picture_beside_one_of_characters(
    tmp_path: FilePath,
) -> None:
    drawn = _read(tmp_path, parallel_graph_page())
    reading = replace(drawn, pages=(*drawn.pages, WRITTEN))
    result = diagram_of(reading, PARALLEL)
    assert (result.page, result.is_typed, result.drawn_page) == (1, False, None)


def test_ascii_diagram_over_two_pages_is_read_with_its_branches() -> None:
    result = diagram_of(PdfReading(pages=(ASCII[0], ASCII[1])), PARALLEL)
    assert (result.kind, result.page) == ("accurate", 1)
    assert result.reason == (
        "side by side: repo_investigator | doc_analyst | vision_inspector;"
        " prosecutor | defense | tech_lead; the lines between them were not followed"
    )


def test_rows_of_an_ascii_diagram_stay_lines(tmp_path: FilePath) -> None:
    reading = _read(tmp_path, *(Page(page.split("\n")) for page in ASCII))
    assert diagram_of(reading, PARALLEL).kind == "accurate"


def test_nodes_with_shared_ends_are_parallel_in_the_code() -> None:
    assert code_splits(PARALLEL) == (tuple(sorted(JUDGES)), tuple(sorted(DETECTIVES)))
    assert code_splits(LINEAR) == ()


def test_route_for_failures_is_no_branch_and_may_be_left_out(tmp_path: FilePath) -> None:
    with_exits = GraphFact(
        path="src/graph.py",
        state_graph_line=1,
        nodes=(*PARALLEL.nodes, "no_input", "errorHandler"),
        edges=(*PARALLEL.edges, ("no_input", "evidence_aggregator")),
        conditional=({"from": "START", "to": ("no_input", "errorHandler")},),
    )
    assert code_splits(with_exits) == code_splits(PARALLEL)
    assert diagram_of(_read(tmp_path, parallel_graph_page()), with_exits).kind == "accurate"


def _with_a_longer_branch() -> GraphFact:
    """The doc_analyst waits for the repo_investigator; a router ends at a node beside the judges."""
    edges = [edge for edge in PARALLEL.edges if "doc_analyst" not in edge]
    edges.remove(("repo_investigator", "evidence_aggregator"))
    edges += [("repo_investigator", "doc_analyst"), ("doc_analyst", "evidence_aggregator")]
    graph = _graph(*edges, ("failure_report", "chief_justice"))
    route = {"from": "evidence_aggregator", "to": ("failure_report",)}
    return GraphFact.model_validate(graph.model_dump(by_alias=True) | {"conditional": (route,)})


def test_branches_of_unequal_length_are_one_split_of_the_code() -> None:
    graph = _with_a_longer_branch()
    assert code_splits(graph) == (tuple(sorted(JUDGES)), ("repo_investigator", "vision_inspector"))
    assert code_widths(graph) == (2, 4)


def test_node_after_another_branch_or_after_a_router_makes_no_split() -> None:
    shortcut = _graph(("START", "a"), ("START", "b"), ("a", "b"), ("b", "c"), ("c", "END"))
    assert code_splits(shortcut) == ()
    routed = GraphFact(
        path="src/graph.py",
        state_graph_line=1,
        nodes=("panel", "chief", "summary", "report"),
        edges=(("panel", "chief"), ("chief", "report"), ("summary", "report"), ("report", "END")),
        conditional=({"from": "START", "to": ("panel", "summary")},),
    )
    assert code_splits(routed) == ()


def test_source_that_draws_branches_of_unequal_length_agrees_with_the_code() -> None:
    drawn = """flowchart TD
    S([START]) --> RI[RepoInvestigator clones] & VI[VisionInspector looks]
    RI --> DA[DocAnalyst] --> EA[EvidenceAggregator, or a failure report]
    VI --> EA
    EA --> P[Prosecutor] & D[Defense] & T[TechLead] & F[FailureReport, for the ChiefJustice]
    P & D & T & F --> CJ[ChiefJustice]"""
    graph = _with_a_longer_branch()
    assert agreement(sketch_of(read_mermaid(drawn)), graph) == "agrees"

    stranger = drawn.replace("F[FailureReport, for", "F[Auditor, for")
    assert agreement(sketch_of(read_mermaid(stranger)), graph) == "incomplete"


def test_split_without_one_of_its_branches_is_not_accurate(tmp_path: FilePath) -> None:
    more = _graph(*PARALLEL.edges, *_between("START", ["history_reader"], "evidence_aggregator"))
    assert diagram_of(_read(tmp_path, parallel_graph_page()), more).kind == "parallel_shown"


def test_drawn_file_tree_is_no_diagram() -> None:
    tree = (
        "src/\n├── graph.py # wiring\n├── nodes/\n│ ├── judges.py\n│ └── justice.py\n└── state.py"
    )
    assert diagram_of(PdfReading(pages=(tree,)), PARALLEL).kind == "none"


@pytest.mark.parametrize(
    ("labels", "is_drawing"),
    [
        (("reads", "joins", "judges"), True),
        (
            ("Judge", "The history is long and was written over a great many days, in all.", ""),
            False,
        ),
    ],
)
def test_lines_without_heads_join_names_in_a_drawing_and_sentences_in_a_table(
    labels: tuple[str, ...], is_drawing: bool
) -> None:
    heights = (700, 600, 500)
    boxes = [Path(_rectangle(y), closed=True, filled=False, stroked=True) for y in heights]
    lines = [
        Path(((300, y), (300, y - 70)), closed=False, filled=False, stroked=True)
        for y in heights[:-1]
    ]
    pieces = [Piece(label, 130, y + 12, 10) for label, y in zip(labels, heights, strict=True)]
    assert bool(drawing_of(1, [*boxes, *lines], pieces)) is is_drawing


def _rectangle(y: float) -> tuple[Point, ...]:
    return (120, y), (480, y), (480, y + 30), (120, y + 30)


PLAN = "2.2 Planned full graph"


@pytest.mark.parametrize(
    ("pages", "headings", "is_planned"),
    [
        (("Text", f"{PLAN}\nWords"), {(2, PLAN)}, True),
        ((f"Text\n{PLAN}", "Words"), {(1, PLAN)}, True),
        (("Text", "Figure 3: Planned StateGraph with routes."), set(), True),
        ((PLAN, "3 The graph\nWords"), {(1, PLAN), (2, "3 The graph")}, False),
        (("Text", "The planned graph is built by now."), set(), False),
    ],
)
def test_diagram_under_a_heading_or_caption_of_a_plan_is_planned(
    pages: tuple[str, str], headings: set[tuple[int, str]], is_planned: bool
) -> None:
    picture = PdfImage(page=2, width=900, height=700)
    reading = PdfReading(
        pages,
        headings=frozenset(headings),
        images=(picture,),
        vision_pictures=(VisionPicture(2, ("a", "b"), ((0, 1),)),),
    )
    assert diagram_of(reading, None).is_planned is is_planned
