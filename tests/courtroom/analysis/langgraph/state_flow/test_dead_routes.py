"""Ways of a router that no run takes."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of, sentences

NODES = """
def detective(state):
    return {"evidences": {"repo": [state["repo_url"], state["pdf_path"]]}}
def judge(state):
    return {"opinions": list(state["evidences"].values())}
"""


def dead_routes(
    router: str, ways: str, nodes: str = NODES, run: str = "app.invoke({'repo_url': 'u'})"
) -> list[str]:
    code = f"{nodes}\ndef route(state):\n    {router}\n"
    graph = f"""
g = StateGraph(State)
g.add_node("detective", detective)
g.add_node("judge", judge)
g.add_edge(START, "detective")
g.add_conditional_edges("detective", route, {ways})
app = g.compile()
"""
    reading = flow_of(code, graph=graph, run=run)
    return sentences(reading, "dead_route") + sentences(reading, "needless_route")


def test_a_key_that_the_router_never_returns_is_a_way_that_is_never_taken():
    router = 'return "ok" if state["repo_url"] else "again"'
    ways = '{"ok": "judge", "again": "detective", "failed": END}'

    assert dead_routes(router, ways) == [
        "the router after detective never returns `failed`: its way to END is never taken"
    ]


@pytest.mark.parametrize(
    ("router", "ways"),
    [
        ('return "ok" if state["repo_url"] else "failed"', '{"ok": "judge", "failed": END}'),
        # The way is there by another key.
        ('return "ok"', '{"ok": "judge", "fine": "judge"}'),
        # What it returns is not known before a run.
        ('return state["repo_url"]', '{"ok": "judge", "failed": END}'),
        # The key stands in code that is not followed.
        ('return "failed" if False else "ok"', '{"ok": "judge", "failed": END}'),
    ],
)
def test_a_way_that_may_be_taken_is_no_fault(router, ways):
    assert dead_routes(router, ways) == []


@pytest.mark.parametrize(
    ("router", "sentences_"),
    [
        (
            "return not state.get('failed', False)",
            [
                (
                    "the router after detective returns `False` only by `failed`, which State does not"
                    " declare: this way is never taken"
                )
            ],
        ),
        (
            "return len(state['evidences']) > 0",
            [
                (
                    "the router after detective returns `False` only where `evidences` lacks what detective"
                    " always writes there: this way is never taken"
                )
            ],
        ),
        ("return bool(state['repo_url'])", []),
    ],
)
def test_router_that_returns_true_or_false_is_read_by_its_map(router, sentences_):
    assert dead_routes(router, "{True: 'judge', False: END}") == sentences_


EMPTY = '{"ok": "judge", "failed": END}'


@pytest.mark.parametrize(
    "test",
    [
        'state["evidences"]',
        'state.get("evidences", {})',
        '(state.get("evidences") or {})',
        '"repo" in state["evidences"]',
        'any(rows for rows in state["evidences"].values())',
        'sum(len(rows) for rows in state["evidences"].values()) > 0',
        'len(state["evidences"]) >= 1',
    ],
)
def test_a_way_for_an_empty_key_that_is_always_filled_is_never_taken(test: str):
    (sentence,) = dead_routes(f'return "ok" if {test} else "failed"', EMPTY)
    assert sentence == (
        "the router after detective returns `failed` only where `evidences` lacks what detective"
        " always writes there: this way is never taken"
    )


LOOKED = 'state["evidences"]'
FILLED = '{"evidences": {"repo": [state["repo_url"], state["pdf_path"]]}}'


@pytest.mark.parametrize(
    ("test", "returned"),
    [
        # What lies there decides, and not that something does.
        (f'{LOOKED}["repo"][0]', FILLED),
        (f"any(rows for rows in {LOOKED}.values())", '{"evidences": {"repo": look(state)}}'),
        (f"len({LOOKED}) > 2", FILLED),
        (f"sum(len(rows) for rows in {LOOKED}.values()) > 1", FILLED),
        (f"sum(len(row) for rows in {LOOKED}.values() for row in rows) > 0", FILLED),
        (
            f"sum(len(rows) for rows in {LOOKED}.values()) > 0",
            '{"evidences": {"repo": look(state)}}',
        ),
        # What is there depends on the run.
        (LOOKED, '{"evidences": dict(state["pdf_path"])}'),
        (LOOKED, f'{FILLED} if state["repo_url"] else {{}}'),
        (LOOKED, f'{FILLED} if state["repo_url"] else {{"evidences": {{}}}}'),
        (f'"repo" in {LOOKED}', f'{FILLED} if state["repo_url"] else {{"evidences": {{"a": 1}}}}'),
    ],
)
def test_a_way_for_a_key_that_may_be_empty_is_no_fault(test: str, returned: str):
    nodes = NODES.replace(FILLED, returned)

    assert dead_routes(f'return "ok" if {test} else "failed"', EMPTY, nodes) == []


ON_ALL_WAYS = """
def detective(state):
    updates = {"evidences": {}}
    if not state["repo_url"]:
        updates["evidences"]["repo"] = ["no address"]
        return updates
    with cloned(state["repo_url"]) as folder:
        if folder is None:
            updates["evidences"].setdefault("repo", []).append("no clone")
            return updates
        updates["evidences"]["graph"] = [look(folder)]
        updates["evidences"]["state"] = look(folder)
    return updates
