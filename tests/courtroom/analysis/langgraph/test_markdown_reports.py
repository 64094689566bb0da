"""Markdown reports: which functions make one, and whether a run writes it out."""

from __future__ import annotations

from textwrap import dedent

import pytest

from courtroom.analysis.langgraph.judging.judge_functions import read_layers
from courtroom.analysis.langgraph.judging.markdown_reports import markdown_reports
from courtroom.analysis.langgraph.judging.report_delivery import Delivery, DeliveryReader
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.python.call_graph import CallGraph
from tests.courtroom.sources import IMPORTS, symbols_of


@pytest.mark.parametrize(
    ("code", "is_written"),
    [
        (
            (
                "def render(report):\n"
                "    md = '# Audit Report'\n"
                "    md += '## Summary'\n"
                "    open('out.md', 'w').write(md)"
            ),
            True,
        ),
        (
            (
                "def render(report):\n"
                "    return f'# Report {report.x}\\n' + '## Verdict'\n"
                "def save(t):\n"
                "    Path('a.md').write_text(t)"
            ),
            True,
        ),
        ("def render(report):\n    return '# Report' + '## Verdict'", False),
        (
            (
                "def judge_prompt(report):\n"
                "    return '# Report' + '## Verdict'\n"
                "def save(t):\n"
                "    Path('a.md').write_text(t)"
            ),
            False,
        ),
        ("def to_markdown(report):\n    return '# Report' + '## Verdict'", True),
        ("# '# Report' '## Summary' out.md write", False),
        (
            (
                "import streamlit as st\n"
                "def page(report):\n"
                "    st.markdown('## Audit')\n"
                "    st.markdown('## Summary')\n"
                "    st.write(open('a.md'))"
            ),
            False,
        ),
        (
            (
                "def read_markdown_report(text):\n"
                "    if '# Report' in text and text.startswith(('## Verdict', '## Score')):\n"
                "        return re.search(r'### (.+)', text), text.find(f'### {name}')\n"
            ),
            False,
        ),
        (
            (
                "def render(report, env):\n"
                "    return env.get_template('report.md.j2').render(report=report)\n"
                "def save(t):\n"
                "    Path('a.md').write_text(t)"
            ),
            True,
        ),
        (
            (
                "def head(report):\n    return '# Report'\n"
                "def body(report):\n    return '## Verdict'\n"
                "def save(t):\n    Path('a.md').write_text(t)"
            ),
            True,
        ),
    ],
)
def test_a_markdown_report_has_headings_in_code_that_writes_markdown(code, is_written):
    assert bool(list(markdown_reports(symbols_of(code)))) is is_written


GRAPH = (
    IMPORTS
    + """
from src.report import *

def chief_justice(state):
    verdict = decide(state["opinions"])
{body}
    return {"verdict": verdict}

g = StateGraph(dict)
g.add_node("chief_justice", chief_justice)
g.add_edge(START, "chief_justice")
app = g.compile()
"""
)
RENDER = """
def render(report):
    lines = ["# Report"]
    lines.append(f"## Verdict {report.score}")
    return "\\n".join(lines)
"""
WRITE = "from pathlib import Path\n\ndef save(text, path):\n    Path(path).write_text(text)\n"


def delivery_of(body: str = "", report: str = RENDER, **files: str) -> Delivery:
    """Return the delivery of render(), in a work whose Chief Justice runs this body."""
    indented = "\n".join(f"    {line}" for line in dedent(body).strip("\n").split("\n"))
    code = {"src/graph.py": GRAPH.replace("{body}", indented), "src/report.py": report + WRITE}
    # Some code names a Markdown file.
    code |= {"src/names.py": "OUT = open('a.md').write('')"}
    code |= {f"{name}.py": text for name, text in files.items()}
    symbols = symbols_of(code)
    graph, call_graph = read_graph(symbols, {}), CallGraph(symbols)
    reader = DeliveryReader(call_graph, read_layers(symbols, call_graph, graph), "src/graph.py")
    reports = [r for r in markdown_reports(symbols) if r.function.name == "render"]
    return reader.read(reports[0])


MAIN = "from src.graph import app\nfrom src.report import *\n"


