"""Writes of one step and doubled lists, as LangGraph's own run shows them."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from courtroom.analysis.graph_run.empty_keys import with_empty_keys
from courtroom.analysis.graph_run.run_facts import doubled_alone, run_all
from courtroom.analysis.graph_run.stub_graph import stub_graphs
from courtroom.analysis.graph_run.stub_states import stub_state
from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import symbols_of

STATE = """
import operator
from typing import Annotated, TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict):
    url: str
    verdict: str
    opinions: Annotated[list, operator.add]
"""
PARALLEL = """
g = StateGraph(State)
g.add_node("a", a)
g.add_node("b", b)
g.add_node("c", c)
g.add_edge(START, "a")
g.add_edge(START, "b")
g.add_edge(["a", "b"], "c")
app = g.compile()
"""
LAST = 'def c(state): return {"verdict": "done"}\n'


def fact_of(functions: str, state: str = STATE, wiring: str = PARALLEL) -> dict[str, Any]:
    symbols = symbols_of(state + dedent(functions) + wiring)
    reading = read_graph(symbols, {})
    [access] = read_state_access(symbols, reading)
    [graph] = stub_graphs(reading, [stub_state(symbols, access)])
    return run_all([with_empty_keys(symbols, reading, graph, access)])


def rows(fact: dict[str, Any], fault: str) -> list[tuple[str, list[str]]]:
    return [(row["key"], row["nodes"]) for row in fact[fault]]


@pytest.mark.parametrize(
    ("returned", "doubled"),
    [("state.get('opinions', [])", ["c"]), ("[]", []), ("['new']", [])],
)
def test_node_that_returns_a_list_it_got_doubles_it_whatever_the_run(returned, doubled):
    functions = f"""
def a(state): return {{"opinions": [1]}}
def b(state): return {{"verdict": 2}}
def c(state):
    opinions = {returned}
    return {{"opinions": opinions}}
