"""Reads of a file that the tree does not have."""

from __future__ import annotations

import pytest

from courtroom.analysis.python.missing_files import MissingFiles
from tests.courtroom.sources import symbols_of

PATH = 'os.path.join(os.path.dirname(__file__), "../../rubric/week.json")'


def opened(code, **others):
    """Return line and path of each read in src/nodes/setup.py, which has a module beside it."""
    files = {"src/nodes/setup.py": code, "src/paths.py": "", "rubric.json": "", **others}
    symbols = symbols_of(files)
    source = symbols.codebase.files["src/nodes/setup.py"]
    search = MissingFiles(symbols)
    return [
        (line.line, path)
        for function in source.functions
        for line, path in search.reads_in(source, function)
    ]


def setup(body, head=""):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"import os\nfrom pathlib import Path\n{head}\ndef setup(state):\n{lines}\n"


@pytest.mark.parametrize(
    ("body", "head", "path"),
    [
        (f"with open({PATH}) as f: return f.read()", "", "rubric/week.json"),
        (
            "return (ROOT / 'a.json').read_text()",
            "ROOT = Path(__file__).parent.parent",
            "src/a.json",
        ),
        ("p = Path(__file__).resolve().parents[2] / 'a.json'\nreturn open(p)", "", "a.json"),
        ("return Path('rubric', 'a.json').open()", "", "rubric/a.json"),
        ("return (Path.cwd() / 'a.json').read_bytes()", "", "a.json"),
        ("return open(os.path.join('..', 'a.json'), mode='rb')", "", "a.json"),
        ("return open(RULES)", "from src.paths import RULES", "src/rules.md"),
    ],
)
def test_file_that_the_tree_lacks_is_named_with_its_path(body, head, path):
    paths = "from pathlib import Path\nRULES = Path(__file__).parent / 'rules.md'\n"
    rows = opened(setup(body, head), **{"src/paths.py": paths})
    assert [file for _, file in rows] == [path]


@pytest.mark.parametrize(
    ("body", "head"),
    [
        ("return open('rubric.json')", ""),
        ("return open('RUBRIC.json')", ""),
        ("return open(Path(__file__).parents[2] / 'rubric.json')", ""),
        ("return open(Path('a.json'), 'w')", ""),
        ("return open(state['path'])", ""),
        ("return open(NAME)", "NAME = os.getenv('RUBRIC', 'a.json')"),
        ("return open('/etc/a.json')", ""),
        ("return open(Path(__file__).parents[3] / 'a.json')", ""),
        ("if os.path.exists('a.json'):\n    return open('a.json')", ""),
        ("try:\n    return open('a.json')\nexcept OSError:\n    return {}", ""),
        ("return open('a.json')", "def make(): Path('a.json').write_text('{}')"),
        ("return open(A)", "A = 'a.json'\ndef make(): os.replace('b', A)"),
        ("return open('a.json')", "def run():\n    try: setup({})\n    except Exception: pass"),
        ("return open('a.json')", "def run(): return os.path.exists('a.json') and setup({})"),
        ("name = 'a.json'\nname = 'rubric.json'\nreturn open(name)", ""),
    ],
)
def test_file_that_may_be_there_is_not_named(body, head):
    assert opened(setup(body, head)) == []


def test_file_below_another_folder_is_taken_from_there():
    code = setup("return open('data/rules.md')")
    assert opened(code, **{"app/data/rules.md": ""}) == []
    assert opened(code) == [(5, "data/rules.md")]
