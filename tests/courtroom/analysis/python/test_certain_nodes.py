"""Parts of a function that every run evaluates."""

import ast

import pytest

from courtroom.analysis.python.certain_nodes import certain_nodes


@pytest.mark.parametrize(
    "body",
    [
        "return f'{LOST}'",
        "if a:\n    return 1\nreturn LOST",
        "for row in a:\n    b(LOST)",
        "with a as f:\n    b(LOST)",
        "try:\n    a(LOST)\nexcept ValueError:\n    pass",
        "try:\n    a()\nfinally:\n    b(LOST)",
        "if LOST:\n    pass",
        "return LOST and a",
        "return [LOST for row in a]",
        "return {LOST: row for row in a}",
        "text: str = LOST",
        "match LOST:\n    case 1:\n        pass",
    ],
)
def test_part_that_every_run_evaluates_is_certain(body: str):
    assert _has_lost(body)


@pytest.mark.parametrize(
    "body",
    [
        "return 1\nreturn LOST",
        "if a:\n    b(LOST)",
        "return a and LOST",
        "return LOST if a else 1",
        "try:\n    a(LOST)\nexcept Exception:\n    pass",
        "try:\n    a(LOST)\nexcept (ValueError, NameError):\n    pass",
        "try:\n    a()\nexcept ValueError:\n    b(LOST)",
        "return [LOST for row in a if row]",
        "return any(LOST for row in a)",
        "def later():\n    return LOST",
        "return lambda: LOST",
        "for row in a:\n    continue\n    b(LOST)",
        "text: LOST = 1",
    ],
)
def test_part_that_a_run_may_leave_out_is_not(body: str):
    assert not _has_lost(body)


def _has_lost(body: str) -> bool:
    nodes = certain_nodes(ast.parse(body).body)
    return any(isinstance(node, ast.Name) and node.id == "LOST" for node in nodes)
