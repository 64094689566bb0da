"""Branches that leave the judges' model unbound, and what no misfit can leave in them."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.answer_retries import blind_loops, retries
from courtroom.analysis.langgraph.judging.bent_scores import bent_scores
from courtroom.analysis.langgraph.judging.bypassed_calls import bypasses
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

JUDGE = """
class Judge:
    def __init__(self):
        if self.is_plain:
            self.llm = self.raw
        else:
            self.llm = {bound}
    def bind(self):
        return self.raw.with_structured_output(Opinion)
    def ask(self, text):
        if self.is_plain:
            try:
                return self.read(self.llm.invoke(text))
            except ValidationError:
                return self.read(self.raw.invoke(text))
        return self.llm.invoke(text)
    def read(self, answer):
        {read}
"""
CAUGHT = """try:
            return Opinion(**answer)
        except Exception:
            return Opinion(score=3)"""


def functions_of(code: str) -> list[FunctionRef]:
    source = symbols_of(code).codebase.production[0]
    return [FunctionRef(source, site) for site in source.functions]


@pytest.mark.parametrize(
    ("bound", "read", "lines"),
    [
        ("self.bind()", CAUGHT, []),
        ("self.raw.with_structured_output(Opinion)", CAUGHT, []),
        ("self.bind()", "return Opinion(**answer)", [15]),
        ("self.raw", CAUGHT, [15]),
    ],
)
def test_handler_that_no_misfit_reaches_requests_nothing_again(bound, read, lines):
    functions = functions_of(JUDGE.format(bound=bound, read=read))
    assert [line for _, line in retries(functions)] == lines


@pytest.mark.parametrize(
    ("code", "rows"),
    [
        (JUDGE.format(bound="self.bind()", read="pass"), [(5, "self.is_plain")]),
        (JUDGE.format(bound="self.raw", read="pass"), []),
        (
            "def judge(llm, ok):\n    m = llm.with_structured_output(O) if ok else llm\n",
            [(2, "not ok")],
        ),
    ],
)
def test_branch_that_leaves_the_model_unbound_is_shown_with_its_test(code, rows):
    source = symbols_of(code).codebase.production[0]
    assert [(row.line, row.test) for row in bypasses(source)] == rows


LOOP = """
def prosecutor(text):
    model = llm.bind_tools([Opinion])
    for attempt in range(3):
        try:
            answer = model.invoke(text)
            {test}
        except {caught}:
            {handler}
    return Opinion(**answer)
"""


@pytest.mark.parametrize(
    ("test", "caught", "handler", "lines"),
    [
        ("if answer: break", "Exception", "continue", [4]),
        ("if answer.tool_calls: break", "Exception", "continue", []),
        ("break", "Exception", "raise", []),
    ],
)
def test_loop_that_repeats_failures_and_takes_any_answer_is_blind(test, caught, handler, lines):
    functions = functions_of(LOOP.format(test=test, caught=caught, handler=handler))
    assert [line for _, line in blind_loops(functions)] == lines


@pytest.mark.parametrize(
    ("score", "lines"),
    [
        ('max(1, min(5, answer["score"]))', [2]),
        ('min(5, max(1, int(answer.get("score", 1))))', [2]),
        ("max(1, min(5, answer.score))", []),
        ('max(1, answer["score"])', []),
        ('max(answer["score"], min(5, base))', []),
    ],
)
def test_score_of_a_raw_answer_that_is_forced_into_the_scale_is_shown(score, lines):
    code = f"def prosecutor(answer):\n    score = {score}\n    return Opinion(judge='x', score=score)\n"
    rows = bent_scores(functions_of(code))
    assert [place["line"] for row in rows for place in row["places"]] == lines
