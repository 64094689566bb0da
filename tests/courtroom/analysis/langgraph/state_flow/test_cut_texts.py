"""Tools that read only the beginning of a text."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of

CODE = """
import subprocess
def look(url):
{body}
def detective(state):
    return {{"evidences": {{"repo": look(state["repo_url"])}}}}
def judge(state):
    return {{"opinions": list(state["evidences"].values())}}
"""
LOG = (
    'text = subprocess.run(["git", "log", "--format=%h %s %ci"])\n'
    "return [line.split(' ', 2)[1] for line in text.splitlines()]"
)
CHUNKS = (
    "start, chunks = 0, []\nwhile start < len(url):\n    end = start + 500\n"
    "    chunks.append(url[start:end])\n    start = end - overlap\n"
    "    if overlap >= end - start:\n        break\nreturn chunks"
)


def found(body: str) -> list[str]:
    reading = flow_of(CODE.format(body=indent(body, "    ")))
    return [fault.sentence for fault in faults(reading, "cut_text")]


def test_subject_that_is_cut_at_blanks_keeps_its_first_word():
    assert found(LOG) == [
        (
            "look() cuts “%h %s %ci” of git log at blanks: the part for the subject holds its first"
            " word alone, and the parts after it the rest"
        )
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [("' ', 2", "' ', 1"), ("split(", "rsplit("), ("' ', 2", "'|', 2"), ("%s %ci", "%ci %s")],
)
def test_subject_that_is_kept_whole_is_no_fault(old: str, new: str):
    assert found(LOG.replace(old, new)) == []


def test_loop_whose_end_always_holds_has_one_turn():
    assert found(CHUNKS) == [
        (
            "look() ends its loop in the first turn: after `start = end - overlap` it is always so"
            " that `overlap >= end - start`"
        )
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("overlap >=", "overlap >"),
        ("end - start:", "len(url) - start:"),
        ("start = end - overlap", "start = end - step"),
        ("start = end - overlap", "start += 400"),
        ("    end =", "    if not url:\n        continue\n    end ="),
    ],
)
def test_loop_that_may_go_on_is_no_fault(old: str, new: str):
    assert found(CHUNKS.replace(old, new)) == []
