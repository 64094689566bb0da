"""Slow regular expressions are found; tests/hostile/test_regular_expressions.py asks each of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _constants, _parser
from typing import Any

import pytest

from tests.project.regular_expressions import Expression, expressions, slow_text


@pytest.mark.parametrize(
    "pattern",
    [
        r"^author:[^\S\n]*[*_]{0,4}[^\S\n]*\S",
        r"\s+$",
        r"(?:a+)+b",
        r"<[^>]*>",
        r"\w+@\w+",
    ],
)
def test_a_quadratic_regular_expression_is_found(pattern: str) -> None:
    assert slow_text(Expression("here", re.compile(pattern), anchored=False))


def test_patterns_are_found_wherever_modules_keep_them() -> None:
    places = {expression.place for expression in expressions()}
    assert places >= {
        "grading.peer_review.redaction.contact_patterns.SIGNATURE",
        "courtroom.analysis.security.committed_secrets.KINDS",
        "courtroom.analysis.prompt_injection.patterns.FAMILIES",
    }
    assert len(places) > 250


def test_no_group_is_repeated_possessively() -> None:
    # Up to Python 3.11.4 such a group may end inside a turn that failed: `(?:ab?+c)*+` takes "aca"
    # (https://github.com/python/cpython/issues/106052). `(?>(?:ab?+c)*)` takes "ac".
    groups = [
        expression.place
        for expression in expressions()
        if any(_possessive_groups(_parser.parse(expression.pattern.pattern)))
    ]
    assert groups == []
    assert any(_possessive_groups(_parser.parse("a(?:ab?+c)*+")))
    assert not any(_possessive_groups(_parser.parse("a*+[bc]++(?>(?:ab?+c)*)")))


def _possessive_groups(parsed: Any) -> Iterator[Any]:
    """Yield the repeated items of a parsed pattern that are more than a single character."""
    if isinstance(parsed, _parser.SubPattern):
        for operation, argument in parsed:
            if operation is _constants.POSSESSIVE_REPEAT and not _is_character(argument[2]):
                yield argument[2]
            yield from _possessive_groups(argument)
    elif isinstance(parsed, list | tuple):
        for part in parsed:
            yield from _possessive_groups(part)


def _is_character(item: Any) -> bool:
    characters = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN)
    return len(item) == 1 and item[0][0] in characters
