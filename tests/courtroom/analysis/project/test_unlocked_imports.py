"""Imports of packages that an install by the lock file, or as the README says, does not bring."""

import pytest

from courtroom.analysis.project.unlocked_imports import (
    BESIDE,
    Install,
    install_of,
    undeclared_imports,
    unlocked_imports,
)
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

LOCK = '[[package]]\nname = "LangChain_Core"\n\n[[package]]\nname = "pillow"\n'
BY_LOCK = Install("uv.lock")


@pytest.mark.parametrize(
    ("code", "lock", "names"),
    [
        ("import PIL.Image\nimport langchain_core\n", LOCK, []),
        ("from PIL import Image\nimport pypdf\n", LOCK, ["pypdf"]),
        ("def read():\n    import pypdf\n", LOCK, []),
        ("try:\n    import pypdf\nexcept ImportError:\n    pypdf = None\n", LOCK, []),
        ("import unheard_of\nimport os\nfrom . import git\n", LOCK, []),
        ("import pypdf\n", "", []),
        (
            "from langgraph.checkpoint.sqlite import SqliteSaver\n",
            f'{LOCK}\nname = "langgraph"\nname = "langgraph-checkpoint"\n',
            ["langgraph.checkpoint.sqlite"],
        ),
    ],
)
def test_import_that_always_runs_of_a_package_that_the_lock_lacks_is_named(code, lock, names):
    rows = unlocked_imports(
        symbols_of({"src/tools.py": code}), BY_LOCK, {"uv.lock": lock}, frozenset()
    )
    assert [row["name"] for row in rows] == names


def test_own_module_of_the_name_and_unreached_files_are_no_missing_package():
    symbols = symbols_of({"git.py": "x = 1\n", "main.py": "import git\nimport pypdf\n"})
    assert unlocked_imports(symbols, BY_LOCK, {"uv.lock": LOCK}, frozenset({"main.py"})) == []
    (row,) = unlocked_imports(symbols, BY_LOCK, {"uv.lock": LOCK}, frozenset())
    assert row == {"name": "pypdf", "path": "main.py", "line": 2}


@pytest.mark.parametrize(
    ("path", "is_manifest"),
    [("requirements-dev.txt", True), ("setup.py", True), ("a/requirements.txt", False)],
)
def test_manifest_beside_the_lock_is_known_by_its_name(path, is_manifest):
    assert bool(BESIDE.fullmatch(path)) is is_manifest


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("import pypdf\n    return pypdf", "judges"),
        ("try:\n        import pypdf\n    except ImportError:\n        pass", None),
        ("if text:\n        import pypdf", None),
    ],
)
def test_import_of_a_function_that_a_run_reaches_has_its_part(body: str, part: str | None):
    symbols = symbols_of({"judges.py": f"def judge(text):\n    {body}\n"})
    (source,) = symbols.codebase.files.values()
    judges = {"judges": [FunctionRef(source, source.functions[0])]}
    rows = unlocked_imports(symbols, BY_LOCK, {"uv.lock": LOCK}, frozenset(), judges)
    assert [row["part"] for row in rows] == ([part] if part else [])


@pytest.mark.parametrize(
    ("files", "commands", "path"),
    [
        ("uv.lock pyproject.toml", "", "uv.lock"),
        ("uv.lock requirements.txt", "", None),
        ("uv.lock requirements.txt", "uv sync --all-groups", "uv.lock"),
        ("uv.lock requirements.txt", "uv sync\npip install -r requirements.txt", None),
        ("uv.lock environment.yml", "conda env create -f environment.yml", None),
        ("pyproject.toml requirements-lock.txt", "uv pip install -e '.[dev]'", "pyproject.toml"),
        ("pyproject.toml", "uv sync", "pyproject.toml"),
        ("uv.lock pyproject.toml", "pip install -e .\nuv sync", "uv.lock"),
        ("uv.lock pyproject.toml", "pip install -e .", "uv.lock"),
        ("uv.lock pyproject.toml", "uv sync\npip install -r requirements.txt", "uv.lock"),
        ("requirements.txt", "python -m pip install -r ./requirements.txt", "requirements.txt"),
        ("pyproject.toml", "pip install -r requirements.txt", None),
        ("poetry.lock requirements.txt", "poetry install", "poetry.lock"),
    ],
)
def test_install_is_by_the_only_manifest_or_the_one_of_the_readme(files, commands, path):
    install = install_of(files.split(), f"# Work\n```\n{commands}\n```\n")
    assert (install.path if install else None) == path


@pytest.mark.parametrize(
    ("manifest", "commands", "names"),
    [
        ("langchain-core", "pip install -e .", ["langchain_ollama", "streamlit"]),
        ("langchain_ollama\nstreamlit-extras", "pip install -e .", []),
        ("langchain-core", "pip install -e .\npip install streamlit>=1", ["langchain_ollama"]),
        ("langchain[ollama]", "pip install -e .", []),
    ],
)
def test_manifest_without_a_lock_lacks_only_what_no_other_package_brings(
    manifest: str, commands: str, names: list[str]
):
    code = "import langchain_ollama\nimport pypdf\nimport streamlit\n"
    install = install_of(["pyproject.toml"], f"```\n{commands}\n```\n")
    assert install is not None
    texts = {"pyproject.toml": manifest}
    rows = unlocked_imports(symbols_of({"main.py": code}), install, texts, frozenset())
    assert [row["name"] for row in rows] == names


