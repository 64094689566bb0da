"""Choice of the main graph: the one that the program runs, else the largest."""

from __future__ import annotations

from tests.courtroom.sources import IMPORTS, builder_of

TWO_GRAPHS = f"""{IMPORTS}
def small():
    g = StateGraph(dict)
    g.add_node("only", print)
    g.add_edge(START, "only")
    return g.compile()

def large():
    g = StateGraph(dict)
    for name in ("a", "b", "c"):
        g.add_node(name, print)
    g.add_edge(START, "a")
    g.add_edge("a", "b")
    g.add_edge("b", "c")
    return g.compile()
"""


def test_the_graph_that_the_script_runs_is_the_main_graph():
    main = (
        "from src.graph import small\n"
        "def main():\n"
        "    small().invoke({})\n"
        "if __name__ == '__main__':\n"
        "    main()\n"
    )
    builder = builder_of({"src/graph.py": TWO_GRAPHS, "main.py": main})

    assert list(builder.nodes) == ["only"]


def test_a_script_that_pyproject_declares_is_an_entry_point():
    files = {
        "src/graph.py": TWO_GRAPHS,
        "src/cli.py": "from src.graph import small\ndef main():\n    return small()\n",
    }
    texts = {"pyproject.toml": '[project.scripts]\naudit = "src.cli:main"\n'}
    assert list(builder_of(files, texts).nodes) == ["only"]


def test_without_an_entry_point_the_largest_graph_is_the_main_graph():
    assert list(builder_of(TWO_GRAPHS).nodes) == ["a", "b", "c"]


def test_a_subgraph_used_as_a_node_is_not_the_main_graph():
    code = f"""{IMPORTS}
def inner():
    g = StateGraph(dict)
    for name in ("a", "b", "c", "d"):
        g.add_node(name, print)
    return g.compile()

outer = StateGraph(dict)
outer.add_node("detectives", inner())
outer.add_edge(START, "detectives")
"""

    assert list(builder_of(code).nodes) == ["detectives"]


def test_a_graph_whose_start_is_too_long_to_follow_is_read_from_its_own_function():
    graph = (
        f"{IMPORTS}"
        "def work():\n"
        "    for i in range(60):\n"
        "        for j in range(60):\n"
        "            i + j\n"
        "def build(rounds=0):\n"
        "    g = StateGraph(dict)\n"
        "    g.add_node('a', print)\n"
        "    for round in range(rounds):\n"
        "        work()\n"
        "    g.add_node('b', print)\n"
        "    g.add_edge(START, 'a')\n"
        "    return g.compile()\n"
    )
    main = "from src.graph import build\nif __name__ == '__main__':\n    build(60).invoke({})\n"
    builder = builder_of({"src/graph.py": graph, "main.py": main})

    assert (list(builder.nodes), builder.unresolved) == (["a", "b"], [])


def test_graph_of_a_factory_is_begun_where_the_factory_is_called():
    files = {
        "src/state.py": f"{IMPORTS}\ndef builder_of(name):\n    return StateGraph(dict)\n",
        "src/graph.py": (
            "from langgraph.graph import START\nfrom src.state import builder_of\n"
            "g = builder_of('audit')\ng.add_node('a', print)\ng.add_edge(START, 'a')\n"
            "app = g.compile()\n"
        ),
    }
    builder = builder_of(files)
    assert (builder.place, builder.path) == (("src/graph.py", 3), "src/state.py")


def test_graph_that_a_function_builds_is_begun_in_the_function():
    builder = builder_of(f"{TWO_GRAPHS}\napp = small()\n")
    assert builder.place == builder.site