"""
    symbols = symbols_of(STATE + functions + PARALLEL)
    reading = read_graph(symbols, {})
    [access] = read_state_access(symbols, reading)
    [graph] = stub_graphs(reading, [stub_state(symbols, access)])
    assert graph.state is not None
    facts = doubled_alone(graph, graph.state)
    assert [(row["key"], row["nodes"]) for row in facts] == [("opinions", doubled)] * bool(doubled)


def test_two_writes_of_one_step_without_a_reducer_stop_langgraph():
    fact = fact_of(
        LAST + 'def a(state): return {"verdict": 1}\ndef b(state): return {"verdict": 2}\n'
    )
    assert rows(fact, "conflicts") == [("verdict", ["a", "b"])]
    assert fact["conflicts"][0]["is_unchanged"] is False
    assert [place["line"] for place in fact["conflicts"][0]["places"]] == [11, 12]


def test_writes_to_a_reducer_or_to_other_keys_are_no_conflict():
    fact = fact_of(
        LAST
        + 'def a(state): return {"verdict": 1, "opinions": [1]}\n'
        + 'def b(state): return {"opinions": [2]}\n'
    )
    assert (fact["conflicts"], fact["doubled"], fact["unknown"]) == ([], [], {})


@pytest.mark.parametrize(
    "second",
    [
        'def b(state):\n    if state["url"]:\n        return None\n    return {"verdict": 2}\n',
        'def b(state):\n    out = {}\n    if state["url"]:\n        out["verdict"] = 2\n    return out\n',
        'def b(state):\n    if state["url"]:\n        return {"opinions": []}\n    return {"verdict": 2}\n',
    ],
    ids=["returns nothing", "adds the key in some runs", "returns another key"],
)
def test_a_write_of_some_runs_only_leaves_conflicts_open(second):
    fact = fact_of(LAST + 'def a(state): return {"verdict": 1}\n' + second)
    assert fact["conflicts"] is None
    assert fact["unknown"]["conflicts"] == (
        "whether a and b write verdict in the same run depends on the run"
    )


def test_unknown_writes_leave_conflicts_open():
    fact = fact_of(LAST + 'import x\na = x.make()\ndef b(state): return {"verdict": 2}\n')
    assert fact["conflicts"] is None
    assert "a is not known" in fact["unknown"]["conflicts"]


def test_a_plain_dict_takes_one_update_in_a_step():
    fact = fact_of(
        LAST + 'def a(state): return {"x": 1}\ndef b(state): return {"y": 2}\n',
        wiring=PARALLEL.replace("StateGraph(State)", "StateGraph(dict)"),
    )
    assert rows(fact, "conflicts") == [("__root__", ["a", "b"])]


def test_a_node_that_returns_the_whole_state_doubles_its_lists():
    fact = fact_of("""
    def a(state): return {"opinions": [1]}
    def b(state): return {"opinions": [2]}
    def c(state):
        state["verdict"] = "done"
        return state
    """)
    assert rows(fact, "doubled") == [("opinions", ["c"])]


@pytest.mark.parametrize(
    ("node", "adds_nothing"),
    [
        ("return state", True),
        ('return {"opinions": state["opinions"]}', True),
        ('return {"opinions": state["opinions"], "verdict": "done"}', False),
        ('return {"opinions": [*state["opinions"], 3]}', False),
    ],
)
def test_a_node_that_only_hands_lists_back_adds_nothing(node: str, adds_nothing: bool):
    code = f"""
    def a(state): return {{"opinions": [1]}}
    def b(state): return {{"opinions": [2]}}
    def c(state): {node}
    """
    (row,) = fact_of(code)["doubled"]
    assert row.get("adds_nothing", False) is adds_nothing


def test_a_list_that_is_filled_later_is_named_beside_one_that_the_same_node_doubles():
    findings = STATE.replace(
        "    verdict", "    findings: Annotated[list, operator.add]\n    verdict"
    )
    node = """
    def a(state): return {"findings": [1]}
    def b(state): return {WRITTEN}
    def c(state): return {}
    """
    wiring = PARALLEL.replace('"c", c', '"c", lambda state: state').replace(
        "app =", 'g.add_node("d", lambda state: {"opinions": [2]})\ng.add_edge("c", "d")\napp ='
    )
    stored = f"from langgraph.checkpoint.sqlite import SqliteSaver\n{findings}"
    (later,) = fact_of(node.replace("WRITTEN", ""), stored, wiring)["doubled"]
    assert (later["key"], later["also"]) == ("findings", ["opinions"])

    both = fact_of(node.replace("WRITTEN", '"opinions": [3]'), stored, wiring)["doubled"]
    assert [row["key"] for row in both] == ["findings", "opinions"]
    in_memory = stored.replace("sqlite import Sqlite", "memory import Memory")
    kept = [fact_of(node.replace("WRITTEN", ""), s, wiring) for s in (findings, in_memory)]
    rows = [row for fact in (both, *(fact["doubled"] for fact in kept)) for row in fact]
    assert len(rows) == 4
    assert not any("also" in row for row in rows)


def test_a_list_with_more_behind_what_it_held_is_doubled():
    fact = fact_of("""
    def a(state): return {"opinions": [1]}
    def b(state): return {}
    def c(state): return {"opinions": state["opinions"] + [3]}
    """)
    assert rows(fact, "doubled") == [("opinions", ["c"])]


@pytest.mark.parametrize(
    ("reducer", "is_doubled"),
    [
        ("return left + right", True),
        (
            "for k, v in right.items():\n        left[k] = left.get(k, []) + v\n    return left",
            True,
        ),
        ("for k, v in right.items():\n        left[k] = v\n    return left", False),
        ("return left + [x for x in right if x not in left]", False),
    ],
)
def test_an_own_reducer_doubles_what_it_joins_with_itself(reducer, is_doubled):
    state = STATE.replace("operator.add", "join").replace(
        "class State", f"def join(left, right):\n    {reducer}\n\nclass State"
    )
    fact = fact_of(
        """
    def a(state): return {"opinions": [1]}
    def b(state): return {}
    def c(state): return state
    """,
        state,
    )
    assert rows(fact, "doubled") == [("opinions", ["c"])] * is_doubled


FINDINGS = """
import operator
from typing import Annotated, TypedDict
from langgraph.graph import END, START, StateGraph

def join(left, right):
    out = dict(left)
    for key, rows in right.items():
        out[key] = out.get(key, []) + rows
    return out

class State(TypedDict):
    findings: Annotated[dict, join]
    opinions: Annotated[list, operator.add]

def a(state): return {"findings": {"repo": [{"goal": "x"}]}, "opinions": [1]}
def b(state): return {"findings": {"docs": [{"goal": "y"}]}}
"""
BY_LOOPS = """
def c(state):
    rows = state.get("findings", {})
    ledger = {}
    for name in ["repo", "docs"]:
        raw = rows.get(name, [])
        kept = raw if isinstance(raw, list) else [raw]
        kept = [row for row in kept if row]
        if not kept:
            ledger[name] = [{"goal": "none"}]
            continue
        own = []
        for row in kept:
            if not isinstance(row, dict): continue
            goal = row.get("goal") or "unknown"
            own.append({"goal": goal, "text": "ok"})
        ledger[name] = own
    return {"findings": ledger}