def test_package_that_the_manifest_asks_for_comes_into_an_older_lock():
    symbols = symbols_of({"main.py": "import pypdf\nimport rich\n"})
    texts = {"uv.lock": LOCK, "pyproject.toml": 'dependencies = ["rich>=13"]'}
    rows = unlocked_imports(symbols, BY_LOCK, texts, frozenset())
    assert [row["name"] for row in rows] == ["pypdf"]


GUARDED = """
try:
    import pypdf
    HAS = True
except ImportError:
    HAS = False

def read(path):
    if not HAS:
        raise RuntimeError("install pypdf")
    return pypdf.PdfReader(path)
"""


@pytest.mark.parametrize(
    ("before", "after", "is_named"),
    [
        ("", "", True),
        ('raise RuntimeError("install pypdf")', "return []", True),
        ("HAS = False", "pypdf = HAS = None", True),
        ("not HAS", "HAS is None", True),
        ('raise RuntimeError("install pypdf")', "return plain(path)", False),
        ("    if not HAS:", "    if not HAS and path:", False),
        ("HAS = False", "import fitz as pypdf\n    HAS = False", False),
        ("def read", "HAS = True\n\ndef read", False),
        ("import pypdf", "import rich", False),
    ],
)
def test_import_that_is_caught_is_named_where_a_function_gives_nothing_without_it(
    before: str, after: str, is_named: bool
):
    lock = f'{LOCK}\n[[package]]\nname = "rich"\n'
    symbols = symbols_of({"tools.py": GUARDED.replace(before, after, 1) if before else GUARDED})
    (source,) = symbols.codebase.files.values()
    parts = {"detectives": [FunctionRef(source, source.functions[0])]}
    rows = unlocked_imports(symbols, BY_LOCK, {"uv.lock": lock}, frozenset(), parts)
    row = {"name": "pypdf", "path": "tools.py", "line": 3, "user": "read"}
    assert rows == ([row] if is_named else [])
    assert unlocked_imports(symbols, BY_LOCK, {"uv.lock": lock}, frozenset()) == []


@pytest.mark.parametrize(
    ("handler", "user"),
    [("return None", "build"), ("raise SystemExit", "build"), ("model = Other()", None)],
)
def test_import_whose_function_gives_nothing_without_it_is_named(handler: str, user: str | None):
    code = (
        f"def build():\n    try:\n        import pypdf\n    except ImportError:\n        {handler}\n"
        "    return pypdf\n"
    )
    symbols = symbols_of({"judges.py": code})
    source = symbols.codebase.files["judges.py"]
    parts = {"judges": [FunctionRef(source, source.functions[0])]}
    rows = unlocked_imports(symbols, BY_LOCK, {"uv.lock": LOCK}, frozenset(), parts)
    assert [row["user"] for row in rows] == ([user] if user else [])


@pytest.mark.parametrize(
    ("files", "row", "place"),
    [
        ({"graph.py": "from nodes import judge\n", "nodes.py": "import pypdf\n"}, {}, "nodes.py"),
        (
            {
                "graph.py": "from src.tools import reader\n",
                "src/tools/reader.py": "from pypdf import PdfReader\n",
            },
            {},
            "src/tools/reader.py",
        ),
        ({"graph.py": "import os\n", "nodes.py": "import pypdf\n"}, {}, None),
        ({"graph.py": "import pypdf\n"}, {"is_listed": True}, None),
        ({"graph.py": "import pypdf\n"}, {"user": "read"}, None),
        ({"graph.py": "try:\n    import pypdf\nexcept ImportError:\n    pypdf = None\n"}, {}, None),
    ],
)
def test_undeclared_import_is_a_fault_where_the_graph_leads_to_it(files, row, place):
    symbols = symbols_of(files)
    scope = {"lock": "uv.lock", "unlocked": [{"name": "pypdf", "path": "a.py", "line": 1} | row]}
    faults = list(undeclared_imports(symbols, symbols.codebase.files["graph.py"], scope))
    assert [(fault.path, fault.line) for fault in faults] == ([(place, 1)] if place else [])
    for fault in faults:
        assert fault.sentence == (
            f"{place} imports `pypdf`, and uv.lock does not list `pypdf`: after an install by it"
            f" {place} cannot be imported"
        )


FROZEN = "certifi==2026.1.4\nidna==3.11\npydantic==2.12.5\nsix==1.17.0\nurllib3==2.5.0\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (FROZEN, ["langgraph"]),
        (f"{FROZEN}langgraph==1.0.9\n", []),
        (f"{FROZEN}deepagents>=0.1\n", []),
        ("pydantic==2.12.5\n", []),
    ],
)
def test_list_of_all_pins_lacks_what_it_does_not_name(text: str, names: list[str]):
    symbols = symbols_of({"main.py": "import pydantic\nimport langgraph.graph\n"})
    install = Install("requirements.txt")
    rows = unlocked_imports(symbols, install, {"requirements.txt": text}, frozenset())
    assert [row["name"] for row in rows] == names
