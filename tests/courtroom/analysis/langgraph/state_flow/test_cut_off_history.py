"""Clones that cut off the history which the code reads."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import (
    NODES,
    STATE,
    faults,
    flow_with,
    sentences,
)
from tests.courtroom.sources import IMPORTS

CLONE = (
    "import subprocess\n"
    "def look(url):\n    fetch(url)\n    return history(url)\n"
    "def fetch(url):\n    subprocess.run(['git', 'clone', {depth}, url, '/tmp/x'])\n"
    "def history(path):\n    return subprocess.run(['git', '-C', path, {command}])\n"
)


@pytest.mark.parametrize("depth", ["'--depth', '1'", "'--depth=1'"])
def test_a_clone_of_one_commit_whose_history_is_read_is_named(depth: str):
    reading = flow_with(CLONE.format(depth=depth, command="'log', '--oneline'"))

    assert sentences(reading, "shallow_history") == [
        "fetch() clones with depth 1 and history() reads the history: the clone holds one commit"
    ]


@pytest.mark.parametrize("depth", ["'--depth', '15'", "'--depth=15'"])
def test_a_clone_of_the_last_commits_is_cut_as_well(depth: str):
    reading = flow_with(CLONE.format(depth=depth, command="'log', '--oneline'"))

    (sentence,) = sentences(reading, "shallow_history")
    assert "with depth 15" in sentence
    assert "only what lies within 15 steps of the last commit" in sentence


@pytest.mark.parametrize(
    ("parameters", "call", "depths"),
    [
        ("url, *, depth: int = 1", "fetch(url)", ["fetch() clones with depth 1"]),
        ("url, depth=15", "fetch(url)", ["fetch() clones with depth 15"]),
        ("url, depth=1", "fetch(url, 200)", []),
        ("url, depth=1", "fetch(url, depth=read_depth())", []),
        ("url, depth=1", "fetch(*url)", []),
        ("url, depth=16", "fetch(url)", []),
    ],
)
def test_depth_may_be_the_default_of_a_parameter(parameters: str, call: str, depths: list[str]):
    code = CLONE.format(depth="'--depth', str(depth)", command="'log'")
    code = code.replace("def fetch(url", f"def fetch({parameters}").replace(
        "    fetch(url)", f"    {call}"
    )
    reading = flow_with(code)

    assert [text.partition(" and ")[0] for text in sentences(reading, "shallow_history")] == depths


@pytest.mark.parametrize(
    ("parameters", "addition", "depth"),
    [
        ("url", "words += ['--depth', '1']", "1 and"),
        (
            "url, whole=False",
            "if not whole:\n        words.extend(['--depth', '1'])",
            "1 unless whole is true and",
        ),
        (
            "url, short=True",
            "if short:\n        words += ['--depth', '9']",
            "9 unless short is false and",
        ),
        ("url, whole=True", "if not whole:\n        words.extend(['--depth', '1'])", ""),
        (
            "url, whole=False",
            "whole = ask()\n    if not whole:\n        words += ['--depth', '1']",
            "",
        ),
        ("url, depth=0", "if depth > 0:\n        words += ['--depth', str(depth)]", ""),
        ("url", "others = []\n    others += ['--depth', '1']", ""),
    ],
)
def test_depth_may_be_added_to_the_command(parameters: str, addition: str, depth: str):
    body = f"({parameters}):\n    words = ['git', 'clone']\n    {addition}\n    words += [url]\n"
    code = CLONE.format(depth="", command="'log'").replace(
        "(url):\n    subprocess.run(['git', 'clone', , url, '/tmp/x'])",
        f"{body}    subprocess.run(words)",
    )
    reading = flow_with(code)

    begin = f"fetch() clones with depth {depth}"
    assert [text.startswith(begin) for text in sentences(reading, "shallow_history")] == (
        [True] if depth else []
    )
    # The place is that of the words which set the depth.
    lines = f"{IMPORTS}{STATE}{NODES}{code}".splitlines()
    places = [fault.line for fault in reading.faults if fault.kind == "shallow_history"]
    assert all("--depth" in lines[line - 1] for line in places)


@pytest.mark.parametrize(
    ("depth", "command"),
    [
        ("'--depth', '16'", "'log'"),
        ("'--depth', str(depth)", "'log'"),
        ("'--quiet'", "'log'"),
        ("'--depth', '1'", "'ls-files'"),
        ("'--depth', '1'", "'fetch', '--unshallow'], ['git', 'log'"),
    ],
)
def test_a_clone_with_its_history_or_without_a_reader_is_no_fault(depth: str, command: str):
    assert faults(flow_with(CLONE.format(depth=depth, command=command)), "shallow_history") == []


def test_a_list_of_words_is_no_clone_without_a_depth():
    words = "def words(): return ['tool', 'parse', 'ast', 'clone', 'pdf']\n"
    code = CLONE.format(depth="'--depth', '5'", command="'log'").replace(
        "look(url):\n", "look(url):\n    words()\n"
    )

    assert len(sentences(flow_with(code + words), "shallow_history")) == 1


@pytest.mark.parametrize("words", ["'clone'", "git, 'clone'"], ids=["runner", "computed"])
def test_a_clone_without_the_word_git_is_one(words: str):
    code = CLONE.format(depth="'--depth', '1'", command="'log'").replace("'git', 'clone'", words)

    assert len(sentences(flow_with(code), "shallow_history")) == 1


@pytest.mark.parametrize(
    ("command", "count"), [("'log', '--oneline'", 1), ("'log', 'the run'", 0), ("path, 'log'", 0)]
)
def test_a_history_may_be_read_by_a_runner_that_puts_git_before(command: str, count: int):
    code = CLONE.format(depth="'--depth', '1'", command="'log'")
    code = code.replace("['git', '-C', path, 'log']", f"[{command}]")
    assert len(sentences(flow_with(code), "shallow_history")) == count
