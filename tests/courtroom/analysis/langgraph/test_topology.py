"""Topology in every form that real submissions use, and in none that only looks like it."""

from __future__ import annotations

import pytest

from tests.courtroom.sources import (
    IMPORTS,
    NODES,
    builder_of,
    built,
    edges_of,
    graph_of,
    symbols_of,
)

JUDGES = {"prosecutor", "defense", "tech_lead"}
TO_JUDGES = {("evidence_aggregator", judge) for judge in JUDGES}


# --- what is no graph


def test_an_own_class_named_stategraph_is_no_langgraph_graph():
    reading = graph_of(
        """
        class StateGraph:
            def __init__(self, state): ...
            def add_node(self, name, action): ...
            def add_edge(self, start, end): ...

        g = StateGraph(dict)
        g.add_node("a", print)
        g.add_edge("a", "b")
        """
    )

    assert reading.builder is None
    assert reading.reason == (
        "the only StateGraph is a class of the repository's own (src/graph.py:2), not LangGraph's"
    )


def test_code_that_runs_functions_side_by_side_stands_in_for_a_graph():
    source = """
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor() as pool:
            list(pool.map(print, "ab"))
        """
    reading = graph_of({"src/graph.py": source})
    assert reading.own_runner == ("concurrent.futures.ThreadPoolExecutor", "src/graph.py", 4)
    assert reading.reason == (
        "no LangGraph StateGraph is built anywhere in the code, which runs functions side by side"
        " by `concurrent.futures.ThreadPoolExecutor` (src/graph.py:4)"
    )
    in_a_graph = graph_of(source + built('g.add_edge(START, "doc_analyst")'))
    assert (graph_of("print('a')").own_runner, in_a_graph.own_runner) == (None, None)


FALLBACK = """try:
    from langgraph.graph import StateGraph
except ImportError:
    from langgraph import StateGraph
"""


@pytest.mark.parametrize(
    ("imported", "called", "is_built"),
    [
        ("import langgraph as lg", "lg.StateGraph", False),
        ("import langgraph.graph as lg", "lg.StateGraph", True),
        ("import langgraph", "langgraph.graph.StateGraph", True),
        (FALLBACK, "StateGraph", True),
    ],
)
def test_stategraph_of_the_package_itself_is_none(imported, called, is_built):
    reading = graph_of(f"{imported}\ng = {called}(dict)\ng.add_node('a', print)\n")
    assert (reading.builder is not None, reading.is_open) == (is_built, False)


def test_a_repository_without_a_graph_has_the_reason():
    assert (
        graph_of("print('hello')").reason == "no LangGraph StateGraph is built anywhere in the code"
    )


def test_a_graph_that_only_a_test_builds_is_not_the_graph():
    reading = graph_of({"tests/test_graph.py": built('g.add_edge(START, "doc_analyst")')})
    assert reading.builder is None


def test_comments_strings_and_docstrings_add_nothing():
    quiet = built('g.add_edge(START, "doc_analyst")')
    loud = (
        quiet
        + '''
# g.add_edge("doc_analyst", "chief_justice")
TEXT = """
g.add_edge("doc_analyst", "chief_justice")
"""
def note():
    "g.add_node('ghost', note)"
'''
    )

    assert edges_of(loud) == edges_of(quiet)


def test_a_file_that_does_not_parse_leaves_the_rest_readable():
    symbols = symbols_of(
        {"src/broken.py": "def f(:\n", "src/graph.py": built("g.add_edge(START, 'doc_analyst')")}
    )
    assert symbols.codebase.unreadable == {
        "src/broken.py": "it does not parse: invalid syntax (line 1)"
    }
    assert set(symbols.codebase.files) == {"src/graph.py"}


# --- names


@pytest.mark.parametrize(
    "header",
    [
        "from langgraph.graph import StateGraph as SG, START, END\ng = SG(dict)",
        (
            "import langgraph.graph as lg\n"
            "from langgraph.graph import START, END\n"
            "g = lg.StateGraph(dict)"
        ),
        (
            "import langgraph.graph\n"
            "START, END = '__start__', '__end__'\n"
            "g = langgraph.graph.StateGraph(dict)"
        ),
        (
            "from langgraph.graph.state import StateGraph\n"
            "from langgraph.constants import START, END\n"
            "g = StateGraph(dict)"
        ),
        (
            "from langgraph.graph import StateGraph, START, END\n"
            "g: StateGraph = StateGraph(state_schema=dict)"
        ),
        "from langgraph.graph import StateGraph, START, END\ng = StateGraph[dict](dict)",
        (
            "from langgraph.graph import *\n"
            "from langgraph.graph import StateGraph, START, END\n"
            "class Mine(StateGraph):\n"
            "    pass\n"
            "g = Mine(dict)"
        ),
    ],
)
def test_stategraph_is_recognized_under_any_import(header):
    code = f"{header}\ng.add_node('a', print)\ng.add_edge(START, 'a')\ng.add_edge('a', END)\n"
    assert edges_of(code) == {("START", "a"), ("a", "END")}


