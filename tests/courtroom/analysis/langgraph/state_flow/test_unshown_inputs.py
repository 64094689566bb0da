"""Requests to the judges' model that hold no evidence, or nothing that the rubric says."""

from __future__ import annotations

import json

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import GRAPH, flow_of, sentences

CODE = """
from langchain_openai import ChatOpenAI

llm = ChatOpenAI(model="small")
PERSONA = "You are the Prosecutor. Look for each gap that you can find."
NOTES = {{"history": "Count the commits and look at their times.", "graph": "Look at each edge."}}

def detective(state):
    return {{"evidences": {{"repo": [made]}}, "rubric": {{}}}}

def block(items):
    return "\\n".join(str(item.content) for item in items)

def ids(state):
    return [row["id"] for row in state["rubric_dimensions"]]

class Asker:
    def __init__(self, text):
        self.text = text

    def ask(self, more=""):
        return llm.invoke([self.text, more])

def ask(system, user, tries=2):
    for _ in range(tries):
        answer = llm.with_structured_output(Opinion).invoke([("system", system), ("user", user)])
        if answer:
            return answer

def judge(state):
    opinions = []
    for key in ids(state):
        row = next(r for r in state["rubric_dimensions"] if r["id"] == key)
{body}
    return {{"opinions": opinions}}
"""
RUBRIC = {
    "rubric.json": json.dumps(
        {
            "dimensions": [
                {"id": "history", "name": "History", "instruction": "", "success_pattern": ""},
                {"id": "graph", "name": "Graph"},
            ]
        }
    )
}
NOTHING_FOUND = "the request of `judge` to a model holds nothing that a detective found"
NAME_ALONE = (
    "the request of `judge` to a model holds the criterion's name and nothing else of the rubric"
)
NO_RUBRIC = "the request of `judge` to a model holds nothing of the rubric"
KINDS = ("unshown_evidence", "unshown_rubric")


def reading_of(*lines: str, data=RUBRIC, code: str = CODE):
    body = "\n".join(f"        {line}" for line in lines)
    return flow_of(code.format(body=body), data=data)


def faults(*lines: str, data=RUBRIC) -> list[str]:
    reading = reading_of(*lines, data=data)
    return [sentence for kind in KINDS for sentence in sentences(reading, kind)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (['ask(PERSONA, f"Audit {key}")'], [NOTHING_FOUND, NAME_ALONE]),
        (['Asker(PERSONA).ask(f"Audit {key}")'], [NOTHING_FOUND, NAME_ALONE]),
        (['ask(PERSONA, "Audit it.")'], [NOTHING_FOUND, NO_RUBRIC]),
        (['ask(PERSONA, row["instruction"])'], [NOTHING_FOUND]),
        (["ask(PERSONA, f'Audit {row}')"], [NOTHING_FOUND]),
        (['ask(PERSONA, key + block(state["evidences"][key]))'], [NAME_ALONE]),
        (['found = state["evidences"]', "ask(PERSONA, str(found))"], [NO_RUBRIC]),
        (['ask(PERSONA, block(state["evidences"][key]) + row["success_pattern"])'], []),
        (
            [
                'parts = [row["instruction"]]',
                'parts.append(block(state["evidences"]["repo"]))',
                "ask(PERSONA, str(parts))",
            ],
            [],
        ),
        (['Asker(row["instruction"]).ask(block(state["evidences"]))'], []),
        (['ask(row["instruction"], state["unified_forensics"])'], []),
        (['ask(PERSONA, "Audit it, " + __file__)'], [NOTHING_FOUND, NO_RUBRIC]),
    ],
)
def test_request_lacks_what_does_not_reach_it(lines, expected):
    assert faults(*lines) == expected


@pytest.mark.parametrize(
    "line",
    [
        # What these hold is not known: it may be evidence.
        "ask(PERSONA, unknown(key))",
        "ask(PERSONA, str(state))",
        'ask(PERSONA, state["brief"])',
        'ask(PERSONA, open("brief.txt").read())',
        "ask(PERSONA, *state)",
    ],
)
def test_request_of_which_a_part_is_not_known_is_left_open(line):
    reading = reading_of(line)
    assert not any(sentences(reading, kind) for kind in KINDS)
    assert "not all that judge tells its model could be followed" in reading.unread[KINDS[0]]


