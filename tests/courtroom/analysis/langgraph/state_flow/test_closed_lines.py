"""Lines of a node behind a test of the state that what the nodes before it always fill settles."""

import pytest

from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.state_flow.closed_lines import closed_by
from courtroom.analysis.langgraph.state_flow.dead_routes import dead_ways
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.analysis.langgraph.state_flow.flows import STATE
from tests.courtroom.sources import IMPORTS, symbols_of

NODES = """
def repo(state):
    return {"evidences": {"repo": [state["repo_url"]]}}
def stop(state):
    if len(state.get("evidences", {})) == 0:
        return {"opinions": [Broken()]}
    return {"opinions": []}
"""
GRAPH = """
g = StateGraph(State)
g.add_node("repo", repo)
g.add_node("stop", stop)
g.add_edge(START, "repo")
g.add_edge("repo", "stop")
app = g.compile()
"""
REASON = "before stop, repo always fills `evidences`"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("", "", REASON),
        ('if len(state.get("evidences", {})) == 0', 'if not state["evidences"]', REASON),
        ("if len(", "for name in ('a',):\n      if len(", REASON),
        ('[state["repo_url"]]}}', '[]}} if state["pdf_path"] else {"evidences": {}}', ""),
        ("== 0", "== limit()", ""),
        ("== 0", "> 0", ""),
        ('    if len(state.get("evidences", {})) == 0:\n        return', "    return", ""),
        # A value that is not always there.
        ('"evidences", {}', '"opinions", []', ""),
    ],
)
def test_line_is_closed_where_the_nodes_before_settle_the_test_around_it(old, new, reason):
    assert old in NODES
    code = f"{IMPORTS}{STATE}{NODES.replace(old, new) if old else NODES}{GRAPH}"
    symbols = symbols_of(code)
    reading = read_graph(symbols, {})
    [access] = read_state_access(symbols, reading)
    line = next(n for n, text in enumerate(code.splitlines(), 1) if "Broken()" in text)
    ways = dead_ways(symbols, reading, access) or ()
    assert closed_by(symbols, reading, access, ways, "stop", line) == reason
