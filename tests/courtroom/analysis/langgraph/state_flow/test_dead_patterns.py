"""Patterns in f-strings whose repeat is read as a value."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_with

LOOK = "import re\nimport string\ndef look(state):\n    name = re.escape('a')\n    {body}\n"


@pytest.mark.parametrize(
    ("body", "counts", "written"),
    [
        (r"return re.findall(rf'#{1,6}\s*{name}', state)", "{1,6}", "(1, 6)"),
        (r"return re.search(pattern := name, state) or re.split(rf'\d{4}', state)", "{4}", "4"),
        (
            r"return re.compile(pattern=name) or re.sub(f'[a-z]{2,}{name}', '', state)",
            "{2,}",
            "(2,)",
        ),
    ],
)
def test_repeat_of_a_pattern_in_an_f_string_is_a_value(body, counts, written):
    (fault,) = faults(flow_with(LOOK.replace("{body}", body)), "dead_pattern")
    assert fault.sentence == (
        f"look() has `{counts}` in the f-string of a pattern, which is there the text “{written}” and no"
        " repeat: braces are doubled in an f-string"
    )


@pytest.mark.parametrize(
    "body",
    [
        r"return re.findall(rf'#{{1,6}}\s*{name}', state)",
        r"return re.findall(r'#{1,6}', state)",
        r"return re.findall(rf'{name}', state)",
        r"return re.findall(rf'{name:4}', state)",
        r"return print(f'{4} {name}')",
        r"return string.split(f'{4}{name}', state)",
    ],
)
def test_doubled_braces_and_other_texts_are_no_fault(body):
    assert faults(flow_with(LOOK.replace("{body}", body)), "dead_pattern") == []
