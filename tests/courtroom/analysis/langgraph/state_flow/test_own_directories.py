"""Tools and detectives that look into the auditor's own directory in place of the clone."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_with, sentences


def test_a_tool_that_looks_where_it_runs_is_named():
    reading = flow_with(
        "from pathlib import Path\n"
        "def look(url):\n    return scan('/tmp/clone')\n"
        "def scan(repo_path):\n    return list(Path('.').rglob('*.py'))\n"
    )

    assert sentences(reading, "own_directory") == [
        "scan() never uses `repo_path` and looks at the auditor's own directory instead"
    ]


@pytest.mark.parametrize(
    "scan",
    [
        "def scan(repo_path):\n    return list(Path(repo_path).rglob('*.py'))\n",
        "def scan(repo_path):\n    return list(Path('.').rglob(repo_path))\n",
        "def scan(repo_path):\n    return []\n",
    ],
)
def test_a_tool_that_uses_its_path_is_no_fault(scan: str):
    look = f"from pathlib import Path\ndef look(url):\n    return scan('/tmp/clone')\n{scan}"

    assert faults(flow_with(look), "own_directory") == []


EXISTS = (
    "from pathlib import Path\n"
    "def look(url):\n    return {call}\n"
    "def exists(path, repo_root=None):\n    {body}\n    return (root / path).exists()\n"
)
OR_HERE = "root = Path(repo_root) if repo_root is not None else Path.cwd()"


@pytest.mark.parametrize(
    "body",
    [
        OR_HERE,
        "root = Path(repo_root or '.')",
        "root = repo_root\n    if root is None or not repo_root:\n        root = Path.cwd()",
    ],
)
def test_a_call_without_the_path_of_the_clone_looks_where_it_runs(body: str):
    reading = flow_with(EXISTS.format(call="exists('src/graph.py')", body=body))

    (fault,) = faults(reading, "own_directory")
    assert fault.sentence == (
        "look() calls exists() without `repo_root`, for which it takes the auditor's own directory,"
        " not the clone"
    )


@pytest.mark.parametrize(
    ("call", "body"),
    [
        ("exists('src/graph.py', url)", OR_HERE),
        ("exists('src/graph.py', repo_root=url)", OR_HERE),
        ("exists(*url)", OR_HERE),
        ("exists('src/graph.py', **url)", OR_HERE),
        ("exists('src/graph.py')", "root = Path(repo_root)"),
        ("exists('a')", f"{OR_HERE}\n    return (root / 'rubric.json').read_text()"),
        ("os.chdir(url) or exists('a')", OR_HERE),
    ],
)
def test_a_call_that_may_look_into_the_clone_is_no_fault(call: str, body: str):
    assert faults(flow_with(EXISTS.format(call=call, body=body)), "own_directory") == []


BELOW = "import os\nfrom pathlib import Path\ndef look(state):\n    repo_url = state['repo_url']\n    {body}\n"


@pytest.mark.parametrize(
    "body",
    [
        "return list((Path(repo_url) / 'docs').rglob('*.png'))",
        "return os.listdir(os.path.join(repo_url, 'docs'))",
        "repo_url = repo_url.strip() or ''\n    return (Path(repo_url) / 'docs' / 'a').exists()",
    ],
)
def test_path_below_the_address_is_no_path_of_the_clone(body: str):
    (fault,) = faults(flow_with(BELOW.format(body=body)), "own_directory")
    assert fault.sentence == (
        "look() looks for 'docs' below the address `repo_url` as if it was a path: that is in the"
        " auditor's own directory, not in the clone"
    )


@pytest.mark.parametrize(
    "body",
    [
        "return list((Path(clone(repo_url)) / 'docs').rglob('*.png'))",
        "repo_url = clone(repo_url)\n    return Path(repo_url) / 'docs'",
        "return Path(repo_url) / 'docs' if Path(repo_url).exists() else None",
        "return Path(repo_url) / 'docs' if not repo_url.startswith('https:') else None",
        "return os.path.join(repo_url, name)",
        "return '/'.join([repo_url, 'docs'])",
        "return Path(state) / 'docs'",
        "row = {}\n    row['repo_url'] = state['repo_url']\n    return row",
    ],
)
def test_path_of_a_clone_and_of_what_may_be_a_folder_is_no_fault(body: str):
    assert faults(flow_with(BELOW.format(body=body)), "own_directory") == []


HANDED = """
import os
from pathlib import Path
def look(state):
    repo_url = state.get("repo_url") or "."
    return check(repo_url, state["claims"])
