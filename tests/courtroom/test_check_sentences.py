"""Both sentences of every check of the shipped rubrics, with facts of small works."""

import re

import pytest

from courtroom.checks.registry import fault_of
from courtroom.models.statement import OPENING_WORDS
from courtroom.rendering.markdown_escaping import escape_prose
from courtroom.rendering.markdown_report import render_markdown
from courtroom.rubric_import.shipped_rubrics import SHIPPED, load_shipped
from tests.courtroom.check_sentences import PAGE, audited_works, checks_of, page, sentences_in

ALTERNATIVE = re.compile(r"\bor\b(?! more)")
# Of a negation, each part is so.
STATED = re.compile(r"(?!No |None |Nothing |There is no |The report does not )")


@pytest.fixture(scope="module")
def reports():
    return audited_works()


@pytest.fixture(scope="module")
def rows(reports):
    return sentences_in(reports)


def test_check_is_met_in_one_work_and_not_in_another(rows):
    assert [name for name, row in rows.items() if set(row.by_outcome) != {True, False}] == []


def test_fault_has_a_fact_and_is_no_goal(rows):
    goals = {check.goal for name in SHIPPED for check in load_shipped(name).checks}
    for row in rows.values():
        words = str(row.by_outcome[False])
        assert not any(words.startswith(f"{goal}.") for goal in goals), row.check


def test_good_absence_does_not_begin_as_a_failed_search(rows):
    statements = [(row.check, row.by_outcome[True]) for row in rows.values()]
    failed = ("not found", "no match")
    assert [
        name
        for name, statement in statements
        if statement.sentence.lower().startswith(failed)
        or statement.fact.lower().startswith(failed)
    ] == []


CHECKS = [check for name in SHIPPED for check in load_shipped(name).checks]
# The name of a thing begins with its capital within a sentence too.
NAMES = {"JavaScript", "LangGraph", "TypeScript"}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_goal_reads_well_after_whether(check):
    assert check.goal.split()[0] in OPENING_WORDS | NAMES
    assert not re.search(r"[;:?]|\bwhether\b|\.$", check.goal)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_fault_begins_small_after_a_colon(check, rows):
    opening = rows[check.id].by_outcome[False].sentence.split()[0]
    assert opening in OPENING_WORDS | NAMES or not opening[0].isupper()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_fault_states_no_alternative(check, rows):
    sentences = [fault_of(check), rows[check.id].by_outcome[False].sentence]
    assert [words for words in sentences if STATED.match(words) and ALTERNATIVE.search(words)] == []


def test_page_of_sentences_is_current(rows):
    """After a change: python -m tests.courtroom.check_sentences"""
    assert PAGE.read_text(encoding="utf-8") == page(rows)


def test_markdown_names_no_goal_that_is_not_met(reports):
    for report in reports:
        checks, text = checks_of(report), render_markdown(report).casefold()
        # A fault may be its goal with a “no” before it.
        for check in checks:
            text = text.replace(escape_prose(check.fault).casefold(), "")
        met = {check.goal for check in checks if check.met}
        unmet = {check.goal for check in checks if check.met is False} - met
        assert [goal for goal in unmet if escape_prose(goal).casefold() in text] == []
