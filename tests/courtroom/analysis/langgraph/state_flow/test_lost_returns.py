"""Returns of detectives that LangGraph drops, and the key that they belong under."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import (
    GRAPH,
    STATE,
    faults,
    flow_of,
    flow_of_files,
)
from tests.courtroom.analysis.langgraph.state_flow.test_keys import DETECTIVE, JUDGE
from tests.courtroom.sources import IMPORTS

LOST = """
def detective(state):
    return {"repo": [state["repo_url"], state["pdf_path"]]}
"""


@pytest.mark.parametrize(
    "read", ['state["evidences"]["repo"]', 'state.get("evidences").get("repo", [])']
)
def test_a_lost_key_belongs_under_the_key_in_which_it_is_looked_up(read: str):
    reading = flow_of(f"{LOST}\ndef judge(state):\n    return {{'opinions': [{read}]}}\n")

    (fault,) = faults(reading, "no_update")
    assert fault.channel == "evidences"
    assert fault.sentence == (
        "detective returns only `repo`, which State does not declare: LangGraph drops all of it;"
        " what is lost belongs under `evidences`"
    )


@pytest.mark.parametrize(
    ("declared", "returned", "channel"),
    [
        ("Annotated[dict[str, list[int]], operator.ior]", "Dict[str, List[int]]", "evidences"),
        ("dict[str, Any]", "dict[str, Any]", None),
        ("dict[str, int]", "dict[str, str]", None),
    ],
)
def test_a_lost_return_of_the_type_of_one_key_belongs_under_it(declared, returned, channel):
    code = LOST.replace("(state)", f"(state) -> {returned}")
    files = {
        "src/graph.py": (
            f"{IMPORTS}{STATE}{code}{JUDGE}{GRAPH}".replace(
                "evidences: Annotated[dict, operator.ior]", f"evidences: {declared}"
            )
        )
    }

    (fault,) = faults(flow_of_files(files), "no_update")
    assert fault.channel == channel


def test_judges_see_no_evidence_where_all_that_the_detectives_return_is_lost():
    (fault,) = faults(flow_of(LOST + JUDGE), "unshown_evidence")
    assert fault.is_blinding
    assert fault.sentence == (
        "LangGraph drops what the detectives return, and no request of a judge holds it"
    )
    assert faults(flow_of(DETECTIVE + JUDGE), "unshown_evidence") == []


LOST_IN_PART = """
from pydantic import BaseModel

class Evidence(BaseModel):
    goal: str

def detective(state):
    if state["pdf_path"]:
        return {"evidences": {"pdf": [state["pdf_path"]]}}
    return Evidence(goal=state["repo_url"])
"""


def test_evidence_is_left_open_where_a_detective_has_another_return():
    reading = flow_of(LOST_IN_PART + JUDGE)
    assert faults(reading, "unshown_evidence") == []
    assert "drops what the detectives return" in reading.unread["unshown_evidence"]


def test_a_lost_key_that_nobody_looks_up_belongs_nowhere():
    (fault,) = faults(flow_of(LOST + JUDGE), "no_update")
    assert fault.channel is None
