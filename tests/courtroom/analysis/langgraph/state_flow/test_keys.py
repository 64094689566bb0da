"""Keys of the state that LangGraph drops, never hands on, or that nothing is stored under."""

from __future__ import annotations

import json

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import (
    GRAPH,
    STATE,
    faults,
    flow_of,
    flow_of_files,
    sentences,
)
from tests.courtroom.sources import IMPORTS

DETECTIVE = """
def detective(state):
    return {"evidences": {"repo": [state["repo_url"]], "doc": [state["pdf_path"]]}}
"""
JUDGE = """
def judge(state):
    return {"opinions": list(state["evidences"].values())}
"""
RUBRIC = {"rubric.json": json.dumps({"dimensions": [{"id": "safe_tools"}, {"id": "git_history"}]})}


def test_sound_code_has_no_fault():
    reading = flow_of(DETECTIVE + JUDGE)

    assert [fault for fault in reading.faults if fault.kind != "unread_write"] == []
    assert reading.unread == {}


def test_an_undeclared_key_of_an_update_is_dropped():
    reading = flow_of(
        f"""{DETECTIVE}
def judge(state):
    return {{"opinions": list(state["evidences"]), "failed": True}}
"""
    )

    (fault,) = faults(reading, "undeclared_write")
    assert fault.sentence == (
        "judge returns `failed`, which State does not declare: LangGraph drops it"
    )
    assert (fault.path, fault.line, fault.other) == ("src/graph.py", 17, ("src/graph.py", 7))
    assert faults(reading, "no_update") == []


def test_nodes_that_return_the_same_undeclared_key_share_a_sentence():
    reading = flow_of(
        """
def detective(state):
    return {"evidences": {"repo": [state["repo_url"], state["pdf_path"]]}, "failed": False}
def judge(state):
    return {"opinions": list(state["evidences"]), "failed": True}
"""
    )

    assert sentences(reading, "undeclared_write") == [
        "detective and judge return `failed`, which State does not declare: LangGraph drops it"
    ]


def test_a_node_that_returns_only_undeclared_keys_updates_nothing():
    reading = flow_of(
        f"""{DETECTIVE}
def judge(state):
    return {{"verdict": 1, "report": list(state["evidences"])}}
"""
    )

    assert sentences(reading, "no_update") == [
        (
            "judge returns only `verdict` and `report`, which State does not declare: LangGraph drops"
            " all of it"
        )
    ]


@pytest.mark.parametrize(
    ("name", "kind"), [("handle_error", "undeclared_write"), ("doc_analyst", "no_update")]
)
def test_only_a_node_of_the_audit_loses_its_work_with_its_whole_return(name: str, kind: str):
    graph = f"g = StateGraph(State)\ng.add_node('{name}', last)\ng.add_edge(START, '{name}')\n"
    reading = flow_of('def last(state):\n    return {"message": "over"}\n', graph=graph, run="")

    assert [fault.kind for fault in reading.faults if "message" in fault.keys] == [kind]


def test_a_node_that_returns_another_model_updates_nothing():
    reading = flow_of(
        f"""
from pydantic import BaseModel
class Evidence(BaseModel):
    goal: str
def detective(state):
    return Evidence(goal=state["repo_url"])
{JUDGE}"""
    )

    assert sentences(reading, "no_update") == [
        (
            "detective returns `Evidence(...)`, not an update of the state: State declares none of its"
            " fields, so LangGraph drops all of it"
        )
    ]


def test_return_of_another_model_is_named_where_it_begins():
    code = f"""
from pydantic import BaseModel
class Evidence(BaseModel):
    goal: str
def detective(state):
    return Evidence(
        goal=state["repo_url"],
    )
{JUDGE}"""
    (fault,) = faults(flow_of(code), "no_update")

    lines = f"{IMPORTS}{STATE}{code}".splitlines()
    assert lines[fault.line - 1] == "    return Evidence("


