"""Lookups in a function's result, or in an entry of the rubric, under a key that it never has."""

from __future__ import annotations

import json
from functools import partial

import pytest

from courtroom.analysis.langgraph.state_flow import read_flow
from courtroom.analysis.langgraph.state_flow.returned_shapes import ReturnedShapes
from tests.courtroom.analysis.langgraph.state_flow.flows import STATE, faults, flow_of, sentences
from tests.courtroom.sources import IMPORTS

READ = 'def detective(state):\n    return {"evidences": {"repo": [state["repo_url"], state["pdf_path"]]}}\n'
JUDGE = 'def judge(state):\n    return {"opinions": list(state["evidences"])}\n'
SCHEMA = """
def schema_of(path):
    found = {"models": [], "reducers": 0}
    if not path:
        return {"models": []}
    found["lines"] = len(path)
    return found
"""
ASKS = """
def detective(state):
    schema = schema_of(state["repo_url"])
    return {"evidences": {"repo": schema.get("pydantic_models", [])}}
"""
PICTURES = """
def pictures(path):
    rows = []
    for page in path:
        rows.append({"image_bytes": page, "index": 1})
    return rows
def detective(state):
    rows = pictures(state["pdf_path"])
    return {"evidences": {"pdf": [p for n, p in enumerate(rows[:5]) if "image" in p]}}
"""
DIMENSION = """
def judge(state):
    for dimension in rubric_of(state["evidences"]):
        asks(dimension["id"], dimension["judicial_logic"])
    return {"opinions": [1]}
"""
OPENS = f'{READ}json.load(open("rubric.json"))\n'
RUBRIC = json.dumps({"dimensions": [{"id": "git", "name": "Git"}]})


def absent(code: str) -> list[str]:
    return sentences(flow_of(code + JUDGE), "absent_key")


def test_a_key_that_a_functions_result_never_has_is_shown():
    (sentence,) = absent(SCHEMA + ASKS)
    assert sentence == (
        "detective asks what schema_of() returns for `pydantic_models`; it only has `models`,"
        " `lines` and `reducers`"
    )


def test_results_that_are_too_much_to_follow_leave_the_question_open(monkeypatch):
    monkeypatch.setattr(read_flow, "ReturnedShapes", partial(ReturnedShapes, fuel=5))
    reading = flow_of(SCHEMA + ASKS + JUDGE)
    assert sentences(reading, "absent_key") == []
    assert reading.unread["absent_key"] == "there is too much code to follow what functions return"


def test_key_with_a_word_of_the_key_that_is_asked_for_comes_first():
    (sentence,) = absent(PICTURES.replace('"index"', '"a": 1, "b": 1, "c": 1, "d": 1, "index"'))
    assert sentence.endswith("it only has `image_bytes`, `a`, `b`, `c` and 2 more")


def test_members_of_a_list_that_a_function_returns_are_followed():
    assert absent(PICTURES) == [
        "detective asks what pictures() returns for `image`; it only has `image_bytes` and `index`"
    ]


@pytest.mark.parametrize(
    ("line", "is_shown"),
    [
        ('kept.append({"format": "png"})', True),
        ('kept.append({"image": page})', False),
        ("kept.append(page)", False),
        ("store(kept)", False),
        ('kept[0]["image"] = page', False),
    ],
)
def test_a_list_under_a_second_name_has_what_either_name_gets(line: str, is_shown: bool):
    code = PICTURES.replace("rows = []\n", "rows = []\n    kept = []\n").replace(
        "    return rows\n", f"        {line}\n    if kept:\n        rows = kept\n    return rows\n"
    )
    assert bool(absent(code)) is is_shown


