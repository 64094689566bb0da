"""Collections and counts that the Chief Justice's code fills and never reads."""

import pytest

from courtroom.analysis.langgraph.state_flow.unread_collections import unread_collections
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of


def faults_of(body: str):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    symbols = symbols_of(f"def decide(opinions, given):\n{lines}\n    return 3\n")
    (entry,) = symbols.functions_by_name["decide"]
    return [(f.sentence, f.line, f.is_minor) for f in unread_collections([FunctionRef(*entry)])]


@pytest.mark.parametrize(
    ("body", "sentence", "line"),
    [
        (
            "texts = {}\nfor o in opinions:\n    texts[o.judge] = o.argument",
            "decide() fills `texts` and never reads it",
            4,
        ),
        ("rows = []\nrows.append(opinions)", "decide() fills `rows` and never reads it", 3),
        ("n = 0\nfor o in opinions:\n    n += 1", "decide() counts `n` and never reads it", 4),
    ],
)
def test_what_is_filled_and_never_read_is_named(body: str, sentence: str, line: int):
    assert faults_of(body) == [(sentence, line, True)]


@pytest.mark.parametrize(
    "body",
    [
        "rows = []\nrows.append(opinions)\nprint(rows)",
        "rows = []\nlast = rows.append(opinions) or rows",
        "row = given['row']\nrow['score'] = 3",
        "given['score'] = 3",
        "for row in given:\n    row['score'] = 3",
        "n = 0\nn += 1\nif n > 1:\n    return 2",
        "rows = []\nrows.append(opinions)\nprint(locals())",
        "rows = []\ndef add(o):\n    rows.append(o)\n    return rows\nmap(add, opinions)",
    ],
)
def test_what_is_read_or_made_elsewhere_is_no_fault(body: str):
    assert faults_of(body) == []
