"""Regular expressions take at most three times as long for twice the text."""

from __future__ import annotations

from tests.project.regular_expressions import expressions, slow_text


def test_twice_the_text_takes_at_most_three_times_as_long() -> None:
    # One test: to find the expressions, each worker would import and parse the whole project.
    slow = [(expression.place, slow_text(expression)) for expression in expressions()]
    assert [(place, text) for place, text in slow if text] == []