def test_a_node_beside_the_audit_that_returns_another_model_loses_its_keys_alone():
    reading = flow_of(
        """
from pydantic import BaseModel
class Notice(BaseModel):
    text: str
def last(state):
    return Notice(text="over")
""",
        graph="g = StateGraph(State)\ng.add_node('handle_error', last)\n"
        "g.add_edge(START, 'handle_error')\n",
        run="",
    )
    assert sentences(reading, "no_update") == []
    assert len(sentences(reading, "undeclared_write")) == 1


def test_an_undeclared_key_is_never_handed_on():
    reading = flow_of(
        f"""
def detective(state):
    return {{"evidences": {{"repo": [state.get("pdf_paths")]}}}}
{JUDGE}"""
    )

    assert sentences(reading, "undeclared_read") == [
        (
            "detective reads `pdf_paths`, which State does not declare: LangGraph never hands it on"
            " (there is `pdf_path`)"
        )
    ]


@pytest.mark.parametrize(
    ("read", "near"),
    [
        ('[p for p in state.get("pdf_paths")]', "`pdf_path`, one str"),
        ('state.get("pdf_paths", [])', "`pdf_path`, one str"),
        ('[p for p in state.get("all_evidences")]', "`all_evidence`"),
    ],
)
def test_a_key_that_is_read_as_a_list_is_not_one_value_by_another_name(read: str, near: str):
    state = (
        "class State(TypedDict):\n    pdf_path: str\n    evidences: dict\n    all_evidence: list\n"
    )
    node = f'def detective(state):\n    return {{"evidences": {read}}}\n{JUDGE}'
    (sentence,) = sentences(flow_of(f"{state}{node}"), "undeclared_read")
    assert sentence.endswith(f" (there is {near})")


def test_a_key_that_a_node_only_returns_cannot_be_read_by_it():
    node = (
        "def judge(state):\n    errors = state.get('errors', [])\n    errors.append('x')\n"
        "    return {'errors': errors, 'opinions': []}"
    )

    assert sentences(flow_of(f"{DETECTIVE}{node}\n"), "undeclared_read") == [
        "judge reads `errors`, which State does not declare: LangGraph never hands it on"
    ]


@pytest.mark.parametrize(
    "node",
    [
        "def judge(state):\n    state['extra'] = 1\n    return {'opinions': [state['extra']]}\n",
        (
            "def judge(state):\n    state.setdefault('extra', []).append(1)\n"
            "    return {'opinions': [state['extra']]}\n"
        ),
        (
            "class Mine(State):\n    extra: int\n"
            "def judge(state: Mine):\n    return {'opinions': [state['extra']]}\n"
        ),
        (
            "def judge(state):\n    more = {**state, 'extra': 1}\n"
            "    return {'opinions': [more['extra']]}\n"
        ),
    ],
)
def test_a_key_that_the_node_has_by_other_ways_is_no_fault(node: str):
    assert faults(flow_of(DETECTIVE + node), "undeclared_read") == []


@pytest.mark.parametrize(
    ("lines", "is_minor"),
    [
        ("return {'opinions': state['pdf_path'] or state.get('whole')}", True),
        ("return {'opinions': state.get('pdf_path', state.get('whole'))}", True),
        ("return {'opinions': state.pdf_path if state.pdf_path else state['whole']}", True),
        ("return {'opinions': state.get('whole') or state['pdf_path']}", False),
        ("return {'opinions': state.get('evidences') or state.get('whole')}", False),
        ("path = state.get('pdf_path')\n    if not path:\n        path = state['whole']", True),
        ("path = state.get('pdf_path')\n    if path is None:\n        path = state['whole']", True),
        ("path = state.get('pdf_path')\n    if path:\n        path = state['whole']", False),
        (
            "path = state['pdf_path']\n    if isinstance(path, str):\n        return {}\n    state['whole']",
            True,
        ),
        (
            "path = state['pdf_path']\n    if path is not None:\n        print(path)\n    state['whole']",
            False,
        ),
        (
            "a = state['pdf_path'] or state.get('whole')\n    return {'opinions': [a, state['whole']]}",
            False,
        ),
    ],
)
def test_undeclared_key_in_place_of_an_input_counts_for_nothing(lines: str, is_minor: bool):
    (fault,) = faults(flow_of(f"{DETECTIVE}def judge(state):\n    {lines}\n"), "undeclared_read")

    assert fault.is_minor is is_minor
    end = "; it is read only without `pdf_path`, which every run is given"
    assert fault.sentence.endswith(end) is is_minor


