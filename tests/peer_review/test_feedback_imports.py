"""Reports that students bring along: kept as they are, read, flagged, taken once, and never more than a claim."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from grading.core.enums import Anonymity, FeedbackKind, FeedbackSource, NoticeKind
from grading.core.errors import FeedbackRefused
from grading.models import Activity, FeedbackReport, Grade, Notice, Pairing
from grading.peer_review.feedback import actions as feedback_actions
from grading.peer_review.feedback.actions import import_feedback
from tests.factories.people import everywhere
from tests.factories.work import rubric_document
from tests.peer_review.test_peer_audits import COMMIT, handed_in, paired

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
REPO = "https://git.example.org/student/work"
REPORT = f"""# Audit report

Repository: {REPO}
Commit: {COMMIT}

## Tidy
Score: 2/5

- `src/graph.py:12` has no docstring.

## Tested
Score: 4/5
"""


@pytest.fixture
def pairing() -> Any:
    new_pairing = paired(round__assignment__rubric_version__document=rubric_document())
    handed_in(new_pairing)
    return new_pairing


def brought(pairing_row: Pairing, text: str = REPORT, **changed: Any) -> FeedbackReport:
    given: dict[str, Any] = {
        "assignment": pairing_row.round.assignment,
        "direction": "generated",
        "brought_by": pairing_row.auditor,
        "pairing": pairing_row,
        "name": "reports\\audit.md",
        "origin": "upload",
        "by": pairing_row.auditor.user,
    }
    with everywhere():
        return import_feedback(text=text, **given | changed)


def refusal(pairing_row: Pairing, text: str = REPORT, **changed: Any) -> tuple[str, str]:
    with pytest.raises(FeedbackRefused) as refused:
        brought(pairing_row, text, **changed)
    return refused.value.field, refused.value.code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" \n", "report_empty"),
        ("# A\x00udit", "report_no_text"),
        ("x" * 2_000_001, "report_too_large"),
    ],
)
def test_what_is_no_report_is_refused_beside_the_file(pairing: Any, text: str, code: str):
    assert refusal(pairing, text) == ("file", code)


def test_broken_json_is_refused_with_the_readers_own_reason(pairing: Any):
    field, code = refusal(pairing, '{"criteria": [', name="audit.json")
    assert (field, code.startswith("report_")) == ("file", True)


def test_only_who_audits_brings_a_report_under_a_pairing(pairing: Any):
    assert refusal(pairing, brought_by=pairing.auditee) == ("", "not_yours")
    assert refusal(pairing, direction="received") == ("", "not_yours")


def test_nothing_is_taken_under_a_pairing_that_grants_nothing(pairing: Any):
    with everywhere():
        Pairing.objects.filter(pk=pairing.pk).update(ended_at=timezone.now())
    assert refusal(pairing) == ("", "pairing_ended")


def test_the_same_file_is_taken_once(pairing: Any):
    brought(pairing)
    assert refusal(pairing, name="another-name.md") == ("file", "already_imported")


def test_what_a_peer_brought_is_not_taken_again_from_who_received_it(pairing: Any):
    brought(pairing)
    received = {"direction": "received", "brought_by": pairing.auditee, "pairing": None}
    assert refusal(pairing, **received) == ("file", "already_imported")


def test_one_student_brings_a_limited_number(pairing: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(feedback_actions, "MAX_REPORTS", 1)
    brought(pairing)
    assert refusal(pairing, REPORT + "\nMore.") == ("file", "too_many_reports")


def test_a_report_is_kept_as_it_is_and_read_and_signed_by_nobody(pairing: Any):
    report = brought(pairing)
    assert (report.kind, report.source, report.author, report.subject) == (
        FeedbackKind.PEER,
        FeedbackSource.IMPORTED,
        pairing.auditor,
        pairing.auditee,
    )
    assert (report.original, report.original_name, report.origin, report.audit) == (
        REPORT,
        "audit.md",
        "upload",
        None,
    )
    scores = [(row["name"], row["score"]["value"]) for row in (report.reading or {})["criteria"]]
    assert (scores, report.misfits) == ([("Tidy", 2.0), ("Tested", 4.0)], [])
    with everywhere():
        assert not Grade.objects.exists()
        assert (
            Activity.objects.get(verb="feedback.imported").cohort_id
            == pairing.round.assignment.cohort_id
        )


def test_whose_work_it_is_about_is_told_by_letter(pairing: Any):
    report = brought(pairing)
    with everywhere():
        letter = Notice.objects.get()
    assert (letter.kind, letter.user_id) == (NoticeKind.REPORT_RECEIVED, pairing.auditee.user_id)
    assert str(report.pk) in letter.path
    assert [word for word in ("Ada", "2/5") if word in letter.subject + letter.body] == []


def test_the_attempt_is_the_one_whose_commit_is_named_else_the_newest(pairing: Any):
    newest = handed_in(pairing, attempt=2, resolved_commit="d" * 40)
    with everywhere():
        pairing.round.anonymity = Anonymity.OPEN
        pairing.round.save()
    first, other = brought(pairing), brought(pairing, REPORT.replace(COMMIT, "unknown"))
    assert first.submission is not None
    assert (first.submission.attempt, other.submission) == (1, newest)


def test_who_does_not_know_whose_work_it_is_learns_nothing_by_the_attempt(pairing: Any):
    newest = handed_in(pairing, attempt=2, resolved_commit="d" * 40)
    assert (pairing.round.anonymity, brought(pairing).submission) == (
        Anonymity.DOUBLE_BLIND,
        newest,
    )


def test_a_report_on_another_repository_is_taken_and_flagged(pairing: Any):
    report = brought(pairing, REPORT.replace(REPO, "https://git.example.org/somebody/else"))
    assert [misfit["code"] for misfit in report.misfits] == ["repository_differs"]


def test_a_report_on_oneself_has_no_pairing_and_tells_nobody(pairing: Any):
    report = brought(pairing, direction="self", brought_by=pairing.auditee, pairing=None)
    with everywhere():
        assert not Notice.objects.exists()
    assert (report.kind, report.author, report.subject, report.submission is not None) == (
        FeedbackKind.SELF,
        pairing.auditee,
        pairing.auditee,
        True,
    )


def test_who_wrote_a_received_report_is_not_known(pairing: Any):
    report = brought(pairing, direction="received", brought_by=pairing.auditee, pairing=None)
    assert (report.kind, report.author, report.subject) == (
        FeedbackKind.PEER,
        None,
        pairing.auditee,
    )


def test_whom_a_generated_report_in_no_pairing_is_about_is_not_known_either(pairing: Any):
    report = brought(pairing, pairing=None)
    assert (report.author, report.subject, report.submission) == (pairing.auditor, None, None)
    assert [misfit["code"] for misfit in report.misfits] == ["pairing_unmatched"]


def test_characters_that_no_database_keeps_are_no_reason_to_fail(pairing: Any):
    text = json.dumps(
        {"criteria": [{"name": "Tidy", "score": 3, "rationale": "a\u0000b \ud800 c"}]}
    )
    report = brought(pairing, text, name="audit.json")
    assert [row["name"] for row in (report.reading or {})["criteria"]] == ["Tidy"]


def test_late_reports_are_taken(pairing: Any):
    with everywhere():
        pairing.round.ends_at = timezone.now() - timedelta(minutes=1)
        pairing.round.save()
    assert brought(pairing).pairing_id == pairing.pk
