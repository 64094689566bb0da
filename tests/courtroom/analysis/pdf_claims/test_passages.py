"""Ranked search in a report, and terms whose words stand apart."""

from __future__ import annotations

import time

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.concepts import use_of_term
from courtroom.analysis.pdf_claims.passages import CONTEXT_CHARACTERS, Passages, stems_of

FILLER = "Nothing of note happens in this sentence about weather and gardens. "


def _pages(*texts: str) -> PdfReading:
    return PdfReading(pages=texts)


@pytest.mark.parametrize("reading", [_pages(), _pages(""), _pages("... -- ...")])
def test_report_without_text_has_no_passages(reading: PdfReading) -> None:
    assert Passages(reading).search("parallel judges") == ()


@pytest.mark.parametrize("query", ["", "of the and", "zygote"])
def test_query_without_a_word_of_the_report_finds_nothing(query: str) -> None:
    assert Passages(_pages("The judges of the court and the jury.")).search(query) == ()


def test_best_passage_comes_first_with_its_page_and_context() -> None:
    page = FILLER * 20 + "Reducers merge the opinions of parallel judges. " + FILLER * 20
    best = Passages(_pages(FILLER * 30, page)).search("judge opinion reducer")[0]
    assert (best.page, "Reducers merge the opinions" in best.text) == (2, True)
    assert (len(best.before), len(best.after)) == (CONTEXT_CHARACTERS, CONTEXT_CHARACTERS)
    assert best.in_context in page


def test_chunks_hold_500_characters_and_share_100_with_their_neighbour() -> None:
    page = " ".join(f"word{number:04}" for number in range(200))
    results = sorted(
        Passages(_pages(page)).search(page, most=99), key=lambda passage: page.index(passage.text)
    )
    starts = [page.index(passage.text) for passage in results]
    ends = [start + len(passage.text) for start, passage in zip(starts, results, strict=True)]
    assert max(len(passage.text) for passage in results) <= 500
    overlaps = {end - start for start, end in zip(starts[1:], ends[:-1], strict=True)}
    assert overlaps <= set(range(100 - len("word0000 "), 101))
    assert (starts[0], ends[-1]) == (0, len(page))


def test_equal_passages_are_in_page_order() -> None:
    results = Passages(_pages("A barrier.", "A barrier.", "A barrier.")).search("barriers")
    assert [passage.page for passage in results] == [1, 2, 3]


def test_endings_do_not_matter() -> None:
    assert stems_of("Judges validated the validation") == ["judg", "valid", "valid"]


def test_query_over_fifty_pages_takes_less_than_ten_milliseconds() -> None:
    text = " ".join(f"term{number % 997} plain{number % 13}" for number in range(400))
    passages = Passages(_pages(*[text] * 50))
    begin = time.thread_time()  # its own work, however busy the machine is
    passages.search("term5 plain3 term77 judges in parallel")
    assert time.thread_time() - begin < 0.010


def test_term_of_several_words_counts_when_its_words_stand_close_together() -> None:
    reading = _pages(
        FILLER * 5 + "When a handler sees an error, it is retried, and every error is handled."
    )
    match = use_of_term(reading, "error handling")
    assert (match.use, match.page) == ("mentioned", 1)


def test_term_whose_words_are_pages_apart_is_absent() -> None:
    assert (
        use_of_term(
            _pages("Errors. " + FILLER * 12, FILLER * 12 + "Handling."), "error handling"
        ).use
        == "absent"
    )
