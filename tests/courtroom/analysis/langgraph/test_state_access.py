"""Keys of the graph's state that nodes and routers read and write."""

from __future__ import annotations

from textwrap import dedent

import pytest

from courtroom.analysis.langgraph.state_access import StateAccess, StateUse, read_state_access
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import IMPORTS, symbols_of

HEAD = """
import asyncio, functools
from typing import Annotated, TypedDict
from dataclasses import dataclass
from pydantic import BaseModel
from langchain_core.runnables import RunnableLambda

class State(TypedDict):
    repo_url: str
    evidences: Annotated[dict, operator.ior]
    opinions: Annotated[list, operator.add]
"""
TAIL = """
g = StateGraph(State)
g.add_node("node", node)
g.add_edge(START, "node")
app = g.compile()
"""


def access_of(code: str, **files: str) -> StateAccess:
    symbols = symbols_of({"src/graph.py": f"{IMPORTS}{HEAD}{dedent(code)}", **files})
    return read_state_access(symbols, read_graph(symbols, {}))[0]


def use_of(code: str) -> StateUse:
    return access_of(f"{dedent(code)}{TAIL}").nodes["node"]


def written(use: StateUse) -> list[str]:
    return sorted(write.key for write in use.writes)


@pytest.mark.parametrize(
    "reading",
    [
        "state['repo_url']",
        "state.get('repo_url')",
        "state.get('repo_url', '') or 'none'",
        "{**state}['repo_url']",
        "dict(state)['repo_url']",
        "state.copy().get('repo_url')",
        "[x for x in state['repo_url']]",
        "(lambda s: s['repo_url'])(state)",
        "url_of(state)",
        "url_of(state=state)",
        "Tool(state).url()",
        "asyncio.to_thread(url_of, state)",
        "asyncio.wait_for(asyncio.to_thread(url_of, state), timeout=9)",
    ],
)
def test_a_read_is_followed_to_its_key(reading: str):
    use = use_of(
        f"""
        def url_of(state):
            return state["repo_url"]

        class Tool:
            def __init__(self, state):
                self.state = state
            def url(self):
                return self.state["repo_url"]

        def node(state):
            url = {reading}
            return {{"opinions": [url]}}
        """
    )

    assert use.read_keys == {"repo_url"}
    assert use.is_complete


@pytest.mark.parametrize(
    "action",
    [
        "work",
        "functools.partial(work, depth=2)",
        "RunnableLambda(work)",
        "lambda state: work(state)",
        "logged(work)",
        "timed(9)(work)",
        "Node()",
        "Node().run",
        "made(3)",
    ],
)
def test_a_node_is_followed_through_what_is_around_it(action: str):
    use = use_of(
        f"""
        def work(state, depth=1):
            return {{"opinions": [state["repo_url"]]}}

        def timed(seconds):
            def around(function):
                async def inner(*args, **kwargs):
                    result = await asyncio.to_thread(function, *args, **kwargs)
                    if inspect.isawaitable(result):
                        return await asyncio.wait_for(result, timeout=seconds)
                    return result
                return inner
            return around

        def logged(function):
            @functools.wraps(function)
            def inner(state):
                print("runs")
                return function(state)
            return inner

        class Node:
            def __call__(self, state):
                return self.run(state)
            def run(self, state):
                return work(state)

        def made(depth):
            def inner(state):
                return work(state, depth)
            return inner

        node = {action}
        """
    )

    assert use.read_keys == {"repo_url"}
    assert written(use) == ["opinions"]
    assert use.is_complete


def test_a_node_that_is_one_of_two_wrappers_has_the_keys_of_both():
    use = use_of("""
    def guarded(work):
        if asyncio.iscoroutinefunction(work):
            async def run(state):
                return {**await work(state), "repo_url": "x"}
            return run
        def run_plain(state):
            return dict(work(state))
        return run_plain

    def work(state): return {"opinions": [state["evidences"]]}
    node = guarded(work)
    """)
    assert (use.reads_gap, use.writes_gap) == ("", "")
    assert (written(use), [*use.read_keys]) == (["opinions", "repo_url"], ["evidences"])
    keys = [sorted(write.key for write in update.writes) for update in use.updates]
    assert keys == [["opinions", "repo_url"], ["opinions"]]


def test_a_node_behind_a_decorator_that_may_be_missing_is_read_whole():
    use = use_of("""
    try:
        from langsmith import traceable
    except ImportError:
        traceable = None

    def traced(name, work):
        if traceable is None:
            return work
        return traceable(name=name, run_type="chain")(work)

    def work(state): return {"opinions": [state["evidences"]]}
    node = traced("Judge", work)
    """)
    assert (use.reads_gap, use.writes_gap) == ("", "")
    assert (written(use), [*use.read_keys]) == (["opinions"], ["evidences"])


