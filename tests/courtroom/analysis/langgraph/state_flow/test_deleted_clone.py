"""Clones in a temporary directory that is gone before its path is read."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of

CODE = """
import subprocess, tempfile
from pathlib import Path
KEPT = []

def fetch(url):
{body}

def detective(state):
    return {{"evidences": {{"repo": [fetch(state["repo_url"])]}}}}
def judge(state):
    return {{"opinions": list(state["evidences"].values())}}
"""
CLONE = 'subprocess.run(["git", "clone", url, str(path)])\n'
LOCAL = f"folder = tempfile.TemporaryDirectory()\npath = Path(folder.name) / 'repo'\n{CLONE}"


def reading_of(body: str):
    return flow_of(CODE.format(body=indent(body, "    ")))


@pytest.mark.parametrize(
    "end",
    [
        "return path",
        "return str(path), True",
        "return {'repo_path': path}",
        "if not path.exists():\n    folder.cleanup()\nreturn path",
        "return folder.name",
    ],
)
def test_folder_that_nothing_keeps_is_deleted_when_its_path_is_returned(end: str):
    (fault,) = faults(reading_of(LOCAL + end), "deleted_clone")

    assert fault.sentence == (
        "fetch() clones into a TemporaryDirectory and returns only its path: the folder is deleted"
        " when the function returns, before anything can read the clone"
    )
    assert (fault.path, fault.line) == ("src/graph.py", 18)


def test_folder_of_a_with_is_deleted_at_its_end():
    body = f"with tempfile.TemporaryDirectory() as path:\n    {CLONE}    return path"

    (fault,) = faults(reading_of(body), "deleted_clone")
    assert "deleted at the end of its `with`, before" in fault.sentence


@pytest.mark.parametrize(
    "end",
    [
        "return path, folder",
        "KEPT.append(folder)\nreturn path",
        "fetch.folder = folder\nreturn path",
        "url.end(lambda: folder.cleanup())\nreturn path",
        "global folder\nreturn path",
        "yield path",
        "return len(list(path.iterdir()))",
        "return {'location': str(path)}",
        "path = url\nreturn path",
        "return path, read_history(path)",
        "files = [p for p in path.rglob('*.py')]\nreturn path, files",
        "log = subprocess.run(['git', '-C', str(path), 'log'])\nreturn path, log",
    ],
)
def test_folder_that_is_kept_or_read_at_once_is_no_fault(end: str):
    reading = reading_of(LOCAL + end)

    assert faults(reading, "deleted_clone") == []
    assert "deleted_clone" not in reading.unread


def test_folder_that_is_handed_to_a_function_leaves_the_fault_open():
    reading = reading_of(f"{LOCAL}print(folder)\nreturn path")

    assert faults(reading, "deleted_clone") == []
    assert reading.unread["deleted_clone"] == "src/graph.py:21: where `folder` goes is not known"
