"""Compile the tests on all cores: `python -m tests.compile_tests`.

Processes that begin together would compile them each for themselves. To collect the tests once
compiles them as well, on one core, and imports them all, which takes longer.
"""

from __future__ import annotations

from compileall import compile_file
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from _pytest.assertion.rewrite import PYC_TAIL, _rewrite_test, _write_pyc_fp, get_cache_dir

TESTS = Path(__file__).parent


def compile_tests(folder: Path) -> None:
    """Store the bytecode of all modules below this folder, as pytest and Python would."""
    with ProcessPoolExecutor() as pool:
        list(pool.map(_compile, sorted(folder.rglob("*.py")), chunksize=8))


def _compile(module: Path) -> None:
    if not (module.match("test_*.py") or module.name == "conftest.py"):
        compile_file(module, quiet=2)
        return

    digest, code = _rewrite_test(module, None)  # type: ignore[arg-type]  # the defaults
    cache = get_cache_dir(module)
    cache.mkdir(exist_ok=True)
    with (cache / f"{module.stem}{PYC_TAIL}").open("wb") as stored:
        _write_pyc_fp(stored, digest, code)


if __name__ == "__main__":
    compile_tests(TESTS)
