"""Steps for lines that fail, by the runs that come to them."""

from courtroom.synthesis.advice import code_steps
from courtroom.synthesis.advice.work import Work


def test_line_that_runs_only_where_a_key_is_empty_is_of_low_priority():
    row = {"path": "a.py", "line": 3, "part": "graph", "function": "doc", "where_empty": "notes"}
    facts = Work({"failing_code": {"lines": [row | {"why": "calls x, which is nowhere"}]}}, {}, {})
    (step,) = code_steps.failing_steps("graph", facts)
    assert (step.is_urgent, step.is_minor) == (False, True)
    assert step.action == (
        "Mend this line: doc calls x, which is nowhere. It runs only where `notes` is empty."
    )
