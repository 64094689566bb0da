"""Imports that do not resolve, and work that has no effect."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.state_flow.broken_imports import broken_commands
from tests.courtroom.analysis.langgraph.state_flow.flows import (
    GRAPH,
    NODES,
    STATE,
    faults,
    flow_of,
    flow_of_files,
    flow_with,
    sentences,
)
from tests.courtroom.sources import IMPORTS, symbols_of


def imports(statement: str, module: str):
    return flow_of_files(
        {
            "src/graph.py": f"{statement}\n{IMPORTS}{STATE}{NODES}{GRAPH}",
            "src/tools/__init__.py": "",
            "src/tools/files.py": module,
        }
    )


def test_an_import_of_a_name_that_its_module_does_not_define_is_named():
    reading = imports("from src.tools.files import inspect_page", "def inspect_pages(): ...\n")

    (fault,) = faults(reading, "broken_import")
    assert fault.sentence == (
        "src/graph.py imports `inspect_page` from src/tools/files.py, which does not define it (it"
        " defines `inspect_pages`): src/graph.py cannot be imported at this commit"
    )
    assert (fault.line, fault.other) == (1, ("src/tools/files.py", 1))


def test_an_import_of_a_module_that_does_not_exist_is_named():
    assert sentences(imports("from src.tools.pages import look", ""), "broken_import") == [
        (
            "src/graph.py imports from `src.tools.pages`, which does not exist: src/graph.py cannot be"
            " imported at this commit"
        )
    ]


@pytest.mark.parametrize("declared_by", ["pyproject", "readme"])
def test_import_that_fails_in_a_declared_command_is_named_with_the_manifest(declared_by: str):
    files = {"src/cli.py": "from src.tools import look\n", "src/tools.py": "def read(): ...\n"}
    entry = {"target": "src/cli.py", "declared_by": declared_by, "path": "a.toml", "line": 7}
    commands = [*broken_commands(symbols_of(files), [entry], [])]
    sentence = (
        "src/cli.py imports `look` from src/tools.py, which does not define it: src/cli.py cannot be"
        " imported at this commit; the command that a.toml:7 declares fails"
    )
    rows = [("broken_command", sentence)] * (declared_by == "pyproject")
    assert [(fault.kind, fault.sentence) for fault in commands] == rows
    assert [*broken_commands(symbols_of(files), [entry], commands)] == []


@pytest.mark.parametrize(
    "statement",
    [
        "from court.judges import look",
        "from .judges import look",
        "from court.bench.all import look",
    ],
)
def test_a_missing_module_of_a_package_without_init_is_named(statement: str):
    graph = f"{statement}\n{IMPORTS}{STATE}{NODES}{GRAPH}"
    reading = flow_of_files({"court/graph.py": graph, "court/tools.py": ""})

    (fault,) = faults(reading, "broken_import")
    assert fault.sentence.endswith("court/graph.py cannot be imported at this commit")


def test_a_module_in_other_letters_is_named_and_followed():
    graph = f"from court.bench import look, ask\n{IMPORTS}{STATE}{NODES}{GRAPH}"
    bench = "def look(url): return url\n"
    files = {"court/graph.py": graph, "court/Bench.py": bench, "court/__init__.py": ""}
    reading = flow_of_files(files)

    assert sentences(reading, "broken_import") == [
        (
            "court/graph.py imports from `court.bench`, and the file is court/Bench.py: where the"
            " letters of file names count, as on Linux, court/graph.py cannot be imported"
        ),
        (
            "court/graph.py imports `ask` from court/Bench.py, which does not define it:"
            " court/graph.py cannot be imported at this commit"
        ),
    ]


def test_what_several_files_import_in_vain_is_one_fault_at_the_first_that_python_runs():
    bench = "from .tech_lead import look"
    graph = "from court.bench.judge import ask\nfrom court.bench.tech_lead import look\n"
    files = {
        "court/graph.py": f"{graph}{IMPORTS}{STATE}{NODES}{GRAPH}",
        "court/__init__.py": "from court.bench.names import NONE\n",
        "court/bench/__init__.py": f"from .judge import ask\n{bench}\n",
        "court/bench/judge.py": "def ask(url): return url\n",
        "court/bench/Tech_lead.py": "def look(url): return url\n",
    }
    first, second = faults(flow_of_files(files), "broken_import")

    assert (first.path, first.line, first.other) == (
        "court/bench/__init__.py",
        2,
        ("court/bench/Tech_lead.py", 1),
    )
    assert first.places == (("court/graph.py", 2),)
    assert first.sentence == (
        "court/bench/__init__.py and court/graph.py import from `court.bench.tech_lead`, and the file"
        " is court/bench/Tech_lead.py: where the letters of file names count, as on Linux,"
        " court/bench/__init__.py cannot be imported"
    )
    assert (second.path, second.line) == ("court/__init__.py", 1)


def test_a_package_beside_the_graph_that_no_import_runs_is_not_read():
    files = {
        "court/graph.py": f"from court.tools import look\n{IMPORTS}{STATE}{NODES}{GRAPH}",
        "court/__init__.py": "",
        "court/tools.py": "def look(url): return url\n",
        "court/bench/__init__.py": "from .missing import look\n",
    }
    assert faults(flow_of_files(files), "broken_import") == []


def test_a_library_is_no_module_in_other_letters():
    graph = f"from docker.client import look\n{IMPORTS}{STATE}{NODES}{GRAPH}"
    reading = flow_of_files({"court/graph.py": graph, "court/Docker/client.py": ""})
    assert faults(reading, "broken_import") == []


@pytest.mark.parametrize(
    ("statement", "more"),
    [
        ("from court.judges import look", "court/judges.pyx"),
        ("from court.judges import look", "court/judges/data.json"),
        ("from court.bench.all import look", "court/bench"),
        ("from court._version import look", ""),
        ("from judges import look", ""),
        ("from other.judges import look", "other/tools.txt"),
    ],
)
def test_a_module_that_may_be_there_in_another_form_is_no_fault(statement: str, more: str):
    graph = f"{statement}\n{IMPORTS}{STATE}{NODES}{GRAPH}"
    reading = flow_of_files({"court/graph.py": graph, "court/look.py": ""}, others=[more])
    assert faults(reading, "broken_import") == []


@pytest.mark.parametrize(
    ("statement", "module"),
    [
        ("from src.tools.files import look", "from os.path import join as look\n"),
        ("from src.tools.files import look", "from os import *\n"),
        ("from src.tools.files import look", "def __getattr__(name): ...\n"),
        ("from src.tools.files import look", "try:\n    look = 1\nexcept OSError: ...\n"),
        ("from src.tools.files import look", "def set():\n    global look\n    look = 1\n"),
        ("from src.tools import files", ""),
        ("try:\n    from src.tools.files import look\nexcept ImportError: ...", ""),
        ("from logging import getLogger", ""),
        ("from tools.missing import look", ""),
    ],
)
def test_an_import_that_may_resolve_is_no_fault(statement: str, module: str):
    assert faults(imports(statement, module), "broken_import") == []


MODEL = """
from pydantic import BaseModel, Field
class Report(BaseModel):
    title: str
