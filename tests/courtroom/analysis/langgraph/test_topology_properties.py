"""Changes that leave a topology as it is: names, order, layout, text that imitates code."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.courtroom.sources import IMPORTS, graph_of

NAMES = st.lists(
    st.from_regex(r"[a-z]{3,8}_[a-z]{2,6}", fullmatch=True), min_size=5, max_size=5, unique=True
)
PAIRS = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]
IMITATIONS = st.sampled_from(
    [
        "# g.add_edge('x', 'y')",
        '"""g.add_edge("x", "y")"""',
        "TEXT = 'g.add_node(\"x\", print); g = StateGraph(dict)'",
        "def docs():\n    '''StateGraph(dict).add_edge(START, \"x\")'''",
    ]
)
FAST = settings(max_examples=25, deadline=None)


def program(names: list[str], order: list[tuple[int, int]]) -> str:
    nodes = "".join(f"g.add_node({name!r}, print)\n" for name in names)
    edges = "".join(f"g.add_edge({names[a]!r}, {names[b]!r})\n" for a, b in order)
    return f"{IMPORTS}g = StateGraph(dict)\n{nodes}{edges}"


def topology(code: str) -> tuple[set[str], set[tuple[str, str]], list[str]]:
    builder = graph_of(code).builder
    assert builder is not None
    return set(builder.nodes), set(builder.edges), builder.unresolved


@FAST
@given(NAMES)
def test_renaming_nodes_renames_only_the_nodes_of_the_topology(names):
    assert topology(program(names, PAIRS)) == (
        set(names),
        {(names[a], names[b]) for a, b in PAIRS},
        [],
    )


@FAST
@given(NAMES, st.permutations(PAIRS))
def test_the_order_of_edge_lines_does_not_matter(names, order):
    assert topology(program(names, order)) == topology(program(names, PAIRS))


@FAST
@given(NAMES)
def test_reformatting_does_not_matter(names):
    code = program(names, PAIRS)
    assert topology(ast.unparse(ast.parse(code))) == topology(code)
    assert topology(
        code.replace(", ", ",\n    ")
        .replace("import StateGraph,\n    START,\n    END", "import StateGraph, START, END")
        .replace("import Command,\n    Send", "import Command, Send")
    ) == topology(code)


@FAST
@given(NAMES, st.lists(IMITATIONS, max_size=4))
def test_text_that_imitates_code_changes_nothing(names, imitations):
    code = program(names, PAIRS)
    assert topology("\n".join([code, *imitations])) == topology(code)
