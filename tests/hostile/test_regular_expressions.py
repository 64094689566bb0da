"""Regular expressions take at most three times as long for twice the text."""

from __future__ import annotations

import pytest

from tests.project.regular_expressions import Expression, expressions, slow_text

LONG = 16_384


@pytest.mark.parametrize("expression", expressions(), ids=lambda expression: expression.place)
def test_twice_the_text_takes_at_most_three_times_as_long(expression: Expression) -> None:
    assert slow_text(expression, LONG) == ""
