"""Lines that fail whenever they run: what is sure, and what is left alone."""

import pytest

from courtroom.analysis.python.failing_lines import failing_lines
from tests.courtroom.sources import symbols_of


def failing(text):
    """Return function, line and reason of each line of the code that fails."""
    source = symbols_of({"work.py": text}).codebase.files["work.py"]
    return [
        (function.qualname, line.line, line.why)
        for function, lines in failing_lines(source, source.functions).items()
        for line in lines
    ]


def missing(name):
    return f"uses {name}, which nothing defines"


@pytest.mark.parametrize(
    "text",
    [
        "import json\ndef f(x):\n    y = json.dumps(x)\n    return y, __name__, len(y)\n",
        "def f():\n    return later()\ndef later():\n    return LIMIT\nLIMIT = 3\n",
        "def f():\n    def g():\n        return held\n    held = 1\n    return g\n",
        "def f(items):\n    return [item for item in items if (size := len(item))] and size\n",
        "def f():\n    global shared\n    shared = 1\ndef g():\n    return shared\n",
        "def f():\n    try:\n        return unicode\n    except NameError:\n        return str\n",
        "from somewhere import *\ndef f():\n    return anything\n",
        "globals()['made'] = 1\ndef f():\n    return made\n",
        "from __future__ import annotations\ndef f(x: Unknown) -> Unknown:\n    y: Unknown = x\n    return y\n",
        "def f(state):\n    match state:\n        case {'a': a, **rest}:\n            return a, rest\n",
        "class A:\n    def f(self):\n        try:\n            return __class__\n        except ValueError as error:\n            return error\n",
    ],
)
def test_name_that_something_may_define_is_left_alone(text):
    assert failing(text) == []


def test_name_that_nothing_defines_fails_where_it_is_used():
    text = "def f(x):\n    if x:\n        logger.info(x)\n    return x\n"
    assert failing(text) == [("f", 3, missing("logger"))]


def test_name_of_another_function_is_no_definition():
    text = "def f():\n    for root in ():\n        pass\ndef g():\n    return root\n"
    assert failing(text) == [("g", 5, "uses root, which exists only inside f")]


def test_name_in_a_nested_function_fails_in_both():
    text = "def f():\n    def g():\n        return [nothing for _ in ()]\n    return g\n"
    assert failing(text) == [("f", 3, missing("nothing")), ("f.g", 3, missing("nothing"))]


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("[o for o in x if o == k for k in x]", "k"),
        ("[o for o in x for k in rows(k)]", "k"),
        ("{o: k for o in x for p in rows(k) for k in o}", "k"),
    ],
)
def test_name_that_a_comprehension_sets_too_late_fails(expression, name):
    text = f"def f(x):\n    k = 1\n    return {expression}, rows\nrows = list\n"
    assert failing(text) == [("f", 3, f"uses {name} before the for that sets it")]


@pytest.mark.parametrize(
    "expression",
    [
        "[o for k in x for o in x if o == k]",
        "[k for k in k]",
        "[o for o in x if [k for k in o] for k in o]",
        "[o for o in x if (lambda k: k)(o) for k in o]",
        "[k for k in x for k in k]",
        "[o for o in x if o == k]",
    ],
)
def test_name_that_a_comprehension_sets_in_time_does_not_fail(expression):
    assert failing(f"def f(x):\n    k = x\n    return {expression}\n") == []


BRACES = "has braces in an f-string that are read as a value with a format"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("""f'{x} {x:>10} {x!r:.3} {"a":>5}'""", []),
        ("""f'{{"score": 3}}'""", []),
        ("""f'{"score": 3}'""", [BRACES]),
        ("""f'{"score": {x}}'""", [BRACES]),
        ("""f'{ {"a": 1}:>3}'""", [BRACES]),
        ("""'{x} {0} {} {{y}}'.format(x, x=x)""", []),
        ("""'{y}'.format(**x)""", []),
        (
            """'{y.name} {x}'.format(x=x)""",
            ["formats a text that asks for 'y', which is not given"],
        ),
        (
            """PROMPT.format(x=x)""",
            ["formats a text that asks for '\"score\"', which is not given"],
        ),
        ("""OTHER.format(x=x)""", []),
    ],
)
def test_text_that_cannot_be_formatted_fails(expression, expected):
    text = (
        """PROMPT = 'Answer {"score": 3} on {x}'\nOTHER = '{y}'\nOTHER = '{x}'\n"""
        f"def f(x):\n    return {expression}\n"
    )
    assert [why for _, _, why in failing(text)] == expected


@pytest.mark.parametrize(
    ("value", "is_constant"), [("'1 is bad'", True), ("f'{text} is bad'", False)]
)
def test_name_that_another_function_sets_is_shown_there(value, is_constant):
    text = f"def ask(text):\n    SCALE = {value}\n    return text\ndef judge():\n    return SCALE\n"
    source = symbols_of({"work.py": text}).codebase.files["work.py"]
    ((line,),) = failing_lines(source, source.functions).values()
    assert (line.line, line.name, line.set_at, line.is_constant) == (5, "SCALE", 2, is_constant)
