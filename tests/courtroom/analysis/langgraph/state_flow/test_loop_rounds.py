"""Loops that a run does not leave, by what the nodes of the loop write for its router."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowReading
from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of, sentences

STATE = """
class Evidence(BaseModel):
    goal: str
    found: bool

def kept(old, new):
    if new == []:
        return []
    return (old or []) + (new or [])

class State(TypedDict):
    repo_url: str
    pdf_path: str
    there: list
    evidences: Annotated[dict, operator.ior]
    errors: Annotated[list, kept]
    rounds: int
"""
CODE = """
def prepare(state):
    there = []
    if look(state["repo_url"]):
        there.append("repo")
    return {"there": there}

def first(state):
    return "repo" if "repo" in state["there"] else "fallback"

def repo(state):
    return {"evidences": {"repo": [Evidence(goal="a", found=look(state))]}}

def fallback(state):
    return {"evidences": {"state": [Evidence(goal="b", found=False)]}}

def collect(state):
    if not state["there"]:
        return {"evidences": {"rest": [Evidence(goal="c", found=False)]}}
    return {}

def route(state):
    items = [e for rows in state["evidences"].values() for e in rows]
    if sum(1 for e in items if e.found) == 0:
        return "fallback"
    return "judge"
"""
GRAPH = """
def build():
    g = StateGraph(State)
    g.add_node("prepare", prepare)
    g.add_node("repo", repo)
    g.add_node("fallback", fallback)
    g.add_node("collect", collect)
    g.add_node("judge", lambda state: {})
    g.add_edge(START, "prepare")
    g.add_conditional_edges("prepare", first, ["repo", "fallback"])
    g.add_edge("repo", "collect")
    g.add_edge("fallback", "collect")
    g.add_conditional_edges("collect", route, ["fallback", "judge"])
    g.add_edge("judge", END)
    return g.compile()

def main():
    build().invoke({"repo_url": "u", "there": [], "evidences": {}, "errors": [], "rounds": 0})
"""
RUN = """
if __name__ == "__main__":
    main()
"""
FALLS_BACK = (
    "the loop of fallback and collect runs until the recursion limit where the router after prepare"
    " leads to fallback: the router after collect leads back each time, and nothing that the loop then"
    " writes to `evidences` ends it"
)
RETRY = """
def begin(state):
    return {"errors": []}

def docs(state):
    if not look(state["pdf_path"]):
        return {"errors": ["no file"]}
    return {"evidences": {"docs": [look(state)]}}

def gate(state):
    if state["errors"]:
        return {"rounds": state.get("rounds", 0) + 1}
    return {}

def route(state):
    rounds = state.get("rounds", 0)
    if len(state["errors"]) > 3:
        return "stop"
    return "again" if state["errors"] else "on"
"""
RETRY_GRAPH = """
def build():
    g = StateGraph(State)
    g.add_node("begin", begin)
    g.add_node("docs", docs)
    g.add_node("gate", gate)
    g.add_node("judge", lambda state: {})
    g.add_edge(START, "begin")
    g.add_edge("begin", "docs")
    g.add_edge("docs", "gate")
    g.add_conditional_edges("gate", route, {"again": "begin", "on": "judge", "stop": END})
    g.add_edge("judge", END)
    return g.compile()

def main():
    build().invoke({"repo_url": "u", "there": [], "evidences": {}, "errors": [], "rounds": 0})
