"""Executive summaries of fixed words."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.summary_content import fixed_summaries
from tests.courtroom.sources import layers_of, symbols_of


def lines(body: str, more: str = "") -> list[int]:
    indented = "\n".join(f"    {line}" for line in body.split("\n"))
    code = (
        "def chief_justice(state):\n    opinions = state['opinions']\n"
        f"{indented}\n    return {{'final_report': report}}\n"
    )
    _, layers = layers_of(symbols_of({"src/justice.py": code + more}))
    return [line for _, line in fixed_summaries(layers.justice)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("report = Report(executive_summary='All rules were applied.')", [3]),
        (
            (
                "executive_summary = 'All well.'\nif failed:\n"
                "    executive_summary = 'Warning. ' + executive_summary\n"
                "report = Report(executive_summary=executive_summary)"
            ),
            [3, 5, 6],
        ),
        ("report = Report(executive_summary=f'Scored {overall:.1f}.')", []),
        ("report = Report(executive_summary='; '.join(op.argument for op in opinions))", []),
        ("report = Report(executive_summary=text_of(opinions))", []),
        ("report = Report(remediation='All rules were applied.')", []),
    ],
    ids=["one", "two", "score", "arguments", "unknown", "none"],
)
def test_summary_is_fixed_where_no_value_of_the_audit_is_in_it(body, expected):
    assert sorted(lines(body)) == expected


def test_summary_that_a_function_makes_is_followed():
    function = "\ndef executive_summary(opinions):\n    return 'The court has spoken.'\n"
    assert sorted(
        lines("report = Report(executive_summary=executive_summary(opinions))", function)
    ) == [
        3,
        7,
    ]
