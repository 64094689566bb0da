"""Calls of shells and evaluators in the product, under any name."""

from __future__ import annotations

import pytest

from courtroom.analysis.security.shell_calls import unsafe_calls
from tests.courtroom.sources import symbols_of


def calls_in(code: str, path: str = "src/a.py") -> dict[str, list[int]]:
    calls = unsafe_calls(symbols_of({path: code}))
    return {fact: [line for _, line in lines] for fact, lines in calls.items() if lines}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("import os\nos.system('ls')", {"os_system_calls": [2]}),
        ("from os import system as run\nrun('ls')", {"os_system_calls": [2]}),
        ("import subprocess as sp\nsp.run('ls', shell=True)", {"shell_true_calls": [2]}),
        ("from subprocess import getoutput\ngetoutput('ls')", {"shell_true_calls": [2]}),
        ("eval('1')\nexec('x')", {"eval_exec_calls": [1, 2]}),
        ("\uff45val('1')", {"eval_exec_calls": [1]}),
    ],
)
def test_an_unsafe_call_is_detected_under_any_name(code, lines):
    assert calls_in(code) == lines


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess\nsubprocess.run(['ls'], shell=False)",
        "model.eval()\nsession.exec(query)",
        "def eval(text): ...\neval('1')",
        "# os.system('ls')\nTEXT = \"os.system('ls'); eval('x'); shell=True\"",
        "import re\nre.compile('os.system')",
        "BANNED = ['os.system', 'eval']\nif 'os.system' in BANNED: print('shell=True')",
    ],
)
def test_a_call_that_only_looks_unsafe_is_not_counted(code):
    assert calls_in(code) == {}


def test_calls_in_tests_and_vendored_packages_are_not_counted():
    assert calls_in("eval('1')", "tests/test_a.py") == {}
    assert calls_in("eval('1')", ".venv/lib/a.py") == {}