"""


def loops(code: str = CODE, graph: str = GRAPH) -> FlowReading:
    return flow_of(f"{STATE}{code}", graph=graph, run=RUN)


def test_a_fallback_that_finds_nothing_does_not_end_the_loop_that_waits_for_a_finding():
    assert sentences(loops(), "endless_loop") == [FALLS_BACK]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The fallback ends it.
        ('Evidence(goal="b", found=False)', 'Evidence(goal="b", found=True)'),
        # What it finds is known in a run only.
        ('Evidence(goal="b", found=False)', 'Evidence(goal="b", found=look(state))'),
        ('{"evidences": {"state"', '{"rounds": state["rounds"] + 1, "evidences": {"state"'),
    ],
    ids=["ends it", "is not known", "counts"],
)
def test_a_fallback_that_may_end_the_loop_is_no_fault(old: str, new: str):
    counted = "counts rounds" if "rounds" in new else ""
    code = CODE.replace(old, new)
    if counted:
        code = code.replace(
            "    items =", '    if state["rounds"] > 2:\n        return "judge"\n    items ='
        )
    assert old in CODE
    assert faults(loops(code), "endless_loop") == []


def test_a_failure_that_comes_again_goes_round_where_no_router_tests_the_count():
    [fault] = faults(loops(RETRY, RETRY_GRAPH), "endless_loop")
    assert fault.sentence == (
        "the loop of begin, docs and gate runs until the recursion limit where docs writes to `errors`"
        " in each round: the router after gate leads back each time, and nothing that the loop then"
        " writes to `errors` ends it"
    )
    assert fault.other is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('if state["errors"] else', 'if state["errors"] and rounds < 3 else'),
        # The list grows until the router has enough of it.
        ('return {"errors": []}', "return {}"),
        ('return "again" if state["errors"] else "on"', 'return "on"'),
    ],
    ids=["tests the count", "errors add up", "leads on"],
)
def test_a_failure_that_comes_again_ends_where_the_router_has_a_limit(old: str, new: str):
    assert old in RETRY
    assert faults(loops(RETRY.replace(old, new), RETRY_GRAPH), "endless_loop") == []


def test_a_loop_of_which_nothing_is_known_is_left_open():
    code = RETRY.replace('"errors": ["no file"]', '"errors": look(state)').replace(
        '"errors": []', '"errors": look(state)'
    )
    reading = loops(code.replace('if len(state["errors"]) > 3', "if look(state)"), RETRY_GRAPH)
    assert faults(reading, "endless_loop") == []
    assert (
        "leaves the loop of begin, docs and gate depends on `errors`"
        in reading.unread["endless_loop"]
    )


def test_a_list_that_grows_towards_a_far_limit_may_end_the_loop():
    code = RETRY.replace('return {"errors": []}', "return {}").replace("> 3", "> 500")
    assert faults(loops(code, RETRY_GRAPH), "endless_loop") == []


def test_a_list_that_grows_and_never_holds_a_finding_does_not_end_the_loop():
    state = STATE.replace("Annotated[dict, operator.ior]", "Annotated[list, operator.add]")
    code = CODE.replace(
        '{"state": [Evidence(goal="b", found=False)]}', '[Evidence(goal="b", found=False)]'
    )
    code = code.replace(
        '{"rest": [Evidence(goal="c", found=False)]}', '[Evidence(goal="c", found=False)]'
    )
    code = code.replace(
        '[e for rows in state["evidences"].values() for e in rows]', 'state["evidences"]'
    )
    graph = GRAPH.replace('"evidences": {}', '"evidences": []')
    reading = flow_of(f"{state}{code}", graph=graph, run=RUN)
    assert sentences(reading, "endless_loop") == [FALLS_BACK]


def test_many_loops_in_which_much_is_made_are_followed_within_bounds():
    ways = "".join(
        f"    if look({way}):\n        return {{'errors': [{way}], 'rounds': state['rounds'] + 1}}\n"
        for way in range(8)
    )
    nodes = "".join(
        f"def step_{n}(state):\n{ways}    return {{'errors': ['none']}}\n" for n in range(20)
    )
    route = "def route(state):\n    return 'again' if len(state['errors']) < 9999 else 'on'\n"
    wiring = "".join(
        f"    g.add_node('step_{n}', step_{n})\n"
        f"    g.add_conditional_edges('step_{n}', route, {{'again': 'step_{n}', 'on': {end!r}}})\n"
        for n in range(20)
        for end in [f"step_{n + 1}" if n < 19 else "judge"]
    )
    graph = RETRY_GRAPH.replace(
        '    g.add_edge(START, "begin")\n', f'{wiring}    g.add_edge(START, "step_0")\n'
    )
    assert faults(loops(f"{RETRY}{nodes}{route}", graph), "endless_loop") == []
