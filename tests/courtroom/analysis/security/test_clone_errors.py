"""Errors of a clone that leave a node of the graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.security.clone_errors import (
    escaping_errors,
    own_errors,
    process_runner,
    refusing_errors,
)
from courtroom.analysis.security.clone_function import read_clone
from tests.courtroom.analysis.test_survey import snapshot_of, survey
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of

CLONE = """
import subprocess
class CloneError(RuntimeError):
    pass

def clone(url):
    try:
        subprocess.run(["git", "clone", url, "x"], check=True, timeout=60)
    except subprocess.CalledProcessError as error:
        raise CloneError(url) from error

def fetch(url):
    return clone(url)
"""
NODE = """
def repo_investigator(state):
    fetch(state["url"])
    return {}
"""
CAUGHT = """
def repo_investigator(state):
    try:
        fetch(state["url"])
    except {kinds}:
        {then}
    return {{}}
"""
GRAPH = """
g = StateGraph(dict)
g.add_node("repo_investigator", repo_investigator)
g.add_edge(START, "repo_investigator")
app = g.compile()
"""


def escaping(node: str, clone: str = CLONE, added: str = "") -> list[tuple[str, str]]:
    symbols = symbols_of(f"{IMPORTS}{clone}{node}{GRAPH}")
    call_graph, layers = layers_of(symbols)
    reading = read_clone(symbols, call_graph, layers.in_use)
    assert reading.function is not None
    nodes = layers.nodes.values()
    errors = escaping_errors(call_graph, reading.function, reading.calls, nodes, added)
    return [(error.name, error.node.name) for error in errors]


def test_what_no_code_catches_leaves_the_node():
    assert escaping(NODE) == [
        ("CloneError", "repo_investigator"),
        ("TimeoutExpired", "repo_investigator"),
    ]


@pytest.mark.parametrize(
    ("kinds", "then", "names"),
    [
        ("Exception", "pass", []),
        ("(RuntimeError, subprocess.SubprocessError)", "pass", []),
        ("RuntimeError", "pass", ["TimeoutExpired"]),
        ("subprocess.TimeoutExpired", "pass", ["CloneError"]),
        ("ValueError", "pass", ["CloneError", "TimeoutExpired"]),
        ("Exception as e", "raise", ["CloneError", "TimeoutExpired"]),
        ("Exception as e", "raise ValueError(e)", ["ValueError"]),
        ("FAILURES", "pass", []),
        ("failures()", "pass", []),
    ],
)
def test_what_a_caller_catches_does_not(kinds: str, then: str, names: list[str]):
    assert [name for name, _ in escaping(CAUGHT.format(kinds=kinds, then=then))] == names


def test_an_error_after_the_return_code_is_one_of_the_clone():
    clone = 'import subprocess\ndef fetch(url):\n    done = subprocess.run(["git", "clone", url])\n'
    clone += "    if done.returncode != 0:\n        raise OSError(url)\n    if not url:\n        raise ValueError\n"

    assert escaping(NODE, clone) == [("OSError", "repo_investigator")]


@pytest.mark.parametrize(
    "node",
    [
        f"@guarded{NODE}",
        NODE.replace("fetch(", "pool.submit(fetch, "),
        f"class Other:\n    def fetch(self):\n        pass\n{NODE}",
    ],
    ids=["decorator", "handed on", "two functions of the name"],
)
def test_where_the_way_is_not_plain_nothing_is_said(node: str):
    assert escaping(node) == []


@pytest.mark.parametrize(
    ("parameters", "line"),
    [("words, cwd=None", 3), ("words, timeout=None", 0), ("words, **more", 0)],
)
def test_function_that_runs_git_is_the_place_of_a_deadline_it_does_not_take(parameters, line):
    code = f"import subprocess\ndef run({parameters}):\n    return subprocess.run(words)\n"
    code += 'def clone(url):\n    run(["git", "clone", url])\n'
    call_graph, layers = layers_of(symbols_of(code))
    reading = read_clone(call_graph.symbols, call_graph, layers.in_use)
    assert reading.function is not None

    runner = process_runner(call_graph, reading.function, reading.calls[0])
    assert (runner[1] if runner else 0) == line


BY_VALUE = """
import subprocess
from contextlib import contextmanager
@contextmanager
def clone(url):
    done = subprocess.run(["git", "clone", url, "x"])
    yield (None, "failed") if done.returncode else ("x", "")