"""
BY_ITEMS = """
def c(state):
    ledger = {}
    for name, rows in state["findings"].items():
        ledger[name] = [Row(goal=row["goal"]) for row in rows]
    return {"findings": ledger}
"""
BY_COMPREHENSION = """
def c(state):
    rows = {k: [dict(r) for r in v if r] for k, v in state["findings"].items()}
    return {"findings": rows}
"""
LIST = """
def c(state):
    return {"opinions": [o.model_copy() for o in state["opinions"]]}
"""
MANY_AT_ONCE = """
def c(state):
    return {"opinions": [{"mean": sum(o["score"] for o in state["opinions"])}]}
"""


@pytest.mark.parametrize(
    ("node", "key"),
    [
        (BY_LOOPS, "findings"),
        (BY_ITEMS, "findings"),
        (BY_COMPREHENSION, "findings"),
        (LIST, "opinions"),
        (BY_ITEMS.replace("ledger[name]", "ledger['all']"), None),
        (BY_ITEMS.replace("for row in rows]", "for row in rows if row['goal'] == 'x']"), None),
        (BY_COMPREHENSION.replace("dict(r)", "judge(r)"), None),
        (BY_LOOPS.replace("            own.append", "            if goal: own.append"), None),
        (LIST.replace("o.model_copy()", "ask(o)"), None),
        (LIST.replace("    return", "    model.invoke(state)\n    return"), None),
        (MANY_AT_ONCE, None),
    ],
)
def test_a_list_whose_entries_a_node_makes_anew_is_doubled(node: str, key: str | None):
    fact = fact_of(node, FINDINGS)
    assert rows(fact, "doubled") == ([(key, ["c"])] if key else [])
    assert all(row["is_rebuilt"] for row in fact["doubled"])


def test_doubling_is_open_where_a_node_cannot_be_followed():
    deep = "state['opinions']" + "['a']" * 2000
    fact = fact_of(f"def c(state):\n    rows = {deep}\n    return {{'opinions': rows}}\n", FINDINGS)
    assert fact["doubled"] is None
    assert fact["unknown"]["doubled"] == "expressions of c are nested too deeply to be followed"


def test_entries_made_anew_behind_a_reducer_that_replaces_them_stand_there_once():
    state = FINDINGS.replace("out.get(key, []) + rows", "rows")
    assert fact_of(BY_ITEMS, state)["doubled"] == []


@pytest.mark.parametrize(
    ("body", "nodes"),
    [
        ('state["opinions"].append(1)\n    return state', ["a", "c"]),
        ('own = state["opinions"]\n    own.append(1)\n    return {"opinions": own}', ["a", "c"]),
        ('own = list(state["opinions"])\n    own.append(1)\n    return {"opinions": own}', ["c"]),
        ('own = state["opinions"][:]\n    own.append(1)\n    return {"opinions": own}', ["c"]),
        ('own = [*state["opinions"], 1]\n    return {"opinions": own}', ["c"]),
        ('own = state["opinions"].copy()\n    own.append(1)\n    return {"opinions": own}', ["c"]),
        ('return {"opinions": [1]}', ["c"]),
    ],
)
def test_a_list_that_the_first_node_adds_to_in_place_is_doubled_by_it(body, nodes):
    fact = fact_of(f"""
def a(state):
    {body}
def b(state): return {{}}
def c(state): return state
""")
    assert rows(fact, "doubled") == [("opinions", nodes)]
    assert [row.get("is_in_place", False) for row in fact["doubled"]] == ["a" in nodes]


def test_a_list_that_only_an_empty_one_was_added_to_is_not_doubled():
    fact = fact_of("""
    def a(state): return {"opinions": []}
    def b(state): return {"url": "x", "opinions": list()}
    def c(state): return state
    """)
    assert fact["doubled"] == []


def test_a_list_that_is_empty_when_it_is_returned_is_not_doubled():
    fact = fact_of("""
    def a(state): return state
    def b(state): return {}
    def c(state): return {"opinions": [1]}
    """)
    assert fact["doubled"] == []


SENT = """
from langgraph.types import Send
def start(state):
    return [Send("a", {given}), Send("b", {given})]
