"""Graphs inside nodes: detection, fan-out and fan-in, and bounds."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom.analysis.diagrams.parallel_branches import code_splits
from courtroom.analysis.langgraph.graph_facts import graph_fact
from courtroom.models.facts import GraphFact
from tests.courtroom.sources import IMPORTS, flags, graph_of

JUDGES = ("prosecutor", "defense", "tech_lead")
FAST = settings(max_examples=15, deadline=None)


def team(name: str, members: tuple[str, ...], *, in_line: bool = False) -> str:
    """Return the code of a function `name` that returns a compiled graph of these members."""
    lines = [f"def {name}():", "    t = StateGraph(dict)"]
    lines += [f"    t.add_node({member!r}, lambda state: state)" for member in members]
    if in_line:
        pairs = zip(("START", *map(repr, members)), (*map(repr, members), "END"), strict=True)
        lines += [f"    t.add_edge({a}, {b})" for a, b in pairs]
    else:
        lines += [
            f"    t.add_edge(START, {member!r})\n    t.add_edge({member!r}, END)"
            for member in members
        ]

    return "\n".join([*lines, "    return t.compile()\n"])


def court(action: str, before: str = "", after: str = "") -> str:
    """Return the code of a graph with `action` at the node judging; `before` may define it."""

    return f"""{IMPORTS}
{before}
g = StateGraph(dict)
g.add_node("repo_investigator", print)
g.add_node("doc_analyst", print)
g.add_node("evidence_aggregator", print)
g.add_node("judging", {action})
g.add_node("chief_justice", print)
for name in ("repo_investigator", "doc_analyst"):
    g.add_edge(START, name)
    g.add_edge(name, "evidence_aggregator")
g.add_edge("evidence_aggregator", "judging")
g.add_edge("judging", "chief_justice")
g.add_edge("chief_justice", END)
app = g.compile()
{after}
"""


def fact(code: str) -> GraphFact:
    reading = graph_of(code)
    assert reading.builder is not None
    return GraphFact.model_validate(graph_fact(reading, reading.builder))


PANEL = team("panel", JUDGES)
WAYS = {
    "a compiled graph": ("panel()", PANEL),
    "a builder that is compiled on the spot": (
        "bench.compile()",
        PANEL.replace("return t.compile()", "return t") + "bench = panel()\n",
    ),
    "a compiled graph with settings": ("panel().with_config(tags=['x'])", PANEL),
    "a function that returns a compiled graph": ("panel", PANEL),
    "a function that calls one": (
        "hear",
        PANEL + "BENCH = panel()\ndef hear(state):\n    return BENCH.invoke(state)\n",
    ),
    "an async function that calls one": (
        "hear",
        PANEL
        + (
            "BENCH = panel()\n"
            "async def hear(state):\n"
            "    found = await BENCH.ainvoke(state)\n"
            "    return found\n"
        ),
    ),
    "a lambda that calls one": ("lambda state: panel().invoke(state)", PANEL),
    "the method that runs it": ("panel().invoke", PANEL),
    "a partial of a function that calls one": (
        "functools.partial(hear, 1)",
        "import functools\n" + PANEL + "def hear(n, state):\n    return panel().invoke(state)\n",
    ),
    "an object that calls one": (
        "Hear()",
        PANEL
        + "class Hear:\n    def __call__(self, state):\n        return panel().invoke(state)\n",
    ),
}


# --- what cannot be followed is named, and ends


def test_a_graph_that_runs_itself_is_reported_once():
    code = court("again", "def again(state):\n    return app.invoke(state)\n") + team(
        "other", ("a",)
    )
    graph = fact(code + "OTHER = other()\n")
    assert graph.subgraphs == ()
    assert graph.unresolved == ("the graph at node judging contains itself",)


def test_graphs_that_build_each_other_are_bounded():
    before = """
def deeper(state):
    return layer().invoke(state)
def layer():
    t = StateGraph(dict)
    t.add_node("deeper", deeper)
    t.add_edge(START, "deeper")
    return t.compile()
