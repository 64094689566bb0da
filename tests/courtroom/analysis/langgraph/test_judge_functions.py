"""Functions that the judges and the Chief Justice run, followed to where they are written."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.search_gaps import layer_gap
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of

WORK = "def work(state):\n    return decide(state)\ndef decide(state):\n    return 3\n"
NODE = "g = StateGraph(dict)\ng.add_node('chief_justice', {})\ng.add_edge(START, 'chief_justice')\n"


def justice_of(code: str, **files: str) -> list[str]:
    _, layers = layers_of(symbols_of({"src/graph.py": code, **files}))
    return [function.name for function in layers.justice]


WRAPPED = {
    "closure": (
        "def safe(inner):\n"
        "    def wrapper(state):\n"
        "        return inner(state)\n"
        "    return wrapper\n" + NODE.format("safe(work)")
    ),
    "partial": "from functools import partial\n" + NODE.format("partial(work, limit=3)"),
    "object": (
        "class Guard:\n"
        "    def __init__(self, inner):\n"
        "        self.inner = inner\n"
        "    def __call__(self, state):\n"
        "        return self.inner(state)\n" + NODE.format("Guard(work)")
    ),
    "settings of a library's decorator": (
        "try:\n    from langsmith import traceable\n"
        "except ImportError:\n    traceable = None\n"
        "def traced(name, inner):\n"
        "    if traceable is None:\n        return inner\n"
        "    return traceable(name=name)(inner)\n" + NODE.format("traced('Work', work)")
    ),
    "decorator of a library": (
        "from langsmith import traceable\n" + NODE.format("traceable(name='Work')(work)")
    ),
    "wrapper for each kind": (
        "def guarded(inner):\n"
        "    if not iscoroutinefunction(inner):\n"
        "        def run(state):\n            return inner(state)\n"
        "        return run\n"
        "    async def run_async(state):\n        return await inner(state)\n"
        "    return run_async\n" + NODE.format("guarded(work)")
    ),
}


@pytest.mark.parametrize("form", WRAPPED)
def test_a_wrapped_node_runs_what_it_wraps(form):
    assert {"work", "decide"} <= set(justice_of(f"{IMPORTS}{WORK}{WRAPPED[form]}"))


def test_rules_in_a_table_are_reached():
    table = (
        "def cap(score):\n    return min(score, 3)\n"
        "def unused(score):\n    return 1\n"
        "RULES = [('cap', cap)]\n"
        "def chief_justice(state):\n"
        "    for name, rule in RULES:\n"
        "        rule(state)\n"
    )

    assert justice_of(table) == ["chief_justice", "cap"]


def test_rules_registered_by_a_decorator_are_reached():
    registry = (
        "RULES = {}\n"
        "def rule(function):\n    RULES[function.__name__] = function\n    return function\n"
        "@rule\ndef cap(score):\n    return min(score, 3)\n"
        "def chief_justice(state):\n    return [r(state) for r in RULES.values()]\n"
    )

    assert justice_of(registry) == ["chief_justice", "cap", "rule"]


def test_an_abstract_method_leads_to_those_of_the_subclasses():
    base = (
        "class Base:\n"
        "    def chief_justice(self, state):\n        return self.resolve(state)\n"
        "    def resolve(self, state):\n        raise NotImplementedError\n"
    )
    other = "from src.graph import Base\nclass Court(Base):\n    def resolve(self, s):\n        return 3\n"

    _, layers = layers_of(symbols_of({"src/graph.py": base, "src/court.py": other}))

    assert {(f.source.path, f.name) for f in layers.justice} == {
        ("src/graph.py", "chief_justice"),
        ("src/graph.py", "resolve"),
        ("src/court.py", "resolve"),
    }


def gap_of(files: dict[str, str]) -> str:
    call_graph, layers = layers_of(symbols_of(files))
    return layer_gap(call_graph, layers, "justice")


def test_code_that_was_followed_to_its_end_has_no_gap():
    code = (
        "import json\ndef chief_justice(s):\n    __import__('time').sleep(1)\n    json.dumps(s)\n"
    )

    assert gap_of({"src/a.py": code}) == ""


@pytest.mark.parametrize(
    ("files", "gap"),
    [
        (
            {
                "src/a.py": "def chief_justice(s, court):\n    return court.resolve(s)\n",
                "src/b.py": "class B:\n    def resolve(self, s):\n        return 1\n",
                "src/c.py": "class C:\n    def resolve(self, s):\n        return 2\n",
            },
            "src/a.py:2 calls resolve, which could not be followed",
        ),
        (
            {"src/a.py": "def chief_justice(s, name):\n    return __import__(name).run(s)\n"},
            "src/a.py:2 calls __import__, which could not be followed",
        ),
        (
            {"src/a.py": "def chief_justice(s):\n    return 1\n", "src/b.py": "def broken(:\n"},
            "src/b.py could not be read",
        ),
        (
            {"src/a.py": f"{IMPORTS}{NODE.format('load(name)')}"},
            "the code of the Chief Justice's node chief_justice could not be followed",
        ),
    ],
)
def test_an_incomplete_search_says_what_stopped_it(files, gap):
    assert gap_of(files) == gap


def test_a_program_in_another_language_is_not_read():
    symbols = symbols_of({})
    call_graph, layers = layers_of(symbols)
    without_code = layer_gap(call_graph, layers, "judge")
    symbols.codebase.other_languages = ("src/judges.ts",)

    assert (without_code, layer_gap(call_graph, layers, "judge")) == (
        "",
        "src/judges.ts is not Python, and there is no Python beside it",
    )


def test_a_method_of_a_given_object_is_the_node():
    nodes = (
        "class Nodes:\n"
        "    limit: int = 3\n"
        "    def decide(self, state):\n        return cap(state)\n"
        "def cap(state):\n    return 3\n"
    )
    code = (
        f"{IMPORTS}from src.nodes import Nodes\n"
        "def build(nodes: Nodes):\n"
        "    g = StateGraph(dict)\n"
        "    g.add_node('chief_justice', nodes.decide)\n"
        "    g.add_edge(START, 'chief_justice')\n"
        "    return g.compile()\n"
    )

    assert justice_of(code, **{"src/nodes.py": nodes}) == ["decide", "cap"]


ELSEWHERE = {
    "a variable": ("total = 3\n    return total", "def total():\n    return ask()\n"),
    "a parameter": ("return state", "def state():\n    return ask()\n"),
    "a field": (
        "return state.content",
        (
            "class Row:\n    content: str\n"
            "class Page:\n    @property\n    def content(self):\n        return ask()\n"
        ),
    ),
    "a method that is not called": (
        "return state.total",
        "class Page:\n    def total(self):\n        return ask()\n",
    ),
    "a method for a bare name": (
        "return total(state)",
        "class Page:\n    def total(self):\n        return ask()\n",
    ),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_function_that_only_shares_a_name_is_not_reached(name):
    body, other = ELSEWHERE[name]
    files = {"site/views.py": f"{other}def ask():\n    return model.invoke('score')\n"}

    assert justice_of(f"def chief_justice(state):\n    {body}\n", **files) == ["chief_justice"]


def test_an_import_under_another_name_is_followed():
    code = "from src.rules import cap as limit\ndef chief_justice(s):\n    return limit(s)\n"

    assert justice_of(code, **{"src/rules.py": "def cap(s):\n    return 3\n"}) == [
        "chief_justice",
        "cap",
    ]


def test_a_method_that_hands_on_to_another_object_leads_to_that_ones():
    files = {
        "src/bench.py": (
            "class Bench:\n    def chief_justice(self, s):\n        raise NotImplementedError\n"
        ),
        "src/model.py": (
            "from src.bench import Bench\n"
            "class Model(Bench):\n    def chief_justice(self, s):\n        return ask(s)\n"
            "def ask(s):\n    return 3\n"
        ),
    }
    code = (
        "from src.bench import Bench\n"
        "class Nodes:\n    def chief_justice(self, s):\n        return self.bench.chief_justice(s)\n"
    )

    assert "ask" in justice_of(code, **files)


def test_a_library_is_not_a_module_of_that_name_inside_a_package():
    files = {
        "src/justice.py": (
            "from statistics import mean\nimport re\n"
            "def chief_justice(scores):\n"
            "    match = re.search('a', 'a')\n"
            "    return mean(scores), match.start()\n"
        ),
        "src/grades/statistics.py": (
            "def mean(scores):\n    return ask(scores)\ndef ask(s):\n    return 3\n"
            "class First:\n    def start(self):\n        return 1\n"
            "class Last:\n    def start(self):\n        return 1\n"
        ),
    }
    call_graph, layers = layers_of(symbols_of(files))

    assert [function.name for function in layers.justice] == ["chief_justice"]
    assert layer_gap(call_graph, layers, "justice") == ""


@pytest.mark.parametrize("action", ["decide", "Court()", "partial(decide, limit=3)"])
def test_code_of_a_module_that_does_not_exist_is_not_there(action: str):
    code = (
        "from functools import partial\nfrom src.justice import Court, decide\n"
        f"{IMPORTS}{NODE.format(action)}"
    )
    call_graph, layers = layers_of(symbols_of(code))

    assert layer_gap(call_graph, layers, "justice") == ""
    assert layers.justice == []


@pytest.mark.parametrize(
    ("between", "lines"),
    [("", [8]), ("def other():\n    pass", [10]), ("TABLE = [decide]", [4, 9])],
)
def test_function_that_a_later_one_of_its_name_replaces_is_not_reached(between, lines):
    better = "def decide(state):\n    return weigh(state)"
    worse = f"{WORK}{NODE.format('work')}"
    parts = [IMPORTS.strip(), better, *filter(None, [between]), worse]
    _, layers = layers_of(symbols_of({"src/graph.py": "\n".join(parts)}))
    decide_lines = sorted(f.site.node.lineno for f in layers.justice if f.name == "decide")
    assert decide_lines == lines
