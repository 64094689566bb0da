"""Dissents that the code keeps and the Markdown report does not print."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.dissent_rule import is_for_model_alone
from courtroom.analysis.langgraph.judging.lost_dissents import is_dissent_lost
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import layers_of, symbols_of

CODE = """
def decide(p, d, spread, rows):
    dissent = ""
    if spread > 2:
        dissent = f"{{p}} against {{d}}"
    {kept}
    rows.append(Result(score=p, dissent_summary=dissent))
def write(report):
    lines = [f"# Verdict {{report.score}}"]
    {written}
    return "\\n".join(lines)
"""


def is_lost(kept: str = "log = []", written: str = "lines.append(report.summary)") -> bool:
    symbols = symbols_of({"src/work.py": CODE.format(kept=kept, written=written)})
    call_graph, _ = layers_of(symbols)
    write = FunctionRef(*symbols.functions_by_name["write"][0])
    return is_dissent_lost(symbols, call_graph, [write])


@pytest.mark.parametrize(
    "kept", ["log = []", "dissent_log = [dissent]", "rows.dissents.append(dissent)"]
)
def test_dissent_that_only_a_record_keeps_is_lost(kept: str):
    assert is_lost(kept)


@pytest.mark.parametrize(
    ("kept", "written"),
    [
        ("log = []", "lines.append(report.dissent_summary)"),
        ("log = []", "lines.append(report['dissent'])"),
        ("log = []", "lines.append(getattr(report, 'dissent', ''))"),
        ("log = []", "lines.append(json.dumps(report.model_dump()))"),
        ("log = []", "lines.append('## Dissent')"),
        ("summary = f'{p}. {dissent}'", "lines.append(report.summary)"),
        ("notes.append(dissent)", "lines.append(report.summary)"),
    ],
)
def test_dissent_that_may_come_into_the_report_is_not_lost(kept: str, written: str):
    assert not is_lost(kept, written)


def test_dissent_under_another_name_is_left_open():
    code = CODE.replace("dissent", "conflict").format(kept="log = []", written="lines.append('')")
    symbols = symbols_of({"src/work.py": code})
    call_graph, _ = layers_of(symbols)
    write = FunctionRef(*symbols.functions_by_name["write"][0])
    assert not is_dissent_lost(symbols, call_graph, [write])


@pytest.mark.parametrize(
    ("use", "is_for_model"),
    [
        ("prompt = f'Explain: {dissent}'\n    return {'report': llm.invoke(prompt)}", True),
        ("prompt = f'Explain: {dissent}'\n    return Report(dissent=dissent)", False),
        ("return {'report': f'# Verdict {dissent}'}", False),
        ("return {'report': llm.invoke('Explain')}", False),
    ],
)
def test_dissent_that_only_a_model_gets_is_told_from_one_that_is_kept(use: str, is_for_model: bool):
    code = (
        f"def chief_justice(state):\n    dissent = f'{{state[\"opinions\"]}} differ'\n    {use}\n"
    )
    _, layers = layers_of(symbols_of({"src/justice.py": code}))

    assert is_for_model_alone(layers.justice) is is_for_model