"""
    graph = fact(court("layer()", before))

    assert [subgraph.at for subgraph in graph.subgraphs] == [("judging",), ("judging", "deeper")]
    assert graph.subgraphs[1].unresolved == ("the graph at node deeper contains itself",)


def test_nesting_is_followed_four_graphs_deep():
    before = (
        "def wrap(inner):\n"
        "    t = StateGraph(dict)\n"
        "    t.add_node('in', inner)\n"
        "    t.add_edge(START, 'in')\n"
        "    return t.compile()\n"
    )
    graph = fact(court("wrap(wrap(wrap(wrap(wrap(panel())))))", PANEL + before))

    assert [len(subgraph.at) for subgraph in graph.subgraphs] == [1, 2, 3, 4]
    assert graph.subgraphs[-1].unresolved == (
        "the graph at node in is nested too deep, or is one of too many, to be followed",
    )


def test_a_prebuilt_graph_of_a_library_is_unresolved():
    graph = fact(
        court(
            "create_react_agent(model, [])", "from langgraph.prebuilt import create_react_agent\n"
        )
    )

    assert graph.subgraphs == ()
    assert graph.unresolved == (
        (
            "node judging is a ready-made graph (langgraph.prebuilt.create_react_agent), "
            "which is not followed"
        ),
    )


def test_an_unknown_edge_of_an_inner_graph_is_unresolved_there():
    before = PANEL.replace("    return t", "    t.add_edge(load(), 'defense')\n    return t")
    graph = fact(court("panel()", before))
    assert graph.unresolved == ()
    assert graph.subgraphs[0].unresolved == (
        "src/graph.py:16: an end of an edge is not known before the program runs",
    )


# --- what is read


@pytest.mark.parametrize(("action", "before"), WAYS.values(), ids=WAYS)
def test_a_graph_in_a_node_is_detected_in_every_form(action, before):
    graph = fact(court(action, before))

    assert graph.nodes == (
        "repo_investigator",
        "doc_analyst",
        "evidence_aggregator",
        "judging",
        "chief_justice",
    )
    assert [(subgraph.at, subgraph.nodes) for subgraph in graph.subgraphs] == [
        (("judging",), JUDGES)
    ]
    assert flags(court(action, before)) == {
        "detectives_parallel": True,
        "judges_parallel": True,
        "fan_in_before_judges": True,
        "fan_in_before_justice": True,
        "conditional_error_route": False,
    }


def test_an_inner_graph_has_its_own_edges_routes_lines_and_shape():
    before = PANEL.replace(
        "    return t",
        "    t.add_conditional_edges('defense', lambda s: END if s else 'tech_lead')\n    return t",
    )
    (inner,) = fact(court("panel()", before)).subgraphs

    assert inner.edges[:2] == (("START", "prosecutor"), ("prosecutor", "END"))
    assert (inner.path, inner.state_graph_line, inner.edge_lines[:2]) == (
        "src/graph.py",
        6,
        (10, 11),
    )
    assert [(route.from_, route.to, route.line) for route in inner.conditional] == [
        ("defense", ("END", "tech_lead"), 16)
    ]
    assert inner.shape.fan_outs == {"START": JUDGES}


def test_a_command_to_the_parent_is_the_parents_departure():
    before = """
def plead(state):
    return Command(goto="chief_justice", graph=Command.PARENT)
def panel():
    t = StateGraph(dict)
    t.add_node("prosecutor", plead)
    t.add_edge(START, "prosecutor")
    return t.compile()
"""
    graph = fact(court("panel()", before))

    assert [(route.from_, route.to) for route in graph.conditional] == [
        ("judging", ("chief_justice",))
    ]
    assert graph.subgraphs[0].conditional == ()


def test_the_larger_graph_that_another_one_calls_is_not_the_main_graph():
    before = (
        team("panel", (*JUDGES, *"abcdef")) + "def hear(state):\n    return panel().invoke(state)\n"
    )
    assert "judging" in fact(court("hear", before)).nodes


def test_a_script_with_the_main_graph_as_a_node_is_not_the_main_graph():
    script = (
        f"{IMPORTS}from src.graph import app\n"
        "s = StateGraph(dict)\n"
        "s.add_node('all', app)\n"
        "s.add_edge(START, 'all')\n"
    )
    main = "from src.graph import app\nif __name__ == '__main__':\n    app.invoke({})\n"
    reading = graph_of({"src/graph.py": court("print"), "src/tool.py": script, "main.py": main})

    assert reading.builder is not None
    assert "judging" in reading.builder.nodes


def test_a_fan_out_inside_a_node_is_a_fan_out_of_the_code():
    assert code_splits(fact(court("panel()", PANEL))) == (
        ("defense", "prosecutor", "tech_lead"),
        ("doc_analyst", "repo_investigator"),
    )


# --- what must never change it


@FAST
@given(st.permutations(JUDGES))
def test_the_order_of_lines_does_not_change_a_subgraph(order):
    reordered, original = (
        fact(court("panel()", team("panel", tuple(order)))),
        fact(court("panel()", PANEL)),
    )
    assert set(reordered.subgraphs[0].edges) == set(original.subgraphs[0].edges)


@FAST
@given(
    st.lists(
        st.from_regex(r"[a-z]{3,8}_[a-z]{2,6}", fullmatch=True), min_size=3, max_size=3, unique=True
    )
)
def test_renaming_nodes_renames_only_the_nodes_of_a_subgraph(names):
    (inner,) = fact(court("panel()", team("panel", tuple(names)))).subgraphs
    assert set(inner.edges) == {pair for name in names for pair in (("START", name), (name, "END"))}


@pytest.mark.parametrize("way", WAYS)
def test_layout_and_text_that_imitates_code_change_nothing(way):
    code = court(*WAYS[way])
    loud = (
        code
        + '\n# g.add_node("x", panel())\nTEXT = \'g.add_node("y", panel()); panel().invoke(1)\'\n'
    )
    assert _bare(fact(ast.unparse(ast.parse(textwrap.dedent(loud))))) == _bare(fact(code))


def _bare(graph: GraphFact) -> list[object]:
    return [
        graph.nodes,
        graph.edges,
        *((subgraph.at, subgraph.nodes, subgraph.edges) for subgraph in graph.subgraphs),
    ]
