"""Compile the tests on all cores, and read the constants of the site for Hypothesis:
`python -m tests.compile_tests`.

Processes that begin together would do both each for themselves. To collect the tests once does it
as well, on one core, and imports them all, which takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from compileall import compile_file
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path
from types import ModuleType

from _pytest.assertion.rewrite import PYC_TAIL, _rewrite_test, _write_pyc_fp, get_cache_dir

TESTS = Path(__file__).parent
PACKAGES = ("auditor_site", "courtroom", "grading")


def compile_tests(folder: Path) -> None:
    """Store the bytecode of all modules below this folder, as pytest and Python would."""
    on_all_cores(_compile, folder.rglob("*.py"))


def on_all_cores(function: Callable[[Path], None], modules: Iterable[Path]) -> None:
    with ProcessPoolExecutor() as pool:
        list(pool.map(function, sorted(modules), chunksize=8))


def _compile(module: Path) -> None:
    if not (module.match("test_*.py") or module.name == "conftest.py"):
        compile_file(module, quiet=2)
        return

    digest, code = _rewrite_test(module, None)  # type: ignore[arg-type]  # the defaults
    cache = get_cache_dir(module)
    cache.mkdir(exist_ok=True)
    with (cache / f"{module.stem}{PYC_TAIL}").open("wb") as stored:
        _write_pyc_fp(stored, digest, code)


def store_constants(module: Path) -> None:
    """Store the constants of a module in `.hypothesis` of the current folder.

    Hypothesis tries them as examples. It keeps them by the content of a module, and reads the
    modules that it does not know as soon as tests are collected: three seconds for each worker.
    """
    from hypothesis.internal.constants_ast import constants_from_module

    named = ModuleType(module.stem)
    named.__file__ = str(module)
    constants_from_module(named)


if __name__ == "__main__":
    compile_tests(TESTS)
    on_all_cores(
        store_constants, chain(*(TESTS.parent.glob(f"{name}/**/*.py") for name in PACKAGES))
    )