@pytest.mark.parametrize("path", ['"pdf_path": ""', '"pdf_path": None', '"other": "a.pdf"'])
def test_undeclared_key_in_place_of_no_input_counts(path: str):
    node = "def judge(state):\n    return {'opinions': state['pdf_path'] or state.get('whole')}\n"
    reading = flow_of(f"{DETECTIVE}{node}", run=f"app.invoke({{{path}}})\n")

    assert [fault.is_minor for fault in faults(reading, "undeclared_read")] == [False]


@pytest.mark.parametrize(
    ("run", "is_given"),
    [
        (
            "def main(app):\n    given = {'pdf_path': 'p', 'whole': 1}\n    app.invoke(given)\n",
            True,
        ),
        ("def main(app):\n    app.stream({'pdf_path': 'p', 'whole': 1})\n", True),
        ("def main(app):\n    app.invoke({'whole': 1})\n", False),
        ("def main(app):\n    print({'pdf_path': 'p', 'whole': 1})\n", False),
    ],
)
def test_undeclared_key_of_an_input_that_code_writes_out_is_given(run: str, is_given: bool):
    node = "def judge(state):\n    return {'opinions': [state['whole']]}\n"
    (fault,) = faults(flow_of(f"{DETECTIVE}{node}", run=run), "undeclared_read")
    assert fault.is_given is is_given


def test_what_send_hands_to_a_node_is_no_fault():
    reading = flow_of(
        f"""{DETECTIVE}
def judge(state):
    return {{"opinions": [state["criterion"]]}}
def route(state):
    return [Send("judge", {{"criterion": c}}) for c in state["evidences"]]
""",
        graph=GRAPH.replace(
            'g.add_edge("detective", "judge")',
            'g.add_conditional_edges("detective", route, ["judge"])',
        ),
    )

    assert faults(reading, "undeclared_read") == []


def test_a_declared_key_that_nobody_writes_is_named():
    code = (DETECTIVE + JUDGE).replace("pdf_path", "report")
    reading = flow_of(
        code.replace("def detective", "class State(State):\n    report: str\ndef detective")
    )

    assert sentences(reading, "unwritten_read") == [
        "detective reads `report`, which no node writes and the graph's input does not hold"
    ]


@pytest.mark.parametrize("run", ["", "import given\napp.invoke(given.state())\n"])
def test_an_input_that_only_a_run_knows_leaves_unwritten_keys_open(run: str):
    reading = flow_of(DETECTIVE + JUDGE, run=run)

    assert reading.unread["unwritten_read"] == "the graph's input is not known before a run"


def test_a_lookup_under_another_key_sees_nothing():
    reading = flow_of(
        f"""{DETECTIVE}
def judge(state):
    return {{"opinions": [state["evidences"].get("repository", [])]}}
"""
    )

    (fault,) = faults(reading, "other_key")
    assert fault.sentence == (
        "judge looks up `evidences` by `repository`; nodes store it under `repo` and `doc`:"
        " judge sees none of it"
    )
    assert fault.line == 17
    assert fault.other == ("src/graph.py", 14)


def test_a_lookup_by_criterion_sees_nothing_of_what_is_stored_by_detective():
    code = f"""{DETECTIVE}
def judge(state):
    held = state["evidences"]
    return {{"opinions": [held.get(criterion["id"], []) for criterion in rubric()]}}
"""

    assert sentences(flow_of(code, data=RUBRIC), "other_key") == [
        (
            "judge looks up `evidences` by `criterion['id']`; nodes store it under `repo` and `doc`:"
            " judge sees none of it"
        )
    ]
    assert faults(flow_of(code), "other_key") == []


