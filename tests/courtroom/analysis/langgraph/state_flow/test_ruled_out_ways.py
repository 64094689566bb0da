"""Ways of routers that the nodes before them rule out by what they write."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import flow_of, sentences

WITH_ERRORS = """
class State(TypedDict):
    repo_url: str
    pdf_path: str
    evidences: Annotated[dict, operator.ior]
    opinions: Annotated[list, operator.add]
    errors: Annotated[list, operator.add]
    final: str
"""
DETECTIVES = """
class Aggregator:
    def __call__(self, state):
        missing = []
        for name in ("repo", "docs"):
            if name not in state.get("evidences", {}):
                missing.append(name)
        return {"errors": missing} if missing else {"errors": []}
def repo(state): return {"evidences": {"repo": [state["repo_url"]]}}
def docs(state): return {"evidences": {"docs": [state["pdf_path"]]}}
def judge(state): return {"opinions": list(state["evidences"].values())}
def justice(state): return {"final": state["opinions"]}
def failed(state): return {"errors": [*state["errors"], "it failed"]}
"""
WAYS = """
def after_evidence(state):
    return "failed" if state.get("errors") else "judge"
def after_verdict(state):
    return "failed" if state.get("errors") else END
"""
TWO_ROUTES = """
g = StateGraph(State)
g.add_node("repo", repo)
g.add_node("docs", docs)
g.add_node("aggregator", Aggregator())
g.add_node("judge", judge)
g.add_node("justice", justice)
g.add_node("failed", failed)
g.add_edge(START, "repo")
g.add_edge(START, "docs")
g.add_edge(["repo", "docs"], "aggregator")
g.add_conditional_edges("aggregator", after_evidence, ["judge", "failed"])
g.add_edge("judge", "justice")
g.add_conditional_edges("justice", after_verdict, ["failed", END])
g.add_edge("failed", END)
app = g.compile()
"""
EMPTY_RUN = "app.invoke({'repo_url': 'u', 'evidences': {}, 'errors': []})"


@pytest.mark.parametrize(
    ("replaced", "dead"),
    [
        (("", ""), ["aggregator", "justice"]),
        # A node before the router writes an error after all.
        (
            ('return {"final"', 'return {"errors": ["late"] * len(state["final"]), "final"'),
            ["aggregator"],
        ),
        # One of the two may leave its part out.
        (
            (
                'return {"evidences": {"docs"',
                'return {} if state["final"] else {"evidences": {"docs"',
            ),
            [],
        ),
    ],
)
def test_both_ways_to_a_handler_are_dead_where_no_node_before_them_can_fill_the_key(replaced, dead):
    code = DETECTIVES.replace(*replaced) if replaced[0] else DETECTIVES
    reading = flow_of(f"{WITH_ERRORS}{code}{WAYS}", graph=TWO_ROUTES, run=EMPTY_RUN)
    routes = sentences(reading, "needless_route")
    assert [line.partition(" returns")[0] for line in routes] == [
        f"the router after {name}" for name in dead
    ]
    assert all("lacks what repo and docs always write" in line for line in routes)


RULED_OUT = "returns `failed` in no run: what {} has written to {} rules it out"
JOINED = """
def joined(old, new):
    rows = dict(old)
    for name, entries in new.items():
        if name in rows:
            rows[name] = rows[name] + entries
        else:
            rows[name] = entries
    return rows

class State(TypedDict):
    repo_url: str
    evidences: Annotated[dict, joined]
    errors: Annotated[list, operator.add]
    rounds: int
    report: str
"""
GUARDED = """
g = StateGraph(State)
g.add_node("repo", repo)
g.add_node("guard", guard)
g.add_node("judge", lambda state: {"report": "done"})
g.add_node("stop", stop)
g.add_edge(START, "repo")
g.add_edge("repo", "guard")
g.add_conditional_edges("guard", route, {"ok": "judge", "failed": "stop"})
g.add_edge("stop", END)
app = g.compile()
"""
FULL_INPUT = """
app.invoke({"repo_url": "u", "evidences": {}, "errors": [], "rounds": 0, "report": ""})
"""
GUARD = """
WANTED = ["git", "code"]
class Evidence(BaseModel):
    found: bool

def history(url):
    return [Evidence(found=bool(url))]

def repo(state):
    if not state["repo_url"]:
        return {"evidences": {"git": [Evidence(found=False)], "code": [Evidence(found=False)]}}
    git = history(state["repo_url"])
    return {"evidences": {"git": git, "code": [Evidence(found=look(state)), Evidence(found=True)]}}

def guard(state):
    missing = []
    evidences = state.get("evidences", {}) or {}
    for name in WANTED:
        if not evidences.get(name, []):
            missing.append(name)
    if not missing:
        return {}
    return {"evidences": {"guard": [Evidence(found=False)]}}

def stop(state):
    return {"evidences": {"guard": [Evidence(found=False)]}}

def route(state):
    rows = state.get("evidences", {}).get("guard", [])
    return "failed" if any(row.found is False for row in rows) else "ok"
"""


def ruled_out(code: str, graph: str = GUARDED) -> list[str]:
    reading = flow_of(f"{JOINED}{code}", graph=graph, run=FULL_INPUT)
    return sentences(reading, "dead_route") + sentences(reading, "needless_route")


def test_a_way_is_dead_where_the_guard_before_its_router_asks_for_what_is_always_filled():
    (sentence,) = ruled_out(GUARD)
    assert sentence.endswith(RULED_OUT.format("repo", "`evidences`"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"code": [Evidence(found=False)]}}', '"code": []}}'),
        ('git = history(state["repo_url"])', "git = list(look(state))"),
        # Any key may lie there.
        ('{"git": git, "code"', '{state["repo_url"]: [], "git": git, "code"'),
        # Another node on the way writes it.
        ('"git": git, ', '"git": git, "guard": [Evidence(found=False)], '),
    ],
)
def test_a_way_by_a_guard_is_open_where_what_it_asks_for_may_be_missing(old: str, new: str):
    assert old in GUARD
    assert ruled_out(GUARD.replace(old, new)) == []


FOUND = """
class Evidence(BaseModel):
    found: bool

