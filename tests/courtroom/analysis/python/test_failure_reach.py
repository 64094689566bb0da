"""Handlers around a line that fails, and what has to fail before it runs."""

from __future__ import annotations

import pytest

from courtroom.analysis.python.failure_reach import failure_reach
from tests.courtroom.sources import symbols_of


def reach_of(code: str) -> tuple[int, int]:
    """Return the line of the handler and of the `try` around the line that uses LOST."""
    text = f"def audit(path):\n{code}"
    source = symbols_of({"a.py": text}).codebase.files["a.py"]
    line = text[: text.index("LOST")].count("\n") + 1
    reach = failure_reach(source.functions[0].node, line)
    return reach.caught_at, reach.after_failure


TRY = """    try:
        if path:
            LOST(path)
    except {error}:
        {answer}
"""


@pytest.mark.parametrize(
    ("error", "answer", "caught_at"),
    [
        ("Exception", "pass", 5),
        ("(OSError, Exception) as error", "return [error]", 5),
        ("Exception", "raise RuntimeError", 0),
        ("Exception", "sys.exit(1)", 0),
        ("OSError", "pass", 0),
        ("NameError:\n        raise\n    except Exception", "pass", 0),
        ("ImportError:\n        raise\n    except Exception", "pass", 7),
    ],
)
def test_handler_that_ends_every_error_catches_the_line(error: str, answer: str, caught_at: int):
    assert reach_of(TRY.format(error=error, answer=answer)) == (caught_at, 0)


def test_outer_handler_catches_what_the_inner_one_raises():
    inner = TRY.format(error="Exception", answer="raise ValueError").replace("\n", "\n    ")
    outer = f"    try:\n    {inner.rstrip()}\n    except Exception:\n        return None\n"
    assert reach_of(outer) == (8, 0)


def test_line_of_a_function_inside_is_not_caught_where_it_is_written():
    code = "    try:\n        def read():\n            return LOST\n    except Exception:\n        pass\n"
    assert reach_of(code) == (0, 0)


READ = """    try:
        {statement}
    except OSError:
        {answer}
    LOST(path)
"""


@pytest.mark.parametrize(
    ("code", "try_line"),
    [
        (READ.format(statement="read(path)", answer="LOST(path)"), 2),
        (READ.format(statement="return read(path)", answer="pass"), 2),
        (f"    if READY:\n{READ.format(statement='return read(path)', answer='pass')}", 3),
        (READ.format(statement="read(path)", answer="pass"), 0),
        ("    try:\n        return read(path)\n    finally:\n        LOST(path)\n", 0),
    ],
    ids=["handler", "way past a return", "with a test around", "no return", "finally"],
)
def test_line_that_runs_only_after_a_failure_names_its_try(code: str, try_line: int):
    if code.startswith("    if"):
        code = code.replace("\n    ", "\n        ").replace("        LOST", "    LOST")
    assert reach_of(code) == (0, try_line)


@pytest.mark.parametrize(
    ("test", "key"),
    [
        ('len(path.get("notes", {})) == 0', "notes"),
        ('not path["notes"]', "notes"),
        ('not other["notes"]', None),
        ('path["notes"]', None),
        ('len(path["notes"]) == 1', None),
    ],
)
def test_line_below_a_test_for_an_empty_key_runs_only_there(test: str, key: str | None):
    text = f"def audit(path):\n    if {test}:\n        LOST(path)\n"
    source = symbols_of({"a.py": text}).codebase.files["a.py"]
    assert failure_reach(source.functions[0].node, 3).where_empty == key
