"""Drawings and quotes of a report: text alternatives, positions, and hostile input."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.engine.report import parse_report
from grading.engine.report_facts import GraphRun, MainGraph
from grading.report_pages.graph_drawing import Topology, topology_of
from grading.report_pages.graph_layout import MAX_NODES, MAX_PER_ROW, Node
from grading.report_pages.quotes import quoted_lines, reveal_invisible
from grading.report_pages.report_page import ReportPage, present_report
from grading.report_pages.score_track import track_of
from tests.factories.example_report import COMMIT, GRAPH, report_json

NODES = st.sampled_from(["START", "END", *"abcdefgh"])


def graph(
    *edges: tuple[str, str], conditional: tuple[tuple[str, tuple[str, ...]], ...] = ()
) -> dict[str, Any]:
    routes = [
        {"from": source, "to": list(targets), "line": None} for source, targets in conditional
    ]
    return {
        "path": "g.py",
        "state_graph_line": 1,
        "edges": [list(edge) for edge in edges],
        "conditional": routes,
    }


def topology_in(graph: dict[str, Any]) -> Topology:
    return topology_of(MainGraph.model_validate(graph))


def present(document: dict[str, Any]) -> ReportPage:
    return present_report(parse_report(document))


def test_marks_stand_over_their_scores() -> None:
    track = track_of({"Prosecutor": 1, "Defense": 5, "TechLead": 4}, 3)
    assert [(mark.judge.letter, mark.x) for mark in track.marks] == [
        ("P", 36),
        ("T", 237),
        ("D", 304),
    ]
    assert (track.verdict, track.verdict_x) == (3, 170)


def test_judges_who_agree_are_drawn_side_by_side() -> None:
    track = track_of({"Prosecutor": 3, "Defense": 3, "TechLead": 3}, 3)
    assert [mark.x for mark in track.marks] == [148, 170, 192]


@pytest.mark.parametrize("score", [1, 5])
def test_marks_of_judges_who_agree_on_an_extreme_are_whole(score: int) -> None:
    track = track_of(dict.fromkeys(("Prosecutor", "Defense", "TechLead"), score), score)
    # The widest mark reaches 12 to either side (_mark.html).
    assert all(12 <= mark.x <= track.width - 12 for mark in track.marks)


def test_track_has_a_full_text_alternative() -> None:
    track = track_of({"Prosecutor": 2, "Defense": None, "TechLead": 4}, 3)
    assert track.words == "Verdict 3 of 5. Prosecutor 2, Defense no answer, Tech Lead 4."


def test_track_without_a_verdict_draws_none() -> None:
    track = track_of({"Prosecutor": 2}, None)
    assert (track.words, track.verdict_x) == ("No verdict. Prosecutor 2.", None)


def test_graph_is_drawn_in_rows_from_start_to_end() -> None:
    drawing = topology_in(GRAPH.model_dump(mode="json", by_alias=True)).drawing
    assert drawing is not None
    rows: dict[float, list[str]] = {}
    for node in drawing.nodes:
        rows.setdefault(node.y, []).append(node.name)
    assert [rows[y] for y in sorted(rows)] == [
        ["START"],
        ["repo_investigator", "doc_analyst", "vision_inspector"],
        ["aggregator"],
        ["prosecutor", "defense", "tech_lead", "degraded_report"],
        ["chief_justice"],
        ["END"],
    ]


def test_conditional_edges_are_marked() -> None:
    topology = topology_in(graph(("START", "a"), conditional=(("a", ("b", "END")),)))
    assert [(e.source, e.target, e.conditional) for e in topology.edges] == [
        ("START", "a", False),
        ("a", "b", True),
        ("a", "END", True),
    ]


def test_edge_names_the_line_that_makes_it():
    document = {
        "path": "src/graph.py",
        "state_graph_line": 3,
        "nodes": ["a", "b"],
        "edges": [["START", "a"]],
        "edge_paths": ["src/wires.py"],
        "edge_lines": [7],
        "conditional": [{"from": "a", "to": ["b"], "line": 9}],
    }
    assert [(edge.path, edge.line) for edge in topology_in(document).edges] == [
        ("src/wires.py", 7),
        ("src/graph.py", 9),
    ]


def test_graph_too_large_to_read_is_not_drawn() -> None:
    chain = [f"n{number}" for number in range(MAX_NODES + 1)]
    assert topology_in(graph(*pairwise(chain))).drawing is None
    assert topology_in(graph(*(("START", f"n{n}") for n in range(MAX_PER_ROW + 1)))).drawing is None


def test_a_graph_without_edges_is_not_drawn() -> None:
    assert topology_in(graph()).drawing is None


def test_inner_graph_is_drawn_in_a_frame_and_listed() -> None:
    inner = graph(("START", "p"), ("START", "d"), ("p", "END"), ("d", "END"))
    outer = graph(("START", "judging"), ("judging", "END"))
    outer["subgraphs"] = [
        inner | {"at": ["judging"], "path": "src/panel.py", "unresolved": ["q is not known"]}
    ]
    topology = topology_in(outer)
    assert [(inner.node, inner.path, inner.line, len(inner.edges)) for inner in topology.inner] == [
        ("judging", "src/panel.py", 1, 4)
    ]
    assert topology.unresolved == ("inside judging, q is not known",)
    assert topology.drawing is not None
    (frame,) = topology.drawing.frames
    inside = [node.name for node in topology.drawing.nodes if _is_inside(node, frame)]
    assert (frame.name, inside) == ("judging", ["START", "p", "d", "END"])
    assert len(topology.drawing.nodes) == 6


def test_nested_graphs_are_drawn_in_nested_frames() -> None:
    document = graph(("START", "a"))
    document["subgraphs"] = [
        graph(("START", "b")) | {"at": ["a"]},
        graph(("START", "c")) | {"at": ["a", "b"]},
    ]
    drawing = topology_in(document).drawing
    assert drawing is not None
    outer, inner = drawing.frames
    assert (outer.name, inner.name, _is_inside(inner, outer)) == ("a", "b", True)
    assert outer.bottom <= drawing.height


def _is_inside(node: Node, frame: Node) -> bool:
    right, frame_right = node.left + node.width, frame.left + frame.width
    return (
        frame.left <= node.left
        and right <= frame_right
        and frame.top < node.top
        and node.bottom <= frame.bottom
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NODES, NODES), max_size=20))
def test_any_graph_is_laid_out_without_overlap(edges: list[tuple[str, str]]) -> None:
    drawing = topology_in(graph(*edges)).drawing
    if drawing is None:
        return
    assert {node.name for node in drawing.nodes} == {name for edge in edges for name in edge}
    for node, following in pairwise(sorted(drawing.nodes, key=lambda node: (node.y, node.x))):
        end, start = node.x + node.width / 2, following.x - following.width / 2
        assert node.y < following.y or end < start


def test_quoted_lines_keep_their_numbers_in_a_long_string() -> None:
    lines = quoted_lines('x = """one\ntwo\n\nfour"""\ny = 1', "src/a.py", 7)
    assert [line.number for line in lines] == [7, 8, 9, 10, 11]
    assert lines[1].html == '<span class="s2">two</span>'


def test_quoted_lines_end_with_their_last_empty_line_and_no_other() -> None:
    counts = [len(quoted_lines(text, "a.py", 1)) for text in ("x", "x\n", "x\n\n", "\n", "x\r\n")]
    assert counts == [1, 2, 3, 2, 2]


@pytest.mark.parametrize(
    "path", ["a.py", "a.md", "a.html", "a.unknown", "Dockerfile", "a.json", ""]
)
def test_quoted_lines_are_escaped_in_every_language(path: str) -> None:
    html = "".join(
        line.html for line in quoted_lines("<script>alert('x')</script> \" onload=\"x", path, 1)
    )
    assert [tag for tag in ("<script", 'onload="x">') if tag in html] == []


def test_invisible_characters_are_written_out() -> None:
    assert reveal_invisible("if a\u202e: \u200bpass\ufeff") == "if a[U+202E]: [U+200B]pass[U+FEFF]"


def test_long_quote_is_not_highlighted() -> None:
    assert "<span" not in quoted_lines("x = 1\n" * 2000, "a.py", 1)[0].html


def test_next_steps_of_an_older_report_are_urgent_and_of_the_weakest_criteria() -> None:
    report = present(report_json())
    assert [step.criterion.score for step in report.next_steps] == [1, 2, 3]
    first = report.next_steps[0]
    assert first.effect == f"raises {first.criterion.name} (now 1)"


def test_shared_evidence_is_printed_in_full_once() -> None:
    document = report_json(criteria=2)
    document["criteria"][1] |= {key: document["criteria"][0][key] for key in ("evidence", "checks")}
    first, second = (
        [item for check in criterion.checks for item in check.evidence]
        for criterion in present(document).criteria
    )
    assert [e.is_first for e in first] == [True] * 4
    assert [(e.is_first, e.lines) for e in second] == [(False, ())] * 4


def test_evidence_without_a_check_is_grouped_by_goal() -> None:
    criterion = present(report_json(criteria=1)).criteria[0]
    rows = [(check.sentence, check.outcome, len(check.evidence)) for check in criterion.checks]
    assert rows == [
        ("A call goes through a shell.", "not met", 1),
        (
            "It could not be checked whether the report explains the choice.",
            "not established",
            1,
        ),
        ("A clone without a shell", "", 2),
    ]
    assert criterion.tally == "1 not met, 1 not established"


def test_location_cited_twice_is_listed_once() -> None:
    document = report_json(criteria=1)
    opinion = document["criteria"][0]["opinions"][0]
    opinion["cited_evidence"] = [*opinion["cited_evidence"], *document["criteria"][0]["evidence"]]
    argument = present(document).criteria[0].arguments[0]
    assert [citation.words for citation in argument.citations] == [
        "src/tools/git_forensics.py:10-14",
        "src/tools/git_forensics.py:20-24",
        "src/tools/git_forensics.py:30-34",
        "It could not be checked whether the report explains the choice.",
    ]


def test_track_shows_the_last_score_of_a_judge() -> None:
    document = report_json(criteria=1)
    opinions = document["criteria"][0]["opinions"]
    opinions.append(opinions[0] | {"round": 2, "score": 5})
    view = present(document).criteria[0]
    assert [(a.judge.id, a.round) for a in view.arguments] == [
        ("Prosecutor", 1),
        ("Defense", 1),
        ("TechLead", 1),
        ("Prosecutor", 2),
    ]
    assert view.track.words == "Verdict 5 of 5. Prosecutor 5, Defense 5, Tech Lead 5."


def test_absence_that_confirms_a_check_is_cited_as_confirmed() -> None:
    document = report_json(criteria=1)
    row = document["criteria"][0]
    row["checks"][1]["met"] = True
    row["opinions"][0]["cited_evidence"] = row["checks"][1]["evidence"]
    argument = present(document).criteria[0].arguments[0]
    assert [citation.words for citation in argument.citations] == [
        "The report explains the choice."
    ]


def test_boxes_say_when_their_nodes_run() -> None:
    wired = graph(
        ("START", "plan"),
        ("plan", "judge"),
        ("START", "judge"),
        ("alone", "END"),
        ("plan", "retry"),
        ("retry", "retry"),
    )
    run = {
        "steps": {"plan": [1], "judge": [1, 2], "retry": [2, 3, 4, 5], "alone": []},
        "repeated": [{"node": "judge", "followers": []}],
        "idle": [{"node": "alone"}],
        "endless": [{"nodes": ["retry"]}],
    }
    topology = topology_of(MainGraph.model_validate(wired), GraphRun.model_validate(run))
    assert topology.drawing is not None
    marks = {node.name: (node.mark.words, node.mark.is_fault) for node in topology.drawing.nodes}
    assert marks == {
        "START": ("", False),
        "plan": ("1", False),
        "judge": ("1, 2 again", True),
        "alone": ("never", True),
        "retry": ("2, 3, 4… without end", True),
        "END": ("", False),
    }
    assert topology.has_steps


def paths_of(*edges: tuple[str, str]) -> tuple[dict[str, Node], list[str]]:
    """Return the boxes of a drawing by name, and the paths of its edges in their order."""
    drawing = topology_of(MainGraph.model_validate(graph(*edges))).drawing
    assert drawing is not None
    return {node.name: node for node in drawing.nodes}, [path for path, _ in drawing.curves]


def test_edge_of_a_node_to_itself_is_a_loop_at_its_free_side() -> None:
    nodes, (*_, at_bottom, at_side) = paths_of(
        ("START", "left"), ("START", "right"), ("left", "left"), ("right", "right")
    )
    left, right = nodes["left"], nodes["right"]
    assert at_side.startswith(f"M{right.right} {right.y - 8} ")
    assert at_side.endswith(f" {right.right + 3} {right.y + 8}")
    assert at_bottom.startswith(f"M{left.x - 8} {left.bottom} ")
    assert at_bottom.endswith(f" {left.x + 8} {left.bottom + 3}")


def test_backward_edge_runs_around_the_boxes_beside_it() -> None:
    nodes, (*_, backward) = paths_of(
        ("START", "plan"), ("plan", "judge"), ("plan", "retry"), ("judge", "plan")
    )
    judge, plan, retry = nodes["judge"], nodes["plan"], nodes["retry"]
    assert backward == (
        f"M{judge.x} {judge.bottom} v12 H{retry.right + 30} V{plan.y} H{plan.right + 3}"
    )


def test_next_step_links_its_place_and_names_another_score_that_counts() -> None:
    document = report_json(criteria=2)
    row = document["criteria"][0]
    step = {"criterion_id": row["id"], "action": "Cap it.", "path": "a.py", "line": 3, "places": 2}
    step |= {
        "effort": "small",
        "score_now": row["final_score"] + 1,
        "effect": "raises it from 2 to 3",
    }
    document |= {"next_steps": [step], "repo_url": "https://github.com/a/b", "commit": COMMIT}
    (next_step,) = present(document).next_steps
    assert next_step.place is not None
    assert (next_step.place.words, next_step.more_places, next_step.effort) == (
        "a.py:3",
        1,
        "small",
    )
    assert next_step.place.address == f"https://github.com/a/b/blob/{COMMIT}/a.py#L3"
    assert next_step.other_score == row["final_score"]