@pytest.mark.parametrize("text", ["NOTES[key]", '"Judge the history and then the graph of it."'])
def test_text_of_the_code_may_stand_for_that_of_the_rubric(text):
    assert faults(f"ask(PERSONA, {text})") == [NOTHING_FOUND]


TASKS = """
class Task(TypedDict):
    criterion_id: str
    criterion_description: str

def send_tasks(state):
    for row in state["rubric_dimensions"]:
        text = row.get("description", "")
        Send("judge", Task(criterion_id=row["id"], criterion_description=text))

def own_part(logic):
    return logic.get(PERSONA.lower(), logic.get("everyone", ""))
"""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (['text = row.get("description", "")', "ask(PERSONA, key + text)"], [NAME_ALONE]),
        (['ask(PERSONA, key + (row.get("description") or ""))'], [NAME_ALONE]),
        (['ask(PERSONA, key + state["criterion_description"])'], [NAME_ALONE]),
        (
            [
                'rows = state["rubric_dimensions"]',
                "criteria = '; '.join(f\"{r['id']}: {r['description']}\" for r in rows)",
                "ask(PERSONA, key + criteria)",
            ],
            [NAME_ALONE],
        ),
        # A table under such a key, in a helper to which it is handed, has nothing either.
        (
            ['logic = row.get("judge_logic") or {}', "ask(PERSONA, key + own_part(logic))"],
            [NAME_ALONE],
        ),
        (["ask(PERSONA, key + own_part(row['instruction']))"], []),
        (['ask(PERSONA, key + row.get("description", row["instruction"]))'], []),
        (['ask(PERSONA, key + row.get("instruction", ""))'], []),
    ],
)
def test_text_under_a_key_that_no_entry_has_is_no_text_of_the_rubric(lines, expected):
    reading = reading_of(*lines, code=CODE + TASKS)
    assert sentences(reading, "unshown_rubric") == expected


@pytest.mark.parametrize(
    "maker",
    [
        'def load(row):\n    return {"id": row["id"], "description": row["instruction"]}',
        'def load(row):\n    row["description"] = row["instruction"]',
        "class Criterion(BaseModel):\n    description: str",
    ],
)
def test_key_that_code_itself_makes_may_hold_a_text(maker):
    code = f"{CODE}\n{maker.replace('{', '{{').replace('}', '}}')}\n"
    reading = reading_of('ask(PERSONA, key + row.get("description", ""))', code=code)
    assert not sentences(reading, "unshown_rubric")


def test_rubric_is_not_denied_where_evidence_may_hold_it_or_there_is_none():
    lines = ('ask(PERSONA, key + block(state["evidences"][key]))',)
    copied = CODE.replace("[made]", '[Evidence(found=True, goal=row["forensic_instruction"])]')
    for reading in (reading_of(*lines, code=copied), reading_of(*lines, data={})):
        assert not sentences(reading, "unshown_rubric")
        assert "unshown_rubric" in reading.unread


def test_member_of_an_enum_in_evidence_is_no_text_of_the_rubric():
    evidence = "[Evidence(found=True, kind=Kind.BUILD_PATTERN)]"
    line = 'ask(PERSONA, key + block(state["evidences"][key]))'
    reading = reading_of(line, code=CODE.replace("[made]", evidence))
    assert sentences(reading, "unshown_rubric") == [NAME_ALONE]


def test_inner_function_of_another_function_is_none_of_the_judge():
    inner = "def audit(row):\n    def call():\n        return ask(PERSONA, row['instruction'])\n"
    code = f"{CODE}\n{inner}    return call()\n"
    lines = ("def call():", "    return ask(PERSONA, key)", "call()")
    assert sentences(reading_of(*lines, code=code), "unshown_rubric") == [NAME_ALONE]