def check(root_dir, claims):
    return verify(claims, root=root_dir)
def verify(claims, root):
    {body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "return [(Path(root) / c).is_file() for c in claims]",
        "folder = Path(root)\n    return [c for c in claims if (folder / c).exists()]",
        "return [os.path.exists(os.path.join(root, c)) for c in claims]",
        "return sorted(Path(root).rglob('*.py'))",
    ],
)
def test_function_that_is_given_the_address_looks_for_files_below_it(body: str):
    (fault,) = faults(flow_with(HANDED.format(body=body)), "own_directory")
    assert fault.sentence == (
        "verify() looks for files below `root`, for which look() hands on the address `repo_url`: for a"
        " remote repository that is in the auditor's own directory, not in the clone"
    )
    assert fault.other is not None


@pytest.mark.parametrize(
    "body",
    [
        "root = clone(root)\n    return [(Path(root) / c).is_file() for c in claims]",
        "if is_remote(root):\n        return []\n    return [(Path(root) / c).is_file() for c in claims]",
        "return [(Path(root) / c).is_file() for c in claims] if Path(root).exists() else []",
        "return [(Path('clones') / c).is_file() for c in claims]",
        "return Path(root).name",
    ],
)
def test_function_that_may_be_given_a_folder_is_no_fault(body: str):
    assert faults(flow_with(HANDED.format(body=body)), "own_directory") == []


def test_address_that_a_node_replaces_by_its_clone_is_a_folder():
    code = HANDED.format(body="return [(Path(root) / c).is_file() for c in claims]")
    made = code.replace(
        "return check(", "clone_path = clone()\n    return {'repo_url': clone_path}, check("
    )
    assert faults(flow_with(code), "own_directory")
    assert faults(flow_with(made), "own_directory") == []


def test_claimed_paths_below_the_address_are_looked_for_in_the_own_directory():
    body = "return [c for c in state['claims'] if (Path(repo_url) / c).exists()]"
    (fault,) = faults(flow_with(BELOW.format(body=body)), "own_directory")
    assert fault.sentence == (
        "look() looks for files below the address `repo_url` as if it was a path: that is in the"
        " auditor's own directory, not in the clone"
    )


CLAIMED = """
import os
import re
from pathlib import Path
def claims(text):
    return sorted({{p for p in re.findall("[a-z]+/[a-z.]+", text)}}{end}
def look(state):
    rows = claims(state)
    {body}
"""
LOOPED = "return [p for p in rows if Path(p).exists()]"


