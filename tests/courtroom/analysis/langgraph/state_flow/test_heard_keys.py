"""Keys of the evidence without which no judge is heard."""

from __future__ import annotations

from textwrap import dedent

import pytest

from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.state_flow.heard_keys import HeardKeys
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of

WORK = """
from typing import Annotated, TypedDict

class State(TypedDict):
    pdf_path: str
    evidences: Annotated[dict, operator.ior]
    opinions: Annotated[list, operator.add]
    errors: Annotated[list, operator.add]
    flags: Annotated[dict, operator.ior]

def read(path):
    return [{"found": True, "content": open(path).read()}]

def detective(state):
    try:
        return {"evidences": {"report": read(state["pdf_path"])}}
    except OSError as error:
        return {"evidences": {"failed": [str(error)]}, "errors": [str(error)]}

def aggregator(state):
    return {"flags": {"has_errors": len(state.get("errors", [])) > 0}}

def route(state):
    return "repair" if state.get("flags", {}).get("has_errors", False) else "prosecutor"

def prosecutor(state):
    if not state["evidences"]:
        return {"flags": {"is_invalid": True}}
    return {"opinions": [ask(state)]}

def repair(state):
    if not state.get("flags", {}).get("is_invalid", False):
        return {}
    return {"opinions": [{"judge": "Prosecutor", "argument": "none"}]}

def chief_justice(state):
    return {"pdf_path": str(state["opinions"])}

g = StateGraph(State)
for node in (detective, aggregator, prosecutor, repair, chief_justice):
    g.add_node(node.__name__, node)
g.add_edge(START, "detective")
g.add_edge("detective", "aggregator")
g.add_conditional_edges("aggregator", route, ["repair", "prosecutor"])
g.add_edge("prosecutor", "chief_justice")
g.add_edge("repair", "chief_justice")
g.add_edge("chief_justice", END)
app = g.compile()
app.invoke({"pdf_path": "a.pdf", "evidences": {}, "opinions": [], "errors": [], "flags": {}})
"""


def is_filled(code: str, key: str = "report") -> bool:
    symbols = symbols_of({"src/graph.py": f"{IMPORTS}{dedent(code)}"})
    graph = read_graph(symbols, {})
    _, layers = layers_of(symbols)
    access = read_state_access(symbols, graph)[0]
    return HeardKeys(symbols, graph, access, layers.roles).is_filled("evidences", key)


def test_key_is_there_where_its_failure_leads_past_the_judges():
    assert is_filled(WORK)
    assert not is_filled(WORK, "failed")
    assert not is_filled(WORK, "other")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            '"repair" if state.get("flags", {}).get("has_errors", False) else "prosecutor"',
            '"prosecutor"',
        ),
        ('"has_errors": len(state.get("errors", [])) > 0', '"has_errors": False'),
        (', "errors": [str(error)]}', "}"),
        ('return [{"found"', 'return [] if not path else [{"found"'),
        ('    if not state.get("flags", {}).get("is_invalid", False):\n        return {}\n', ""),
        ('"failed": [str(error)]', '"is_late": True}, "flags": {"is_invalid": True'),
        ("errors: Annotated[list, operator.add]", "errors: list"),
        ("def aggregator(state):", 'def aggregator(state):\n    state["evidences"]["report"] = []'),
    ],
    ids=[
        "no route",
        "no flag",
        "no error",
        "empty",
        "heard again",
        "flag of the error",
        "replaced",
        "emptied",
    ],
)
def test_key_may_be_missing_where_a_judge_is_heard(old: str, new: str):
    assert old in WORK
    assert not is_filled(WORK.replace(old, new))