def test_a_function_that_returns_what_another_returns_has_its_keys():
    code = SCHEMA.replace("def schema_of", "def inner")
    code += "def schema_of(path):\n    return inner(path)\n"
    assert absent(code + ASKS) == absent(SCHEMA + ASKS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return found", "fill(found)\n    return found"),
        ("return found", "return found | more"),
        ("return found", "return {**found}"),
        ("return found", "return load(path)"),
        ('found["lines"]', "found[path]"),
        ("def schema_of", "@changed\ndef schema_of"),
        ("    if not", "    other = found\n    fill(other)\n    if not"),
    ],
)
def test_a_result_that_may_have_other_keys_is_open(old: str, new: str):
    assert absent(SCHEMA.replace(old, new) + ASKS) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('schema.get("pydantic_models", [])', 'schema.get("pydantic_models") or schema["models"]'),
        (
            'schema.get("pydantic_models", [])',
            'schema.get("pydantic_models") if "pydantic_models" in schema else schema["models"]',
        ),
        ('schema.get("pydantic_models", [])', 'schema.get("pydantic_models", "none")'),
        (
            'schema.get("pydantic_models", [])',
            'schema.get("x", schema.get("y")) or schema["models"]',
        ),
        ('schema.get("pydantic_models", [])', 'schema.get("error", [])'),
        ("    return", "    schema.update(more)\n    return"),
        ("    return", "    schema = other(schema)\n    return"),
        ("    return", '    schema["pydantic_models"] = 1\n    return'),
    ],
)
def test_a_lookup_that_is_a_try_or_may_find_what_was_put_there_is_none(old: str, new: str):
    assert absent(SCHEMA + ASKS.replace(old, new)) == []


NESTED = """
def graph_of(path):
    report = {"ok": False, "details": {"nodes": []}}
    report["details"]["reducers"] = len(path)
    return report
def detective(state):
    report = graph_of(state["repo_url"])
    return {"evidences": {"repo": report["details"].get("edges", [])}}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("edges", "edges"),
        ('report["details"].get', 'report.get("details", {}).get'),
        ("    return {", '    details = report.get("details") or {}\n    return {'),
        ('graph_of(state["repo_url"])', 'graph_of(state["repo_url"]) or {}'),
    ],
)
def test_a_key_that_a_dict_inside_a_result_never_has_is_shown(old: str, new: str):
    code = NESTED.replace(old, new)
    if "details = " in code:
        code = code.replace('report["details"].get', "details.get")
    (sentence,) = absent(code)
    assert sentence in {
        f"detective asks {subject} for `edges`; it only has `nodes` and `reducers`"
        for subject in ("what graph_of() returns", "`details` of what graph_of() returns")
    }


@pytest.mark.parametrize(
    "line",
    [
        'fill(report["details"])',
        'report["details"].update(more)',
        'report["details"][path] = 1',
        'report["details"] = path',
        'report["details"]["edges"] = 1',
        'report.get("details").update(more)',
    ],
)
def test_a_dict_inside_a_result_that_code_may_fill_is_open(line: str):
    assert absent(NESTED.replace("    return report", f"    {line}\n    return report")) == []


TOOL = """
class Tool:
    def __init__(self, path): self.path = path
    def look(self):
        return self.classes()
    def classes(self):
        return {"type": self.path}
def detective(state):
    tool = Tool(state["pdf_path"])
    return {"evidences": {"pdf": tool.look().get("label"), "more": label_of(tool)}}
def label_of(tool):
    tool = Tool("b")
    kind = tool.look()
    return kind["label"]
