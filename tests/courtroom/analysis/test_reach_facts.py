"""Facts on code that no run reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.survey import Survey
from tests.courtroom.analysis.test_survey import snapshot_of, survey

CLONE = "import subprocess\n\n\ndef fetch(url):\n    subprocess.run(['git', 'clone', url, 'x'], timeout=9)\n"
START = (
    "from concurrent.futures import ThreadPoolExecutor\n"
    "import tools\n\n\n"
    "def look(path):\n    return len(path)\n\n\n"
    'if __name__ == "__main__":\n'
    "    with ThreadPoolExecutor() as pool:\n        list(pool.map(look, 'ab'))\n"
)


def read(folder: Path, **files: str) -> Survey:
    named = {name.replace("__", "."): text for name, text in files.items()}
    return survey(snapshot_of({"main.py": START, "tools.py": CLONE, **named}, folder))


def test_threads_of_a_work_without_a_court_stand_in_for_no_graph(tmp_path: Path) -> None:
    alone = read(tmp_path / "alone")
    assert (alone.facts["own_runner"], alone.facts["detectives_parallel"]) == (None, False)

    court = read(tmp_path / "court", bench__py="def prosecutor(evidence):\n    return 1\n")
    assert court.facts["own_runner"]["line"] == 10
    assert court.facts["detectives_parallel"] is None


@pytest.mark.parametrize(
    ("files", "is_uncalled"),
    [
        ({}, True),
        ({"audit__sh": "python -c 'import tools; tools.fetch()'\n"}, False),
        ({"audit__sh": "python -c 'from tools import fetch; fetch()'\n"}, False),
        ({"page__py": "from tools import fetch\nBUTTONS = {'go': fetch}\n"}, False),
        ({"page__py": "import tools\n\n\ndef run(kind):\n    getattr(tools, kind)('x')\n"}, False),
    ],
)
def test_clone_that_no_code_names_is_uncalled_also_without_a_graph(
    files: dict[str, str], is_uncalled: bool, tmp_path: Path
) -> None:
    assert read(tmp_path, **files).facts["clone_function"]["is_uncalled"] is is_uncalled


TOOLS = """
import subprocess
import tempfile


def fetch(address):
    folder = tempfile.TemporaryDirectory()
    subprocess.run(["git", "clone", "--depth", "1", address, folder.name], check=True)
    return folder.name


def commits(path):
    return subprocess.run(["git", "log", "--oneline"], cwd=path, check=True)
"""


def test_clone_that_nothing_calls_is_told_with_what_a_call_would_lose(tmp_path: Path) -> None:
    function = read(tmp_path, tools__py=TOOLS).facts["clone_function"]
    deleted, shallow = function["losses"]
    assert deleted.startswith("fetch() clones into a TemporaryDirectory and returns only its path")
    assert deleted.endswith(" (tools.py:7)")
    assert shallow.startswith("fetch() clones with depth 1 and commits() reads the history")
    assert shallow.endswith(" (tools.py:8)")
