"""Removal of code that can never run."""

import ast
from textwrap import dedent

import pytest

from courtroom.analysis.python.dead_code import remove_dead_code


def without_dead_code(code: str) -> str:
    tree = ast.parse(dedent(code))
    remove_dead_code(tree)
    return ast.unparse(tree)


@pytest.mark.parametrize("condition", ["False", "0", "None", "''", "not True", "not 1"])
def test_code_behind_a_false_condition_is_removed_and_its_alternative_stays(condition):
    assert without_dead_code(f"if {condition}:\n    fake()\nelse:\n    real()") == "real()"


def test_a_false_middle_branch_is_removed_and_the_other_branches_stay():
    code = "if x:\n    a()\nelif False:\n    fake()\nelse:\n    b()"
    assert without_dead_code(code) == "if x:\n    a()\nelse:\n    b()"


def test_code_after_the_end_of_a_block_is_removed():
    assert without_dead_code("def f():\n    return 1\n    fake()") == "def f():\n    return 1"
    assert without_dead_code("for x in y:\n    continue\n    fake()") == "for x in y:\n    continue"


@pytest.mark.parametrize(
    "place",
    [
        "def f():\n    {}",
        "class C:\n    {}",
        "try:\n    pass\nexcept E:\n    {}",
        "try:\n    pass\nfinally:\n    {}",
        "with a:\n    {}",
        "match x:\n    case 1:\n        {}",
        "for x in y:\n    pass\nelse:\n    {}",
    ],
)
def test_dead_code_is_removed_from_every_kind_of_block(place):
    assert "fake" not in without_dead_code(place.format("if False: fake()"))


@pytest.mark.parametrize("condition", ["SWITCH", "x and SWITCH", "(x and SWITCH) and y"])
@pytest.mark.parametrize("switch", ["SWITCH = False", "SWITCH: bool = False"])
def test_code_behind_a_switch_that_is_off_is_removed(switch, condition):
    code = f"{switch}\nif {condition}:\n    fake()\nelse:\n    real()"
    assert without_dead_code(code) == f"{switch}\nreal()"


@pytest.mark.parametrize(
    "code",
    [
        "if x:\n    a()",
        "while True:\n    a()",
        "if TYPE_CHECKING:\n    import a",
        "SWITCH = True\nif SWITCH:\n    a()",
        "SWITCH = None\nif SWITCH:\n    a()",
        "SWITCH = False\nif SWITCH or x:\n    a()",
        "SWITCH = False\nif set_up():\n    SWITCH = True\nif SWITCH:\n    a()",
        "SWITCH = False\n\ndef f():\n    global SWITCH\n    SWITCH = x\nif SWITCH:\n    a()",
    ],
)
def test_live_code_is_unchanged(code):
    assert without_dead_code(code) == code
