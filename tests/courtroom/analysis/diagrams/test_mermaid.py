"""Diagrams written as text, parsed to graphs and compared with the code's graph."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest

from courtroom.analysis.diagrams.diagram_graph import MOST_NODES, Chart
from courtroom.analysis.diagrams.diagram_kind import diagram_of, sketches_of
from courtroom.analysis.diagrams.diagram_match import agreement, sketch_of
from courtroom.analysis.diagrams.diagram_text import charts_in_file, charts_in_text, read_chart
from courtroom.analysis.diagrams.mermaid import read_mermaid
from courtroom.analysis.diagrams.plantuml import read_plantuml
from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.detectives.diagram_survey import MOST_FILES, chart_paths, diagrams_of_both
from courtroom.models.case import Limits
from courtroom.models.facts import ConditionalEdge, GraphFact
from tests.factories.pdfs import Arrow, Box, Page, make_pdf

BOTH_SPLITS = (
    "flowchart LR START --> repo & doc & vision --> aggregator"
    " aggregator --> prosecutor & defense & tech_lead --> chief_justice --> END"
)
ONE_LINE = "graph TD; START-->repo-->doc-->vision-->aggregator-->prosecutor-->defense-->tech_lead-->chief_justice"
DETECTIVES, JUDGES = ("repo", "doc", "vision"), ("prosecutor", "defense", "tech_lead")


def _arrows(chart: Chart) -> list[tuple[str, str]]:
    return [(chart.labels[source], chart.labels[target]) for source, target in chart.edges]


def _graph(*, split: bool) -> GraphFact:
    rows = (("START",), DETECTIVES, ("aggregator",), JUDGES, ("chief_justice",), ("END",))
    steps = rows if split else tuple((name,) for row in rows for name in row)
    pairs = [(a, b) for before, after in pairwise(steps) for a in before for b in after]
    nodes = tuple(name for row in rows[1:-1] for name in row)
    return GraphFact(
        path="g.py", state_graph_line=1, nodes=nodes, edges=tuple(pairs), conditional=()
    )


@pytest.mark.parametrize(
    "source",
    ["", "graph TD", "pie title Pets", "%% A --> B", "subgraph A\nend", "--> -->", "[[[((("],
)
def test_source_without_arrows_is_no_graph(source: str) -> None:
    assert read_mermaid(source).edges == ()


@pytest.mark.parametrize(
    "arrow",
    [
        "-->",
        "--->",
        "---",
        "==>",
        "-.->",
        "-- yes -->",
        "== yes ==>",
        "-. yes .->",
        "-->|yes|",
        "--o ",
    ],
)
def test_every_arrow_joins_two_nodes(arrow: str) -> None:
    assert _arrows(read_mermaid(f"flowchart TD\n A {arrow} B")) == [("A", "B")]


@pytest.mark.parametrize(
    ("node", "label"),
    [
        ("A[Box]", "Box"),
        ("A(Round)", "Round"),
        ("A([Stadium])", "Stadium"),
        ("A[[Sub]]", "Sub"),
        ("A[(Store)]", "Store"),
        ("A((Circle))", "Circle"),
        ("A{Choice?}", "Choice?"),
        ("A{{Hexagon}}", "Hexagon"),
        ('A["two<br/>lines"]', "two lines"),
        ("A[Styled]:::blue", "Styled"),
        ("doc_analyst[Reads PDFs]", "doc_analyst Reads PDFs"),
        ("__end__([<p>__end__</p>])", "END"),
    ],
)
def test_node_is_named_by_its_label(node: str, label: str) -> None:
    assert _arrows(read_mermaid(f"graph LR\n X --> {node}")) == [("X", label)]


def test_chains_and_ampersands_make_every_pair() -> None:
    assert _arrows(read_mermaid("A & B --> C --> D")) == [("A", "C"), ("B", "C"), ("C", "D")]


def test_styles_subgraphs_and_comments_draw_nothing() -> None:
    source = "flowchart TD\nsubgraph one [Judges]\nA --> B\nend\nstyle A fill:#fff\nclassDef x fill:#000\n%% B --> Z\nB-->C"
    assert _arrows(read_mermaid(source)) == [("A", "B"), ("B", "C")]


def test_state_diagram_begins_and_ends_at_its_marks() -> None:
    source = "stateDiagram-v2\n [*] --> Still : born\n Still --> Moving\n Moving --> [*]"
    assert _arrows(read_mermaid(source)) == [
        ("START", "Still"),
        ("Still", "Moving"),
        ("Moving", "END"),
    ]


@pytest.mark.parametrize(
    ("source", "arrows"),
    [
        ("note left of A", []),
        ("A --> B : go", [("A", "B")]),
        ("A -down-> B", [("A", "B")]),
        ("A <.. B", [("B", "A")]),
        (
            'component "Doc Analyst" as D\nD -> [Aggregator]',
            [("D Doc Analyst".removeprefix("D "), "Aggregator")],
        ),
        ("[*] --> A\nA --> [*]", [("START", "A"), ("A", "END")]),
        (
            "start\n:ctx;\nfork\n:repo;\nfork again\n:doc;\nend fork\n:agg;\nstop",
            [
                ("START", "ctx"),
                ("ctx", "repo"),
                ("ctx", "doc"),
                ("repo", "agg"),
                ("doc", "agg"),
                ("agg", "END"),
            ],
        ),
    ],
)
def test_plantuml_arrows_and_forks(source: str, arrows: list[tuple[str, str]]) -> None:
    assert _arrows(read_plantuml(f"@startuml\n{source}\n@enduml")) == arrows


@pytest.mark.hostile
@pytest.mark.parametrize(
    "pattern",
    [
        "A-->B\n",
        "A[",
        "A -- ",
        "A & ",
        "-",
        "( ",
        '"[',
        "subgraph ",
        "-. ",
        ":a;\nfork\n",
        "a((",
        "A->",
    ],
)
def test_parsing_takes_linear_time_on_any_text(pattern: str) -> None:
    begin = time.process_time()
    for source in (pattern * 20_000, "graph TD\n" + pattern * 20_000):
        assert len(read_mermaid(source).labels) <= MOST_NODES
        assert len(read_plantuml(source).labels) <= MOST_NODES
    assert time.process_time() - begin < 5


def test_markdown_holds_charts_in_fences_and_other_code_is_none() -> None:
    lines = [
        "# Title",
        "```mermaid",
        "A-->B",
        "```",
        "```python",
        "x = 1",
        "```",
        "~~~ puml",
        "A -> B",
        "~~~",
        "```mermaid",
        "C-->",
    ]
    charts = [
        (text.language, text.line, _arrows(read_chart(text)))
        for text in charts_in_file("README.md", lines)
    ]
    assert charts == [("mermaid", 3, [("A", "B")]), ("plantuml", 9, [("A", "B")])]


def test_chart_file_is_one_chart() -> None:
    assert [text.language for text in charts_in_file("docs/flow.puml", ["A -> B"])] == ["plantuml"]


def test_page_may_contain_several_charts_within_its_text() -> None:
    charts = list(
        charts_in_text("Our graph TD A[x] --> B[y] The end. @startuml\nA -> B\n@enduml More words.")
    )
    assert [text.language for text in charts] == ["mermaid", "plantuml"]
    assert [_arrows(read_chart(text)) for text in charts] == [[("x", "y")], [("A", "B")]]


def test_chart_printed_as_source_is_no_drawn_diagram() -> None:
    reading = PdfReading(pages=("Overview.", f"Figure: {BOTH_SPLITS}"))
    result = diagram_of(reading, _graph(split=True))
    assert (result.kind, result.page) == ("none", 2)
    assert result.reason == "only the mermaid source of a diagram"
    assert [source for source, _ in sketches_of(reading)] == ["mermaid"]


@pytest.mark.parametrize(
    ("source", "split", "expected"),
    [
        (BOTH_SPLITS, True, "agrees"),
        (BOTH_SPLITS, False, "split_not_in_code"),
        (ONE_LINE, True, "line_where_code_splits"),
        (ONE_LINE, False, "agrees"),
        ("graph TD; START --> repo & doc & vision --> aggregator", True, "incomplete"),
        ("graph TD; browser --> server --> database", True, "other_subject"),
    ],
)
def test_diagram_is_compared_with_the_codes_graph(source: str, split: bool, expected: str) -> None:
    assert agreement(sketch_of(read_mermaid(source)), _graph(split=split)) == expected


def test_chain_of_characters_is_a_line() -> None:
    rows = "START\n│\nrepo\n│\ndoc\n│\nvision\n│\naggregator"
    (charts,) = diagrams_of_both(PdfReading(pages=(rows,)), {}, _graph(split=True))
    assert (charts.drawn_as, charts.beside_code) == ("characters", "line_where_code_splits")


def test_names_without_connection_are_no_line() -> None:
    source = (
        "graph TD; START --> repo; START --> doc; aggregator --> prosecutor; aggregator --> defense"
    )
    assert agreement(sketch_of(read_mermaid(source)), _graph(split=True)) == "incomplete"


def test_routed_split_of_the_code_counts_as_one() -> None:
    routed = GraphFact(
        path="g.py",
        state_graph_line=1,
        nodes=("repo", "doc", "aggregator"),
        edges=(("repo", "aggregator"), ("doc", "aggregator")),
        conditional=(ConditionalEdge.model_validate({"from": "START", "to": ["repo", "doc"]}),),
    )
    assert (
        agreement(sketch_of(read_mermaid("START-->repo-->doc-->aggregator")), routed)
        == "line_where_code_splits"
    )


def test_targets_that_a_router_of_the_code_chooses_from_are_no_split_of_the_drawing() -> None:
    route = {"from": "repo", "to": ["collector", "gap", "judge"]}
    graph = GraphFact(
        path="g.py",
        state_graph_line=1,
        nodes=("repo", "collector", "gap", "judge", "report"),
        edges=(("collector", "report"), ("gap", "report"), ("judge", "END"), ("report", "END")),
        conditional=(ConditionalEdge.model_validate(route),),
    )
    chart = "graph TD; repo -->|a| collector --> report; repo -->|b| gap --> report; repo --> judge"
    drawn = sketch_of(read_mermaid(chart))
    assert drawn.splits == (("collector", "gap"),)
    assert agreement(drawn, graph) != "split_not_in_code"
    plain = graph.model_copy(update={"conditional": (), "edges": (("repo", "collector"),)})
    assert agreement(drawn, plain) == "split_not_in_code"


def test_survey_lists_the_reports_diagrams_before_the_repositorys() -> None:
    report = PdfReading(pages=(BOTH_SPLITS,))
    files = {"README.md": ["```mermaid", ONE_LINE, "```"], "docs/plan.md": ["No diagram."]}
    charts = diagrams_of_both(report, files, _graph(split=True))
    assert [
        (chart_text.page, chart_text.path, chart_text.line, chart_text.beside_code)
        for chart_text in charts
    ] == [
        (1, None, None, "agrees"),
        (None, "README.md", 2, "line_where_code_splits"),
    ]
    assert charts[0].side_by_side == (tuple(sorted(DETECTIVES)), tuple(sorted(JUDGES)))[::-1]
    assert charts[1].arrows[0] == ("START", "repo")


def test_without_a_graph_in_the_code_no_diagram_can_agree() -> None:
    (charts,) = diagrams_of_both(None, {"README.md": ["```mermaid", "A-->B", "```"]}, None)
    assert charts.beside_code is None


def test_files_nearest_to_the_root_are_searched_first() -> None:
    tree = [f"docs/{number:03}.md" for number in range(60)] + [
        "README.md",
        "src/a.py",
        "docs/flow.PUML",
    ]
    paths = chart_paths(tree)
    assert (paths[0], len(paths), "src/a.py" in paths) == ("README.md", MOST_FILES, False)


def test_arrow_heads_give_the_direction(tmp_path: Path) -> None:
    boxes = [
        Box("START", 200, 700),
        Box("left", 100, 600),
        Box("right", 300, 600),
        Box("END", 200, 500),
    ]
    page = Page(boxes=boxes, arrows=[Arrow(0, 1), Arrow(0, 2), Arrow(3, 1)])
    (charts,) = diagrams_of_both(read_pdf(make_pdf(tmp_path / "r.pdf", [page]), Limits()), {}, None)
    assert set(charts.arrows) == {("START", "left"), ("START", "right"), ("END", "left")}