def test_what_one_of_two_wrappers_leaves_open_is_open():
    use = use_of("""
    import x
    def plain(state): return {"opinions": []}
    def unknown(state): return x.update(state)
    node = plain if x.is_plain() else unknown
    """)
    assert written(use) == ["opinions"]
    assert "what node returns is not all known" in use.writes_gap


@pytest.mark.parametrize(
    ("returned", "keys"),
    [
        ("{'opinions': [], 'extra': 1}", ["extra", "opinions"]),
        ("{**base, 'opinions': []}", ["extra", "opinions"]),
        ("dict(opinions=[])", ["opinions"]),
        ("Command(update={'opinions': []}, goto=END)", ["opinions"]),
        ("[Command(update={'opinions': []}), {'extra': 1}]", ["extra", "opinions"]),
        ("State(opinions=[])", ["opinions"]),
        ("{'opinions': []} if state['repo_url'] else {'extra': 1}", ["extra", "opinions"]),
        ("helper(state)", ["opinions"]),
        ("None", []),
    ],
)
def test_the_keys_of_an_update_are_listed(returned: str, keys: list[str]):
    use = use_of(
        f"""
        base = {{"extra": 1}}

        def helper(state):
            update = {{}}
            if state["repo_url"]:
                update["opinions"] = []
            return update

        def node(state):
            return {returned}
        """
    )

    assert written(use) == keys
    assert use.writes_gap == ""


def test_a_written_key_has_the_line_where_it_is_written():
    use = use_of("def node(state):\n    update = {}\n    update['extra'] = 1\n    return update\n")

    assert [(write.key, write.path, write.line) for write in use.writes] == [
        ("extra", "src/graph.py", 17)
    ]


@pytest.mark.parametrize("returned", ["state", "{**state}", "{**state, 'opinions': []}"])
def test_the_whole_state_is_told_from_a_part_of_it(returned: str):
    update = use_of(f"def node(state):\n    return {returned}\n").updates[0]

    assert update.is_whole_state
    unchanged = {write.key for write in update.writes if write.is_unchanged}
    assert unchanged >= {"repo_url", "evidences"}


def test_a_key_that_is_set_in_the_state_is_written_with_the_state():
    use = use_of("def node(state):\n    state['extra'] = 1\n    return state\n")

    assert [w.key for w in use.writes if not w.is_unchanged] == ["extra"]


@pytest.mark.parametrize(
    "value",
    [
        "state['opinions'] + [1]",
        "[*state['opinions'], 1]",
        "list(state['opinions'])",
        "state.get('opinions', []) + more",
    ],
)
def test_what_was_there_and_more_is_extended(value: str):
    use = use_of(f"more = [1]\ndef node(state):\n    return {{'opinions': {value}}}\n")

    assert [write.is_extended for write in use.writes] == [True]


def test_a_counter_is_not_extended():
    use = use_of("def node(state):\n    return {'repo_url': state['repo_url'] + 1}\n")

    assert [write.is_extended for write in use.writes] == [False]


def test_inner_keys_are_those_of_the_dict_that_is_written():
    use = use_of("def node(state):\n    return {'evidences': {'repo': [1]}}\n")

    assert use.writes[0].inner == ("repo",)
    assert not use.writes[0].is_inner_open


def test_lookups_tell_a_known_inner_key_from_one_of_the_run():
    use = use_of(
        """
        def node(state):
            held = state["evidences"]
            for criterion in rubric():
                held.get(criterion.id, [])
            return {"opinions": [held["repo"]]}
        """
    )

    assert [(look.key, look.inner, look.written) for look in use.lookups] == [
        ("evidences", None, "criterion.id"),
        ("evidences", "repo", "repo"),
    ]
    assert use.wholes == ()


@pytest.mark.parametrize(
    "whole", ["held.values()", "json.dumps(held)", "f'{held}'", "[k for k in held]", "rated(held)"]
)
def test_a_use_of_all_that_lies_under_a_key_is_no_lookup(whole: str):
    use = use_of(
        f"""
        import json

        def rated(held):
            return list(held.values())

        def node(state):
            held = state["evidences"]
            return {{"opinions": [{whole}]}}
        """
    )

    assert {place.key for place in use.wholes} == {"evidences"}


def test_a_helper_that_gets_the_state_and_then_another_dict_reads_the_state_once():
    use = use_of(
        """
        def named(holder, key):
            return holder[key]

        def node(state):
            return {"opinions": [named(state, "repo_url"), named({"other": 1}, "other")]}
        """
    )

    assert use.read_keys == {"repo_url"}


def test_a_model_is_read_by_its_attributes():
    use = access_of(
        """
        class Court(BaseModel):
            repo_url: str = ""
            opinions: list = []
            def short(self):
                return self.repo_url[:3]

        def node(state: Court):
            if getattr(state, "absent", None) or state.model_dump()["opinions"]:
                return {"opinions": [state.short()]}
            return state.model_copy(update={"opinions": [1]})

        g = StateGraph(Court)
        g.add_node("node", node)
        g.add_edge(START, "node")
        app = g.compile()
        """
    ).nodes["node"]

    assert use.read_keys == {"absent", "opinions", "repo_url"}
    assert use.is_complete