"""
WITH = """
def repo_investigator(state):
    with clone(state["url"]) as (folder, error):
        return {"errors": [error]}
"""


@pytest.mark.parametrize(
    ("node", "clone", "is_caught"),
    [
        (WITH, BY_VALUE, False),
        (NODE, CLONE, False),
        (CAUGHT.format(kinds="ValueError", then="pass"), CLONE, True),
        (NODE, CLONE.replace("subprocess.CalledProcessError", "Exception"), False),
        (CAUGHT.format(kinds="CloneError", then="pass"), CLONE, False),
    ],
)
def test_refused_address_that_is_raised_leaves_the_node_where_nothing_catches_it(
    node, clone, is_caught
):
    assert (escaping(node, clone, "ValueError") == []) is is_caught


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("RuntimeError(url)", ["RuntimeError"]),
        ("OwnError(url)", ["OwnError"]),
        ("OwnError(url, 3)", []),
        ("made(url)", []),
    ],
)
def test_error_that_a_clone_raises_for_its_failure_is_known(error, expected):
    own = "class OwnError(Exception):\n    pass\n"
    symbols = symbols_of(f"{IMPORTS}{own}{CLONE.replace('CloneError(url)', error)}{NODE}{GRAPH}")
    call_graph, layers = layers_of(symbols)
    reading = read_clone(symbols, call_graph, layers.in_use)
    assert reading.function is not None
    assert own_errors(symbols, reading.function, reading.calls) == expected


SANITIZE = """
import subprocess
def sanitize(url):
    if ";" in url:
        raise ValueError(url)
    return url

def clone(url):
    url = sanitize(url)
    try:
        subprocess.run(["git", "clone", url, "x"])
    except ValueError:
        pass

def fetch(url):
    return clone(url)
"""
OWN_TEST = SANITIZE.replace("url = sanitize(url)", 'if ";" in url:\n        raise ValueError(url)')


@pytest.mark.parametrize(
    ("clone", "node", "names"),
    [
        (SANITIZE, NODE, ["ValueError"]),
        (OWN_TEST, NODE, ["ValueError"]),
        (SANITIZE, CAUGHT.format(kinds="ValueError", then="pass"), []),
        (
            SANITIZE.replace("    url = sanitize(url)\n", "").replace("url, ", "sanitize(url), "),
            NODE,
            [],
        ),
        (SANITIZE.replace("raise ValueError(url)", "return ''"), NODE, []),
    ],
)
def test_error_for_a_refused_address_outside_every_try_is_known(clone, node, names):
    symbols = symbols_of(f"{IMPORTS}{clone}{node}{GRAPH}")
    call_graph, layers = layers_of(symbols)
    function = read_clone(symbols, call_graph, layers.in_use).function
    assert function is not None
    nodes = layers.nodes.values()
    rows = refusing_errors(call_graph, function)
    errors = [
        e for at, name in rows for e in escaping_errors(call_graph, function, [at], nodes, name)
    ]
    assert list(dict.fromkeys(error.name for error in errors)) == names


@pytest.mark.parametrize(
    ("node", "error"),
    [(NODE, "CloneError"), (CAUGHT.format(kinds="Exception", then="pass"), "ValueError")],
)
def test_address_is_refused_by_the_error_with_which_a_failing_clone_leaves_its_node(
    node: str, error: str, tmp_path: Path
) -> None:
    files: dict[str, str | bytes | None] = {"src/graph.py": f"{IMPORTS}{CLONE}{node}{GRAPH}"}
    assert survey(snapshot_of(files, tmp_path)).facts["clone_function"]["refusal"] == error