@pytest.mark.parametrize(
    "body",
    [
        LOOPED,
        "return [p for p in claims(state) if os.path.isfile(p)]",
        "for p in rows:\n        clean = p.strip('.')\n        if Path(clean).is_file(): return p",
        "return [p for p in re.findall('[a-z]+', state) if not os.path.exists(p)]",
    ],
)
def test_path_out_of_a_text_is_looked_for_in_the_own_directory(body: str):
    (fault,) = faults(flow_with(CLAIMED.format(body=body, end=")")), "own_directory")
    assert fault.sentence == (
        "look() looks for the paths that it takes out of a text in the auditor's own directory, not"
        " in the clone"
    )


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ("return [p for p in rows if (Path(state) / p).exists()]", ")"),
        ("rows = [os.path.join(state, p) for p in rows]\n    " + LOOPED, ")"),
        ("return [p for p in rows if Path(clone(p)).exists()]", ")"),
        ("return [p for p in sorted(state) if Path(p).exists()]", ")"),
        (f"os.chdir(state)\n    {LOOPED}", ")"),
        ("for p in rows:\n        p = p.strip()\n        if Path(p).exists(): return p", ")"),
        ("p = q.strip()\n    q = p.strip()\n    return Path(p).exists()", ")"),
        ("found = more\n    more = found\n    return [p for p in found if Path(p).exists()]", ")"),
        (LOOPED, ") + [os.path.join(text, 'a')]"),
    ],
)
def test_path_out_of_a_text_below_a_folder_is_no_fault(body: str, end: str):
    assert faults(flow_with(CLAIMED.format(body=body, end=end)), "own_directory") == []


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("with open('Architecture.md') as f:\n        return f.read()", "Architecture.md"),
        ("document = 'docs/design.md'\n    return open(document, 'r').read()", "docs/design.md"),
        ("return Path('src/graph.py').read_text()", "src/graph.py"),
        ("code = Path('src/graph.py')\n    return code.read_text()", "src/graph.py"),
        ("rows = ['.env', 'src/a.py']\n    return [open(r) for r in rows]", ""),
        ("rows = ['src/a.py', 'b.py']\n    for r in rows:\n        open(r)", "src/a.py"),
        ("for r in ('README.md', 'docs'):\n        with open(r): pass", "README.md"),
    ],
)
def test_a_detective_that_reads_a_document_where_it_runs_is_named(body: str, path: str):
    reading = flow_with(f"from pathlib import Path\ndef look(url):\n    {body}\n")

    expected = f"look() reads `{path}` in the auditor's own directory, not in the clone"
    assert sentences(reading, "own_directory") == [expected] * bool(path)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("for r in ('README.md', 'docs'):\n        if os.path.exists(r): return r", "README.md"),
        ("return os.path.isfile('src/graph.py')", "src/graph.py"),
        ("return os.path.exists(url)", ""),
        ("for r in ('README.md', 'docs'):\n        if os.path.exists(url + r): return r", ""),
    ],
)
def test_a_detective_that_looks_for_a_document_where_it_runs_is_named(body: str, path: str):
    reading = flow_with(f"import os\ndef look(url):\n    {body}\n")
    expected = f"look() looks for `{path}` in the auditor's own directory, not in the clone"
    assert sentences(reading, "own_directory") == [expected] * bool(path)


@pytest.mark.parametrize(
    ("call", "is_fault"),
    [
        ("os.listdir('.')", True),
        ("os.walk('./')", True),
        ("list(Path().glob('*.pdf'))", True),
        ("list(Path.cwd().iterdir())", True),
        ("os.listdir('reports')", False),
        ("list(Path('.').glob(url))", False),
        ("os.chdir(url) or os.listdir('.')", False),
    ],
)
def test_a_detective_that_lists_the_files_where_it_runs_is_named(call: str, is_fault: bool):
    body = f"print(url)\n    return {call}"
    reading = flow_with(f"import os\nfrom pathlib import Path\ndef look(url):\n    {body}\n")

    sentence = "look() lists the files of the auditor's own directory, not of the clone"
    assert sentences(reading, "own_directory") == ([sentence] if is_fault else [])


@pytest.mark.parametrize("folder", ["'.'", "os.getcwd()"])
def test_a_detective_that_reads_the_history_where_it_runs_is_named(folder: str):
    body = f"return subprocess.check_output(['git', 'log', '--oneline'], cwd={folder})"
    reading = flow_with(f"import os, subprocess\ndef look(url):\n    {body}\n")

    assert sentences(reading, "own_directory") == [
        "look() reads the history of the auditor's own directory, not of the clone"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "return open('rubric.json').read()",
        "return open('prompts/detective.md').read()",
        "return open('audit.md', 'w').write(url)",
        "return (Path(url) / 'Architecture.md').read_text()",
        "return subprocess.run(['git', 'log'], cwd=url)",
        "return subprocess.run(['git', '-C', url, 'log'], cwd='.')",
        "return subprocess.run(['git', 'clone', url], cwd='.')",
        "return open(f'{url}/src/graph.py').read()",
        "return open('/etc/motd.md').read()",
    ],
)
def test_data_of_the_auditor_and_files_below_a_path_are_no_fault(body: str):
    reading = flow_with(f"from pathlib import Path\ndef look(url):\n    {body}\n")

    assert faults(reading, "own_directory") == []
