"""Lost keys that the code which runs the graph looks for in its result."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from tests.courtroom.analysis.langgraph.state_flow.flows import STATE, faults, flow_of_files
from tests.courtroom.sources import IMPORTS

GRAPH = f"""
{IMPORTS}{STATE}
def chief_justice(state):
    rendered = render(state["opinions"])
    return {{"opinions": [], "rendered_markdown": rendered}}

def judge(state):
    return {{"opinions": [1]}}

g = StateGraph(State)
g.add_node("prosecutor", judge)
g.add_node("chief_justice", chief_justice)
g.add_edge(START, "prosecutor")
g.add_edge("prosecutor", "chief_justice")
app = g.compile()
"""
RUN = """
from pathlib import Path
from src.graph import app

def audit(state):
    result = app.invoke(state)
    text = result.get("rendered_markdown", "")
    Path("report.md").write_text(text)
"""


def lost(run: str, graph: str = GRAPH) -> FlowFault:
    reading = flow_of_files({"src/graph.py": graph, "run.py": run})
    (fault,) = faults(reading, "undeclared_write")
    return fault


def test_a_lost_key_that_is_looked_for_in_the_result_names_the_reader():
    fault = lost(RUN)

    assert fault.sentence.endswith(
        "LangGraph drops it, and run.py:7 looks for `rendered_markdown` in the graph's result in vain"
    )
    assert (fault.callers, fault.written) == (
        (("rendered_markdown", ("run.py", 7)),),
        ("run.py", 8),
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('result.get("rendered_markdown", "")', 'result.get("rendered_markdown") or other'),
        ('result.get("rend', 'result.get("lost") or result.get("rend'),
        ("write_text(text)", 'write_text("x")'),
        ("    Path", "    text = other\n    Path"),
    ],
    ids=["another value", "behind a key that is lost", "another text", "assigned anew"],
)
def test_a_report_that_may_be_another_text_is_no_lost_file(old: str, new: str):
    fault = lost(RUN.replace(old, new))
    assert (fault.callers, fault.written) == ((("rendered_markdown", ("run.py", 7)),), None)


def test_a_report_that_the_chief_justice_writes_is_no_lost_file():
    graph = GRAPH.replace(
        '    return {"opinions": [], ',
        '    open("r.md", "w").write(rendered)\n    return {"opinions": [], ',
    )
    assert lost(RUN, graph).written is None


@pytest.mark.parametrize(
    "run",
    [
        "def audit(row):\n    return row.get('rendered_markdown')\n",
        RUN.replace("rendered_markdown", "final_report"),
        RUN.replace("result.get(", 'result.get("opinions") or result.get('),
        "",
    ],
    ids=[
        "no result of a run",
        "another key",
        "behind a key that arrives",
        "nothing runs the graph",
    ],
)
def test_what_reads_no_result_under_the_key_is_not_named(run: str):
    fault = lost(run)
    assert (fault.callers, fault.written) == ((), None)
