"""Facts about a graph that is not known to its end: null with the reason, never false."""

from __future__ import annotations

import json

from courtroom.analysis.langgraph.graph_facts import graph_fact
from courtroom.analysis.langgraph.parallelism import flags_of
from courtroom.analysis.python.notebooks import notebook_code
from tests.courtroom.sources import IMPORTS, built, flags, graph_of

TO_DETECTIVES = 'g.add_edge(START, "repo_investigator")\ng.add_edge(START, "doc_analyst")\n'


def test_a_split_that_only_some_runs_have_is_null_with_the_line():
    code = built(
        "import os\n"
        'g.add_edge(START, "repo_investigator")\n'
        'if os.getenv("FULL"):\n'
        '    g.add_edge(START, "doc_analyst")\n'
    )
    reading = graph_of(code)
    assert reading.builder is not None
    shape = flags_of(reading.builder, reading.routes)

    assert shape.values["detectives_parallel"] is None
    assert shape.reasons["detectives_parallel"] == (
        "which edges there are depends on the run (src/graph.py:15)"
    )


def test_a_split_of_every_run_is_true_whatever_else_depends_on_the_run():
    code = built(
        "import os\n"
        + TO_DETECTIVES
        + 'if os.getenv("FULL"):\n    g.add_edge("doc_analyst", "prosecutor")\n'
    )
    assert flags(code)["detectives_parallel"] is True


def test_node_that_some_runs_add_is_optional():
    code = built('import os\nif os.getenv("FULL"):\n    g.add_node("extra", print)\n')
    reading = graph_of(code)
    assert reading.builder is not None
    rows = graph_fact(reading, reading.builder)["optional_nodes"]
    assert [row["node"] for row in rows] == ["extra"]


def test_a_split_that_was_not_found_is_null_where_an_edge_was_not_followed():
    code = built('import os\ng.add_edge("doc_analyst", os.environ["NEXT"])')
    assert flags(code)["judges_parallel"] is None


def test_parallel_nodes_without_a_known_role_leave_the_layers_open():
    code = built(
        'g.add_edge(START, "one")\ng.add_edge(START, "two")\n', nodes=("one", "two", "three")
    )
    assert flags(code)["judges_parallel"] is None


def test_nodes_in_a_line_are_not_parallel_whatever_their_roles_are():
    code = built('g.add_edge(START, "one")\ng.add_edge("one", "two")\n', nodes=("one", "two"))
    assert flags(code)["judges_parallel"] is False


def test_a_function_that_adds_to_the_graph_and_was_not_reached_is_named():
    reading = graph_of(
        IMPORTS
        + "import plugins\n"
        + "g = StateGraph(dict)\n"
        + 'g.add_node("a", print)\n'
        + 'g.add_edge(START, "a")\n'
        + "def more(builder):\n"
        + '    builder.add_node("b", print)\n'
        + "plugins.register(more)\n"
    )
    assert reading.builder is not None

    assert reading.builder.open_questions() == [
        "src/graph.py:9: add_node() stands in more(), of which no call was followed"
    ]


def test_a_graph_that_a_library_gets_is_open():
    reading = graph_of(built("import plugins\nplugins.extend(g)\n"))
    assert reading.builder is not None
    assert reading.builder.open_questions() == [
        "src/graph.py:14: the graph is handed to extend(), which is not followed"
    ]


def test_each_line_of_a_notebook_keeps_its_line_in_the_file():
    cells = [{"cell_type": "code", "source": ["x = 1\n", "%time y\n", "z = 2"]}]
    raw = json.dumps({"cells": cells}, indent=1).encode()
    code = notebook_code(raw)
    assert code is not None

    places = {line: n for n, line in enumerate(code.decode().splitlines(), 1) if line}
    lines = raw.decode().splitlines()
    assert [lines[n - 1].strip(' ",') for n in places.values()] == [
        "x = 1\\n",
        "%time y\\n",
        "z = 2",
    ]
