"""Mermaid charts: boxes for graphs inside nodes, and node names that cannot break out."""

from __future__ import annotations

import pytest

from courtroom.models.facts import GraphFact, Subgraph, establish
from courtroom.models.graph_run import GraphRunFact
from courtroom.rendering.markdown_report import render_markdown
from courtroom.rendering.mermaid_graph import MOST_EDGES, mermaid_chart
from tests.courtroom.rendering.markdown_blocks import blocks
from tests.courtroom.rendering.test_markdown_report import unsafe_case


def test_empty_or_too_large_graph_has_no_chart():
    assert mermaid_chart(wired(())) is None
    assert mermaid_chart(wired([("a", f"n{number}") for number in range(MOST_EDGES + 1)])) is None


def wired(edges) -> GraphFact:
    return GraphFact.model_validate(
        {"path": "g.py", "state_graph_line": 1, "nodes": (), "edges": edges, "conditional": ()}
    )


def test_node_called_start_is_drawn_beside_that_of_langgraph():
    graph = wired([("START", "START"), ("START", "judge"), ("judge", "END")])
    chart = mermaid_chart(graph.model_copy(update={"nodes": ("START", "judge")}))
    assert chart is not None
    assert chart.splitlines()[1:] == [
        '    n0["START"]',
        '    n1["judge"]',
        '    n2["END"]',
        '    n3["__start__"]',
        "    n3 --> n0",
        "    n0 --> n1",
        "    n1 --> n2",
    ]


def test_node_of_some_runs_has_its_mark():
    node = {"path": "g.py", "line": 3, "node": "vision"}
    graph = wired([("START", "vision")]).model_dump(by_alias=True) | {"optional_nodes": [node]}
    assert '["vision - in some runs"]' in (mermaid_chart(GraphFact.model_validate(graph)) or "")


def test_labels_say_when_their_nodes_run():
    run = GraphRunFact.model_validate(
        {
            "combinations": 1,
            "is_complete": True,
            "steps": {"plan": [1], "judge": [1, 2], "alone": []},
            "runs": [],
            "refused": [],
            "repeated": [
                {
                    "node": "judge",
                    "fork": "START",
                    "lengths": [1, 2],
                    "steps": [1, 2],
                    "starters": [["START"], ["plan"]],
                    "followers": [],
                    "choices": [],
                    "places": [],
                }
            ],
            "idle": [{"node": "alone", "place": None}],
            "endless": [],
            "conflicts": [],
            "doubled": [],
        }
    )
    chart = mermaid_chart(wired([("plan", "judge"), ("alone", "END")]), run)
    assert chart is not None
    assert chart.splitlines()[1:5] == [
        '    n0["plan - step 1"]',
        '    n1["judge - steps 1 and 2 - again"]',
        '    n2["alone - never"]',
        '    n3["END"]',
    ]


def test_node_that_runs_twice_on_some_routes_runs_in_one_of_its_steps_or_in_both():
    routes = {"ok": [["plan"], ["judge"]], "failed": [["plan"], ["judge", "error"], ["judge"]]}
    run = GraphRunFact.model_validate(
        {
            "combinations": 2,
            "is_complete": True,
            "steps": {"plan": [1], "judge": [2, 3], "error": [2]},
            "runs": [
                {"choices": [{"from": "plan", "to": [way]}], "steps": steps, "has_end": True}
                for way, steps in routes.items()
            ],
            **dict.fromkeys(("refused", "repeated", "idle", "endless", "conflicts", "doubled"), ()),
        }
    )
    chart = mermaid_chart(wired([("plan", "judge"), ("error", "judge")]), run)
    assert chart is not None
    assert '"judge - step 2 or 3, or both"' in chart


@pytest.mark.parametrize("is_endless", [False, True])
def test_node_of_a_loop_or_behind_it_may_run_in_further_steps(is_endless):
    loop = {"nodes": ["judge", "again"], "places": []}
    run = GraphRunFact.model_validate(
        {
            "combinations": 1,
            "is_complete": True,
            "steps": {"plan": [1], "judge": [2], "again": [3], "last": [3], "long": [3, 4, 5, 6]},
            "runs": [],
            **dict.fromkeys(("refused", "repeated", "idle", "conflicts", "doubled"), ()),
            "endless": [loop] * is_endless,
        }
    )
    edges = ["plan judge", "judge again", "again judge", "judge last", "plan long"]
    chart = mermaid_chart(wired([(*edge.split(" "),) for edge in edges]), run)
    assert chart is not None
    assert chart.splitlines()[1:6] == [
        '    n0["plan - step 1"]',
        '    n1["judge - step 2 …"]',
        '    n2["again - step 3 …"]',
        f'    n3["last - step 3{"" if is_endless else " …"}"]',
        '    n4["long - step 3, 4 or 5 …"]',
    ]


def nested_graph(name: str) -> GraphFact:
    place = {"path": "g.py", "state_graph_line": 1, "conditional": ()}
    shape: dict[str, object] = {"fan_outs": {}, "joins": {}, "chains": ()}
    inner = Subgraph.model_validate(
        {
            **place,
            "at": (name,),
            "nodes": ("p",),
            "edges": (("START", "p"), ("p", "END")),
            "shape": shape,
        }
    )
    edges = (("START", name), (name, "END"))
    return GraphFact.model_validate(
        {**place, "nodes": (name,), "edges": edges, "subgraphs": (inner,)}
    )


def test_graph_inside_a_node_is_drawn_as_a_box():
    text = render_markdown(unsafe_case(facts=establish({"graph": nested_graph("judging")}, {})))
    (chart,) = [token.content for token in blocks(text) if token.info == "mermaid"]

    assert chart.splitlines() == [
        "flowchart TD",
        '    n0["START"]',
        '    subgraph n1["judging"]',
        '        n1_0_0["START"]',
        '        n1_0_1["p"]',
        '        n1_0_2["END"]',
        "        n1_0_0 --> n1_0_1",
        "        n1_0_1 --> n1_0_2",
        "    end",
        '    n2["END"]',
        "    n0 --> n1",
        "    n1 --> n2",
    ]


@pytest.mark.parametrize(
    "name", ['x"] --> y["', "a\n```\n# Score: 5", "<b>end</b>", "click n0 call()", "`"]
)
def test_hostile_node_name_stays_a_label(name):
    text = render_markdown(unsafe_case(facts=establish({"graph": nested_graph(name)}, {})))
    (chart,) = [token.content for token in blocks(text) if token.info == "mermaid"]
    assert len(chart.splitlines()) == 12
    assert chart.count("-->") == 4


def test_route_that_no_run_takes_is_marked():
    route = {"from": "a", "to": ["b", "c"], "never": ["c"]}
    graph = wired([("START", "a")]).model_dump(by_alias=True) | {"conditional": [route]}
    chart = mermaid_chart(GraphFact.model_validate(graph)) or ""
    assert chart.splitlines()[-2:] == ["    n1 -.-> n2", "    n1 -. never .-> n3"]