def test_fault_names_all_judges_that_ask_so_once():
    code = CODE.replace("def judge(", "def defense(state):\n    return judge(state)\n\ndef judge(")
    body = '        ask(PERSONA, f"Audit {key}")'
    graph = GRAPH.replace("g.add_edge(START", 'g.add_node("defense", defense)\ng.add_edge(START')
    graph = graph.replace("app =", 'g.add_edge("detective", "defense")\napp =')
    reading = flow_of(code.format(body=body), data=RUBRIC, graph=graph)
    assert sentences(reading, "unshown_evidence") == [
        "the requests of `judge` and `defense` to a model hold nothing that a detective found"
    ]


def test_judges_without_a_model_hide_nothing():
    reading = reading_of('opinions.append(Opinion(score=len(state["evidences"])))')
    assert not any(sentences(reading, kind) for kind in KINDS)
    assert not reading.unread.keys() & {*KINDS}


MODERATED = """
class Opinion(BaseModel):
    score: int

def detective(state):
    return {{"evidences": {{"repo": [made]}}}}

def judge(state):
    asked = llm.with_structured_output(Opinion)
    return {{"opinions": [asked.invoke(PERSONA + str(state["evidences"]))]}}

def debate(state):
    asked = llm.with_structured_output({schema})
    return {{"opinions": [asked.invoke({request})]}}
"""


@pytest.mark.parametrize(
    ("schema", "request_text", "expected"),
    [
        (
            "Opinion",
            "'Settle this.'",
            ["the request of `debate` to a model holds nothing that a detective found"],
        ),
        ("Opinion", "'Settle this: ' + str(state['evidences'])", []),
        ("Summary", "'Settle this.'", []),
    ],
)
def test_other_node_that_writes_opinions_needs_evidence_in_its_request(
    schema: str, request_text: str, expected: list[str]
) -> None:
    graph = GRAPH.replace(
        "app =", 'g.add_node("debate", debate)\ng.add_edge("judge", "debate")\napp ='
    )
    code = CODE.split("PERSONA", maxsplit=1)[0].format() + "PERSONA = 'Judge.'\n"
    code += MODERATED.format(schema=schema, request=request_text)
    assert sentences(flow_of(code, graph=graph), "unshown_evidence") == expected


HELD = """
ROLES = {{"Prosecutor": {{"role_description": "You look for gaps."}}}}
def guidance_on_criterion(key):
    return "Be strict and cite what you see."
"""


@pytest.mark.parametrize(
    "line",
    [
        'ask(PERSONA, key + guidance_on_criterion(key) + block(state["evidences"][key]))',
        "criterion_guidance = guidance_on_criterion(key); ask(criterion_guidance + key, PERSONA)",
        'ask(ROLES["Prosecutor"]["role_description"] + key, PERSONA)',
    ],
)
def test_text_of_the_works_own_is_none_of_the_rubric(line: str):
    assert sentences(reading_of(line, code=CODE + HELD), "unshown_rubric") == [NAME_ALONE]


def test_own_texts_on_most_criteria_leave_it_open():
    line = 'ask(PERSONA, key + NOTES[key] + block(state["evidences"][key]))'
    found = reading_of(line)
    assert sentences(found, "unshown_rubric") == []
    assert "takes none of the rubric's" in found.unread["unshown_rubric"]

    rows = [{"id": key, "name": key} for key in ("history", "graph", "state", "report")]
    of_many = {"rubric.json": json.dumps({"dimensions": rows})}
    assert sentences(reading_of(line, data=of_many), "unshown_rubric") == [NAME_ALONE]


def test_key_of_the_rubric_is_not_blank_where_the_code_hands_it_on_under_itself():
    line = 'llm.invoke({"success_pattern": row["success_pattern"], "key": key})'
    found = reading_of(line)
    assert sentences(found, "unshown_rubric") == []
    assert "unshown_rubric" not in found.unread


def test_number_of_patterns_in_evidence_is_no_text_of_the_rubric():
    evidence = "[Evidence(found=True, rationale=f\"{{result.get('total_patterns', 0)}} patterns\")]"
    line = 'ask(PERSONA, key + block(state["evidences"][key]))'
    reading = reading_of(line, code=CODE.replace("[made]", evidence))
    assert sentences(reading, "unshown_rubric") == [NAME_ALONE]
