"""Targets of routers, and the location of routes."""

from __future__ import annotations

import pytest

from tests.courtroom.sources import IMPORTS, builder_of, built, graph_of, routes_of


def test_a_router_with_a_map_leads_to_the_values_of_the_map():
    code = built(
        """
        def route(state): return "ok" if state else "stop"
        g.add_conditional_edges("evidence_aggregator", route, {"ok": "prosecutor", "stop": END})
        """
    )
    assert routes_of(code) == {("evidence_aggregator", ("END", "prosecutor"))}


@pytest.mark.parametrize(
    "router",
    [
        (
            "def route(state):\n"
            "    if not state:\n"
            "        return END\n"
            '    return ["prosecutor", "defense"]'
        ),
        (
            'def route(state) -> "Literal[...]":\n'
            "    out = END\n"
            "    if state:\n"
            '        out = ["prosecutor", "defense"]\n'
            "    return out"
        ),
        (
            "def route(state):\n"
            '    return [Send(j, {"c": c}) for c in state["criteria"] for j in ("prosecutor", "defense")] or END'
        ),
        (
            "def route(state):\n"
            "    sends = []\n"
            '    for c in state["criteria"]:\n'
            '        sends.append(Send("prosecutor", c))\n'
            '        sends.append(Send(node="defense", arg=c))\n'
            "    if not state: return END\n"
            "    return sends"
        ),
        'route = lambda state: ["prosecutor", "defense"] if state else END',
        (
            "from typing import Literal\n"
            'def route(state) -> Literal["prosecutor", "defense", "__end__"]:\n'
            '    return state["next"]'
        ),
        (
            "def make():\n"
            "    def inner(state):\n"
            '        match state["x"]:\n'
            '            case 1: return "prosecutor"\n'
            '            case 2: return "defense"\n'
            "            case _: return END\n"
            "    return inner\n"
            "route = make()"
        ),
        (
            'TABLE = {"p": "prosecutor", "d": "defense", "e": END}\n'
            "def route(state):\n"
            '    return TABLE[state["key"]]'
        ),
        (
            "class Router:\n"
            "    def __call__(self, state):\n"
            '        return "prosecutor" if state else ("defense" if state else END)\n'
            "route = Router()"
        ),
        (
            "async def route(state):\n"
            "    try:\n"
            '        return "prosecutor" if state else "defense"\n'
            "    except KeyError:\n"
            "        return END"
        ),
    ],
)
def test_every_return_value_of_a_router_is_a_target(router):
    code = built(f"{router}\ng.add_conditional_edges('evidence_aggregator', route)")
    assert routes_of(code) == {("evidence_aggregator", ("END", "defense", "prosecutor"))}
    assert builder_of(code).unresolved == []


@pytest.mark.parametrize(
    ("other_branch", "outcomes"),
    [
        ("", [("prosecutor", "defense"), ("prosecutor",)]),
        # Nothing says which nodes stay out.
        ('    else: names.append("defense")\n', [("prosecutor", "defense")]),
    ],
    ids=["alone", "beside another one"],
)
def test_list_that_one_branch_adds_to_may_stay_as_it_was(other_branch, outcomes):
    router = (
        "def route(state):\n"
        '    names = ["prosecutor"]\n'
        '    if state["x"]: names.append("defense")\n'
        f"{other_branch}"
        "    return names\n"
    )
    [route] = graph_of(built(f"{router}g.add_conditional_edges('doc_analyst', route)")).routes
    assert route.outcomes == outcomes


@pytest.mark.parametrize("use", ["return starts(state)", "names = starts(state)\n    return names"])
def test_list_that_a_helper_fills_is_read_case_by_case(use):
    router = (
        "def starts(state):\n"
        "    names = []\n"
        "    if SETTINGS.batched:\n"
        '        for judge in JUDGES: names.append(Send("prosecutor", judge))\n'
        "    else:\n"
        '        for judge in JUDGES: names.append(Send("defense", judge))\n'
        "    return names\n"
        "def route(state):\n"
        '    if not state.get("x"): return END\n'
        f"    {use}\n"
    )
    [route] = graph_of(built(f"{router}g.add_conditional_edges('doc_analyst', route)")).routes
    assert route.outcomes == [("END",), ("prosecutor",), ("defense",)]


