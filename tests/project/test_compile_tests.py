"""Bytecode that is stored before the tests run is what pytest and Python look for."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from _pytest.assertion.rewrite import PYC_TAIL, _read_pyc

from tests.compile_tests import compile_tests


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
