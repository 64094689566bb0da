"""Units of Python sources as a confined child reads them, and what calls what."""

from __future__ import annotations

import pytest

from courtroom.exhibits.outline import read_outline
from courtroom.exhibits.units import Outline, Unit
from courtroom.models.case import Limits
from courtroom.models.errors import ChildFailed

TOOLS = """LIMIT = 3


@cached
@traced(1)
def clone(url):
    def inner():
        return LIMIT
    return inner()


class Judge:
    def __init__(self):
        self.log = []

    def answer(self, task):
        return self.check(clone(task))

    def check(self, text):
        return text
"""
USES = """from tools import Judge, clone


def run():
    judge = Judge()
    judge.answer(1)


def check(text):
    return text
"""
BROKEN = "def half(:\n"


@pytest.fixture(scope="module")
def outline() -> Outline:
    texts = {"tools.py": TOOLS, "uses.py": USES, "broken.py": BROKEN}
    return read_outline({path: text.split("\n") for path, text in texts.items()}, Limits())


def named(outline: Outline, name: str) -> Unit:
    (unit,) = outline.named(name)
    return unit


def test_units_have_their_decorators_and_the_names_around_them(outline: Outline) -> None:
    rows = [(unit.kind, unit.qualname, unit.first, unit.last) for unit in outline.units["tools.py"]]
    assert rows == [
        ("value", "LIMIT", 1, 1),
        ("function", "clone", 4, 9),
        ("function", "clone.inner", 7, 8),
        ("class", "Judge", 12, 20),
        ("function", "Judge.__init__", 13, 14),
        ("function", "Judge.answer", 16, 17),
        ("function", "Judge.check", 19, 20),
    ]


def test_file_that_does_not_parse_has_no_units(outline: Outline) -> None:
    assert "broken.py" not in outline.units


def test_innermost_unit_holds_a_line(outline: Outline) -> None:
    unit = outline.innermost("tools.py", 8)
    assert unit is not None
    assert unit.qualname == "clone.inner"
    assert outline.innermost("tools.py", 2) is None


def test_callees_are_of_the_own_class_first_and_leave_out_own_parts(outline: Outline) -> None:
    assert [u.qualname for u in outline.callees(named(outline, "Judge.answer"))] == [
        "Judge.check",
        "clone",
    ]
    assert [u.qualname for u in outline.callees(named(outline, "clone"))] == ["LIMIT"]


def test_callers_come_with_their_lines_and_a_constructor_is_called_by_its_class(
    outline: Outline,
) -> None:
    assert outline.callers(named(outline, "Judge.answer")) == {named(outline, "run"): [6]}
    assert outline.callers(named(outline, "clone")) == {named(outline, "Judge.answer"): [17]}


@pytest.mark.processes
def test_child_that_dies_is_a_failure() -> None:
    with pytest.raises(ChildFailed):
        read_outline({"a.py": ["x = 1"]}, Limits(child_memory_bytes=1024**2))
