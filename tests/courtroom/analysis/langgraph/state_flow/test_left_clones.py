"""Clones that nothing removes, and clones that are made twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import indent

import pytest

from courtroom.analysis.langgraph.judging.judge_functions import read_layers
from courtroom.analysis.langgraph.state_flow.left_clones import repeated_clones
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.python.call_graph import CallGraph
from tests.courtroom.analysis.langgraph.state_flow.flows import GRAPH, RUN, STATE, faults, flow_of
from tests.courtroom.sources import IMPORTS, symbols_of

CODE = """
import os, shutil, subprocess, tempfile
from pathlib import Path

def folder():
    return tempfile.mkdtemp()

def fetch(url, path=None):
{body}

def detective(state):
    repo = {call}
    return {{"evidences": {{"repo": os.listdir(repo)}}}}
def judge(state):
    return {{"opinions": list(state["evidences"].values())}}
"""
CLONE = 'subprocess.run(["git", "clone", url, path])\n'
MADE = f"path = tempfile.mkdtemp()\n{CLONE}return path"


def found(kind: str, body: str, call: str = "fetch(state['repo_url'])") -> list[str]:
    reading = flow_of(CODE.format(body=indent(body, "    "), call=call))
    return [fault.sentence for fault in faults(reading, kind)]


@pytest.mark.parametrize(
    "body", [MADE, f"path = folder()\n{CLONE}return path", MADE.replace("path =", "path = path or")]
)
def test_clone_in_a_folder_that_no_code_removes_is_left_behind(body: str):
    assert found("left_clone", body) == [
        (
            "fetch() clones into a folder of tempfile.mkdtemp(), and no code of the product removes a folder: each run"
            " leaves its clone behind"
        )
    ]


@pytest.mark.parametrize(
    ("body", "call"),
    [
        (MADE, "fetch(state['repo_url'])\n    shutil.rmtree(repo)"),
        (MADE, "fetch(state['repo_url'])\n    subprocess.run(['rm', '-rf', repo])"),
        (
            MADE.replace("path =", "path = path or"),
            "tempfile.TemporaryDirectory() or fetch('', repo)",
        ),
        (MADE.replace("mkdtemp", "TemporaryDirectory"), "fetch(state['repo_url'])"),
        ("path = tempfile.mkdtemp()\nreturn path", "fetch(state['repo_url'])"),
        ("path = tempfile.mkdtemp()\nwords = ['git', 'clone', 'pdf']", "fetch(state['repo_url'])"),
    ],
)
def test_folder_that_may_be_removed_and_folder_without_a_clone_are_no_fault(body: str, call: str):
    assert found("left_clone", body, call) == []


CAUGHT = f"""path = tempfile.mkdtemp()
try:
    {CLONE.strip()}
    return path
except OSError:
    shutil.rmtree(path)
    raise
"""
RAISED = f"""path = tempfile.mkdtemp()
done = {CLONE.strip()}
if done.returncode:
    if path:
        shutil.rmtree(path)
    raise OSError
