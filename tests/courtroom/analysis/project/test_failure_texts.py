"""Opinions in the words that the work's own code writes for a failed answer."""

from __future__ import annotations

import pytest

from courtroom.analysis.project.audit_rows import audit_row
from courtroom.analysis.project.failure_texts import failure_texts
from courtroom.analysis.project.own_audits import (
    audit_paths,
    audits_without_judgement,
    newest_audits,
    placed_by_repository,
    read_audits,
)
from tests.courtroom.analysis.project.test_own_audits import SELF, audit
from tests.courtroom.sources import symbols_of

CODE = """
def judge(state):
    try:
        opinion = ask(state)
    except Exception as error:
        opinion = Opinion(score=worst, argument={argument})
    return opinion
"""


def texts_of(argument: str) -> tuple[str, ...]:
    return failure_texts(symbols_of(CODE.replace("{argument}", argument)).codebase.production)


@pytest.mark.parametrize(
    ("argument", "texts"),
    [
        ("f'Critical error: {error}'", ("Critical error:",)),
        ("'Quota exceeded.' if quota else f'The judge broke: {error}'", ("Quota exceeded.",)),
        ("f'{name} was unable to judge'", ()),
        ("f'The graph is wired: {error}'", ()),
        ("f'Error: {error}'", ()),
        ("str(error)", ()),
    ],
)
def test_text_of_a_handler_that_speaks_of_a_failure_is_one(argument, texts):
    assert texts_of(argument) == texts


def test_opinion_in_the_words_of_a_handler_is_a_failure_and_has_no_score_of_its_own():
    failed = 'Critical error: arguments {"score": 2, "argument": "Good."}'
    text = audit(failed, *(f"The graph of part {n} is wired." for n in range(5)))
    texts = failure_texts(symbols_of(CODE.format(argument="f'Critical error: {error}'")).codebase)
    (reading,), _ = read_audits({SELF: text}, {SELF: "self"}, texts)
    row = audit_row(reading)
    assert (row["failed"], row["remarks"]) == (1, [])
    (other,), _ = read_audits({SELF: text}, {SELF: "self"})
    assert (audit_row(other)["failed"], len(audit_row(other)["remarks"])) == (0, 1)


def test_audit_of_oneself_among_those_of_peers_is_replaced_by_a_later_one():
    early, late = "audit/report_onpeer_generated/run_20260228.md", f"{SELF[:-4]}run_20260301.md"
    failed = audit("Error: the call failed.")
    for later, count in ((audit(), 0), (audit(url="https://github.com/bo/other-work"), 1)):
        texts = {early: failed, late: later}
        readings, _ = read_audits(texts, audit_paths(texts))
        assert len(audits_without_judgement(readings)) == count
        assert len(newest_audits(placed_by_repository(readings))) == 1 + count