def judge(state):
    return {"opinions": list(state["evidences"].values())}
"""
BY_TRY = ON_ALL_WAYS.replace('with cloned(state["repo_url"]) as folder', "try").replace(
    "    return updates\ndef judge",
    "    except OSError as error:\n        HANDLER\n    return updates\ndef judge",
)


@pytest.mark.parametrize(
    ("nodes", "is_needless"),
    [
        (ON_ALL_WAYS, True),
        (ON_ALL_WAYS.replace('["no address"]', "list(state)"), False),
        (ON_ALL_WAYS.replace("[look(folder)]", "look(folder)"), False),
        (
            ON_ALL_WAYS.replace(
                "return updates\ndef", "updates['evidences'].clear()\n    return updates\ndef"
            ),
            False,
        ),
        (BY_TRY.replace("HANDLER", "updates['evidences']['repo'] = [str(error)]"), True),
        (BY_TRY.replace("HANDLER", "print(error)"), False),
        (BY_TRY.replace("HANDLER", "raise"), True),
    ],
)
def test_a_way_for_want_of_evidence_is_needless_where_all_ways_through_a_node_write_some(
    nodes: str, is_needless: bool
):
    test = "any(rows for rows in state['evidences'].values())"
    ways = dead_routes(f'return "ok" if {test} else "failed"', EMPTY, nodes)
    assert bool(ways) is is_needless


BY_HELPER = """
async def detective(state):
    rows = []
    try:
        rows.extend(CALL)
    except OSError as error:
        rows.append(str(error))
    return {"evidences": {"repo": rows}}
def pieces(url):
    rows = [url]
    return rows
async def later(url): return pieces(url)
def named(url):
    return [url] if url else []
def rest(url):
    return rest(url[1:]) if url else [url]
def stream(url):
    yield url
@cached
def wrapped(url): return [url]
def judge(state):
    return {"opinions": list(state["evidences"].values())}
"""
TOTAL = "sum(len(rows) for rows in state['evidences'].values())"


@pytest.mark.parametrize(
    ("call", "is_needless"),
    [
        ("pieces(state['repo_url'])", True),
        ("await later(state['repo_url'])", True),
        ("named(state['repo_url'])", False),
        # Calls that are not followed: into itself, a generator, through a decorator, a library.
        ("rest(state['repo_url'])", False),
        ("stream(state['repo_url'])", False),
        ("wrapped(state['repo_url'])", False),
        ("look(state['repo_url'])", False),
    ],
)
def test_pieces_that_a_function_of_the_work_returns_on_all_its_ways_fill_a_key(call, is_needless):
    code = BY_HELPER.replace("CALL", call)
    ways = dead_routes(f'return "ok" if {TOTAL} > 0 else "failed"', EMPTY, code)
    assert bool(ways) is is_needless


def test_update_that_a_method_of_the_node_returns_fills_its_keys():
    code = """