g = StateGraph(State)
g.add_node("plan", plan)
g.add_node("a", a)
g.add_node("b", b)
g.add_edge(START, "plan")
g.add_conditional_edges("plan", start)
app = g.compile()
"""
WHOLE = """
def plan(state): return {"opinions": [0]}
def a(state): return state
def b(state): return state
"""


def test_nodes_that_get_the_state_by_send_and_return_it_write_its_keys_in_one_step():
    fact = fact_of(WHOLE, wiring=SENT.replace("{given}", "state"))
    assert rows(fact, "conflicts") == [("url", ["a", "b"]), ("verdict", ["a", "b"])]
    assert [row["is_unchanged"] for row in fact["conflicts"]] == [True, True]
    assert rows(fact, "doubled") == [("opinions", ["a", "b"])]


def test_what_nodes_return_of_a_state_of_their_own_is_not_known():
    fact = fact_of(WHOLE, wiring=SENT.replace("{given}", '{"url": state["url"]}'))
    assert (fact["conflicts"], fact["doubled"]) == (None, [])
    assert fact["unknown"]["conflicts"].startswith("whether a and b write url in the same run")


GATE = """
def gate(state): {test}
g = StateGraph(State)
g.add_node("a", a)
g.add_node("b", b)
g.add_node("c", c)
g.add_edge(START, "a")
g.add_conditional_edges("a", gate, {{"on": "b", "off": "c"}})
app = g.compile()
"""


@pytest.mark.parametrize(
    ("test", "nodes"),
    [
        ('return "off" if state.get("opinions") else "on"', ["c"]),
        ('return "off" if state["url"] else "on"', ["b", "c"]),
        ('return "off" if len(state["opinions"]) > 2 else "on"', ["b", "c"]),
        ('return "off" if len(state.get("opinions") or []) > 0 else "on"', ["c"]),
        ('return "off" if 1 <= len(state["opinions"]) else "on"', ["b", "c"]),
        ('return "on" if len(state["opinions"]) == 0 else "off"', ["c"]),
        ('return "on" if len(state["opinions"]) < 1 else "off"', ["c"]),
        ('return "on" if len(state["opinions"]) < 2 else "off"', ["b", "c"]),
    ],
)
def test_a_list_that_a_route_wants_empty_is_not_doubled_behind_it(test, nodes):
    fact = fact_of(
        """
    def a(state): return {"opinions": [1]}
    def b(state): return state
    def c(state): return state
    """,
        wiring=GATE.format(test=test),
    )
    assert rows(fact, "doubled") == [("opinions", nodes)]


def test_a_list_that_doubles_on_an_endless_loop_ends():
    wiring = PARALLEL.replace('["a", "b"], "c")', '"b", "c")\ng.add_edge("c", "b")')
    fact = fact_of(
        "def a(state): return {}\n"
        'def b(state): return {"opinions": state["opinions"] + [1]}\n'
        "def c(state): return state\n",
        wiring=wiring,
    )
    assert [row["nodes"] for row in fact["endless"]] == [["b", "c"]]
    assert rows(fact, "doubled") == [("opinions", ["b", "c"])]


UNEVEN = PARALLEL.replace(
    'g.add_edge(["a", "b"], "c")', 'g.add_edge("a", "c")\ng.add_edge("b", "a")'
)


@pytest.mark.parametrize(
    ("guard", "added"),
    [("", [("opinions", ["a", "c"])]), ("if state['opinions']: return {}", [("opinions", ["c"])])],
)
def test_a_repeated_node_that_looks_at_its_own_list_may_add_nothing_again(guard, added):
    functions = (
        f"def a(state):\n    {guard or 'pass'}\n    return {{'opinions': [1]}}\n"
        "def b(state): return {'url': 'x'}\n"
        "def c(state): return {'opinions': [2]}\n"
    )
    [repeated] = fact_of(functions, wiring=UNEVEN)["repeated"]
    assert (repeated["node"], rows(repeated, "added")) == ("a", added)


@pytest.mark.parametrize(
    ("key", "guarded"),
    [("opinions", [("opinions", ["a"])]), ("errors", [])],
    ids=["its own list", "a record of failures"],
)
def test_node_that_returns_early_by_its_own_list_adds_nothing_else_again(key, guarded):
    functions = (
        f"def a(state):\n    if state['{key}']:\n        return {{'logs': ['skipped']}}\n"
        f"    return {{'logs': ['done'], '{key}': [1]}}\n"
        "def b(state): return {'url': 'x'}\n"
        "def c(state): return {'verdict': 'x'}\n"
    )
    lists = "".join(f"    {name}: Annotated[list, operator.add]\n" for name in ("logs", "errors"))
    [repeated] = fact_of(functions, STATE + lists, UNEVEN)["repeated"]
    assert rows(repeated, "guarded") == guarded
    assert ("logs" in [name for name, _ in rows(repeated, "added")]) is not bool(guarded)
