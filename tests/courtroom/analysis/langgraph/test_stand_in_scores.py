"""Scores of helpers and callers that stand in for an answer, and what stands in for none."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.made_up_scores import made_up_scores
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import layers_of, symbols_of

MADE_UP = "Opinion(judge='x', score={score}, argument='It failed.')"
HANDLER = """\
    try:
        return model.invoke(state)
    except ValueError:
        return [MADE_UP]
"""


@pytest.mark.parametrize(
    ("caught", "words"),
    [
        ("EnvironmentError", "where EnvironmentError is raised."),
        ("(OSError, ImportError)", "where OSError or ImportError is raised."),
        ("(OSError, ValueError)", "in place of an answer that failed."),
        ("Exception", "in place of an answer that failed."),
    ],
)
def test_error_of_the_machine_is_no_answer_that_failed(caught: str, words: str):
    code = HANDLER.replace("ValueError", caught).replace("MADE_UP", MADE_UP.format(score=3))
    _, layers = layers_of(symbols_of(f"def prosecutor(state):\n{code}"))
    (row,) = made_up_scores(layers.judges)
    assert row[2] == f"prosecutor gives the score 3 {words}"


UNREAD = """\
def prosecutor(state):
    answer = read_answer(model.invoke(state))
    return Opinion(judge='x', score=answer["score"], argument=answer["argument"])
def read_answer(text):
    if not text:
        return {"score": 3, "argument": "Empty"}
    try:
        return json.loads(text)
    except ValueError:
        pass
    found = re.search("score: ([1-5])", text)
    score = int(found.group(1)) if found else 2
    return {"score": score, "argument": "Found in the text"}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", [6, 12]),
        ("json.loads(text)", "use(text)", []),
        ('"score": 3', '"score": 0', [12]),
        ("else 2", "else None", [6]),
        ("read_answer(model.invoke(state))", "model.invoke(state)", []),
    ],
)
def test_score_of_a_helper_that_cannot_read_an_answer_is_shown(old, new, expected):
    _, layers = layers_of(symbols_of(UNREAD.replace(old, new, 1) if old else UNREAD))
    rows = made_up_scores([*layers.judges])
    assert [line for _, line, _ in rows] == expected
    words = {text.partition(" gives the score ")[2][2:] for *_, text in rows}
    assert words <= {"in place of an answer that cannot be read."}


HANDED_ON = """\
def prosecutor(state):
    result = ask(state)
    if result is None:
        result = MADE_UP
    return result
def ask(state):
    chain = prompt | llm.{binder}(Opinion)
    try:
        answer = chain.invoke(state)
        return answer
    except Exception:
        return MADE_UP
"""


@pytest.mark.parametrize(
    ("binder", "expected"), [("with_structured_output", [12, 4]), ("with_retry", [12])]
)
def test_caller_that_writes_a_score_for_no_answer_comes_after_the_request(binder, expected):
    code = HANDED_ON.format(binder=binder).replace("MADE_UP", MADE_UP.format(score=3))
    _, layers = layers_of(symbols_of(code))
    assert [line for _, line, _ in made_up_scores(layers.judges)] == expected


def test_request_in_a_handler_is_not_answered_by_a_class_with_such_a_method():
    code = (
        "    try:\n        return model.invoke(state)\n"
        "    except ValueError:\n        return offline(state)\n"
        "def offline(state):\n    return plain.invoke(state)\n"
        "class Offline:\n    def invoke(self, state):\n        return MADE_UP\n"
    ).replace("MADE_UP", MADE_UP.format(score=3))
    symbols = symbols_of(f"def prosecutor(state):\n{code}")
    source = symbols.codebase.production[0]
    assert made_up_scores([FunctionRef(source, site) for site in source.functions]) == []