def test_a_list_instead_of_a_map_holds_the_targets():
    code = built("g.add_conditional_edges('doc_analyst', lambda s: s['next'], ['prosecutor', END])")
    assert routes_of(code) == {("doc_analyst", ("END", "prosecutor"))}


def test_a_router_that_cannot_be_followed_is_unresolved():
    builder = builder_of(built("g.add_conditional_edges('doc_analyst', lambda s: s['next'])"))

    assert builder.routes[0].targets == []
    assert builder.unresolved == [
        (
            "src/graph.py:13: where the router after doc_analyst leads is not known before "
            "the program runs"
        )
    ]


def test_routers_in_a_loop_and_a_conditional_entry():
    code = built(
        """
        def after(name):
            def route(state): return "ok"
            return route
        for name in ("repo_investigator", "doc_analyst"):
            g.add_conditional_edges(name, after(name), {"ok": "evidence_aggregator", "error": "evidence_aggregator"})
        g.set_conditional_entry_point(lambda s: ["repo_investigator", "doc_analyst"])
        """
    )

    assert routes_of(code) == {
        ("START", ("doc_analyst", "repo_investigator")),
        ("repo_investigator", ("evidence_aggregator",)),
        ("doc_analyst", ("evidence_aggregator",)),
    }


def test_a_node_that_returns_command_has_a_route():
    code = f"""{IMPORTS}
def gate(state):
    if not state:
        return Command(goto=END)
    return Command(update={{}}, goto=["prosecutor", Send("defense", {{}})])
g = StateGraph(dict)
g.add_node("gate", gate)
g.add_node("prosecutor", print)
g.add_node("defense", print)
g.add_edge(START, "gate")
"""

    assert routes_of(code) == {("gate", ("END", "defense", "prosecutor"))}


def test_a_route_is_located_at_its_call_and_a_command_at_its_node():
    files = {
        "src/nodes.py": (
            "from langgraph.types import Command\n"
            "\n"
            "def gate(state):\n"
            "    return Command(goto='prosecutor')\n"
        ),
        "src/routes.py": (
            "def add_routes(builder):\n"
            "    builder.add_conditional_edges('prosecutor', lambda s: 'gate')\n"
        ),
        "src/graph.py": (
            f"{IMPORTS}from src.nodes import gate\n"
            "from src.routes import add_routes\n"
            "g = StateGraph(dict)\n"
            "g.add_node(gate)\n"
            "g.add_node('prosecutor', print)\n"
            "add_routes(g)\n"
        ),
    }
    locations = {(route.start, route.path, route.line) for route in graph_of(files).routes}

    assert locations == {("prosecutor", "src/routes.py", 2), ("gate", "src/nodes.py", 3)}


FILLED = """
def route(state):
    ends = []
    if "repo" in state["there"]:
        ends.append("{first}")
    if "pdf" in state["there"]:
        ends.append("defense")
    if "pdf" in state["there"]:
        ends.append("tech_lead")
    return ends or END
g.add_conditional_edges("evidence_aggregator", route, ["{first}", "defense", "tech_lead", END])
"""


def test_a_list_that_several_tests_fill_is_read_in_each_of_their_cases():
    [route] = graph_of(built(FILLED.replace("{first}", "prosecutor"))).routes
    assert route.outcomes == [
        ("prosecutor", "defense", "tech_lead"),
        ("prosecutor",),
        ("defense", "tech_lead"),
        ("END",),
    ]


def test_a_list_that_a_loop_fills_is_read_as_a_whole():
    code = built(
        """
        def route(state):
            ends = []
            for name in state["there"]:
                if name == "repo":
                    ends.append("prosecutor")
                if name == "pdf":
                    ends.append("defense")
            return ends or END
        g.add_conditional_edges("evidence_aggregator", route, ["prosecutor", "defense", END])
        """
    )
    [route] = graph_of(code).routes
    assert ("prosecutor", "defense") in route.outcomes
