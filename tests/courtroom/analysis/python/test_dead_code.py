"""What can never run is no evidence, wherever it hides."""

import ast
from textwrap import dedent

import pytest

from courtroom.analysis.python.dead_code import remove_dead_code


def living(code: str) -> str:
    tree = ast.parse(dedent(code))
    remove_dead_code(tree)
    return ast.unparse(tree)


@pytest.mark.parametrize("condition", ["False", "0", "None", "''", "not True", "not 1"])
def test_what_stands_behind_a_false_condition_is_gone_and_its_alternative_stays(condition):
    assert living(f"if {condition}:\n    fake()\nelse:\n    real()") == "real()"


def test_a_branch_in_between_is_gone_and_the_others_stay():
    code = "if x:\n    a()\nelif False:\n    fake()\nelse:\n    b()"
    assert living(code) == "if x:\n    a()\nelse:\n    b()"


def test_nothing_that_follows_the_end_of_a_block_stays():
    assert living("def f():\n    return 1\n    fake()") == "def f():\n    return 1"
    assert living("for x in y:\n    continue\n    fake()") == "for x in y:\n    continue"


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
def test_dead_code_is_found_in_every_kind_of_block(place):
    assert "fake" not in living(place.format("if False: fake()"))


@pytest.mark.parametrize(
    "code", ["if x:\n    a()", "while True:\n    a()", "if TYPE_CHECKING:\n    import a"]
)
def test_what_may_run_stays_as_it_is(code):
    assert living(code) == code
