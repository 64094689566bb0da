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


CALLER = """
import shutil, subprocess, tempfile

def fetch(url):
    folder = tempfile.TemporaryDirectory()
    subprocess.run(["git", "clone", url, folder.name])
    return folder.name, folder

def clone_repo(url):
    path = tempfile.mkdtemp()
    subprocess.run(["git", "clone", url, path])
    return path

def detective(state):
{body}
def judge(state):
    return {{"opinions": [open(state["pdf_path"])]}}
"""
OWN = "path = clone_repo(state['repo_url'])"
FETCH = "path, kept = fetch(state['repo_url'])"
GIVES = 'return {"evidences": {"repo": [read(path)]}, "pdf_path": path}'


@pytest.mark.parametrize(
    ("body", "end"),
    [
        (f"{FETCH}\n{GIVES}", "when it returns, as nothing keeps it"),
        (
            f"{FETCH}\nkept.cleanup()\n{GIVES}",
            "itself (line 27)",
        ),
        (
            f"{OWN}\ntry:\n    {GIVES}\nfinally:\n    if path:\n        shutil.rmtree(path)",
            "itself (line 31)",
        ),
    ],
)
def test_folder_that_its_caller_deletes_is_gone_for_the_next_node(body: str, end: str):
    reading = flow_of(CALLER.format(body=indent(body, "    ")))

    assert [fault.sentence for fault in faults(reading, "lost_clone")] == [
        (
            "detective() writes the path of its clone to `pdf_path` and deletes the folder"
            f" {end}: judge, which reads `pdf_path`, does not get the clone"
        )
    ]


@pytest.mark.parametrize(
    "body",
    [
        f"{FETCH}\nKEPT.append(kept)\n{GIVES}",
        f"global kept\n{FETCH}\n{GIVES}",
        f"{FETCH}\nread(path)\nkept.cleanup()\nreturn {{'evidences': {{}}}}",
        f"{OWN}\n{GIVES}",
        f"{OWN}\nif not read(path):\n    shutil.rmtree(path)\n{GIVES}",
        f"{FETCH}\nreturn {{'evidences': {{'repo': [path]}}}}",
    ],
)
def test_folder_that_its_caller_keeps_or_reads_by_itself_is_no_fault(body: str):
    assert faults(flow_of(CALLER.format(body=indent(body, "    "))), "lost_clone") == []


CALLBACK = """
import subprocess, tempfile

def cloned(url, run=None):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", url, folder])
        return run(folder)

def detective(state):
    def look(path):
        return {returned}
    return cloned(state["repo_url"], run=look)
def judge(state):
    return {{"opinions": [open(state["pdf_path"])]}}
"""


def test_path_that_a_callback_returns_is_that_of_a_deleted_folder():
    code = CALLBACK.format(returned='{"pdf_path": str(path), "evidences": {"repo": [read(path)]}}')
    (fault,) = faults(flow_of(code), "lost_clone")
    assert fault.sentence == (
        "detective writes the path of its clone to `pdf_path`, and the folder is deleted when cloned()"
        " returns: judge, which reads `pdf_path`, does not get the clone"
    )
    assert fault.other == ("src/graph.py", fault.line + 6)


@pytest.mark.parametrize(
    "returned",
    [
        '{"evidences": {"repo": [read(path)]}}',
        '{"pdf_path": state["repo_url"], "evidences": {"repo": [path]}}',
        '{"pdf_path": read(path)}',
    ],
)
def test_callback_that_returns_what_it_read_is_no_fault(returned):
    assert faults(flow_of(CALLBACK.format(returned=returned)), "lost_clone") == []