"""


def test_a_key_that_the_result_of_an_objects_method_never_has_is_shown():
    assert absent(TOOL) == [
        "label_of asks what Tool.look() returns for `label`; it only has `type`"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('    tool = Tool("b")\n', ""),
        ("return self.classes()", "return self.path"),
        ("    def classes", "    @changed\n    def classes"),
        (
            "def label_of",
            'class Other(Tool):\n    def classes(self): return {"label": 1}\ndef label_of',
        ),
        ('Tool("b")', 'Tool("b") if tool else Other()'),
    ],
    ids=["a parameter", "another result", "decorated", "a class below it", "another class"],
)
def test_the_result_of_a_method_that_may_be_another_one_is_open(old: str, new: str):
    assert absent(TOOL.replace(old, new)) == []


@pytest.mark.parametrize(("module", "is_shown"), [("tools", True), ("schemas", False)])
def test_of_two_functions_of_one_name_the_imported_one_is_called(module: str, is_shown: bool):
    files = {"src/tools.py": SCHEMA, "src/schemas.py": SCHEMA.replace("found =", "found = path or")}
    reading = flow_of(f"from src.{module} import schema_of\n{ASKS}{JUDGE}", files)
    assert bool(sentences(reading, "absent_key")) is is_shown


def other(code: str, rubric: str = RUBRIC, kind: str = "other_key") -> list[str]:
    return sentences(flow_of(OPENS + code, data={"rubric.json": rubric}), kind)


def test_a_judge_that_asks_the_rubric_for_what_it_lacks_is_shown():
    assert other(DIMENSION) == [
        (
            "judge asks `dimension` for `judicial_logic`, which no entry of rubric.json has: the"
            " lookup fails"
        )
    ]


@pytest.mark.parametrize(
    ("code", "rubric"),
    [
        (DIMENSION, RUBRIC.replace("name", "judicial_logic")),
        (DIMENSION, RUBRIC.replace('"id"', '"key"')),
        (DIMENSION.replace("dimension", "row"), RUBRIC),
        (DIMENSION.replace('["judicial_logic"]', '.get("judicial_logic")'), RUBRIC),
        (DIMENSION + 'def more(row):\n    row["judicial_logic"] = 1\n', RUBRIC),
        (DIMENSION + 'def more(row):\n    return {"judicial_logic": row}\n', RUBRIC),
    ],
    ids=[
        "in the rubric",
        "another file",
        "another name",
        "a try",
        "put there by code",
        "made anew",
    ],
)
def test_a_lookup_that_may_find_something_is_none(code: str, rubric: str):
    assert other(code, rubric) == []


@pytest.mark.parametrize(
    ("rows", "name", "line"), [("rows", "d", 3), ("reversed_rows", "dimension", 5)]
)
def test_of_equal_lookups_the_first_that_fails_is_shown(rows: str, name: str, line: int):
    code = f"""def judge(state):
    rows = state["evidences"]
    text = "\\n".join([f"{{d['id']}}: {{d['judicial_logic']}}" for d in {rows}])
    for dimension in rows:
        asks(dimension["id"], dimension["judicial_logic"])
    return {{"opinions": [text]}}
"""
    (fault,) = faults(flow_of(code + OPENS, data={"rubric.json": RUBRIC}), "other_key")
    assert f" asks `{name}` for `judicial_logic`, " in fault.sentence
    assert fault.line == f"{IMPORTS}{STATE}".count("\n") + line


@pytest.mark.parametrize(
    ("new", "is_shown"),
    [
        ('.get("judicial_logic")', True),
        ('.get("judicial_logic", "")', True),
        ('.get("judicial_logic") or {}', True),
        ('.get("judicial_logic", "Be strict.")', False),
        ('.get("judicial_logic") or "Be strict."', False),
        ('.get("id")', False),
    ],
)
def test_a_part_of_the_rubric_that_a_judge_goes_on_without_is_told(new: str, is_shown: bool):
    code = DIMENSION.replace('["judicial_logic"]', new).replace('["id"]', '.get("id", "git")')
    sentence = (
        "judge asks `dimension` for `judicial_logic`, which no entry of rubric.json has: it gets"
        " nothing"
    )
    assert other(code, kind="empty_entry") == [sentence] * is_shown


@pytest.mark.parametrize(("rows", "is_shown"), [("dims", True), ("pages", False)])
def test_a_name_that_a_loop_takes_from_the_criteria_is_an_entry(rows: str, is_shown: bool):
    code = f"""
def judge(state):
    {rows} = rubric_of(state["evidences"])
    for d in {rows}:
        asks(d.get("id"), d.get("judicial_logic", {{}}))
    return {{"opinions": [1]}}
"""
    sentence = (
        "judge asks `d` for `judicial_logic`, which no entry of rubric.json has: it gets nothing"
    )
    assert other(code, kind="empty_entry") == [sentence] * is_shown


@pytest.mark.parametrize(
    "code",
    [
        "    for a in b:\n        a.get('x')\n    for b in a:\n        b.get('x')\n",
        "    a = b if state else {}\n    b = a if state else {}\n    return a\n",
        "    a = [b]\n    b = [a]\n    return a\n",
    ],
)
def test_names_that_lead_to_each_other_end(code: str):
    first = f"def turns(state):\n{code}    return turns(state)\n"
    assert (
        absent(
            f"{first}def detective(state):\n    rows = turns(state)\n    rows['x']\n{READ[READ.index(chr(10)) + 1 :]}"
        )
        == []
    )