@pytest.mark.parametrize(
    "body",
    [
        "open('a.md', 'w').write(render(verdict))",
        "text = render(verdict)\nwith open('a.md', 'w') as f:\n    f.write(text)",
        "save(render(verdict), 'a.md')",
        "save(path='a.md', text=f'{render(verdict)} ')",
        "text, path = render(verdict), 'a.md'\nPath(path).write_text(text)",
        "for line in render(verdict).split(' '):\n    print(line)",
        "parts = []\nparts.append(render(verdict))\nprint(*parts)",
        "asyncio.to_thread(save, render(verdict), 'a.md')",
        "state['text'] = render(verdict)\nprint(state.get('text'))",
        "kept = SimpleNamespace(text=render(verdict))\nprint(kept.text[:-1])",
        "reports = {'md': render(verdict)}\nprint(reports[kind])",
        "import io\nout = io.StringIO()\nout.write(render(verdict))\nprint(out.getvalue())",
    ],
)
def test_report_of_a_node_is_followed_to_where_it_is_written(body):
    assert delivery_of(body).is_written is True


@pytest.mark.parametrize(
    "main",
    [
        "print(app.invoke({})['text'])",
        "def main():\n    result = app.invoke({})\n    save(result.get('text'), 'a.md')\n\nmain()",
        # A function that runs the graph is what others call.
        "def audit():\n    open('a.md', 'w').write(app.invoke({})['text'])",
    ],
)
def test_report_in_the_state_is_written_by_the_program_that_runs_the_graph(main):
    keeps = "return {'text': render(verdict)}"
    assert delivery_of(keeps, main=MAIN + main).is_written is True
    read = delivery_of(keeps, main=(MAIN + main).replace("text", "score"))
    assert (read.is_written, read.place[1]) == (False, 2)
    assert read.note == "no code writes out what render() makes"


@pytest.mark.parametrize(
    "main",
    [
        "print(render(app.invoke({})))",
        "@api.get('/report.md')\ndef page():\n    run = app.invoke({})\n    return {'md': render(run)}",
    ],
)
def test_report_that_is_made_after_the_run_is_followed(main):
    assert delivery_of(main=MAIN + main).is_written is True


def test_report_is_written_where_a_file_gets_it_before_a_screen_or_json():
    body = """
    text = render(verdict)
    print(text)
    st.markdown(text)
    Path('a.json').write_text(json.dumps({'text': text}))
    Path('a.md').write_text(text)
    """
    delivery = delivery_of(body)
    assert (delivery.place[0].path, delivery.place[1]) == ("src/graph.py", 13)
    script = MAIN + "def audit():\n    open('b.md', 'w').write(render(app.invoke({})))"
    beside = delivery_of(body, **{"scripts/audit": script})
    assert (beside.place[0].path, beside.place[1]) == ("src/graph.py", 13)


def test_file_whose_name_ends_like_streamlit_is_no_screen():
    body = """
    text = render(verdict)
    print(text)
    with open('a.md', 'w') as dest:
        dest.write(text)
    """
    assert delivery_of(body).place[1] == 12


def test_text_of_which_a_part_is_printed_is_no_report():
    delivery = delivery_of("text = render(verdict)\nprint(len(text), text[:600])")
    assert (delivery.is_written, delivery.place[0].path) == (False, "src/graph.py")
    assert delivery.note == "only a part of the report is written"


def test_report_that_no_code_calls_is_none():
    delivery = delivery_of()
    assert (delivery.is_written, delivery.place[1]) == (False, 2)
    assert delivery.note == "nothing calls render(), which makes the report"
    writes = "from src.report import *\ndef keep(report):\n    print(render(report))\n"
    assert delivery_of(keep=writes).is_written is False


DEMO = """
from src.report import render

@api.get("/report.md")
def page():
    return {"md": render(Report(score=4))}
"""


def test_report_of_a_program_that_does_not_run_the_graph_is_none():
    delivery = delivery_of(demo=DEMO)
    assert delivery.is_written is False
    assert delivery.note == "render() makes the report in a program that does not run the graph"
    # It may read the verdict of a run from a file.
    reads = DEMO.replace("Report(score=4)", "json.load(open('verdict.json'))")
    delivery = delivery_of(demo=reads)
    assert delivery.is_written is None
    assert delivery.gap == (
        "render() makes the report in a program that does not run the graph and reads files, perhaps"
        " what a run wrote"
    )


@pytest.mark.parametrize(
    ("body", "gap"),
    [
        ("text = render(verdict)\narchive(text)", "src/graph.py:10 hands the report to code"),
        ("text = getattr(report_module, 'render')", "what runs render() could not be followed"),
    ],
)
def test_report_whose_way_is_not_known_is_open(body, gap):
    delivery = delivery_of(body)
    assert delivery.is_written is None
    assert delivery.gap.startswith(gap)