class Detective:
    def __call__(self, state):
        if not state["repo_url"]:
            return self.nothing()
        return {"evidences": {"repo": [state["repo_url"]]}}
    def nothing(self):
        return {"evidences": {"repo": ["no address"]}}
detective = Detective()
def judge(state):
    return {"opinions": list(state["evidences"].values())}
"""
    assert dead_routes(f'return "ok" if {TOTAL} else "failed"', EMPTY, code)


TWO_NODES = """
def detective(state):
    return {{"evidences": {{"repo": {first}}}}}
def other(state):
    return {{"evidences": {{"docs": {second}}}}}
def judge(state):
    return {{"opinions": [1]}}
"""
BOTH_BEFORE = """
g = StateGraph(State)
g.add_node("detective", detective)
g.add_node("other", other)
g.add_node("join", lambda state: {{}})
g.add_node("judge", judge)
g.add_edge(START, "detective")
g.add_edge(START, "other")
g.add_edge(["detective", "other"], "join")
g.add_conditional_edges("join", lambda state: ["judge"] if {test} else [END], ["judge", END])
app = g.compile()
"""
BOTH_KEYS = "'repo' in state['evidences'] and 'docs' in state['evidences']"


@pytest.mark.parametrize(
    ("first", "second", "test", "writers"),
    [
        ("look(state)", "[1]", f"{TOTAL} > 0", "other always writes"),
        ("[1]", "[1]", BOTH_KEYS, "detective and other always write"),
        ("look(state)", "look(state)", f"{TOTAL} > 0", ""),
        ("[1]", "[1]", "len(state['evidences']) > 2", ""),
    ],
    ids=["the second node", "both together", "neither", "a third is asked for"],
)
def test_what_all_nodes_before_a_router_write_rules_out_its_way(first, second, test, writers):
    nodes = TWO_NODES.format(first=first, second=second)
    (*dead_faults,) = faults(flow_of(nodes, graph=BOTH_BEFORE.format(test=test)), "needless_route")
    assert [writers in fault.sentence for fault in dead_faults] == [True] * bool(writers)


MODEL = """
from pydantic import BaseModel, Field
class State(BaseModel):
    repo_url: str = ""
    evidences: Annotated[dict, operator.ior] = Field(default_factory=dict)
    opinions: Annotated[list, operator.add] = []
    def count(self):
        return sum(len(rows) for rows in self.evidences.values())
def detective(state):
    return {"evidences": {"repo": [state.repo_url]}}
def judge(state):
    return {"opinions": [1]}