def repo(state):
    return {"evidences": {"code": [Evidence(found=look(state)), Evidence(found=True)]}}

def guard(state):
    return {}

def stop(state):
    return {}

def route(state):
    rows = state["evidences"].get("code", [])
    return "ok" if rows and any(row.found for row in rows) else "failed"
"""


@pytest.mark.parametrize(
    ("old", "new", "dead"),
    [
        ("", "", ["repo"]),
        ("found=True", "found=False", []),
        (", Evidence(found=True)", "", []),
        (
            '    return {"evidences',
            '    if look(state):\n        return {}\n    return {"evidences',
            [],
        ),
    ],
)
def test_a_way_for_want_of_findings_is_dead_where_a_node_always_reports_one(old, new, dead):
    lines = ruled_out(FOUND.replace(old, new) if old else FOUND)
    assert lines == [
        f"the router after guard {RULED_OUT.format(name, '`evidences`')}" for name in dead
    ]


ROUNDS = """
def repo(state):
    return {"errors": [state["repo_url"]] if look(state) else []}

def guard(state):
    update = {"report": "checked"}
    if state["errors"]:
        update["rounds"] = state.get("rounds", 0) + 1
    return update

def stop(state):
    return {}

def route(state):
    if state["errors"] and state.get("rounds", 0) < 1:
        return "failed"
    return "ok"
"""
AGAIN = GUARDED.replace('"stop", END', '"stop", "repo"')


def test_a_way_is_dead_where_the_node_before_it_counts_past_its_limit():
    (sentence,) = ruled_out(ROUNDS, AGAIN)
    assert sentence.endswith(RULED_OUT.format("guard", "`rounds`"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("< 1", "< 2"),
        ('if state["errors"]:', 'if state["repo_url"]:'),
        ("return {}", 'return {"rounds": -1}'),
        ('state.get("rounds", 0) + 1', 'state.get("rounds", 0) + look(state)'),
        ('    return {"errors"', '    return {"rounds": look(state), "errors"'),
    ],
)
def test_a_way_by_a_count_is_open_where_it_may_be_below_the_limit(old: str, new: str):
    assert old in ROUNDS
    assert ruled_out(ROUNDS.replace(old, new), AGAIN) == []


REPORT = """
def repo(state):
    return {"report": state["repo_url"], "evidences": look(state)}

def guard(state):
    if not state["evidences"]:
        return {"report": "Nothing was handed in."}
    text = f"Verdict on {state['repo_url']}"
    for row in state["errors"]:
        text += f" and {row}"
    return {"report": text}

def stop(state):
    return {}

def route(state):
    return "ok" if state.get("report") else "failed"
"""


@pytest.mark.parametrize(
    ("old", "new", "is_dead"),
    [
        ("", "", True),
        ("Nothing was handed in.", "", False),
        ('f"Verdict on {', 'f"{', False),
        ('"report": text}', '"errors": [text]}', False),
    ],
)
def test_a_way_for_want_of_a_text_is_dead_where_the_node_before_it_writes_some(
    old: str, new: str, is_dead: bool
):
    lines = ruled_out(REPORT.replace(old, new) if old else REPORT)
    assert [line.endswith(RULED_OUT.format("guard", "`report`")) for line in lines] == (
        [True] * is_dead
    )


STARTS = """
def starts(state):
    names = []
    if state.get("repo_url"):
        names.append("repo")
    if state.get("pdf_path"):
        names.append("pdf")
    return names
def route(state):
    if {test}:
        return "judge"
    names = starts(state)
    {between}
    if not names:
        return "lost"
    return names
g = StateGraph(State)
for name in ("repo", "pdf", "judge", "lost"):
    g.add_node(name, lambda state: {{}})
g.add_conditional_edges(START, route, ["repo", "pdf", "judge", "lost"])
app = g.compile()
"""
NEITHER = 'not state.get("repo_url") and not state.get("pdf_path")'


def ways_of_starts(test: str = NEITHER, between: str = "pass") -> list[str]:
    code = STARTS.format(test=test, between=between)
    reading = flow_of("", graph=code, run="app.invoke(INPUT)")
    return sentences(reading, "dead_route")


def test_way_that_an_earlier_test_of_the_same_texts_rules_out_is_never_taken():
    why = "its other tests of `pdf_path` and `repo_url` rule it out"
    assert ways_of_starts() == [f"the router after START returns `lost` in no run: {why}"]
    assert ways_of_starts('not (state["repo_url"] or state["pdf_path"])') == ways_of_starts()


@pytest.mark.parametrize(
    ("test", "between"),
    [
        (f"{NEITHER} and MODE", "pass"),
        ('state.get("repo_url") is None and state.get("pdf_path") is None', "pass"),
        ('state.get("repo_url") == "a" and not state.get("pdf_path")', "pass"),
        (NEITHER, "names = [name for name in names if name in CHOSEN]"),
    ],
    ids=["another test", "empty texts", "a text of its own", "a list that is cut"],
)
def test_way_that_some_texts_lead_to_is_no_fault(test: str, between: str):
    assert "lost" not in "".join(ways_of_starts(test, between))