@pytest.mark.parametrize(
    ("other", "is_blinding"),
    [
        ("return {'opinions': [state['evidences'].get('repository', [])]}", True),
        ("return {'opinions': [state['evidences'].get('repo', [])]}", False),
        ("return {'opinions': [state['evidences'].get('repository', []), state['facts']]}", False),
    ],
)
def test_lookup_in_vain_is_blinding_where_no_judge_sees_evidence(other: str, is_blinding: bool):
    code = f"""{DETECTIVE}
def prosecutor(state):
    return {{"opinions": [state["evidences"].get("repository", [])]}}
def defense(state):
    {other}
"""
    graph = GRAPH.replace(
        'g.add_node("judge", judge)',
        'g.add_node("prosecutor", prosecutor)\ng.add_node("defense", defense)',
    ).replace('"judge"', '"prosecutor"')
    graph = graph.replace("app =", 'g.add_edge("detective", "defense")\napp =')
    rows = faults(flow_of(code, graph=graph), "other_key")
    assert {row.is_blinding for row in rows} == {is_blinding}


@pytest.mark.parametrize(
    "reading_of",
    [
        "state['evidences']['repo']",
        "state['evidences'].get('repository') or state['evidences'].get('repo')",
        "list(state['evidences'].values()) + state['evidences'].get('repository', [])",
    ],
)
def test_a_reader_that_sees_anything_is_no_fault(reading_of: str):
    reading = flow_of(
        f"{DETECTIVE}\ndef judge(state):\n    return {{'opinions': [{reading_of}]}}\n"
    )

    assert faults(reading, "other_key") == []


def test_key_that_is_stored_under_the_second_yield_of_a_context_manager_is_no_fault():
    reading = flow_of(
        """
from contextlib import contextmanager

@contextmanager
def cloned(url):
    if fails(url):
        yield None, "no such repository"
    else:
        yield url, ""

def detective(state):
    updates = {"evidences": {}}
    with cloned(state["repo_url"]) as (folder, error):
        if folder is None:
            updates["evidences"]["git"] = [error]
            return updates
        updates["evidences"]["tools"] = [folder]
    return updates

def judge(state):
    return {"opinions": [state["evidences"].get("tools", [])]}
"""
    )

    assert faults(reading, "other_key") == []


def test_open_keys_are_shown_where_the_mapping_is_full():
    reading = flow_of(
        """
def detective(state):
    found = {}
    if not state["repo_url"]:
        return {"evidences": found}
    for name in names():
        found[name] = []
    return {"evidences": found}
def judge(state):
    return {"opinions": [state["evidences"].get("repository", [])]}
"""
    )
    lines = [use for use in reading.unread["other_key"].split(":") if use.isdecimal()]
    whole = f"{IMPORTS}{STATE}".count("\n") + 8
    assert lines == [str(whole)]


def test_lookups_are_open_where_a_writer_is():
    reading = flow_of(
        """
def detective(state):
    return {"evidences": {name: [] for name in names()}}
def judge(state):
    return {"opinions": [state["evidences"].get("repository", [])]}
"""
    )

    assert faults(reading, "other_key") == []
    assert "are not known before a run" in reading.unread["other_key"]


def test_a_part_of_the_rubric_under_another_spelling_is_never_read():
    logic = {"prosecutor": "a", "defense": "b", "tech_lead": "c"}
    data = {"rubric.json": json.dumps({"logic": logic}, indent=1)}
    code = f"""
def asked(criterion, persona):
    return criterion.get("logic", {{}}).get(persona.lower(), "")
{DETECTIVE}
def judge(state):
    rubric = load()
    return {{"opinions": [asked(c, "TechLead") for c in rubric] + [asked(rubric, "Defense")]}}
"""

    (fault,) = faults(flow_of(code, data=data), "other_key")
    assert fault.sentence == (
        "judge looks up `logic` by `techlead`; rubric.json holds `tech_lead`: it never gets that"
        " part"
    )
    assert fault.other == ("rubric.json", 5)