def test_a_stategraph_re_exported_by_the_repository_is_langgraphs():
    files = {
        "src/compat.py": """
            try:
                from langgraph.graph import StateGraph, START
            except ImportError:
                class StateGraph: ...
            """,
        "src/graph.py": """
            from .compat import StateGraph, START
            g = StateGraph(dict)
            g.add_node("a", print)
            g.add_edge(START, "a")
            """,
    }

    assert edges_of(files) == {("START", "a")}


def test_names_come_from_constants_of_another_module_enums_and_f_strings():
    files = {
        "src/constants.py": (
            "DETECTIVE = 'repo'\nSUFFIX = '_node'\nclass Node:\n    JUDGE = 'judge'\n"
        ),
        "src/graph.py": f"""
            {IMPORTS.replace(chr(10), chr(10) + " " * 12)}
            from src.constants import DETECTIVE, SUFFIX, Node
            from src import constants as c
            g = StateGraph(dict)
            first = f"{{DETECTIVE}}{{SUFFIX}}"
            g.add_node(first, print)
            g.add_node(Node.JUDGE, print)
            g.add_edge(START, DETECTIVE + SUFFIX)
            g.add_edge(first, c.Node.JUDGE)
            """,
    }

    assert edges_of(files) == {("START", "repo_node"), ("repo_node", "judge")}


def test_enum_members_name_nodes_by_their_values():
    code = f"""{IMPORTS}
from enum import Enum
class Name(str, Enum):
    A = "a"
    B = "b"
g = StateGraph(dict)
for name in Name:
    g.add_node(name.value, print)
g.add_edge(Name.A, Name.B.value)
"""
    builder = builder_of(code)

    assert list(builder.nodes) == ["a", "b"]
    assert set(builder.edges) == {("a", "b")}


# --- nodes


def test_nodes_are_added_in_every_form():
    code = f"""{IMPORTS}
import functools
def reader(state): ...
class Judge:
    def __call__(self, state): ...
g = StateGraph(dict)
g.add_node("named", reader)
g.add_node(reader)
g.add_node("partial", functools.partial(reader, mode=1))
g.add_node(node="keyword", action=reader)
g.add_node("lambda", lambda s: s).add_node("chained", Judge())
g.add_sequence([("first", reader), ("second", reader)])
"""
    builder = builder_of(code)

    assert list(builder.nodes) == [
        "named",
        "reader",
        "partial",
        "keyword",
        "lambda",
        "chained",
        "first",
        "second",
    ]
    assert set(builder.edges) == {("first", "second")}


@pytest.mark.parametrize(
    "loop",
    [
        'for name, action in {"a": print, "b": print}.items():\n    g.add_node(name, action)',
        'for name, action in [("a", print), ("b", print)]:\n    g.add_node(name, action)',
        'for name, action in zip(["a", "b"], [print, print]):\n    g.add_node(name, action)',
        'for number, name in enumerate(("a", "b")):\n    g.add_node(name, print)',
        'for name in sorted({"a", "b"}):\n    g.add_node(name, print)',
        '[g.add_node(name, print) for name in ("a", "b")]',
        (
            "names = []\n"
            'names.append("a")\n'
            'names += ["b"]\n'
            "for name in names:\n"
            "    g.add_node(name, print)"
        ),
        (
            'for letter in "ab".upper().lower().replace("ab", "a b").split(" "):\n'
            "    g.add_node(letter, print)"
        ),
    ],
)
def test_nodes_are_added_in_loops(loop):
    assert sorted(builder_of(f"{IMPORTS}\ng = StateGraph(dict)\n{loop}\n").nodes) == ["a", "b"]


# --- edges


@pytest.mark.parametrize(
    "wiring",
    [
        (
            'for j in ("prosecutor", "defense", "tech_lead"):\n'
            '    g.add_edge("evidence_aggregator", j)'
        ),
        (
            'J = ["prosecutor", "defense"]\n'
            'J.append("tech_lead")\n'
            "for j in J:\n"
            '    g.add_edge("evidence_aggregator", j)'
        ),
        (
            'list(map(lambda j: g.add_edge("evidence_aggregator", j), []))\n'
            'for i, j in enumerate(("prosecutor", "defense", "tech_lead")):\n'
            '    g.add_edge("evidence_aggregator", j)'
        ),
        (
            "def fan_out(builder, source, targets):\n"
            "    for t in targets:\n"
            "        builder.add_edge(source, t)\n"
            'fan_out(g, "evidence_aggregator", ["prosecutor", "defense", "tech_lead"])'
        ),
        (
            "def fan_out(*, graph, to):\n"
            '    [graph.add_edge("evidence_aggregator", t) for t in to]\n'
            'fan_out(graph=g, to=("prosecutor", "defense", "tech_lead"))'
        ),
        (
            'for j in {"prosecutor": 1, "defense": 2, "tech_lead": 3}:\n'
            '    g.add_edge("evidence_aggregator", j)'
        ),
        (
            'PAIRS = [("evidence_aggregator", j) for j in ("prosecutor", "defense", "tech_lead")]\n'
            "for pair in PAIRS:\n"
            "    g.add_edge(*pair)"
        ),
    ],
)
def test_a_fan_out_is_detected_in_every_form(wiring):
    assert edges_of(built(wiring)) == TO_JUDGES