"""


def test_a_keyword_that_a_model_has_no_field_for_is_named():
    reading = flow_with(f"{MODEL}def look(url):\n    return Report(title=url, opinions=[])\n")

    assert sentences(reading, "ignored_field") == [
        "look() passes `opinions` to Report, which has no such field: Pydantic drops it"
    ]


def test_field_of_nearly_the_name_of_an_unknown_keyword_is_named():
    model = MODEL.replace("title: str", "title: str\n    opinion: list")
    reading = flow_with(f"{model}def look(url):\n    return Report(title=url, opinions=[])\n")

    assert sentences(reading, "ignored_field") == [
        (
            "look() passes `opinions` (there is `opinion`) to Report, which has no such field: Pydantic"
            " drops it"
        )
    ]


def test_calls_that_pass_the_same_unknown_keyword_are_one_fault_at_the_first():
    call = "Report(title=url, opinions=[])"
    look = f"def look(url):\n    Report(title=url)\n    {call}\n    return {call}\n"
    (fault,) = faults(flow_with(f"{MODEL}{look}"), "ignored_field")
    assert "look() passes `opinions` in 2 calls to Report, which" in fault.sentence


@pytest.mark.parametrize(
    "model",
    [
        MODEL.replace("title: str", "title: str\n    opinions: list"),
        MODEL.replace("title: str", "title: str = Field(alias='opinions')"),
        MODEL.replace("title: str", "title: str\n    model_config = {'extra': 'allow'}"),
        MODEL.replace("title: str", "title: str\n    def __init__(self, **more): ..."),
        MODEL.replace("BaseModel)", "Other)").replace("class", "from lib import Other\nclass"),
    ],
)
def test_a_keyword_that_a_model_may_take_is_no_fault(model: str):
    look = f"{model}\ndef look(url):\n    return Report(title=url, opinions=[])\n"

    assert faults(flow_with(look), "ignored_field") == []


PROMPT = f'JUDGE_PROMPT = "{"Judge the work. " * 10}"\n'


def test_a_prompt_that_no_code_uses_is_named():
    assert sentences(flow_with(PROMPT), "unused_prompt") == [
        "`JUDGE_PROMPT` is a text for a model, and no code uses it"
    ]


@pytest.mark.parametrize(
    ("code", "other"),
    [
        (f"{PROMPT}def look(url):\n    return JUDGE_PROMPT + url\n", ""),
        (f"{PROMPT}PROMPTS = [JUDGE_PROMPT]\n", ""),
        (PROMPT, "from src.graph import JUDGE_PROMPT\n"),
        ('JUDGE_PROMPT = "short"\n', ""),
        (PROMPT.replace("JUDGE_PROMPT", "LICENCE"), ""),
    ],
)
def test_a_prompt_that_may_be_used_is_no_fault(code: str, other: str):
    assert faults(flow_with(code, other=other), "unused_prompt") == []


@pytest.mark.parametrize(
    ("other", "is_idle"),
    [
        ("from src.second import weigh\nweigh(1)\n", True),
        ("def weigh(work):\n    return work\nweigh(1)\n", True),
        ("from src.first import weigh\nweigh(1)\n", False),
        ("from src.second import weigh\nfrom src import first\nfirst.weigh(1)\n", False),
        ("from elsewhere import weigh\nweigh(1)\n", False),
    ],
)
def test_prompt_of_a_function_is_idle_where_another_one_of_its_name_is_called(
    other: str, is_idle: bool
):
    first = f"def weigh(work):\n    {PROMPT}    return JUDGE_PROMPT + work\n"
    second = "def weigh(work):\n    return work\n"
    reading = flow_of(
        "def detective(state): return {}\ndef judge(state): return {}\n",
        {"src/first.py": first, "src/second.py": second, "src/other.py": other},
    )

    assert bool(faults(reading, "unused_prompt")) is is_idle


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("def look(url):\n    {prompt}\n    return url\n", "look() does not use it"),
        (
            (
                "def look(url, JUDGE_PROMPT=None):\n    if JUDGE_PROMPT is None:\n        {prompt}\n"
                "    return url if not JUDGE_PROMPT else None\n"
            ),
            "look() does not use it",
        ),
        (
            (
                "def look(url, JUDGE_PROMPT=None):\n    if not JUDGE_PROMPT:\n        {prompt}\n"
                "    return JUDGE_PROMPT + url\n"
            ),
            "",
        ),
        (
            (
                "def look(url):\n    return url\ndef sum_up(model):\n    {prompt}\n"
                "    return model.invoke(JUDGE_PROMPT)\n"
            ),
            "nothing calls sum_up(), in which it stands",
        ),
        ("def look(url):\n    {prompt}\n    return JUDGE_PROMPT + url\n", ""),
    ],
)
def test_prompt_that_a_function_makes_and_no_model_gets_is_named(code, why):
    reading = flow_with(code.format(prompt=PROMPT.strip()))
    expected = [f"`JUDGE_PROMPT` is a text for a model, and {why}"] if why else []
    assert sentences(reading, "unused_prompt") == expected


LONG = f'"{"Look at the work. " * 10}"'
FOR_DEFENSE = f'"You are the Defense. {LONG[1:]}'


MAKERS = (
    "class JudgePrompts:\n"
    f"    @staticmethod\n    def for_prosecutor(case):\n        return f{LONG}\n"
    f"    @staticmethod\n    def for_defense(case):\n        return {LONG}.strip()\n"
    f"    @staticmethod\n    def for_nobody(case):\n        return 'short'\n"
    f"    @register\n    def for_anybody(case):\n        return {LONG}\n"
)


def test_methods_that_return_prompts_and_that_nothing_calls_are_named():
    reading = flow_of(NODES, {"src/texts.py": MAKERS, "src/other.py": "import src.texts\n"})

    (fault,) = faults(reading, "unused_prompt")
    assert fault.sentence == (
        "JudgePrompts.for_prosecutor() and JudgePrompts.for_defense() return texts for a model, and"
        " nothing calls them"
    )
    assert (fault.path, fault.line, fault.is_minor) == ("src/texts.py", 3, False)


@pytest.mark.parametrize(
    "use", ["JudgePrompts().for_defense(1)", "'for_defense'", "getattr(JudgePrompts, name)()"]
)
def test_method_that_returns_a_prompt_and_may_be_called_is_no_fault(use: str):
    maker = f"class JudgePrompts:\n    def for_defense(self, case):\n        return {LONG}\n"
    other = f"from src.texts import JudgePrompts\nname = {use}\n"
    reading = flow_of(NODES, {"src/texts.py": maker, "src/other.py": other})

    assert faults(reading, "unused_prompt") == []


@pytest.mark.parametrize(
    ("path", "code", "is_minor"),
    [
        ("src/judges.py", f"SYSTEM_PROMPT = {LONG}\n", False),
        ("src/prompts.py", f"SYSTEM_PROMPT = {LONG}\n", True),
        ("src/prompts.py", f"SYSTEM_PROMPT = {FOR_DEFENSE}\n", False),
        ("src/judges.py", f"CHIEF_JUSTICE_PROMPT = {LONG}\n", True),
        ("src/justice.py", f"def sum_up(model):\n    prompt = {LONG}\n    return prompt\n", True),
        ("src/nodes.py", f"def defend(model):\n    judge_prompt = {LONG}\n    return 1\n", False),
        ("src/nodes.py", f"class Vision:\n    prompt = {LONG}\n", True),
        ("src/nodes.py", f"class Prosecutor:\n    prompt = {LONG}\n", False),
    ],
)
def test_unused_prompt_of_another_part_than_the_judges_is_minor(
    path: str, code: str, is_minor: bool
):
    reading = flow_of(NODES, {path: code})

    assert [fault.is_minor for fault in faults(reading, "unused_prompt")] == [is_minor]


@pytest.mark.parametrize(("node", "is_minor"), [("detective", True), ("judge", False)])
def test_unused_prompt_in_a_function_belongs_to_the_node_that_runs_it(node: str, is_minor: bool):
    unsent = f"def {node}(state):\n    prompt = {LONG}"
    reading = flow_of(NODES.replace(f"def {node}(state):", unsent))

    assert [fault.is_minor for fault in faults(reading, "unused_prompt")] == [is_minor]


CHECK = "def is_valid(url):\n    return url.startswith('https://')\n"


def test_a_check_whose_result_is_dropped_is_named():
    reading = flow_with(f"{CHECK}def look(url):\n    is_valid(url)\n    return url\n")

    assert sentences(reading, "unused_result") == [
        "look() calls is_valid() and does not use what it returns"
    ]


CACHED = """
import functools
ANSWERS = {{}}
def look(url):
    {call}
    return url
