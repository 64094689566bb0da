"""Lines of what a reader looks for in an expression of several lines."""

from __future__ import annotations

import ast

import pytest

from courtroom.analysis.python.tree_walk import line_of_key, line_of_text

TEXT = """note = (
    f"Variance {variance}: "
    f"{lead}. Re-evaluation "
    "applied."
)
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [("Variance", 2), ("Re-evaluation applied", 3), ("applied.", 4), ("nowhere", 2)],
)
def test_text_is_found_in_the_part_of_the_literal_that_begins_it(text: str, line: int) -> None:
    literal = next(node for node in ast.walk(ast.parse(TEXT)) if isinstance(node, ast.JoinedStr))
    assert line_of_text(TEXT, literal, text) == line


@pytest.mark.parametrize(
    "code", ["rubric.get(\n  name.lower(),\n  ''\n)", "rubric[\n  'a'\n]", "(\n  'a'\n  in rubric)"]
)
def test_lookup_of_several_lines_is_placed_at_its_key(code: str) -> None:
    assert line_of_key(ast.parse(code, mode="eval").body) == 2
