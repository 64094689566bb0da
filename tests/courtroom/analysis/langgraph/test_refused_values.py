"""Values that a prompt fixes, and that the answer's schema or the rubric refuses."""

from __future__ import annotations

import json

import pytest

from courtroom.analysis.langgraph.judging.refused_values import refused_values
from tests.courtroom.sources import layers_of, symbols_of

STATE = """
from typing import Literal
from pydantic import BaseModel

class Opinion(BaseModel):
    judge: Literal["Prosecutor", "TechLead"]
    criterion_id: str
    score: int
"""
JUDGES = '''
from src.state import Opinion

class Judge:
    name = "Judge"
    def prosecutor(self, evidence):
        """Answer with "judge": "Somebody" is no part of any prompt here."""
        prompt = f"""Read this evidence with care: {{evidence}}
        {asked} """
        {answer}

class Prosecutor(Judge):
    name = "Prosecutor"

class TechLead(Judge):
    name = "Tech Lead"
'''
ASK = "return model.with_structured_output(Opinion).invoke(prompt)"
JUSTICE = """
def chief_justice(opinions, criteria):
    return [op for op in opinions for key in criteria if op.criterion_id == key]
"""
RUBRIC = {"rubric.json": json.dumps({"dimensions": [{"id": "git_history", "name": "History"}]})}
REFUSED = (
    "The judges' model is told to answer with 'Tech Lead' as `judge`; its schema allows only"
    " Prosecutor, TechLead, so an answer that obeys is refused"
)
DROPPED = (
    "The judges' model is told to answer with 'graph' as `criterion_id`; the rubric has no such"
    " criterion, so no opinion that obeys counts"
)


def faults(asked: str, answer: str = ASK, justice: str = JUSTICE, data=RUBRIC):
    judges = JUDGES.replace("{asked}", asked).replace("{answer}", answer)
    judges = judges.replace("{{", "{").replace("}}", "}")
    symbols = symbols_of(
        {"src/state.py": STATE, "src/judges.py": judges, "src/justice.py": justice}
    )
    symbols.codebase.data = data
    _, layers = layers_of(symbols)
    return [
        (f.sentence, f.line, f.other)
        for f in refused_values(symbols, layers.judges, layers.justice)
    ]


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ('"judge": "Tech Lead"', (REFUSED, 9, ("src/state.py", 6))),
        ("Return judge='Tech Lead' and a score.", (REFUSED, 9, ("src/state.py", 6))),
        ('"judge": "{self.name}"', (REFUSED, 9, ("src/state.py", 6))),
        ('"criterion_id": "graph"', (DROPPED, 9, None)),
    ],
)
def test_fixed_value_that_is_refused_is_a_fault_at_its_line(asked, fault):
    assert faults(asked) == [fault]


@pytest.mark.parametrize(
    "asked",
    [
        '"judge": "TechLead"',
        '"judge": "..."',
        '"judge": "{evidence}"',
        '"criterion_id": "git_history"',
        'An example: "criterion_id": "graph"',
        'the judge of "Tech Lead"',
    ],
)
def test_value_that_fits_or_is_none_is_no_fault(asked):
    assert faults(asked) == []


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({"answer": "op = model.invoke(prompt)\n        op.criterion_id = evidence.key"}, 0),
        ({"answer": "use(Opinion(criterion_id=evidence.key))"}, 0),
        (
            {
                "answer": f"try:\n            {ASK}\n        except E:\n            use(criterion_id=1)"
            },
            1,
        ),
        ({"justice": "def chief_justice(opinions):\n    return opinions\n"}, 0),
        ({"data": {}}, 0),
    ],
)
def test_criterion_is_dropped_only_where_the_rubric_decides_what_counts(changes, count):
    assert len(faults('"criterion_id": "graph"', **changes)) == count