def check_url(url):
    return answer_of(url)
{decorator}
def answer_of(url):
    {store} = url.startswith("https:")
    return url
"""


@pytest.mark.parametrize("call", ["check_url(url)", "answer = check_url(url)"])
@pytest.mark.parametrize(
    ("decorator", "store", "is_idle"),
    [
        ("@functools.lru_cache(maxsize=None)", "answer", False),
        ("", "ANSWERS[url]", False),
        ("", "answer", True),
    ],
)
def test_call_that_fills_a_cache_has_its_use(call, decorator, store, is_idle):
    code = CACHED.format(call=call, decorator=decorator, store=store)
    named = sentences(flow_with(code), "unused_result")
    assert any(name.startswith("look()") for name in named) is is_idle


def test_a_part_of_the_verdict_that_is_dropped_is_named():
    graph = GRAPH.replace('"judge"', '"chief_justice"')
    reading = flow_of(
        f"{NODES.replace('list(', 'ruled(')}"
        "def ruled(opinions):\n    dissent = explained(opinions)\n    return opinions\n"
        "def explained(opinions):\n    return str(opinions)\n",
        graph=graph,
    )

    assert sentences(reading, "unused_verdict") == [
        "ruled() keeps what explained() returns as `dissent` and never uses it"
    ]


def test_a_result_that_is_kept_and_never_read_is_named():
    reading = flow_with(
        "def look(url):\n    dissent = explained(url)\n    return url\n"
        "def explained(url):\n    lines = []\n    lines.append(url)\n    return lines\n"
    )

    assert sentences(reading, "unused_result") == [
        "look() keeps what explained() returns as `dissent` and never uses it"
    ]


@pytest.mark.parametrize(
    ("kept", "is_minor"),
    [
        ("text = text_of(url)", True),
        ("evidence = text_of(url)", False),
        ("known = is_valid(url)", False),
    ],
)
def test_kept_result_counts_if_it_is_evidence_or_a_check(kept: str, is_minor: bool):
    code = f"{CHECK}def text_of(url):\n    return str(url)\ndef look(url):\n    {kept}\n    return url\n"

    (fault,) = faults(flow_with(code), "unused_result")
    assert fault.is_minor is is_minor


@pytest.mark.parametrize(
    "look",
    [
        f"{CHECK}def look(url):\n    kept = is_valid(url)\n    return kept\n",
        f"{CHECK}def look(url):\n    kept = is_valid(url)\n    return locals()\n",
        f"{CHECK}def look(url):\n    _kept = is_valid(url)\n    return url\n",
        f"{CHECK}kept = 1\ndef look(url):\n    global kept\n    kept = is_valid(url)\n",
        "def fetch(url):\n    print(url)\n    return url\ndef look(url):\n    kept = fetch(url)\n",
        f"{CHECK}def look(url):\n    return is_valid(url)\n",
        f"{CHECK}def look(url):\n    if not is_valid(url):\n        return None\n",
        (
            "def is_valid(url):\n    if not url:\n        raise ValueError\n    return url\n"
            "def look(url):\n    is_valid(url)\n"
        ),
        "def validate(url):\n    print(url)\n    return True\ndef look(url):\n    validate(url)\n",
        (
            "def validate(holder):\n    holder.ok = True\n    return True\n"
            "def look(url):\n    validate(url)\n"
        ),
        "def validate(urls):\n    return urls.pop()\ndef look(url):\n    validate(url)\n",
    ],
)
def test_a_check_that_is_used_or_does_more_is_no_fault(look: str):
    assert faults(flow_with(look), "unused_result") == []


JUDGES = """
class Base:
    def ask(self): return model.invoke({read})
