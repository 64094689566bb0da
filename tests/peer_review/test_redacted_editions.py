"""Redacted copies of feedback reports for each reader."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from grading.core.enums import Anonymity, AuditState, FeedbackKind, ReleasePolicy
from grading.models import FeedbackReport, Pairing
from grading.peer_review.feedback import queries as feedback_queries
from grading.peer_review.feedback.queries import redacted_copy_of, shown_names
from grading.peer_review.redaction import WITHHELD
from tests.factories.example_report import report_json
from tests.factories.grades import GradeFactory
from tests.factories.peers import (
    FeedbackReportFactory,
    PairingFactory,
    PairingRoundFactory,
    RoundMemberFactory,
)
from tests.factories.people import EnrollmentFactory, everywhere, student
from tests.factories.work import AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
READING = {
    "layout": "markdown",
    "title": "By Ida Winterbourne",
    "author": "Ida",
    "date": "3 May",
    "repo_url": "https://x.example/y",
    "commit": "abcdef1234",
    "about": "peer",
    "overall": None,
    "notes": [],
    "criteria": [],
    "findings": [
        {
            "criterion": None,
            "text": "Ida Winterbourne found it",
            "path": "src/ida_winterbourne.py",
            "line": 3,
            "action": None,
            "priority": "high",
            "source_line": 4,
        }
    ],
}


def paired(anonymity: Anonymity = Anonymity.DOUBLE_BLIND) -> Pairing:
    """Ida Winterbourne audits Noor Castellan."""
    paired_round = PairingRoundFactory.create(anonymity=anonymity)
    cohort = paired_round.assignment.cohort
    auditor, auditee = (
        student(cohort, name="Ida Winterbourne"),
        student(cohort, name="Noor Castellan"),
    )
    for enrolled, alias in ((auditor, "Peer 871"), (auditee, "Peer 135")):
        RoundMemberFactory.create(round=paired_round, student=enrolled, alias=alias)
    pairing: Pairing = PairingFactory.create(round=paired_round, auditor=auditor, auditee=auditee)
    return pairing


def platform_report(pairing: Pairing, *, state: AuditState = AuditState.DONE) -> FeedbackReport:
    work = SubmissionFactory.create(
        assignment=pairing.round.assignment,
        student=pairing.auditee,
        repo_url="https://x.example/castellan/work",
    )
    audit = AuditFactory.create(
        submission=work, kind="peer", done=True, state=state, report=report_json(criteria=2)
    )
    report: FeedbackReport = FeedbackReportFactory.create(
        pairing=pairing, platform=True, submission=work, audit=audit
    )
    return report


def imported(pairing: Pairing, **fields: Any) -> FeedbackReport:
    report: FeedbackReport = FeedbackReportFactory.create(
        pairing=pairing,
        reading=READING,
        original="# By Ida Winterbourne\n\nAuthor: Ida\n",
        original_name="ida_winterbourne.md",
        **fields,
    )
    return report


def copy_for(report: FeedbackReport, side: Any) -> feedback_queries.RedactedCopy:
    with everywhere():
        return redacted_copy_of(FeedbackReport.objects.get(pk=report.pk), side=side)


@pytest.mark.parametrize(
    ("anonymity", "whole_for_author"),
    [(Anonymity.OPEN, True), (Anonymity.SINGLE_BLIND, True), (Anonymity.DOUBLE_BLIND, False)],
)
def test_a_report_of_the_site_is_whole_but_for_an_author_who_must_not_know(
    anonymity: Anonymity, whole_for_author: bool
) -> None:
    report = platform_report(paired(anonymity))
    assert report.audit is not None
    whole = report.audit.report
    copies = {side: copy_for(report, side) for side in ("author", "subject", "staff")}
    assert {side: copy.document == whole for side, copy in copies.items()} == {
        "author": whole_for_author,
        "subject": True,
        "staff": True,
    }
    assert bool(copies["author"].withheld) != whole_for_author


def test_the_edition_says_what_is_missing_and_is_no_less_signed() -> None:
    edition = copy_for(platform_report(paired()), "author")
    assert edition.withheld == (
        feedback_queries.WITHHELD_PEOPLE,
        feedback_queries.WITHHELD_PLACES,
        feedback_queries.WITHHELD_DOCUMENT,
        feedback_queries.WITHHELD_LINKS,
    )
    assert (edition.signed, edition.scores_withheld, edition.reading, edition.original) == (
        True,
        False,
        None,
        None,
    )
    report = edition.document or {}
    assert [report[key] for key in ("repo_url", "commit", "ref", "pdf_sha256", "digest")] == [
        WITHHELD
    ] * 5
    assert {row["location"]["commit"] for row in report["evidence"]} == {None}


@pytest.mark.parametrize("side", ["author", "subject"])
def test_the_hour_is_told_only_to_who_made_the_report(side: str) -> None:
    edition = copy_for(platform_report(paired(Anonymity.SINGLE_BLIND)), side)
    assert ((edition.moment is None), len(edition.day)) == (side == "subject", 10)


def test_an_imported_report_is_whole_for_who_brought_it_and_without_its_writer_for_the_other() -> (
    None
):
    report = imported(paired())
    own, other_copy = copy_for(report, "author"), copy_for(report, "subject")
    assert (own.reading, own.original, own.original_name, own.withheld) == (
        READING,
        report.original,
        "ida_winterbourne.md",
        (),
    )
    assert other_copy.withheld == (
        feedback_queries.WITHHELD_PEOPLE,
        feedback_queries.WITHHELD_WRITER,
        feedback_queries.WITHHELD_LINKS,
    )
    assert (other_copy.original, other_copy.original_name) == (
        f"# By {WITHHELD}\n\nAuthor: {WITHHELD}\n",
        "report.md",
    )
    reading = other_copy.reading or {}
    assert {reading[key] for key in ("title", "author", "date", "repo_url", "commit")} == {WITHHELD}
    assert (
        reading["findings"][0]["text"],
        reading["findings"][0]["path"],
        reading["findings"][0]["priority"],
    ) == (
        f"{WITHHELD} found it",
        f"src/{WITHHELD}.py",
        "high",
    )
    assert (other_copy.signed, other_copy.moment) == (False, None)


def test_a_json_file_stays_json() -> None:
    report = imported(paired())
    with everywhere():
        FeedbackReport.objects.filter(pk=report.pk).update(
            original='{"auditor": "I.", "Ida Winterbourne": 3}'
        )
    edition = copy_for(report, "subject")
    assert (edition.original, edition.original_name) == (
        f'{{\n  "auditor": "{WITHHELD}",\n  "{WITHHELD}": 3\n}}',
        "report.json",
    )


@pytest.mark.parametrize(("side", "codes"), [("author", ["criteria_unknown"]), ("staff", None)])
def test_what_would_confirm_a_guess_is_told_to_staff_alone(
    side: str, codes: list[str] | None
) -> None:
    every = ["repository_differs", "commit_differs", "criteria_unknown"]
    misfits = [{"code": code, "sentence": "So."} for code in every]
    edition = copy_for(imported(paired(), misfits=misfits), side)
    assert [misfit["code"] for misfit in edition.misfits] == (codes or every)


@pytest.mark.parametrize("side", ["author", "subject"])
def test_before_the_release_there_are_no_scores(side: str) -> None:
    pairing = paired()
    report = platform_report(pairing)
    with everywhere():
        type(pairing.round.assignment).objects.update(release_policy=ReleasePolicy.AFTER_RELEASE)
    edition = copy_for(report, side)
    document = edition.document or {}
    assert (edition.scores_withheld, feedback_queries.WITHHELD_SCORES in edition.withheld) == (
        True,
        True,
    )
    assert (document["overall_score"], [c["final_score"] for c in document["criteria"]]) == (
        None,
        [None, None],
    )
    assert copy_for(report, "staff").scores_withheld is False


def test_after_the_release_scores_are_shown() -> None:
    pairing = paired()
    report = platform_report(pairing)
    own = AuditFactory.create(
        submission=report.submission, done=True, report=report_json(criteria=2)
    )
    with everywhere():
        type(pairing.round.assignment).objects.update(release_policy=ReleasePolicy.AFTER_RELEASE)
    report_head = {
        "audit": str(own.pk),
        "submission": str(own.submission_id),
        "digest": own.report_digest,
        "attempt": 1,
    }
    GradeFactory.create(audit=own, released=report_head, released_at=timezone.now())
    assert copy_for(report, "author").scores_withheld is False


def test_an_audit_without_a_report_shows_nothing() -> None:
    pairing = paired()
    work = SubmissionFactory.create(assignment=pairing.round.assignment, student=pairing.auditee)
    audit = AuditFactory.create(submission=work, kind="peer")
    report = FeedbackReportFactory.create(
        pairing=pairing, platform=True, submission=work, audit=audit
    )
    edition = copy_for(report, "author")
    assert (edition.report, edition.reading, edition.withheld) == (None, None, ())


@pytest.mark.parametrize(
    ("policy", "is_visible"),
    [(ReleasePolicy.PROVISIONAL, True), (ReleasePolicy.AFTER_RELEASE, False)],
)
def test_an_audit_of_oneself_is_shown_by_the_assignments_policy(
    policy: ReleasePolicy, is_visible: bool
) -> None:
    audit = AuditFactory.create(done=True, report=report_json(criteria=1))
    work = audit.submission
    report = FeedbackReportFactory.create(
        pairing=None,
        platform=True,
        assignment=work.assignment,
        organization=work.organization,
        kind=FeedbackKind.SELF,
        author=work.student,
        subject=work.student,
        submission=work,
        audit=audit,
    )
    with everywhere():
        type(work.assignment).objects.update(release_policy=policy)
    assert (
        (copy_for(report, "author").report is not None),
        (copy_for(report, "staff").report is not None),
    ) == (
        is_visible,
        True,
    )


@pytest.mark.parametrize("bystanders", [0, 20])
def test_as_many_queries_whoever_else_is_in_the_cohort(bystanders: int) -> None:
    pairing = paired()
    report = platform_report(pairing)
    EnrollmentFactory.create_batch(bystanders, cohort=pairing.round.assignment.cohort)
    with everywhere():
        loaded = FeedbackReport.objects.select_related(
            "assignment", "pairing__round__assignment", "submission", "audit"
        ).get(pk=report.pk)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            redacted_copy_of(loaded, side="author")
        with CaptureQueriesContext(connection) as named:
            shown_names([pairing] * 3, side="auditor")
    assert (len(queries), len(named)) == (6, 1)