def test_a_list_joins_every_member():
    assert edges_of(built('g.add_edge(["prosecutor", "defense"], "chief_justice")')) == {
        ("prosecutor", "chief_justice"),
        ("defense", "chief_justice"),
    }


def test_entry_and_finish_points_are_edges():
    code = built('g.set_entry_point("doc_analyst")\ng.set_finish_point("chief_justice")')
    assert edges_of(code) == {("START", "doc_analyst"), ("chief_justice", "END")}


def test_every_edge_has_its_line():
    code = (
        f"{IMPORTS}g = StateGraph(dict)\n"
        "g.add_node('a', print)\n"
        "g.add_edge(\n"
        "    START,\n"
        "    'a',\n"
        ")\n"
    )

    assert builder_of(code).edges == {("START", "a"): ("src/graph.py", 6)}


def test_an_unknown_edge_is_reported_as_unresolved():
    builder = builder_of(built('import os\ng.add_edge("doc_analyst", os.environ["NEXT"])'))
    assert builder.edges == {}
    assert builder.unresolved == [
        "src/graph.py:14: an end of an edge is not known before the program runs"
    ]


def test_an_edge_behind_a_setting_is_counted_and_one_behind_false_is_not():
    code = built(
        """
        import os
        if os.getenv("VISION"):
            g.add_edge("doc_analyst", "prosecutor")
        if False:
            g.add_edge("doc_analyst", "defense")
        """
    )

    assert edges_of(code) == {("doc_analyst", "prosecutor")}


# --- written across classes, modules and loops, at any size


def test_a_graph_built_by_the_methods_of_a_class():
    code = f"""{IMPORTS}
class Auditor:
    JUDGES = ["prosecutor", "defense"]

    def __init__(self):
        self.builder = StateGraph(dict)
        self._nodes()

    def _nodes(self):
        for judge in self.JUDGES:
            self.builder.add_node(judge, print)

    def build(self):
        for judge in self.JUDGES:
            self.builder.add_edge(START, judge)
        return self.builder.compile()
"""

    assert edges_of(code) == {("START", "prosecutor"), ("START", "defense")}


def test_a_graph_built_across_modules_by_functions_that_take_the_builder():
    files = {
        "src/nodes/wiring.py": (
            "def wire(builder, names):\n"
            "    for a, b in zip(names, names[1:] if False else ['doc_analyst']):\n"
            "        builder.add_edge(a, b)\n"
        ),
        "src/graph.py": (
            f"{IMPORTS}\n"
            "from .nodes.wiring import wire\n"
            "def build():\n"
            "    g = StateGraph(dict)\n"
            "    g.add_node('doc_analyst', print)\n"
            "    wire(g, ['repo_investigator'])\n"
            "    return g\n"
        ),
    }

    assert builder_of(files).edges == {
        ("repo_investigator", "doc_analyst"): ("src/nodes/wiring.py", 3)
    }


def test_nodes_named_after_their_functions():
    code = f"""{IMPORTS}
def doc_analyst(state): ...
def chief_justice(state): ...
g = StateGraph(dict)
for node in (doc_analyst, chief_justice):
    g.add_node(node.__name__, node)
g.add_edge("doc_analyst", chief_justice.__name__)
"""

    assert edges_of(code) == {("doc_analyst", "chief_justice")}


def test_hostile_sizes_end_with_an_unresolved_note():
    code = built(
        "def f(n):\n"
        "    for a in range(64):\n"
        "        for b in range(64):\n"
        "            for c in range(64):\n"
        "                g.add_edge(f'n{a}', f'n{b}')\n"
        "f(1)"
    )

    assert builder_of(code).unresolved[-1] == "the code is too long to be followed to its end"


def test_endless_recursion_is_bounded():
    code = built("def f(x):\n    return f(x)\nf(1)\ng.add_edge(START, 'doc_analyst')")
    assert edges_of(code) == {("START", "doc_analyst")}


def test_every_node_is_listed_once_in_order():
    assert list(builder_of(built("")).nodes) == list(NODES)