def test_a_second_try_in_the_spelling_of_the_rubric_is_no_fault():
    logic = {"prosecutor": "a", "defense": "b", "tech_lead": "c"}
    data = {"rubric.json": json.dumps({"logic": logic})}
    code = f"""{DETECTIVE}
def judge(state):
    logic = load()["logic"]
    return {{"opinions": [logic.get("TechLead") or logic.get("tech_lead")]}}
"""

    assert faults(flow_of(code, data=data), "other_key") == []


def test_a_key_that_nothing_reads_is_named():
    reading = flow_of(
        f"""{DETECTIVE}
def judge(state):
    return {{"opinions": list(state["evidences"])}}
"""
    )

    assert sentences(reading, "unread_write") == ["judge writes `opinions`, which no code reads"]
    assert [f.nodes for f in reading.faults if f.kind == "unread_write"] == [("judge",)]


@pytest.mark.parametrize(("value", "is_unread"), [("json.load(path)", True), ("load_all()", False)])
def test_a_key_that_its_node_takes_from_a_file_under_the_same_name_is_read_by_none(
    value: str, is_unread: bool
):
    reading = flow_of(
        f"""{DETECTIVE}
def judge(state):
    rubric = {value}
    return {{"opinions": rubric.get("opinions", list(state["evidences"]))}}
"""
    )

    sentence = "judge writes `opinions`, which no code reads"
    assert sentences(reading, "unread_write") == [sentence] * is_unread


def test_a_key_that_a_test_of_the_work_reads_is_read():
    reading = flow_of(
        f"""{DETECTIVE}
def judge(state):
    return {{"opinions": list(state["evidences"])}}
""",
        {"tests/test_graph.py": "from src.graph import app\nassert app.invoke({})['opinions']\n"},
    )

    assert sentences(reading, "unread_write") == []


MEANS = """
from typing import Annotated, TypedDict
def look(state): return {{"mean": {first}, "opinions": [1]}}
def weigh(state): return {{"note": {read}}}
def decide(state): return {second}
class State(TypedDict):
    n: int
    mean: float
    note: str
    opinions: Annotated[list, operator.add]
g = StateGraph(State)
g.add_node("look", look)
g.add_node("weigh", weigh)
g.add_node("decide", decide)
g.add_edge(START, "look")
g.add_edge("{start}", "weigh")
g.add_edge("weigh", "decide")
g.add_edge("decide", END)
app = g.compile()
print(app.invoke({{}})["mean"], app.invoke({{}})["note"])
"""
REPLACED = {
    "first": 'state["n"] / 2',
    "read": 'str(state["n"])',
    "second": '{"mean": state["n"] / 3}',
    "start": "look",
}


@pytest.mark.parametrize(
    ("change", "is_replaced"),
    [
        ({}, True),
        ({"first": "0.0"}, False),
        ({"read": 'str(state["mean"])'}, False),
        ({"second": '{"mean": state["n"]} if state["n"] else {}'}, False),
        ({"second": '{"mean": state["mean"] + 1}'}, False),
        ({"second": "{}"}, False),
        ({"second": '{"mean": state["n"]}\nfor step in app.stream({}): print(step)'}, False),
        # A second branch may read it in time.
        ({"start": "START", "read": 'str(state["mean"])'}, False),
    ],
)
def test_a_value_that_a_later_node_replaces_unread_is_written_for_nobody(change, is_replaced):
    code = MEANS.format(**REPLACED | change).replace('"START"', "START")
    reading = flow_of_files({"src/graph.py": f"{IMPORTS}{code}"})
    expected = "look writes `mean`, which decide replaces before any node reads it"
    assert sentences(reading, "unused_result") == [expected] * is_replaced
