"""Compact nodes say the same as those of `ast.parse`."""

from __future__ import annotations

import ast

import pytest

from courtroom.analysis.python.compact_nodes import COMPACT
from courtroom.analysis.python.syntax import parse_sources

CODE = '''
@decorate(name="x")
class Judge(base.Judge):
    """A judge."""

    score: int = 3

    def weigh(self, *others, limit: float = 1.5, **options) -> str:
        best = [one.score for one in others if one is not self][0]
        self.score += best
        match best:
            case 1 | base.LOW:
                return f"{best!r:>{limit}}"
            case {"a": rest}:
                del rest[0:1]
        return (lambda text, /: text)(u"kept")
'''


@pytest.fixture
def tree():
    return parse_sources({"judge.py": CODE.encode()}).files["judge.py"].tree


def test_tree_reads_as_the_one_that_python_parses(tree):
    parsed = ast.parse(CODE)

    assert ast.dump(tree, include_attributes=True) == ast.dump(parsed, include_attributes=True)
    assert ast.unparse(tree) == ast.unparse(parsed)


def test_every_node_of_a_common_kind_is_compact(tree):
    nodes = [node for node in ast.walk(tree) if isinstance(node, tuple(COMPACT))]

    assert {type(node) for node in nodes} == set(COMPACT.values())
    # Only the rare prefix of a string stands in a dict.
    assert [node.__dict__ for node in nodes if node.__dict__] == [{"kind": "u"}]
