"""Constants, bytecode and assertions stored before the tests run, as their readers look for them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import PYC_TAIL, _read_pyc
from hypothesis import configuration

from tests.compile_tests import compile_tests, store_constants


def test_pytest_and_python_find_what_was_compiled(tmp_path: Path) -> None:
    for name in ("test_sum.py", "conftest.py", "factory.py"):
        (tmp_path / name).write_text("def test_sum():\n    assert 1 + 1 == 2\n")
    (tmp_path / "unreadable.py").write_text("(")
    compile_tests(tmp_path)

    stored = tmp_path / "__pycache__"
    rewritten = [stored / f"{name}{PYC_TAIL}" for name in ("test_sum", "conftest")]
    plain = Path(importlib.util.cache_from_source(str(tmp_path / "factory.py")))
    assert set(stored.iterdir()) == {*rewritten, plain}
    for name, bytecode in zip(("test_sum.py", "conftest.py"), rewritten, strict=True):
        code = _read_pyc(tmp_path / name, bytecode)
        assert code is not None
        assert code.co_filename == str(tmp_path / name)


def test_hypothesis_finds_the_constants_that_were_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setattr(configuration, "__hypothesis_home_directory", home)
    module = tmp_path / "module.py"
    module.write_text("LIMIT = 4711\n")
    store_constants(module)

    (stored,) = (home / "constants").iterdir()
    assert stored.read_text().splitlines()[-1] == "[4711]"