def test_keys_of_a_second_schema_are_declared():
    access = access_of(
        """
        class Private(TypedDict):
            secret: str

        def node(state: Private):
            return {"secret": "x"}

        g = StateGraph(State)
        g.add_node("node", node)
        g.add_edge(START, "node")
        app = g.compile()
        """
    )

    assert access.declared == frozenset({"evidences", "opinions", "repo_url", "secret"})


def test_a_router_reads_and_hands_on():
    access = access_of(
        """
        def route(state):
            return [Send("node", {"criterion": c, **state}) for c in state["evidences"]]

        def node(state):
            return {"opinions": [state["criterion"]]}

        g = StateGraph(State)
        g.add_node("node", node)
        g.add_conditional_edges(START, route, ["node"])
        app = g.compile()
        """
    )

    (router,) = access.routers
    assert router.read_keys == {"evidences"}
    assert [(p.node, "criterion" in p.keys) for p in router.payloads] == [("node", True)]


@pytest.mark.parametrize(
    ("body", "gap"),
    [
        ("return library.work(state)", "the state is handed to work()"),
        ("return {'opinions': [state[name()] for name in state['repo_url']]}", "in a run only"),
        ("return {'opinions': [v for k, v in state.items()]}", "every key of the state is read"),
    ],
)
def test_reads_that_are_not_followed_are_named(body: str, gap: str):
    use = use_of(f"import library\ndef node(state):\n    {body}\n")

    assert gap in use.reads_gap


@pytest.mark.parametrize("returned", ["library.work()", "{key(): 1}", "build()"])
def test_writes_that_are_not_followed_are_named(returned: str):
    use = use_of(
        f"import library\nfrom library import key, build\ndef node(state):\n    return {returned}\n"
    )

    assert "not all known before a run" in use.writes_gap


RETRIED = """
def node(state, attempt=0):
    try:
        return {"opinions": [judge(state["repo_url"])]}
    except Exception:
        if attempt < 2:
            return node(state, attempt + 1)
        return {"opinions": [], "evidences": {}}
"""


def test_a_node_that_calls_itself_again_returns_what_its_other_ways_do():
    use = use_of(RETRIED)

    assert (use.reads_gap, use.writes_gap) == ("", "")
    assert (written(use), set(use.read_keys)) == (["evidences", "opinions"], {"repo_url"})


def test_a_function_that_is_left_open_is_named_with_its_line():
    use = use_of(
        """
        def work(state, left):
            return work({**state, "left": left}, [left])

        def node(state):
            return {"opinions": [work(state, 3)], "evidences": library(state)}
        """
    )

    assert ":0:" not in use.reads_gap


def test_code_that_is_too_long_leaves_the_node_open():
    lines = "\n".join(f"    x{n} = str({n}) + str({n})" for n in range(6_000))
    use = use_of(f"def node(state):\n    state['repo_url']\n{lines}\n    return {{}}\n")

    assert "too long" in use.reads_gap
    assert "too long" in use.writes_gap


def test_node_of_a_large_module_is_followed_to_its_end():
    lines = "\n".join(f"    x{n} = str({n}) + str({n})" for n in range(3_500))
    use = use_of(f"def node(state):\n{lines}\n    return {{'opinions': []}}\n")

    assert (use.writes_gap, written(use)) == ("", ["opinions"])


@pytest.mark.parametrize("last", ["attempt < most - 1", "attempt + 1 < 3"])
def test_what_a_node_returns_when_its_last_attempt_fails_is_written(last: str):
    use = use_of(
        f"""
        def node(state):
            most, found = 3, {{}}
            for attempt in range(most):
                try:
                    found = {{"repo": clone(state["repo_url"])}}
                    break
                except Exception as error:
                    if {last}:
                        continue
                    else:
                        return {{"evidences": found, "opinions": [str(error)]}}
            return {{"evidences": found}}
        """
    )

    assert written(use) == ["evidences", "opinions"]
    assert use.is_complete


def test_helper_that_is_called_for_every_criterion_and_judge_is_followed():
    use = use_of(
        """
        def opinion(judge, criterion, state):
            return {judge: state.get("evidences", {}), "on": criterion}

        def node(state):
            opinions = []
            for criterion in CRITERIA:
                for judge in ("a", "b", "c"):
                    opinions.append(opinion(judge, criterion, state))
            return {"opinions": opinions}

        CRITERIA = ["1", "2", "3", "4", "5", "6", "7", "8"]
        """
    )
    assert ([read.key for read in use.reads], use.reads_gap) == (["evidences"], "")