"""


@pytest.mark.parametrize(
    ("test", "is_needless"),
    [
        ("state.count() > 0", True),
        ("state.evidences", True),
        ("state.repo_url", False),
        ("state.count() > 3", False),
    ],
)
def test_state_with_attributes_and_methods_tells_of_what_nodes_fill(test: str, is_needless: bool):
    ways = dead_routes(f'return ["judge"] if {test} else [END]', '["judge", END]', MODEL)
    assert bool(ways) is is_needless


def test_node_before_its_router_fills_a_key_though_a_way_leads_past_it():
    graph = BRANCHES.format(edges=f'{ROUTED}g.add_edge("detective", "join")').replace(
        "lambda state: {}", "lambda state: {'evidences': {'join': [1]}}"
    )
    assert sentences(flow_of(f"{NODES}{OTHER}", graph=graph), "needless_route")


@pytest.mark.parametrize(
    ("before", "is_single"), [("", True), ("['judge'] if state['repo_url'] else ", False)]
)
def test_fault_says_whether_its_router_has_a_single_way_left(before: str, is_single: bool):
    ways = f"{before}['judge', 'detective'] if {TOTAL} else [END], ['judge', 'detective', END]"
    graph = BOTH_BEFORE.replace('["judge"] if {test} else [END], ["judge", END]', ways)
    nodes = TWO_NODES.format(first="[1]", second="[1]")
    (fault,) = faults(flow_of(nodes, graph=graph.format()), "needless_route")
    assert fault.leaves_single_way is is_single


LOST = NODES.replace('{"evidences": ', "").replace("]}}", "]}")
FROM_EMPTY = "app.invoke({'repo_url': 'u', 'evidences': {}, 'opinions': []})"


def test_a_way_for_what_no_node_writes_is_never_taken():
    test = 'any(not row for row in state.get("evidences", {}).get("repo", []))'
    (sentence,) = dead_routes(f'return "failed" if {test} else "ok"', EMPTY, LOST, FROM_EMPTY)

    assert sentence == (
        "the router after detective returns `failed` only where `evidences` holds something, and no"
        " node writes to it: this way is never taken"
    )


@pytest.mark.parametrize(
    ("nodes", "run"),
    [
        (NODES, FROM_EMPTY),
        (LOST, FROM_EMPTY.replace("{}", "{'repo': [1]}")),
        (LOST, FROM_EMPTY.replace("{}", "load()")),
        (LOST, "app.invoke(load())"),
        (LOST, ""),
    ],
)
def test_a_way_for_what_may_be_written_or_handed_in_is_no_fault(nodes: str, run: str):
    test = 'any(not row for row in state.get("evidences", {}).get("repo", []))'

    assert dead_routes(f'return "failed" if {test} else "ok"', EMPTY, nodes, run) == []


TOGETHER = """if state.get("error") or len(state["failures"]) > 0:
        return "failed"
    return "ok" if sum(len(rows) for rows in state["evidences"].values()) else "failed\""""
WITH_FAILURES = """
class State(TypedDict):
    repo_url: str
    pdf_path: str
    evidences: Annotated[dict, operator.ior]
    opinions: Annotated[list, operator.add]
    failures: list
"""
FROM_ALL = "app.invoke({'repo_url': 'u', 'evidences': {}, 'opinions': [], 'failures': []})"


def test_a_way_that_several_settled_keys_rule_out_together_is_said_with_each_of_them():
    (sentence,) = dead_routes(TOGETHER, EMPTY, f"{WITH_FAILURES}{NODES}", FROM_ALL)
    assert sentence == (
        "the router after detective returns `failed` in no run: detective always fills `evidences`, no"
        " node writes `failures` and State does not declare `error`"
    )


@pytest.mark.parametrize(
    ("nodes", "run"),
    [
        (NODES.replace('"]]}}', '"]]}, "failures": look(state)}'), FROM_ALL),
        (NODES.replace('[state["repo_url"], state["pdf_path"]]', "list(state)"), FROM_ALL),
        (NODES, FROM_ALL.replace("'failures': []", "'failures': load()")),
    ],
)
def test_a_way_with_one_test_that_may_hold_is_no_fault(nodes: str, run: str):
    assert dead_routes(TOGETHER, EMPTY, f"{WITH_FAILURES}{nodes}", run) == []


BEHIND = """
g = StateGraph(State)
g.add_node("detective", detective)
g.add_node("join", join)
g.add_node("judge", judge)
g.add_edge(START, "detective")
g.add_edge("detective", "join")
g.add_conditional_edges("join", lambda s: "end" if s["failures"] else "judge", {"judge": "judge", "end": END})
app = g.compile()
"""


@pytest.mark.parametrize(
    ("test", "is_dead"),
    [("sum(len(rows) for rows in found.values()) == 0", True), ("len(found) < 3", False)],
)
def test_a_way_by_a_key_that_a_node_writes_for_want_of_filled_evidence_is_never_taken(
    test: str, is_dead: bool
):
    join = f"""
def join(state):
    found = state.get("evidences", {{}})
    if {test}:
        return {{"failures": ["nothing"]}}
    return {{}}
"""
    reading = flow_of(f"{WITH_FAILURES}{NODES}{join}", graph=BEHIND, run=FROM_ALL)
    sentence = (
        "the router after join returns `end` in no run: join writes `failures` only where `evidences`"
        " lacks what detective always writes"
    )
    assert sentences(reading, "needless_route") == [sentence] * is_dead


