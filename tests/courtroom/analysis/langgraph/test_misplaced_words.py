"""Rules of facts that wait under one criterion for a word of another."""

from __future__ import annotations

import json

import pytest

from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.analysis.langgraph.rules import readings_of
from tests.courtroom.sources import justice, layers_of, symbols_of

RUBRIC = json.dumps(
    {
        "dimensions": [
            {"id": "typed_state", "instruction": "Look for reducers and invented fields."},
            {"id": "theory", "instruction": "Does the report explain metacognition?"},
        ]
    }
)
MISSING = "not any(ev.found for ev in evidences)"


def reading_of(test: str, rubric: str = RUBRIC):
    code = justice(f"if {test} and {MISSING}:\n    score = 2")
    return readings_of(code, data={"rubric.json": rubric})["fact_supremacy"]


def test_rule_that_waits_for_a_word_of_another_criterion_is_none():
    reading = reading_of("criterion_id == 'typed_state' and 'deep metacognition' in d.argument")
    words = [(word.word, word.criterion, word.home) for word in reading.misplaced]
    assert words == [("deep metacognition", "typed_state", "theory")]
    assert reading.lines == []


@pytest.mark.parametrize(
    "test",
    [
        "criterion_id == 'theory' and 'deep metacognition' in d.argument",
        "criterion_id == 'typed_state' and 'invention' in d.argument",
        "criterion_id == 'typed_state' and 'modular' in d.argument",
        "criterion_id == 'typed_state' and ('metacognition' in d.argument or 'rich' in d.argument)",
        "criterion_id == 'typed_state'",
        "criterion_id != 'typed_state' and 'metacognition' in d.argument",
        "'metacognition' in d.argument",
    ],
    ids=["own", "form", "nowhere", "other word", "no word", "all but one", "all criteria"],
)
def test_rule_that_an_argument_may_set_off_stays(test):
    reading = reading_of(test)
    assert (bool(reading.lines), reading.misplaced) == (True, ())


def test_word_is_at_home_where_no_rubric_tells():
    reading = reading_of("criterion_id == 'typed_state' and 'metacognition' in d.argument", "[]")
    assert (bool(reading.lines), reading.misplaced) == (True, ())


@pytest.mark.parametrize(
    ("prompt", "is_applied"), [("Praise metacognition.", True), ("Praise effort.", False)]
)
def test_word_that_judges_are_asked_about_everywhere_is_at_home(prompt, is_applied):
    test = f"criterion_id == 'typed_state' and 'metacognition' in d.argument and {MISSING}"
    judge = (
        "def prosecutor_node(state):\n"
        f"    return {{'opinions': [llm.with_structured_output(Opinion).invoke('{prompt}')]}}\n"
    )
    files = {"src/judges.py": judge, "src/justice.py": justice(f"if {test}:\n    score = 2")}
    symbols = symbols_of(files)
    symbols.codebase.data = {"rubric.json": RUBRIC}
    call_graph, layers = layers_of(symbols)
    assert layers.judges
    conditions = DeadConditions(symbols, layers.justice, None)
    reading = read_rules(call_graph, layers, read_graph(symbols, {}), conditions)["fact_supremacy"]
    assert bool(reading.lines) is is_applied
