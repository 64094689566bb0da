"""Verdicts that a caller of the graph averages anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.langgraph.judging.report_delivery import DeliveryReader
from courtroom.analysis.langgraph.judging.second_verdicts import second_verdicts
from tests.courtroom.analysis.test_shown_places import surveyed
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of

GRAPH = f"""{IMPORTS}
def prosecutor(state):
    return {{'opinions': [Opinion(judge='Prosecutor', score=ask(state))]}}

def chief_justice(state):
    opinions = state['opinions']
    return {{'final_report': round(sum([op.score for op in opinions]) / len(opinions))}}

g = StateGraph(dict)
g.add_node('prosecutor', prosecutor)
g.add_node('chief_justice', chief_justice)
g.add_edge(START, 'prosecutor')
g.add_edge('prosecutor', 'chief_justice')
g.add_edge('chief_justice', END)
app = g.compile()
"""
PAGE = """\
from src.graph import app

def show(url):
    result = app.invoke({'url': url})
    opinions = result['opinions']
    scores = [op.score for op in opinions]
    mean_score = sum(scores) / len(scores) if scores else 0
    return Row(final_score=int(mean_score))

if __name__ == '__main__':
    show('https://example.org')
"""
REPORT = """\
from src.graph import app

def render(state):
    text, opinions = '# Audit report\\n', state['opinions']
    for name in NAMES:
        scores = [op.score for op in opinions if op.name == name]
        mean = sum(scores) / len(scores) if scores else 0
        text += f'## {name}: {mean}\\n'
    return text

if __name__ == '__main__':
    open('report.md', 'w').write(render(app.invoke({})))
"""


def lines(page: str) -> list[tuple[str, int]]:
    symbols = symbols_of({"src/graph.py": GRAPH, "page.py": page})
    call_graph, layers = layers_of(symbols)
    reader = DeliveryReader(call_graph, layers, "src/graph.py")
    means = second_verdicts(symbols, layers, reader)
    return [(function.source.path, line) for function, line in means]


@pytest.mark.parametrize("page", [PAGE, REPORT], ids=["page", "report"])
def test_mean_of_opinions_that_a_caller_shows_is_a_second_verdict(page):
    assert lines(page) == [("page.py", 7)]


@pytest.mark.parametrize(
    "page",
    [
        PAGE.replace("final_score=", "prosecutor_mean="),
        PAGE.replace("app.invoke({'url': url})", "stored(url)").replace("graph import app", "g"),
        REPORT.replace("{mean}", "{mean}, final score {state['final_score']}"),
        REPORT.replace("# ", ""),
    ],
    ids=["no score", "no run", "beside the verdict", "no report"],
)
def test_mean_that_stands_for_no_verdict_is_none(page):
    assert lines(page) == []


def test_second_verdicts_are_not_established_past_a_call_that_is_not_followed(
    tmp_path: Path,
) -> None:
    opinions = "opinions = import_module(state['court']).opinions(state)"
    code = GRAPH.replace("opinions = state['opinions']", opinions)
    work = surveyed({"src/graph.py": code}, tmp_path)
    assert work.facts["second_verdicts"] is None
    assert "import_module, which could not be followed" in work.reasons["second_verdicts"]
