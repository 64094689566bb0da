"""Actions of a running audit: one worker at a time, nothing written without the lease."""

from uuid import uuid4

import pytest
from django_scopes import get_scope, scope

from grading import workflow
from grading.audits import actions as audit_actions
from grading.core.enums import AuditState
from grading.core.errors import LeaseLostError
from grading.models import Activity, Audit, CriterionVerdict, EvidenceRecord, OpinionRecord
from tests.factories.people import OrganizationFactory
from tests.factories.work import (
    AuditFactory,
    claimed,
    criterion_row,
    evidence_row,
    opinion_row,
    verdict,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def organization():
    """The one whose scope the job entered."""
    organization = OrganizationFactory()
    with scope(organization=organization):
        yield organization


def audit_here(**fields):
    return AuditFactory(
        submission__assignment__cohort__organization=get_scope()["organization"], **fields
    )


def taken_up():
    audit = audit_here()
    return audit, claimed(audit)


def stolen(lease):
    """The lease as a worker holds it that was given up for dead."""
    return audit_actions.Lease(
        audit_id=lease.audit_id, organization_id=lease.organization_id, token=uuid4()
    )


@pytest.mark.parametrize("state", [{"running": True}, {"done": True}, {"failed": True}])
def test_only_a_waiting_audit_can_be_claimed(state):
    audit = audit_here(**state)
    assert audit_actions.claim_audit(audit_id=audit.pk, run_attempt=audit.run_attempt + 1) is None


@pytest.mark.parametrize("attempt", [0, 2])
def test_a_job_of_another_attempt_claims_nothing(attempt):
    assert audit_actions.claim_audit(audit_id=audit_here().pk, run_attempt=attempt) is None


def test_of_two_workers_with_the_same_job_one_gets_the_audit():
    audit, lease = taken_up()
    assert audit_actions.claim_audit(audit_id=audit.pk, run_attempt=1) is None
    audit.refresh_from_db()
    assert (audit.state, audit.run_attempt, audit.lease_token) == (
        AuditState.RUNNING,
        1,
        lease.token,
    )
    assert audit.opinions_expected == 6


@pytest.mark.parametrize(
    "write",
    [
        lambda lease: audit_actions.renew_lease(lease=lease),
        lambda lease: audit_actions.record_stage(lease=lease, stage="snapshot"),
        lambda lease: audit_actions.record_evidence(lease=lease, rows=[evidence_row()]),
        lambda lease: audit_actions.record_opinion(lease=lease, opinion=opinion_row()),
        lambda lease: workflow.finish_audit(lease=lease, verdict=verdict()),
        lambda lease: workflow.fail_audit(lease=lease, code="url_private", message="No."),
    ],
)
def test_without_the_lease_nothing_is_written(write):
    audit, lease = taken_up()
    with pytest.raises(LeaseLostError):
        write(stolen(lease))
    audit.refresh_from_db()
    assert (audit.state, audit.stage, audit.opinions_done) == (AuditState.RUNNING, "", 0)
    assert [
        EvidenceRecord.objects.count(),
        OpinionRecord.objects.count(),
        CriterionVerdict.objects.count(),
    ] == [0, 0, 0]


def test_after_the_end_nothing_is_written():
    _audit, lease = taken_up()
    workflow.finish_audit(lease=lease, verdict=verdict())
    with pytest.raises(LeaseLostError):
        workflow.finish_audit(lease=lease, verdict=verdict())
    assert CriterionVerdict.objects.count() == 1


def test_every_visible_change_moves_the_version_and_a_heartbeat_does_not():
    audit, lease = taken_up()
    audit.refresh_from_db()
    before = audit.version
    audit_actions.renew_lease(lease=lease)
    audit_actions.record_stage(lease=lease, stage="snapshot")
    audit.refresh_from_db()
    assert (audit.stage, audit.version) == ("snapshot", before + 1)


def test_an_opinion_is_kept_once_and_a_failed_judge_without_a_score():
    audit, lease = taken_up()
    audit_actions.record_opinion(lease=lease, opinion=opinion_row("a", score=5))
    audit_actions.record_opinion(lease=lease, opinion=opinion_row("b", score=None))
    audit_actions.record_opinion(lease=lease, opinion=opinion_row("c", round=2))
    audit_actions.record_opinion(lease=lease, opinion=opinion_row("a", score=1))
    audit.refresh_from_db()
    assert list(OpinionRecord.objects.values_list("key", "score")) == [
        ("a", 5),
        ("b", None),
        ("c", 3),
    ]
    assert audit.opinions_done == 3


def test_a_judge_that_failed_is_asked_again_when_the_audit_is_taken_up_anew():
    audit, lease = taken_up()
    audit_actions.record_opinion(lease=lease, opinion=opinion_row("a", score=None))
    audit_actions.record_opinion(lease=lease, opinion=opinion_row("b", score=4))
    audit.refresh_from_db()
    workflow.give_back(audit=audit, code="engine_failed", message="It broke.")
    claimed(audit, attempt=2)
    assert list(OpinionRecord.objects.values_list("key", "score")) == [("b", 4)]


def test_an_audit_that_failed_still_says_at_which_stage():
    audit, lease = taken_up()
    audit_actions.record_stage(lease=lease, stage="repo_investigator")
    workflow.fail_audit(
        lease=lease, code="repository_empty", message="The repository has no commits."
    )
    audit.refresh_from_db()
    assert (audit.state, audit.stage) == (AuditState.FAILED, "repo_investigator")


def test_an_audit_that_broke_three_times_still_says_at_which_stage():
    audit = audit_here(running=True, run_attempt=audit_actions.MAX_RUN_ATTEMPTS, stage="prosecutor")
    workflow.give_back(audit=audit, code="engine_failed", message="It broke.")
    audit.refresh_from_db()
    assert (audit.state, audit.stage) == (AuditState.FAILED, "prosecutor")


def test_the_record_holds_the_evidence_that_stands_in_the_report():
    audit, lease = taken_up()
    audit_actions.record_evidence(
        lease=lease, rows=[evidence_row("E-dropped1"), evidence_row("E-00000001")]
    )
    workflow.finish_audit(
        lease=lease,
        verdict=verdict(
            criteria=(
                criterion_row("tidy"),
                criterion_row("tested", score=None, needs_review=True),
            ),
            evidence=(evidence_row("E-00000001"), evidence_row("E-00000002")),
        ),
    )
    audit.refresh_from_db()
    audit.submission.refresh_from_db()
    assert list(EvidenceRecord.objects.values_list("key", flat=True)) == [
        "E-00000001",
        "E-00000002",
    ]
    assert list(CriterionVerdict.objects.values_list("criterion_id", "score")) == [
        ("tidy", 4),
        ("tested", None),
    ]
    assert (audit.state, audit.overall_score, audit.lease_token) == (AuditState.DONE, 4.0, None)
    assert audit.submission.resolved_commit == "c" * 40


def test_a_degraded_audit_has_a_report_and_no_score():
    audit, lease = taken_up()
    workflow.finish_audit(lease=lease, verdict=verdict(state=AuditState.DEGRADED, criteria=()))
    audit.refresh_from_db()
    assert (audit.state, audit.overall_score, audit.has_report) == (AuditState.DEGRADED, None, True)


def test_a_failed_audit_says_why_and_uses_up_no_attempt():
    audit, lease = taken_up()
    workflow.fail_audit(
        lease=lease, code="repository_empty", message="The repository has no commits."
    )
    audit.refresh_from_db()
    audit.submission.refresh_from_db()
    assert (audit.state, audit.failure_code, audit.submission.counts) == (
        AuditState.FAILED,
        "repository_empty",
        False,
    )


def test_a_worker_given_up_for_dead_cannot_write_into_the_next_attempt():
    audit, lease = taken_up()
    audit.refresh_from_db()
    assert workflow.give_back(audit=audit, code="worker_lost", message="Lost.")
    again = claimed(audit, attempt=2)
    with pytest.raises(LeaseLostError):
        workflow.finish_audit(lease=lease, verdict=verdict(overall_score=1.0))
    workflow.finish_audit(lease=again, verdict=verdict())
    audit.refresh_from_db()
    assert (audit.state, audit.overall_score, audit.run_attempt) == (AuditState.DONE, 4.0, 2)


def test_giving_back_what_somebody_else_holds_by_now_does_nothing():
    audit, _lease = taken_up()
    audit.refresh_from_db()
    current = Audit.objects.get(pk=audit.pk)
    assert workflow.give_back(audit=current, code="worker_lost", message="Lost.")
    audit_actions.claim_audit(audit_id=audit.pk, run_attempt=2)
    assert not workflow.give_back(audit=audit, code="worker_lost", message="Lost.")


def test_after_three_attempts_the_audit_is_failed_for_a_person_to_see():
    audit = audit_here()
    for attempt in (1, 2, 3):
        audit_actions.claim_audit(audit_id=audit.pk, run_attempt=attempt)
        audit.refresh_from_db()
        assert workflow.give_back(audit=audit, code="worker_lost", message="Lost three times.")
    audit.refresh_from_db()
    assert (audit.state, audit.failure_code, audit.failure_message) == (
        AuditState.FAILED,
        "worker_lost",
        "Lost three times.",
    )
    verbs = list(
        Activity.objects.filter(object_id=str(audit.pk))
        .order_by("pk")
        .values_list("verb", flat=True)
    )
    assert verbs == ["audit.started", "audit.requeued"] * 2 + ["audit.started", "audit.failed"]
