"""Scans for unsafe calls that go by words, or pass over files by their name."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of

CODE = """
import ast, os
from pathlib import Path

def scan_unsafe(home):
    calls = []
    for path in Path(home).rglob("*.py"):
{body}
    return calls

def detective(state):
    return {{"evidences": {{"repo": scan_unsafe(state["repo_url"])}}}}
def judge(state):
    return {{"opinions": list(state["evidences"].values())}}
"""
BY_WORDS = 'text = path.read_text()\nif "os.system(" in text:\n    calls.append(path)\n'
BY_NAME = (
    'if path.name in {"graph.py", "setup.py"}:\n    continue\n'
    "calls += ast.parse(path.read_text()).body\n"
)


def scans_of(body: str) -> list[tuple[str, tuple[str, ...]]]:
    reading = flow_of(CODE.format(body=indent(body, " " * 8)))
    return [(fault.sentence, fault.keys) for fault in faults(reading, "word_scan")]


def test_search_for_the_words_of_a_call_in_a_source_is_found():
    assert scans_of(BY_WORDS) == [
        (
            (
                "scan_unsafe() looks for the text “os.system(” in sources: any mention of it counts as"
                " a call, as this line itself would"
            ),
            ("os_system",),
        )
    ]


@pytest.mark.parametrize(("name", "is_own"), [("tools.py", False), ("graph.py", True)])
def test_scan_of_another_file_by_its_name_does_not_count_its_own_line(name: str, is_own: bool):
    body = BY_WORDS.replace("text = path", f'home = Path("src") / "{name}"\ntext = home')
    ((sentence, _),) = scans_of(body)
    assert sentence.endswith(", as this line itself would") is is_own


@pytest.mark.parametrize(("name", "is_own"), [("tools.py", False), ("graph.py", True)])
def test_file_of_a_scan_is_followed_to_the_path_that_it_is_opened_by(name: str, is_own: bool):
    opened = f'place = os.path.join("src", "{name}")\nwith open(place) as file:\n    text = file.read()\n'
    ((sentence, _),) = scans_of(opened + BY_WORDS.partition("\n")[2])
    assert sentence.endswith(", as this line itself would") is is_own


def test_scan_in_a_function_inside_another_one_is_named_once():
    inner = f"def inner(path):\n{indent(BY_WORDS, '    ')}\ninner(path)"
    assert [text.partition("(")[0] for text, _ in scans_of(inner)] == ["inner"]


def test_scan_that_passes_over_files_of_its_own_name_is_found():
    assert scans_of(BY_NAME) == [
        (
            (
                "scan_unsafe() passes over every file named graph.py, as its own is, whatever a work"
                " holds in it"
            ),
            ("os_system",),
        )
    ]


@pytest.mark.parametrize(
    "body",
    [
        f"{BY_WORDS}calls += ast.parse(text).body\n",
        BY_WORDS.replace("path.read_text()", "path.name"),
        BY_WORDS.replace("os.system(", "tempfile"),
        BY_NAME.replace("graph.py", "other.py"),
    ],
    ids=["reads the syntax too", "no text of a file", "other words", "other names"],
)
def test_other_scans_are_left_alone(body: str):
    assert scans_of(body) == []
