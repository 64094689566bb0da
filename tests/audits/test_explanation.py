"""Explanation of a score on its page: the checks, the steps of the verdict, and what follows."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.template.loader import render_to_string

from courtroom.models.audit_report import AuditReport
from courtroom.rendering.markdown_escaping import escape_sentence
from courtroom.rendering.markdown_report import render_markdown
from courtroom.rendering.verdict_explanation import explain
from courtroom.synthesis.sufficient_evidence import NO_CODE
from grading.engine.released_verdict import parse_released
from grading.engine.report import parse_report
from grading.report_pages.criterion import CriterionView, criterion_views
from grading.report_pages.report_page import present_report
from tests.courtroom.rendering.test_markdown_report import unsafe_case
from tests.factories.example_report import report_json


def view_of(criterion: dict[str, Any], released: dict[str, Any] | None = None) -> CriterionView:
    report = report_json(criteria=1)
    report["criteria"][0] |= criterion
    return criterion_views(parse_report(report), parse_released(released))[0]


def words_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_explanation_begins_with_the_checks_and_faults_stand_beside_it() -> None:
    view = view_of({})
    assert view.checks_explained == (
        "0 of 2 checks passed. 1 could not be established; that counts neither for nor against you."
    )
    assert [(check.sentence, check.fact) for check in view.faults] == [
        ("A call goes through a shell.", "os.system in src/tools.")
    ]


def test_criterion_without_checks_says_what_the_judges_used() -> None:
    assert view_of({"checks": []}).checks_explained == (
        "The rubric has no checks for this criterion: the judges used the general evidence."
    )


@pytest.mark.parametrize(
    ("criterion", "conclusion"),
    [
        (
            {"checks": [], "final_score": None, "needs_review": True},
            "There is no score until a person reviews it. This is not a low score.",
        ),
        ({"checks": [], "final_score": None, "excluded": True}, ""),
    ],
)
def test_missing_score_is_explained(criterion: dict[str, Any], conclusion: str) -> None:
    assert view_of(criterion).conclusion == conclusion


def test_page_markdown_and_command_line_have_the_same_steps() -> None:
    report: AuditReport = unsafe_case()
    page = present_report(parse_report(report.as_json()))
    glance = words_of(
        render_to_string("audits/report/_at_a_glance.html", {"report": page, "judges": ()})
    )
    pages = [
        words_of(render_to_string("audits/report/_criterion.html", {"criterion": criterion}))
        for criterion in page.criteria
    ]
    steps = [*(criterion.steps for criterion in report.criteria), report.steps]
    rows = [(s, text) for of, text in zip(steps, [*pages, glance], strict=True) for s in of]
    markdown, printed = render_markdown(report), explain(report)

    assert len(rows) > 10
    for step, text in rows:
        mark = "" if step.fired else " not triggered:"
        assert f"{step.rule}{mark} {step.input} → {step.output}." in text
        assert f"- {escape_sentence(step.sentence)}\n" in markdown or not step.fired
        assert f"   {step.sentence}\n" in printed


def test_work_that_cannot_be_judged_says_first_what_is_missing_and_what_to_do() -> None:
    document = report_json(criteria=2) | {"status": "degraded"}
    for row in document["criteria"]:
        row |= {"final_score": None, "needs_review": True, "rationale": NO_CODE}
        row |= {"resolution": ["insufficient_evidence"]}
    page = present_report(parse_report(document))
    assert page.headline.sentence == f"{NO_CODE} This is not a low score."
    assert (page.headline.words, page.unjudged, page.next_steps) == ("Not judged", (), ())


def test_criterion_without_a_score_is_named_beside_those_that_have_one() -> None:
    document = report_json(criteria=2, status="needs_review")
    document["criteria"][0] |= {"final_score": None, "needs_review": True}
    page = present_report(parse_report(document))
    assert [criterion.anchor for criterion in page.unjudged] == ["c-git_forensics"]
    assert page.headline.sentence.startswith("At least one criterion has no score and says why")
    assert len(page.next_steps) > 0


NO_REPORT = {"code": "no_report", "sentence": "No PDF report was handed in."}


def hanging(goal: str) -> dict[str, Any]:
    return {
        "check": goal,
        "goal": goal,
        "reason": NO_REPORT["sentence"],
        "not_applicable": NO_REPORT,
    }


def test_root_cause_stands_first_and_once_with_the_checks_that_hang_on_it_below() -> None:
    met = {"check": "a", "goal": "A", "met": True, "reason": "a.py"}
    view = view_of({"checks": [met, hanging("B"), hanging("C")]})
    assert [(check.sentence, check.fact) for check in view.faults] == [
        ("No PDF report was handed in.", "")
    ]
    assert [(row.sentence, row.outcome) for row in view.checks[0].hanging] == [
        ("Whether B.", "not applicable"),
        ("Whether C.", "not applicable"),
    ]
    assert view.tally == "1 met, 2 not applicable"
    assert view.checks_explained == (
        "1 of 3 checks passed. 2 do not apply for what is missing, which counts against the work."
    )
    text = words_of(render_to_string("audits/report/_criterion.html", {"criterion": view}))
    assert text.count("No PDF report was handed in.") == 2  # among the faults, and above B and C
    assert "not applicable Whether B." in text


def test_reason_why_several_checks_have_no_answer_stands_above_them_once() -> None:
    unread = [{"check": c, "goal": c, "met": None, "reason": "It is damaged."} for c in "BC"]
    view = view_of({"checks": [{"check": "a", "goal": "A", "met": True}, *unread]})
    assert [(row.sentence, row.outcome) for row in view.checks[:2]] == [
        ("It is damaged.", "not checked"),
        ("A.", "met"),
    ]
    assert [row.sentence for row in view.checks[0].hanging] == [
        "It could not be checked whether B.",
        "It could not be checked whether C.",
    ]
    assert view.tally == "1 met, 2 not established"


def test_check_that_states_the_root_cause_stands_for_it() -> None:
    stating = {"check": "a", "goal": "A", "fault": "No A", "met": False}
    view = view_of({"checks": [stating | {"reason": NO_REPORT["sentence"]}, hanging("B")]})
    (fault,) = view.faults
    assert (fault.sentence, fault.fact) == ("No A.", "No PDF report was handed in.")
    assert [row.sentence for row in fault.hanging] == ["Whether B."]
    assert view.tally == "1 not met, 1 not applicable"


def test_checks_of_a_score_are_listed_with_their_outcomes_and_weights() -> None:
    document = report_json(criteria=1)
    row: dict[str, Any] = {
        "check": "a",
        "kind": "file_exists",
        "goal": "There is a.",
        "fault": "There is no a.",
    }
    row |= {"met": True, "reason": "", "weight": 3, "evidence": []}
    checks = [row | {"essential": True}, row | {"met": False, "weight": 1}, row | {"met": None}]
    document["criteria"][0]["checks"] = checks
    (criterion,) = present_report(parse_report(document)).criteria
    assert [
        (check.sentence, check.outcome, check.weight, round(check.share), check.is_essential)
        for check in criterion.weighted_checks[:2]
    ] == [("There is a.", "met", "3", 43, True), ("There is no a.", "not met", "1", 14, False)]
