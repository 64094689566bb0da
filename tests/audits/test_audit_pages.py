"""Pages of an audit: report, downloads, progress, and the reason of a failure."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from grading.core.enums import AuditState, Role
from grading.models import Assignment, Audit, Enrollment
from tests.factories.example_report import report_json
from tests.factories.graded_work import page_of, page_of_audit, signed_in
from tests.factories.people import staff_user
from tests.factories.work import AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db


def test_report_has_score_reasons_and_next_steps(audit: Audit, ada: Enrollment) -> None:
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    for words in (
        "3.2 <small>of 5</small>",
        "Weakest:",
        "What to do next",
        "No model was used",
    ):
        assert words in page


def test_weak_report_names_no_strongest_criterion(assignment: Assignment, ada: Enrollment) -> None:
    report = report_json()
    for row in report["criteria"]:
        row["final_score"] = min(row["final_score"], 2)
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    audit = AuditFactory.create(submission=submission, done=True, report=report, overall_score=1.9)
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert ["Strongest:" in page, "Weakest:" in page] == [False, True]


def test_quoted_line_is_escaped_and_numbered(audit: Audit, ada: Enrollment) -> None:
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert "<script>alert" not in page
    assert '<span class="no" aria-hidden="true">13</span>' in page


@pytest.mark.parametrize(
    ("status", "state", "words"),
    [
        ("needs_review", AuditState.NEEDS_REVIEW, "Needs review"),
        ("degraded", AuditState.DEGRADED, "Not judged"),
    ],
)
def test_headline_without_a_verdict_has_no_number(
    assignment: Assignment, ada: Enrollment, status: Any, state: AuditState, words: str
) -> None:
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    report = report_json(status=status)
    audit = AuditFactory.create(
        submission=submission, done=True, state=state, report=report, overall_score=None
    )
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert f">{words}</p>" in page
    assert "<small>of 5</small>" not in page


def test_thirty_failures_of_one_cause_are_one_line_of_the_page(
    assignment: Assignment, ada: Enrollment
) -> None:
    failed = {"code": "judge_server", "message": "The endpoint could not be reached."}
    errors = [
        failed | {"stage": judge.lower(), "judge": judge, "criterion": f"c{number}"}
        for number in range(15)
        for judge in ("Prosecutor", "Defense")
    ]
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    audit = AuditFactory.create(
        submission=submission,
        done=True,
        state=AuditState.DEGRADED,
        report=report_json(status="degraded") | {"errors": errors},
        overall_score=None,
    )
    page = " ".join(signed_in(ada.user).get(page_of_audit(audit)).content.decode().split())
    assert page.count("The endpoint could not be reached.") == 1
    assert "(prosecutor, defense; judge_server; 30 times, on 15 criteria)" in page


@pytest.mark.parametrize(
    ("name", "content_type", "file"),
    [
        ("audit-json", "application/json; charset=utf-8", "the-auditor-attempt-1.json"),
        ("audit-markdown", "text/markdown; charset=utf-8", "the-auditor-attempt-1.md"),
    ],
)
def test_downloads_are_attachments(
    audit: Audit, ada: Enrollment, name: str, content_type: str, file: str
) -> None:
    answer = signed_in(ada.user).get(page_of_audit(audit, name))
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == content_type
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{file}"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_downloaded_json_is_the_stored_report(audit: Audit, ada: Enrollment) -> None:
    assert signed_in(ada.user).get(page_of_audit(audit, "audit-json")).json() == audit.report


def test_report_without_a_newer_fact_can_be_read(assignment: Assignment, ada: Enrollment) -> None:
    report = report_json()
    del report["facts"]["graph_shape"], report["facts"]["unknown"]["graph_shape"]
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    audit = AuditFactory.create(submission=submission, done=True, report=report)
    pages = ("audit", "audit-markdown", "audit-json")
    assert [signed_in(ada.user).get(page_of_audit(audit, page)).status_code for page in pages] == [
        200
    ] * 3


def test_report_shows_the_product_and_what_is_set_apart(
    assignment: Assignment, ada: Enrollment
) -> None:
    report = report_json()
    report["facts"]["unknown"].pop("scope", None)
    report["facts"]["scope"] = {
        "main": "court/app.py",
        "reason": "It is the only entry point.",
        "entry_points": [],
        "product_files": 7,
        "reached": [],
        "aside": [{"path": "demo/", "kind": "example", "reason": "a folder <b>", "files": 2}],
    }
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    audit = AuditFactory.create(submission=submission, done=True, report=report)
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    fold = page.partition("<summary>Product")[2].partition("</details>")[0]
    assert "It starts at <code>court/app.py</code>. It is the only entry point." in fold
    assert "set apart (example), 2 files: a folder &lt;b&gt;" in fold


def test_audit_without_a_report_has_no_downloads(assignment: Assignment, ada: Enrollment) -> None:
    audit = AuditFactory.create(
        submission=SubmissionFactory.create(assignment=assignment, student=ada)
    )
    client = signed_in(ada.user)
    assert [
        client.get(page_of_audit(audit, name)).status_code
        for name in ("audit-json", "audit-markdown")
    ] == [404, 404]


def test_progress_shows_the_queue_place_and_sends_304_without_changes(
    assignment: Assignment, ada: Enrollment
) -> None:
    AuditFactory.create()
    audit = AuditFactory.create(
        submission=SubmissionFactory.create(assignment=assignment, student=ada)
    )
    client = signed_in(ada.user)
    first = client.get(page_of_audit(audit, "audit-progress"))
    assert "Place 2 in the queue: 1 ahead of you." in first.content.decode()
    again = client.get(
        page_of_audit(audit, "audit-progress"), headers={"If-None-Match": first.headers["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_progress_of_a_final_audit_reloads_the_page(audit: Audit, ada: Enrollment) -> None:
    answer = signed_in(ada.user).get(page_of_audit(audit, "audit-progress"))
    assert answer.headers["HX-Refresh"] == "true"
    assert "hx-trigger" not in answer.content.decode()


def test_progress_after_signing_out_reloads_the_page(
    audit: Audit,
) -> None:
    address = page_of_audit(audit, "audit-progress")
    renewed = Client().get(address, headers={"HX-Request": "true"})
    assert (renewed.status_code, renewed.headers["HX-Refresh"], renewed.content) == (
        200,
        "true",
        b"",
    )
    assert Client().get(address).status_code == 302


def test_progress_page_refreshes_without_javascript(
    assignment: Assignment, ada: Enrollment
) -> None:
    audit = AuditFactory.create(
        submission=SubmissionFactory.create(assignment=assignment, student=ada), running=True
    )
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert (
        '<noscript><meta http-equiv="refresh" content="3"></noscript>'
        in page.partition("</head>")[0]
    )


def test_failed_audit_shows_its_reason_and_fills_the_form(
    assignment: Assignment, ada: Enrollment
) -> None:
    submission = SubmissionFactory.create(assignment=assignment, student=ada, counts=False)
    audit = AuditFactory.create(submission=submission, failed=True)
    client = signed_in(ada.user)
    page = client.get(page_of_audit(audit)).content.decode()
    assert "The repository has no commits." in page
    assert f'href="{page_of(assignment, "submit")}"' in page
    form = client.get(page_of(assignment, "submit")).context["form"]
    assert form["repo_url"].value() == submission.repo_url
    assert form.errors == {"repo_url": ["The repository has no commits."]}


def test_failed_audit_shows_the_step_where_it_stopped(
    assignment: Assignment, ada: Enrollment
) -> None:
    submission = SubmissionFactory.create(assignment=assignment, student=ada, counts=False)
    audit = AuditFactory.create(
        submission=submission,
        failed=True,
        stage="repo_investigator",
        started_at=datetime(2026, 11, 20, tzinfo=UTC),
    )
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert "The audit stopped at “Detectives collect evidence”: there is no verdict." in page
    assert re.findall(r'<li class="(past|now|stopped|ahead)"', page) == [
        *["past"] * 3,
        "stopped",
        *["ahead"] * 3,
    ]


def test_audit_without_a_worker_stopped_in_the_queue(
    assignment: Assignment, ada: Enrollment
) -> None:
    submission = SubmissionFactory.create(assignment=assignment, student=ada, counts=False)
    audit = AuditFactory.create(submission=submission, failed=True)
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert "The audit stopped at “In the queue”" in page


def test_teachers_give_an_extension_from_the_report(
    assignment: Assignment, audit: Audit, ada: Enrollment
) -> None:
    link = f'href="{page_of(assignment, "extensions")}?student={ada.pk}#new-heading"'
    readers = (
        staff_user(assignment.organization),
        staff_user(assignment.organization, Role.ASSISTANT),
        ada.user,
    )
    address = page_of_audit(audit)
    assert [link in signed_in(user).get(address).text for user in readers] == [True, False, False]
