"""Advice on audits in which no judge was heard, by the cause that their own text gives."""

from __future__ import annotations

import pytest

from courtroom.analysis.project.recorded_scores import SINCE
from courtroom.synthesis.advice.audit_causes import (
    CALLS,
    CHANGED_SINCE,
    COMMIT,
    COMMIT_EACH,
    EVIDENCE,
    KEY,
    LIMIT,
    NO_CAUSE,
    NOT_READ,
    NOT_WEIGHED,
    PLACEHOLDERS,
    QUOTA,
    WITH_PLAIN_JUDGES,
    WITHOUT_ANSWER,
    WITHOUT_MODEL,
)
from courtroom.synthesis.advice.code_steps import output_steps
from tests.courtroom.synthesis.advised_work import work
from tests.courtroom.synthesis.bench_records import piece

FAILED = "All 30 opinions of a.md report a failure in place of a judgement: “{}”"


def row(text, path="a.md"):
    return {"text": text, "places": [{"path": path, "line": 3}]}


def steps(*rows, about="self", **facts):
    pieces = [piece(rationale=row["text"]) for row in rows]
    audits = [
        {"path": path, "about": audited, "repository": None}
        for path, audited in [("a.md", "self"), ("b.md", about)]
    ]
    replaced = row("Replaced by a later one.", "old.md")
    advised = work(audits_without_judgement=[*rows, replaced], own_audits=audits, **facts)
    return [(s.action, s.path) for s in output_steps("judged", pieces, advised)]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (FAILED.format("Error code: 429 - Too many requests"), LIMIT),
        (
            FAILED.format("RateLimitError: 429 - exceeded your current quota, plan and billing"),
            QUOTA,
        ),
        (FAILED.format("429 insufficient_quota. Try again in a month."), QUOTA),
        (FAILED.format("429 You exceeded your current quota. Please retry in 34s."), LIMIT),
        (FAILED.format("Rate limit: 6000 tokens per minute. Upgrade at settings/billing"), LIMIT),
        (FAILED.format("OPENAI_API_KEY not set; the panel is skipped."), KEY),
        (FAILED.format("Unable to judge due to missing or empty evidence."), EVIDENCE),
        (FAILED.format("503 overloaded, try again in 30 seconds"), CALLS),
        (FAILED.format("LLM call failed. See the console."), CALLS),
        ("Each judge gives one argument, such as “heuristic opinion, ratio 1.0”", WITHOUT_MODEL),
        ("18 of 22 arguments of a.md stand ready-made in the code.", WITHOUT_MODEL),
        ("7 of 24 opinions record another score than the one in their own text.", NOT_READ),
        ("a.md has only one score by Prosecutor (5 for all 6 criteria)", NOT_WEIGHED),
        ("a.md calls 20 of its lines placeholders.", PLACEHOLDERS),
        ("Each judge of a.md gives one argument for most criteria.", NO_CAUSE),
    ],
)
def test_advice_is_on_the_cause(text, action):
    assert steps(row(text)) == [(f"{action} {COMMIT}.", "a.md")]


def flow(kind):
    fault = {"kind": kind, "sentence": "the judges fail", "path": "judges.py", "line": 7}
    return {"state_flow": {"faults": [fault], "unread": {}}}


def test_cause_of_failed_calls_that_the_code_shows_is_named():
    failed = row(FAILED.format("Error during evaluation: missing variables"))
    ((action, path),) = steps(failed, **flow("twice_filled"))
    shown = "What the code shows: the judges fail (judges.py:7)."
    assert (action, path) == (f"{CALLS} {shown} {COMMIT}.", "a.md")


def test_score_of_an_audit_with_failures_waits_for_their_mend():
    audits = [{"about": "self", "score": 3, "path": "a.md", "repository": None}]
    claims = [{"score": 4.2, "agrees": False}]
    rows = [row(FAILED.format("the call failed"))]
    facts = work(claimed_scores=claims, own_audits=audits, audits_without_judgement=rows)
    (step,) = output_steps("claimed", [], facts)
    assert step.action == (
        "Mend what fails in a.md, run the auditor again, and name the score that it gives in place of"
        " 4.2 and any other overall score in the report."
    )


def test_code_that_leaves_criteria_out_is_mended_before_an_audit_of_all():
    missing = {"text": "2 of the 5 criteria.", "places": [{"path": "rubric.json", "line": 3}]}
    (step,) = output_steps("covered", [], work(unjudged_criteria=[missing]))
    assert (step.action, step.path) == ("", "rubric.json")
    facts = flow("left_out_criterion")
    (step,) = output_steps("covered", [], work(unjudged_criteria=[missing], **facts))
    assert (step.path, step.line) == ("judges.py", 7)
    assert step.action == (
        "Mend first what leaves criteria out: the judges fail. Then run the auditor again, and commit"
        " an audit of all criteria."
    )


def test_judges_that_ask_a_model_are_not_told_to_ask_one():
    calls = [{"path": "judges.py", "line": 3}]
    text = "18 of 22 arguments of a.md stand ready-made in the code."
    assert steps(row(text), structured_output_calls=calls) == [
        (f"{WITHOUT_ANSWER} {COMMIT}.", "a.md")
    ]


def test_audit_of_judges_without_a_model_is_not_asked_for_their_answers():
    text = "18 of 22 arguments of a.md stand ready-made in the code."
    assert steps(row(text), plain_judges=[{"name": "judge"}]) == [
        (f"{WITH_PLAIN_JUDGES} {COMMIT}.", "a.md")
    ]


def test_audit_from_before_a_change_of_the_judges_may_need_no_other_one():
    old = row("a.md has only one score by Prosecutor (5 for all 6 criteria).")
    dated = piece(rationale=f"{old['text']}{SINCE} judges.py has changed, last in abcdef01.")
    facts = {"audits_without_judgement": [old], "own_audits": []}
    (step,) = output_steps("judged", [dated], work(**facts))
    assert step.action == f"{NOT_WEIGHED} {COMMIT}. {CHANGED_SINCE}"
    place = {"path": "judges.py", "line": 7}
    ranges = {"separate_score_ranges": [{"text": "", "places": [place]}]}
    (step,) = output_steps("judged", [dated], work(**facts, **ranges))
    assert step.action == (
        "The prompts keep judges to a few scores each (judges.py:7): let each judge give every score"
        f" of the scale. {COMMIT}."
    )


def test_audits_of_one_cause_are_mended_by_one_step():
    failed = FAILED.format("Error code: 429")
    rows = row(failed), row(f"{failed} ", "b.md"), row("One argument for all.", "c.md")
    assert steps(*rows) == [
        (f"{LIMIT} {COMMIT}, and of b.md.", "a.md"),
        (f"{NO_CAUSE} {COMMIT}.", "c.md"),
    ]


def test_audit_of_oneself_does_not_stand_for_one_of_a_peer():
    failed = FAILED.format("Error code: 429")
    assert steps(row(failed), row(f"{failed} ", "b.md"), about="peer") == [
        (f"{LIMIT} {COMMIT_EACH} b.md.", "a.md")
    ]
