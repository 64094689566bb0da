"""Imports of packages that an install by the lock file does not bring."""

import pytest

from courtroom.analysis.project.unlocked_imports import BESIDE, unlocked_imports
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

LOCK = '[[package]]\nname = "LangChain_Core"\n\n[[package]]\nname = "pillow"\n'


@pytest.mark.parametrize(
    ("code", "lock", "names"),
    [
        ("import PIL.Image\nimport langchain_core\n", LOCK, []),
        ("from PIL import Image\nimport pypdf\n", LOCK, ["pypdf"]),
        ("def read():\n    import pypdf\n", LOCK, []),
        ("try:\n    import pypdf\nexcept ImportError:\n    pypdf = None\n", LOCK, []),
        ("import unheard_of\nimport os\nfrom . import git\n", LOCK, []),
        ("import pypdf\n", "", []),
    ],
)
def test_import_that_always_runs_of_a_package_that_the_lock_lacks_is_named(code, lock, names):
    rows = unlocked_imports(symbols_of({"src/tools.py": code}), lock, frozenset())
    assert [row["name"] for row in rows] == names


def test_own_module_of_the_name_and_unreached_files_are_no_missing_package():
    symbols = symbols_of({"git.py": "x = 1\n", "main.py": "import git\nimport pypdf\n"})
    assert unlocked_imports(symbols, LOCK, frozenset({"main.py"})) == []
    (row,) = unlocked_imports(symbols, LOCK, frozenset())
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
        ("try:\n        import pypdf\n    except ImportError:\n        return None", None),
        ("if text:\n        import pypdf", None),
    ],
)
def test_import_of_a_function_that_a_run_reaches_has_its_part(body: str, part: str | None):
    symbols = symbols_of({"judges.py": f"def judge(text):\n    {body}\n"})
    (source,) = symbols.codebase.files.values()
    judges = {"judges": [FunctionRef(source, source.functions[0])]}
    rows = unlocked_imports(symbols, LOCK, frozenset(), judges)
    assert [row["part"] for row in rows] == ([part] if part else [])
