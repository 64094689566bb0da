"""Calls of a judge's model that go around the schema to which the same function binds it."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.structured_calls import structured_calls
from courtroom.analysis.langgraph.judging.unbound_calls import unbound_calls
from tests.courtroom.sources import layers_of, symbols_of

CUT = "def cut(text):\n    return json.loads(text)\n"


def unbound(code: str) -> list[int]:
    symbols = symbols_of({"src/judges.py": code})
    _, layers = layers_of(symbols)
    return [
        line for call in structured_calls(symbols) for line in unbound_calls(call, layers.judges)
    ]


def judge(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{CUT}def prosecutor(state):\n{lines}"


FIRST_ONLY = """llm = make()
def ask(is_first):
    if is_first:
        return llm.with_structured_output(Opinion).invoke(state)
    text = llm.invoke(state)
    return Opinion(score=int(cut(text)["score"]))
return ask(True) or ask(False)"""
CHAIN = """bound = model.with_structured_output(Opinion)
chain = prompt | model
try:
    return bound.invoke(state)
except ValueError:
    return cut(chain.invoke(state))"""
IN_ONE_STEP = CHAIN.replace("chain.invoke", "(prompt | model).invoke")


@pytest.mark.parametrize(("body", "lines"), [(FIRST_ONLY, [8]), (CHAIN, [9]), (IN_ONE_STEP, [9])])
def test_text_that_is_cut_apart_beside_a_bound_call_is_unbound(body, lines):
    assert unbound(judge(body)) == lines


def test_methods_of_one_object_share_its_model():
    code = """
        class Prosecutor:
            def __init__(self):
                self.bound = self.llm.with_structured_output(Opinion)
            def prosecutor(self, state):
                return self.bound.invoke(state) or self.plain(state)
            def plain(self, state):
                return json.loads(self.llm.invoke(state))
            def judge(self, state):
                return self.prosecutor(state)
        """
    assert unbound(code) == [8]


@pytest.mark.parametrize(
    "body",
    [
        # Each call is bound.
        "llm = llm.with_structured_output(Opinion)\nreturn cut(llm.invoke(state))",
        "return cut(llm.with_structured_output(Opinion).invoke(state))",
        # The text is held to the schema after all.
        CHAIN.replace("cut(chain.invoke(state))", "Opinion(**cut(chain.invoke(state)))"),
        CHAIN.replace("cut(chain", "Opinion.model_validate(cut(chain").replace(
            "state))", "state)))"
        ),
        # Its text stays text.
        CHAIN.replace("cut(chain.invoke(state))", "summary(chain.invoke(state))"),
        # Another model writes another text.
        CHAIN.replace("prompt | model", "prompt | writer"),
    ],
)
def test_bound_validated_and_other_calls_are_not(body):
    assert unbound(judge(body)) == []