BRANCHES = """
g = StateGraph(State)
g.add_node("detective", detective)
g.add_node("other", other)
g.add_node("join", lambda state: {{}})
g.add_node("judge", judge)
g.add_edge(START, "other")
{edges}
g.add_conditional_edges("join", lambda s: "judge" if s["evidences"] else "end", {{"judge": "judge", "end": END}})
app = g.compile()
"""
ROUTED = """
g.add_conditional_edges("other", lambda s: "join" if s["pdf_path"] else "detective", ["detective", "join"])
"""
OTHER = "def other(state):\n    return {'evidences': {}}\n"


@pytest.mark.parametrize(
    ("edges", "is_dead"),
    [
        ('g.add_edge(START, "detective")\ng.add_edge(["detective", "other"], "join")', True),
        ('g.add_edge(START, "detective")\ng.add_edge("other", "join")', True),
        # The detective runs in the same step as the join, in some runs, or not at all.
        ('g.add_edge("other", "detective")\ng.add_edge("other", "join")', False),
        (f'{ROUTED}g.add_edge("detective", "join")', False),
        ('g.add_edge("other", "join")', False),
    ],
)
def test_only_a_node_that_runs_before_the_router_in_every_run_fills_a_key(edges, is_dead):
    graph = BRANCHES.format(edges=edges)

    assert bool(sentences(flow_of(f"{NODES}{OTHER}", graph=graph), "needless_route")) is is_dead


def test_ways_are_open_where_a_node_is_nested_too_deeply_to_be_followed():
    deep = "state['evidences']" + "['a']" * 2000
    other = f"def other(state):\n    return {{'evidences': {deep}}}\n"
    graph = BRANCHES.format(edges='g.add_edge("other", "join")')
    reading = flow_of(f"{NODES}{other}", graph=graph)
    assert reading.unread["needless_route"] == "a node is nested too deeply to be followed"


BY_LOST_KEY = """ways = ["judge"]
    if state.get("pdf_paths"):
        ways.extend(["detective"])
    return ways"""


NEVER_HANDED_ON = (
    "the router after detective returns `detective` only by `pdf_paths`, which State does not"
    " declare: this way is never taken"
)


@pytest.mark.parametrize(("key", "expected"), [("pdf_paths", [NEVER_HANDED_ON]), ("pdf_path", [])])
def test_a_way_by_a_key_that_the_state_does_not_declare_is_never_taken(key, expected):
    router = BY_LOST_KEY.replace("pdf_paths", key)
    ways = '{"judge": "judge", "detective": "detective"}'
    assert dead_routes(router, ways, run="app.invoke({'pdf_path': 'a'})") == expected


FILLED_UP = """
def detective(state):
    found = state["evidences"]
    rows = {{}}
    for name in state["repo_url"]:
        rows[name] = found.get(name) or []
        if not rows[name]:
            rows[name] = [{piece}]
    update = {{"{key}": rows}}
    return update
def judge(state):
    return {{"opinions": [1]}}
"""
MISSING = "Evidence(goal=name, found=False)"


@pytest.mark.parametrize(
    ("piece", "key", "test", "is_needless"),
    [
        (MISSING, "evidences", 'any(state["evidences"].values())', True),
        ("{'found': False}", "evidences", 'state.get("evidences")', True),
        ("Evidence(goal=name, found=True)", "evidences", 'any(state["evidences"].values())', False),
        (MISSING, "opinions", 'any(state["evidences"].values())', False),
        (MISSING, "evidences", 'state["repo_url"]', False),
        (MISSING, "evidences", 'state["evidences"] and state["repo_url"]', False),
    ],
    ids=["object", "dict", "something found", "another key", "another test", "two tests"],
)
def test_node_that_fills_in_placeholders_hides_missing_evidence_from_its_router(
    piece: str, key: str, test: str, is_needless: bool
) -> None:
    nodes = FILLED_UP.format(piece=piece, key=key)
    ways = '{"judge": "judge", "none": END}'
    faults = dead_routes(f'return "judge" if {test} else "none"', ways, nodes)
    assert [sentence.endswith("never takes this way") for sentence in faults] == [
        True
    ] * is_needless
