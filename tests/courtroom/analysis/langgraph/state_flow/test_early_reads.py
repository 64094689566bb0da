"""Keys that a node reads before they can be written."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import STATE as FLOW_STATE
from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of, sentences
from tests.courtroom.sources import IMPORTS

STATE = """
class State(TypedDict):
    repo_url: str
    folder: str
    evidences: Annotated[dict, operator.ior]

def repo(state):
    return {"folder": clone(state["repo_url"]), "evidences": {"files": ["a.py"]}}

def rubric(state):
    return {}
"""
FOLDER = 'def doc(state):\n    files = listed(state.get("folder"))\n    return {"evidences": {"doc": files}}\n'
FILES = FOLDER.replace('state.get("folder")', 'state["evidences"].get("files")')
SIDE_BY_SIDE = """
g.add_edge(START, "rubric")
g.add_edge("rubric", "repo")
g.add_edge("rubric", "doc")
"""
IN_A_ROW = """
g.add_edge(START, "repo")
g.add_edge("repo", "rubric")
g.add_edge("rubric", "doc")
"""
LOOP = SIDE_BY_SIDE + 'g.add_conditional_edges("repo", lambda state: "rubric", ["rubric", "doc"])\n'
RUN = 'app.invoke({"repo_url": "https://example.org/a", "folder": "", "evidences": {}})\n'


def early(doc: str, edges: str = SIDE_BY_SIDE, run: str = RUN, state: str = STATE) -> list[str]:
    names = ("repo", "doc", "rubric")
    nodes = "".join(f'g.add_node("{name}", {name})\n' for name in names)
    graph = f"g = StateGraph(State)\n{nodes}{edges}app = g.compile()\n"
    return sentences(flow_of(state + doc, graph=graph, run=run), "early_read")


@pytest.mark.parametrize(
    ("doc", "shown"), [(FOLDER, "folder"), (FILES, "evidences['files']")], ids=["key", "inner key"]
)
def test_what_a_node_beside_the_reader_writes_comes_too_late(doc: str, shown: str):
    assert early(doc) == [
        f"doc reads `{shown}`, which only repo writes, in the same step: it comes too late for doc"
    ]


def test_key_is_written_where_it_gets_its_value_and_not_where_the_node_fails():
    failing = """    if not state["repo_url"]:
        return {"folder": ""}
"""
    state = STATE.replace("def repo(state):\n", f"def repo(state):\n{failing}")
    nodes = "".join(f'g.add_node("{name}", {name})\n' for name in ("repo", "doc", "rubric"))
    graph = f"g = StateGraph(State)\n{nodes}{SIDE_BY_SIDE}app = g.compile()\n"
    reading = flow_of(state + FOLDER, graph=graph, run=RUN)
    (fault,) = faults(reading, "early_read")
    code = f"{IMPORTS}{FLOW_STATE}{state}".split("\n")
    assert fault.other is not None
    assert "clone(" in code[fault.other[1] - 1]


def test_what_a_later_node_writes_comes_too_late():
    edges = 'g.add_edge(START, "doc")\ng.add_edge("doc", "repo")\ng.add_edge("repo", "rubric")\n'

    (sentence,) = early(FOLDER, edges)
    assert sentence.endswith("which only repo writes, in a later step: it comes too late for doc")


def test_a_key_that_the_unknown_input_holds_nowhere_in_the_code_comes_too_late():
    assert early(FOLDER, run="") == early(FOLDER)


@pytest.mark.parametrize(
    ("edges", "run"),
    [
        (IN_A_ROW, RUN),
        (LOOP, RUN),
        (SIDE_BY_SIDE, RUN.replace('"folder": ""', '"folder": "clones"')),
        (SIDE_BY_SIDE, 'first = {"folder": name}\napp.invoke(first | more)\n'),
        (SIDE_BY_SIDE.replace('g.add_edge("rubric", "doc")', 'g.add_edge("repo", "doc")'), RUN),
    ],
    ids=["a way leads on", "a loop leads back", "input", "input that code may make", "edge"],
)
def test_what_may_be_there_in_time_is_no_fault(edges: str, run: str):
    assert early(FOLDER, edges, run) == []


def test_a_node_that_adds_to_its_own_key_reads_nothing_of_others():
    assert (
        early(FOLDER.replace('"doc": files', '"files": files').replace("folder", "evidences")) == []
    )


AGGREGATOR = """
def aggregator(state):
    files = state["evidences"].get("files")
    return %s
"""
JOINED = (
    SIDE_BY_SIDE
    + """
g.add_node("aggregator", aggregator)
g.add_edge(["repo", "doc"], "aggregator")
"""
)


def test_a_later_node_that_does_the_same_again_in_time_makes_the_early_read_good():
    assert early(FILES + AGGREGATOR % '{"evidences": {"doc": files}}', JOINED) == []


def test_a_later_node_that_only_reads_the_key_makes_nothing_good():
    assert early(FILES + AGGREGATOR % '{"folder": shown(files)}', JOINED) == early(FILES)


def test_a_node_before_the_reader_whose_writes_are_unknown_leaves_it_open():
    code = STATE.replace(
        "def rubric(state):\n    return {}", "def rubric(state):\n    return more()"
    )
    names = ("repo", "doc", "rubric")
    nodes = "".join(f'g.add_node("{name}", {name})\n' for name in names)
    graph = f"g = StateGraph(State)\n{nodes}{SIDE_BY_SIDE}app = g.compile()\n"
    reading = flow_of(code + FOLDER, graph=graph, run=RUN)

    assert sentences(reading, "early_read") == []
    assert "rubric" in reading.unread["early_read"]


JUDGE = """
    opinions: Annotated[list, operator.add]

def repo(state):
    return {"opinions": [Opinion(score=1)]}

def rubric(state):
    return {}

def doc(state):
    before = state.get("opinions", []) or []
    made = []
    made.append(Opinion(score=3 if before else 1))
    return {"opinions": %s}
"""


def judging(returned: str, others: str = "repo") -> list[str]:
    state = STATE.partition("    evidences")[0]
    code = f"{state}{JUDGE % returned}".replace("def repo", f"def {others}")
    if others != "repo":
        code += '\ndef repo(state):\n    return {"folder": "a"}\n'
    return early(code.removeprefix(STATE), run='app.invoke({"opinions": []})\n', state="")


def test_a_node_that_looks_for_what_its_own_step_writes_reads_only_the_start():
    (sentence,) = judging("made")
    assert sentence == (
        "doc reads `opinions`, which only repo and doc write, in the same step: doc reads only what"
        " the graph starts with"
    )


@pytest.mark.parametrize(
    "returned",
    ["before + made", "[*before, *made]", "list(before) + made", "state['opinions'] + made"],
)
def test_a_node_that_returns_what_it_reads_adds_to_it(returned: str):
    assert judging(returned) == []


def test_a_node_that_alone_writes_what_it_reads_waits_for_nobody():
    assert judging("made", "unused") == []