class Prosecutor(Base):
    persona_description = "You are a skeptical auditor who looks for gaps and for missing tests."
class Defense(Base):
    persona_description = "You are the advocate of the developer and credit effort and intent."
"""


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (
            "self.name",
            ["`persona_description` is a text for a model in 2 classes, and no code uses it"],
        ),
        ("self.persona_description", []),
        ("getattr(self, self.field)", []),
    ],
)
def test_a_persona_that_enters_no_prompt_is_named(read: str, expected: list[str]):
    reading = flow_with(f"def look(url): return url\n{JUDGES.format(read=read)}")

    assert sentences(reading, "unused_prompt") == expected


def test_prompts_of_one_function_that_nothing_calls_are_one_fault():
    prompts = f"    {PROMPT}    {PROMPT.replace('JUDGE', 'USER')}"
    reading = flow_with(
        f"def look(url):\n    return url\ndef sum_up(model):\n{prompts}    return 1\n"
    )
    (sentence,) = sentences(reading, "unused_prompt")
    assert sentence == (
        "`JUDGE_PROMPT` and `USER_PROMPT` are texts for a model, and nothing calls sum_up(), in which"
        " they stand"
    )


def test_prompt_of_a_function_whose_namesake_runs_says_where_that_stands():
    other = f"def look(model):\n{'    ' + PROMPT}    return 1\n"
    code = f"from src.tools import look\n{NODES.replace('def look(url): return url', '')}"
    tools = "def look(url):\n    return url\n"
    reading = flow_of(code, {"src/old.py": other, "src/tools.py": tools})
    (sentence,) = sentences(reading, "unused_prompt")
    assert sentence == (
        "`JUDGE_PROMPT` is a text for a model, and nothing calls look(), in which it stands; the"
        " function of this name that runs stands in src/tools.py"
    )


def test_keyword_that_a_judge_beside_the_graph_passes_in_vain_is_named():
    model = "from pydantic import BaseModel\nclass JudicialOpinion(BaseModel):\n    score: int\n"
    judge = (
        "class Prosecutor:\n    def render_opinion(self, evidence):\n"
        "        answer = llm.invoke([SystemMessage(content=PROSECUTOR_PROMPT), evidence])\n"
        "        return JudicialOpinion(score=answer.score, dimension='git')\n"
        "PROSECUTOR_PROMPT = 'You are the prosecutor. Look for every flaw, gap and lazy shortcut.'\n"
    )
    graph = GRAPH.replace('g.add_node("judge", judge)\n', "").replace('"judge"', "END")
    reading = flow_of(NODES, {"src/judges.py": f"{model}{judge}"}, graph=graph)

    (sentence,) = sentences(reading, "ignored_field")
    assert sentence.startswith(
        "render_opinion() passes `dimension` to JudicialOpinion, which has no"
    )


def test_langgraph_itself_has_no_builder_to_import():
    (fault,) = faults(imports("from langgraph import StateGraph, START", ""), "broken_import")
    assert fault.sentence == (
        "src/graph.py imports `StateGraph` from langgraph, where langgraph.graph has it: src/graph.py"
        " cannot be imported"
    )


@pytest.mark.parametrize(
    "statement",
    [
        "from langgraph import graph",
        "try:\n    from langgraph import StateGraph\nexcept ImportError:\n    StateGraph = None",
    ],
)
def test_what_langgraph_has_or_a_try_looks_for_is_no_broken_import(statement: str):
    assert faults(imports(statement, ""), "broken_import") == []
