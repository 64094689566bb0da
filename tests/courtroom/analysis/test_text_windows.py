"""Cuts from a long text."""

from __future__ import annotations

import pytest

from courtroom.analysis.project.score_claims import claims_in
from courtroom.analysis.text_windows import word_start


@pytest.mark.parametrize(
    ("start", "begin"), [(-3, 0), (0, 0), (1, 4), (3, 4), (4, 4), (5, 8), (9, 12), (12, 12)]
)
def test_cut_begins_with_a_whole_word(start: int, begin: int) -> None:
    assert word_start("one two last", start, 12) == begin


def test_sentence_before_a_score_begins_with_a_whole_word() -> None:
    ((_, claim),) = claims_in(f"{'assessment ' * 12}is an overall score of 4/5")
    assert claim["text"].startswith("assessment ")