return path
"""


@pytest.mark.parametrize("body", [CAUGHT, RAISED])
def test_clone_that_is_removed_only_where_it_fails_is_left_behind(body: str):
    assert found("left_clone", body) == [
        (
            "fetch() clones into a folder of tempfile.mkdtemp() and removes it only where it fails: each"
            " run leaves its clone behind"
        )
    ]


@pytest.mark.parametrize(
    "body",
    [
        RAISED.replace("    raise OSError", "    raise OSError\nshutil.rmtree(path)"),
        CAUGHT.replace("except OSError:", "finally:").replace("    raise\n", ""),
        RAISED.replace("    raise OSError", "    path = None"),
    ],
)
def test_clone_that_is_removed_on_a_way_to_the_end_is_no_fault(body: str):
    assert found("left_clone", body) == []


REMOVER = "\n\ndef remove(path):\n    shutil.rmtree(path)\n"


@pytest.mark.parametrize(
    ("added", "is_fault"), [("", True), ("\nDONE = [remove]\n", False), ("\nremove('a')\n", False)]
)
def test_function_that_removes_a_folder_and_that_nothing_calls_removes_none(
    added: str, is_fault: bool
):
    code = f"{CODE.format(body=indent(MADE, '    '), call='fetch(state)')}{REMOVER}{added}"
    sentence = (
        "fetch() clones into a folder of tempfile.mkdtemp(), and nothing calls remove(), which removes a"
        " folder: each run leaves its clone behind"
    )
    sentences = [fault.sentence for fault in faults(flow_of(code), "left_clone")]
    assert sentences == ([sentence] if is_fault else [])


def test_clone_of_a_function_that_nothing_calls_is_left_behind_by_each_call():
    code = CODE.format(body=indent(MADE, "    "), call="'.'")
    sentences = [fault.sentence for fault in faults(flow_of(code), "left_clone")]
    assert sentences == [
        (
            "fetch() clones into a folder of tempfile.mkdtemp(), and no code of the product removes a folder: each call"
            " leaves its clone behind"
        )
    ]


TWICE = (
    "with tempfile.TemporaryDirectory() as first:\n"
    '    done = subprocess.run(["git", "clone", url, first], cwd=Path(first).parent)\n'
    "    if done.returncode:\n        return None\n"
    "{look}"
    f"path = tempfile.mkdtemp()\n{CLONE}return path"
)


def test_clone_that_is_deleted_before_a_second_one_is_made_twice():
    assert found("doubled_clone", TWICE.format(look="")) == [
        (
            "fetch() clones into a TemporaryDirectory that is deleted before anything reads it, and then"
            " clones again"
        )
    ]
    through = TWICE.format(look="").replace("url, first", "url, below", 1)
    through = through.replace("    done", "    below = os.path.join(first, 'repo')\n    done")
    assert len(found("doubled_clone", through)) == 1


@pytest.mark.parametrize(
    "look",
    [
        "    shutil.copytree(first, 'a')\n",
        "    return first\n",
        "    seen = os.listdir(Path(first))\n",
    ],
)
def test_first_clone_that_is_read_is_no_fault(look: str):
    assert found("doubled_clone", TWICE.format(look=look)) == []


def test_single_clone_is_not_made_twice():
    assert found("doubled_clone", TWICE.format(look="").replace(CLONE, "")) == []


def repeated(code: str, again: Mapping[str, Sequence[int]] | None = None) -> list[str]:
    symbols = symbols_of({"src/graph.py": f"{IMPORTS}{STATE}{code}{GRAPH}{RUN}"})
    call_graph = CallGraph(symbols)
    layers = read_layers(symbols, call_graph, read_graph(symbols, {}))
    return [fault.sentence for fault in repeated_clones(call_graph, layers, again or {})]


def test_clone_that_several_nodes_or_several_steps_lead_to_may_be_made_by_each():
    once = CODE.format(body=indent(MADE, "    "), call="fetch(state['repo_url'])")
    twice = once.replace(
        "def judge(state):", "def judge(state):\n    copy = fetch(state['repo_url'])"
    )
    end = "to a clone of the repository: it is cloned more than once in a run in which"
    assert repeated(twice) == [
        f"the nodes detective and judge each lead {end} more than one of them comes to it"
    ]
    subject = "the node detective, which runs in the steps 1 and 2, leads"
    assert repeated(once, {"detective": (1, 2)}) == [
        f"{subject} {end} the node comes each time to it"
    ]
    assert repeated(once) == repeated(once, {"judge": (2, 3)}) == []


def test_name_that_several_functions_have_leads_to_no_clone():
    classes = "class Repo:\n    def look(self, url): return fetch(url)\n"
    classes += "class Pages:\n    def look(self, url): return url\n"
    both = CODE.replace("def judge(state):", "def judge(state):\n    Pages().look('a')")
    code = both.format(body=indent(MADE, "    "), call="Repo().look(state['repo_url'])")
    assert repeated(f"{classes}{code}") == []


LATER = """def judge(state):
    if state.get({key!r}):
        return {{"opinions": []}}
    shutil.rmtree(state["repo"])
    return {{"opinions": list(state["evidences"].values())}}
"""


@pytest.mark.parametrize(
    ("key", "body", "end"),
    [
        (
            "is_unchanged",
            MADE,
            ", which judge() removes, but not where it returns in line 29: such a run leaves its clone behind",
        ),
        ("repo_path", MADE, None),
        ("error", MADE, None),
        ("is_unchanged", f"{MADE}\nshutil.rmtree(path)", None),
    ],
)
def test_clone_that_another_node_removes_on_some_ways_alone_is_left_behind(
    key: str, body: str, end: str | None
):
    call = "fetch(state['repo_url'])"
    code = CODE.format(body=indent(body, "    "), call=call).partition("def judge(")[0]
    reading = flow_of(code + LATER.format(key=key))
    expected = [f"fetch() clones into a folder of tempfile.mkdtemp(){end}"] if end else []
    assert [fault.sentence for fault in faults(reading, "left_clone")] == expected
