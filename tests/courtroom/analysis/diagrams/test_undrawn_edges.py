"""Edges of the code's graph that a diagram with its nodes leaves out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

import pytest

from courtroom.analysis.diagrams.diagram_kind import diagram_of, sketches_of
from courtroom.analysis.diagrams.diagram_match import agreement, sketch_of, undrawn_edges
from courtroom.analysis.diagrams.mermaid import read_mermaid
from courtroom.analysis.pdf.canvas import Path
from courtroom.analysis.pdf.drawings import drawing_of
from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.checks.diagram import Diagram, best_diagram
from courtroom.models.case import Limits
from courtroom.models.facts import GraphFact
from tests.factories.pdfs import Arrow, Page, make_pdf, parallel_graph_page

READERS = ("repo_investigator", "doc_analyst", "vision_inspector")
JUDGES = ("prosecutor", "defense", "tech_lead")
GRAPH = GraphFact(
    path="src/graph.py",
    state_graph_line=1,
    nodes=(*READERS, "evidence_aggregator", *JUDGES, "chief_justice"),
    edges=(
        *(("START", name) for name in READERS),
        *((name, "evidence_aggregator") for name in READERS),
        *(("evidence_aggregator", name) for name in JUDGES),
        *((name, "chief_justice") for name in JUDGES),
        ("chief_justice", "END"),
    ),
    conditional=({"from": "evidence_aggregator", "to": ("chief_justice",)},),
)
ROUTE = "edges of the code that it does not draw: evidence_aggregator → chief_justice"
MERMAID = """flowchart TD
START --> RepoInvestigator & DocAnalyst & VisionInspector
RepoInvestigator & DocAnalyst & VisionInspector --> EvidenceAggregator
EvidenceAggregator --> panel[Dispatch] --> Prosecutor & Defense & TechLead
Prosecutor & Defense & TechLead --> ChiefJustice"""


def _without(*pairs: tuple[int, int]) -> Page:
    """Both splits and both joins, without the arrows between these boxes."""
    page = parallel_graph_page()
    return replace(page, arrows=[arrow for arrow in page.arrows if (*_ends(arrow),) not in pairs])


def _ends(arrow: Arrow) -> tuple[int, int]:
    return arrow.source, arrow.target


def _read(tmp_path: FilePath, page: Page) -> PdfReading:
    return read_pdf(make_pdf(tmp_path / "report.pdf", [page]), Limits())


def test_way_of_a_router_that_is_not_drawn_is_told_and_leaves_the_drawing_true(
    tmp_path: FilePath,
) -> None:
    result = diagram_of(_read(tmp_path, parallel_graph_page()), GRAPH)
    assert result.kind == "accurate"
    assert result.reason.endswith(f"; {ROUTE}")


def test_drawing_of_the_fan_out_without_the_join_is_not_like_the_code(tmp_path: FilePath) -> None:
    joins = ((1, 4), (2, 4), (3, 4), (5, 8), (6, 8), (7, 8))
    result = diagram_of(_read(tmp_path, _without(*joins)), GRAPH)
    assert (result.kind, result.is_partial) == ("parallel_shown", False)
    assert result.reason.endswith(
        "edges of the code that it does not draw: repo_investigator → evidence_aggregator,"
        " doc_analyst → evidence_aggregator, vision_inspector → evidence_aggregator,"
        " prosecutor → chief_justice and 3 more"
    )
    answers = [
        best_diagram(Diagram(id="d", goal="Is it drawn?", aspect=aspect), result)
        for aspect in ("parallel", "accurate")
    ]
    assert [answer.met for answer in answers] == [True, False]


def test_drawing_in_two_parts_lacks_the_edge_between_them(tmp_path: FilePath) -> None:
    """START is joined with the detectives, the judges with nothing before them."""
    page = _without((4, 5), (4, 6))
    result = diagram_of(_read(tmp_path, page), GRAPH)
    assert result.kind != "accurate"
    assert "evidence_aggregator → prosecutor, evidence_aggregator → defense" in result.reason


def test_edges_are_not_missed_where_a_line_ends_at_no_box(tmp_path: FilePath) -> None:
    reading = _read(tmp_path, _without((1, 4)))
    drawing = reading.drawings[0]
    assert "repo_investigator → evidence_aggregator" in diagram_of(reading, GRAPH).reason

    loose = replace(reading, drawings=(replace(drawing, has_loose_lines=True),))
    assert "does not draw" not in diagram_of(loose, GRAPH).reason


@pytest.mark.parametrize(("far_end", "is_loose"), [((210, 640), True), ((210, 610), False)])
def test_line_from_a_box_to_no_box_is_loose(far_end: tuple[float, float], is_loose: bool) -> None:
    boxes = [_box(700), _box(600), _box(500)]
    lines = [((200, 700), (200, 620)), ((200, 600), (200, 520)), ((210, 700), far_end)]
    paths = [Path(points, closed=False, filled=False, stroked=True) for points in lines]
    drawing = drawing_of(1, [*boxes, *paths], [])
    assert drawing is None or drawing.has_loose_lines is is_loose


def _box(bottom: float) -> Path:
    points = ((150, bottom), (250, bottom), (250, bottom + 20), (150, bottom + 20))
    return Path(points, closed=True, filled=True, stroked=True)


@pytest.mark.parametrize(
    ("first", "expected"),
    [("RepoInvestigator & DocAnalyst & Vision", "agrees"), ("Vision", "incomplete")],
)
def test_source_with_a_fan_in_of_one_node_does_not_agree(first: str, expected: str) -> None:
    lines = MERMAID.replace("RepoInvestigator & DocAnalyst & Vision", first)
    drawn = lines.replace("START --> Vision", "START --> RepoInvestigator & DocAnalyst & Vision")
    assert agreement(sketch_of(read_mermaid(drawn)), GRAPH) == expected


def test_edge_to_a_frame_may_stand_for_those_to_its_nodes() -> None:
    framed = MERMAID.replace(" --> Prosecutor & Defense & TechLead", "", 1)
    assert undrawn_edges(sketch_of(read_mermaid(framed)), GRAPH) == []

    unlinked = framed.replace(" --> panel[Dispatch]", "")
    assert undrawn_edges(sketch_of(read_mermaid(unlinked)), GRAPH) == [
        *(f"evidence_aggregator → {name}" for name in JUDGES),
        "evidence_aggregator → chief_justice",
    ]


def test_source_on_a_page_may_go_on_beyond_it() -> None:
    cut = MERMAID.rpartition("\n")[0] + "\nProsecutor --> ChiefJustice"
    reading = PdfReading(pages=(cut, "Defense & TechLead --> ChiefJustice"))
    ((_, sketch),) = sketches_of(reading)
    assert undrawn_edges(sketch, GRAPH) == []


@pytest.mark.parametrize(
    ("node", "expected"), [("history_keeper", "incomplete"), ("error_handler", "agrees")]
)
def test_source_without_a_node_of_every_run_does_not_agree(node: str, expected: str) -> None:
    edges = (*GRAPH.edges, ("chief_justice", node), (node, "END"))
    more = GRAPH.model_copy(update={"nodes": (*GRAPH.nodes, node), "edges": edges})
    drawn = MERMAID.replace("panel[Dispatch] --> ", "")
    assert agreement(sketch_of(read_mermaid(drawn)), more) == expected
