"""Judged or audited again: what is kept, what is asked anew, and what a renewal that fails takes
away, which is nothing.
"""

from pathlib import Path
from typing import Any

import pytest

from grading.audits.queries import current_audit
from grading.bulk.renewals import reaudit, rejudge
from grading.core.enums import AuditKind, AuditState, Renewal
from grading.core.errors import RenewalRefused
from grading.engine import audits as engine_audits
from grading.engine.events import Verdict
from grading.engine.reusable_results import known_opinions, known_report
from grading.jobs import run_audit
from grading.models import Activity, Audit, Grade, Submission
from grading.workflow import fail_audit, finish_audit
from tests.factories.example_report import report_json
from tests.factories.people import everywhere
from tests.factories.repositories import Commit, git, make_repository
from tests.factories.work import (
    AuditFactory,
    CriterionVerdictFactory,
    OpinionRecordFactory,
    RubricVersionFactory,
    SubmissionFactory,
    claimed,
    criterion_row,
    rubric_document,
    verdict,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def judged(**fields: Any) -> Audit:
    """An audit with a report on two criteria and an opinion on each."""
    audit = AuditFactory(done=True, report=report_json(criteria=2), **fields)
    for criterion in ("git_forensics", "state_management"):
        OpinionRecordFactory(audit=audit, criterion_id=criterion, key=f"key-{criterion}")
    return audit


def again(audit: Audit, renewal: Renewal, *criteria: str) -> Audit:
    return AuditFactory(
        submission=audit.submission,
        kind=AuditKind.INSTRUCTOR,
        renewal=renewal,
        criteria=list(criteria),
    )


def known_to(audit: Audit) -> tuple[set[str], list[tuple[str, int]] | None]:
    """The keys of the opinions it knows, and how many opinions stand with each criterion of the
    report it knows.
    """
    with everywhere():
        report = known_report(audit)
        keys = set(known_opinions(audit).values_list("key", flat=True))
    opinions_left = (
        [(row["id"], len(row["opinions"])) for row in report["criteria"]] if report else None
    )
    return keys, opinions_left


@pytest.mark.parametrize(
    ("renewal", "criteria", "keys", "opinions"),
    [
        (Renewal.MISSING, (), {"key-git_forensics", "key-state_management"}, (3, 3)),
        (Renewal.OPINIONS, ("git_forensics",), {"key-state_management"}, (0, 3)),
        (Renewal.OPINIONS, (), set(), (0, 0)),
        (Renewal.EVERYTHING, (), set(), None),
    ],
)
def test_renewal_reuses_all_but_the_renewed_parts(renewal, criteria, keys, opinions):
    audit = again(judged(), renewal, *criteria)
    ids = ("git_forensics", "state_management")
    assert known_to(audit) == (keys, opinions and list(zip(ids, opinions, strict=True)))


@pytest.mark.parametrize("renewal", [Renewal.OPINIONS, Renewal.EVERYTHING])
def test_renewal_after_worker_death_reuses_stored_answers(renewal):
    audit = again(judged(), renewal)
    OpinionRecordFactory(audit=audit, criterion_id="git_forensics", key="bought")
    assert known_to(audit)[0] == {"bought"}


def test_rejudging_uses_evidence_of_the_same_attempt():
    audit = judged()
    AuditFactory(
        done=True,
        report=report_json(criteria=1),
        submission__attempt=2,
        submission__assignment=audit.submission.assignment,
        submission__student=audit.submission.student,
    )
    report = known_to(again(audit, Renewal.OPINIONS))[1]
    assert report is not None
    assert len(report) == 2


def test_rejudging_is_an_instructor_audit_under_the_same_version():
    audit = AuditFactory(done=True)
    later = RubricVersionFactory(rubric=audit.rubric_version.rubric, number=2, state="superseded")
    with everywhere():
        Submission.objects.filter(pk=audit.submission_id).update(resolved_commit="c" * 40)
        audit.submission.assignment.rubric_version = later
        audit.submission.assignment.save()
        new = rejudge(submission=audit.submission, by=None, criteria=["tidy"])
        done = Activity.objects.get(verb="submission.rejudged")
        assert current_audit(audit.submission) == audit

    assert (new.kind, new.renewal, new.criteria, new.state, new.rubric_version) == (
        AuditKind.INSTRUCTOR,
        Renewal.OPINIONS,
        ["tidy"],
        AuditState.QUEUED,
        audit.rubric_version,
    )
    assert (done.object_id, done.detail["audit"]) == (str(audit.submission_id), str(new.pk))


def refusal(act: Any, **options: Any) -> str:
    with everywhere(), pytest.raises(RenewalRefused) as refused:
        act(by=None, **options)
    return refused.value.code


def test_impossible_rejudging_is_refused():
    audit, draft = AuditFactory(done=True), RubricVersionFactory(draft=True)
    submission = audit.submission
    assert refusal(rejudge, submission=SubmissionFactory()) == "verdict_missing"
    assert refusal(rejudge, submission=submission, criteria=["nonsense"]) == "criterion_unknown"
    assert refusal(rejudge, submission=submission, rubric_version=draft) == "rubric_draft"
    assert refusal(reaudit, submission=submission, rubric_version=draft) == "rubric_draft"
    AuditFactory(submission=submission, kind=AuditKind.PEER)
    with everywhere():
        reaudit(submission=submission, by=None)
    assert refusal(reaudit, submission=submission) == "already_running"
    assert refusal(rejudge, submission=submission) == "already_running"


def test_failed_renewal_keeps_verdict_and_attempt():
    audit = AuditFactory(done=True)
    with everywhere():
        lease = claimed(reaudit(submission=audit.submission, by=None))
        fail_audit(lease=lease, code="repository_empty", message="The repository has no commits.")
        assert current_audit(audit.submission) == audit
        assert Submission.objects.get(pk=audit.submission_id).counts
        assert not Grade.objects.exists()


@pytest.mark.parametrize(
    ("failure", "state"),
    [("rate_limited", AuditState.FAILED), ("abstained", AuditState.NEEDS_REVIEW)],
)
def test_renewal_without_answers_keeps_scores(failure, state):
    audit = AuditFactory(done=True)
    CriterionVerdictFactory(audit=audit, criterion_id="tidy", name="Tidy", score=4)
    unheard = {
        "id": "tidy",
        "final_score": None,
        "opinions": [{"judge": "Defense", "failure": failure}],
    }
    outcome = verdict(
        state=AuditState.NEEDS_REVIEW,
        overall_score=None,
        report={"criteria": [unheard]},
        criteria=(criterion_row(score=None, needs_review=True),),
    )

    with everywhere():
        lease = claimed(rejudge(submission=audit.submission, by=None))
        finish_audit(lease=lease, verdict=outcome)
        stored = Audit.objects.get(pk=lease.audit_id)
        stands = current_audit(audit.submission)

    assert (stored.state, stands == audit) == (state, state == AuditState.FAILED)
    assert (stored.failure_code, "Tidy" in stored.failure_message) == (
        ("judges_failed", True) if state == AuditState.FAILED else ("", False)
    )


def test_reaudit_uses_the_judged_commit(
    tmp_path: Path,
):
    steps = [
        Commit(message=f"Step {n}", files={"README.md": f"# {n}", "main.py": "print()"})
        for n in range(4)
    ]
    make_repository(tmp_path / "work.git", steps)
    first = git("rev-parse", "HEAD~2", at=tmp_path / "work.git")
    audit = AuditFactory(
        submission__repo_url=str(tmp_path / "work.git"),
        submission__resolved_commit=first,
        submission__assignment__rubric_version__document=rubric_document(),
    )

    with everywhere():
        Audit.objects.filter(pk=audit.pk).update(
            renewal=Renewal.EVERYTHING, kind=AuditKind.INSTRUCTOR
        )
        renewed = Audit.objects.select_related("submission", "rubric_version").get(pk=audit.pk)
        [outcome] = [
            e for e in engine_audits.hold_audit(renewed, beat_seconds=60) if isinstance(e, Verdict)
        ]

    assert outcome.commit == first


def test_rejudging_keeps_evidence(tmp_path: Path):
    make_repository(
        tmp_path / "work.git", [Commit(files={"main.py": f"print({n})"}) for n in range(4)]
    )
    audit = AuditFactory(
        submission__repo_url=str(tmp_path / "work.git"),
        submission__assignment__rubric_version__document=rubric_document(),
    )
    run_audit(str(audit.pk), 1)

    with everywhere():
        new = rejudge(
            submission=Submission.objects.get(pk=audit.submission_id), by=None, criteria=["tested"]
        )

    run_audit(str(new.pk), 1)
    with everywhere():
        before, after = (Audit.objects.get(pk=row.pk).report or {} for row in (audit, new))
        assert current_audit(audit.submission) == new

    assert after["usage"]["reused"] == 3
    assert after["evidence"] == before["evidence"]
    assert [c["final_score"] for c in after["criteria"]] == [
        c["final_score"] for c in before["criteria"]
    ]
