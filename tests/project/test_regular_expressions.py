"""Slow regular expressions are found; tests/hostile/test_regular_expressions.py asks each of ours."""

from __future__ import annotations

import re

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
