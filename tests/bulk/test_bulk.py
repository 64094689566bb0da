"""Bulk runs: estimated, confirmed, and cancelled."""

from decimal import Decimal
from typing import Any

import pytest

from grading.audits.queries import current_audit
from grading.bulk.actions import Estimate, cancel_bulk, estimate_bulk, start_bulk
from grading.bulk.queries import failed_audits
from grading.core.enums import AuditState, Batch, Bench, BulkItemState, BulkState, BulkVerb, Renewal
from grading.core.errors import BulkRefused, RenewalRefused
from grading.models import Activity, Assignment, Audit, BulkItem, BulkRun, ModelUsage, Submission
from grading.workflow import fail_audit, finish_audit
from tests.factories.people import everywhere, staff_user
from tests.factories.verdicts import judged, next_version, small_assignment
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    OrganizationBenchFactory,
    claimed,
    criterion_row,
    verdict,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def cohort(number: int, **fields: Any) -> tuple[Assignment, list[Audit]]:
    """As many students with a verdict of 4 on the one criterion."""
    assignment: Assignment = AssignmentFactory.create(**fields)
    audits: list[Audit] = [
        AuditFactory.create(done=True, submission__assignment=assignment) for _ in range(number)
    ]
    return assignment, audits


def paid(audit: Audit, cost: float | None, *, judges: int = 6) -> None:
    """Charge an audit's answers an equal part of the cost, and a look at the pages a dollar."""
    with everywhere():
        Audit.objects.filter(pk=audit.pk).update(opinions_expected=6)
        for place in range(judges):
            _usage(
                audit, "tidy" if place < 3 else "tested", 1, None if cost is None else cost / judges
            )
        _usage(audit, "", 0, 1.0, judge=ModelUsage.VISION)


def _usage(
    audit: Audit, criterion: str, round_: int, cost: float | None, judge: str = "Defense"
) -> None:
    ModelUsage.objects.create(
        organization=audit.organization,
        audit=audit,
        judge=judge,
        criterion_id=criterion,
        round=round_,
        model="m",
        calls=1,
        prompt_tokens=1,
        cached_tokens=0,
        completion_tokens=1,
        cost_usd=cost,
    )


def estimate(
    assignment: Assignment, audits: list[Audit], verb: BulkVerb, **options: Any
) -> Estimate:
    given = {"version": assignment.rubric_version} | options
    return estimate_bulk(assignment=assignment, verb=verb, audits=audits, **given)


def begin(assignment: Assignment, audits: list[Audit], verb: BulkVerb, **options: Any) -> BulkRun:
    given = {
        "confirmed": len(audits),
        "by": None,
        "rubric_version": assignment.rubric_version,
    } | options
    return start_bulk(assignment=assignment, verb=verb, audits=audits, **given)


def test_estimate_without_models_is_zero():
    assignment, audits = cohort(2)
    with everywhere():
        for verb in BulkVerb:
            result = estimate(assignment, audits, verb)
            assert (result.count, result.cost, result.asks_models) == (2, Decimal(0), False)


@pytest.mark.parametrize(
    ("verb", "criteria", "costs"),
    [
        (BulkVerb.RESYNTHESISE, (), (0, 0, 0)),
        (BulkVerb.REJUDGE, (), (9, Decimal("13.5"), 18)),
        (BulkVerb.REJUDGE, ("tidy",), (Decimal("4.5"), Decimal("6.75"), 9)),
        (BulkVerb.REAUDIT, (), (12, Decimal("16.5"), 21)),
    ],
)
def test_estimate_is_mean_and_range_of_fully_measured_audits(verb, criteria, costs):
    assignment, audits = cohort(3, bench=Bench.LLM)
    for audit, cost in zip(audits, (3, 6, 1), strict=True):
        paid(audit, cost, judges=5 if cost == 1 else 6)  # of the last, one answer was taken over
    with everywhere():
        result = estimate(assignment, audits, verb, criteria=criteria)
    assert (result.cost_low, result.cost, result.cost_high) == costs
    assert result.measured == (0 if verb == BulkVerb.RESYNTHESISE else 2)


def test_one_criterion_costs_as_much_as_all_in_batched_calls():
    assignment, audits = cohort(1, bench=Bench.LLM)
    OrganizationBenchFactory(organization=assignment.organization, batch=Batch.PER_JUDGE)
    paid(audits[0], 3, judges=3)
    with everywhere():
        result = estimate(assignment, audits, BulkVerb.REJUDGE, criteria=["tested"])
    assert result.cost == 3


def test_rejudging_under_another_version_costs_an_audit():
    assignment, audits = cohort(2, bench=Bench.LLM)
    paid(audits[0], 3)
    with everywhere():
        result = estimate(
            assignment,
            audits,
            BulkVerb.REJUDGE,
            criteria=["tidy"],
            version=next_version(assignment),
        )

    assert result.cost == 8


@pytest.mark.parametrize("price", [None, "nothing measured"])
def test_unknown_cost_is_not_guessed(price):
    assignment, audits = cohort(2, bench=Bench.LLM)
    if price is None:
        paid(audits[0], None)
    with everywhere():
        result = estimate(assignment, audits, BulkVerb.REAUDIT)
    assert (result.cost, result.cost_low, result.cost_high, result.asks_models) == (
        None,
        None,
        None,
        True,
    )


def test_busy_and_unjudged_audits_are_left_out_and_counted():
    assignment, audits = cohort(2)
    failed: Audit = AuditFactory.create(failed=True, submission__assignment=assignment)
    AuditFactory(submission=audits[0].submission, kind="instructor")
    with everywhere():
        everything = [*audits, failed]
        rules, judges, anew = (estimate(assignment, everything, verb) for verb in BulkVerb)

    assert (rules.count, rules.busy, rules.unjudged) == (2, 0, 1)
    assert (judges.count, judges.busy, judges.unjudged) == (1, 1, 1)
    assert (anew.count, anew.busy, anew.unjudged) == (2, 1, 0)


def test_failed_audits_ignore_later_peer_audits():
    failed: Audit = AuditFactory.create(failed=True)
    AuditFactory(submission=failed.submission, kind="peer", done=True)
    with everywhere():
        assert failed_audits(failed.submission.assignment) == [failed]


def refused(assignment: Assignment, audits: list[Audit], **options: Any) -> str:
    with everywhere(), pytest.raises((BulkRefused, RenewalRefused)) as refusal:
        begin(assignment, audits, options.pop("verb", BulkVerb.REJUDGE), **options)
    return refusal.value.code


def test_unconfirmed_impossible_or_unaffordable_run_is_refused():
    assignment, audits = cohort(2, bench=Bench.LLM)
    OrganizationBenchFactory(
        organization=assignment.organization, monthly_budget_usd=20, audit_budget_usd=9
    )
    paid(audits[0], 6)  # with the look, 7 of the month's 20 are spent; two re-audits come to 14
    assert refused(assignment, audits, confirmed=None) == "count_not_confirmed"
    assert refused(assignment, audits, confirmed=3) == "count_not_confirmed"
    assert refused(assignment, []) == "nothing_to_do"
    assert refused(assignment, audits, criteria=["nonsense"]) == "criterion_unknown"
    assert (
        refused(assignment, audits, rubric_version=next_version(assignment, draft=True))
        == "rubric_draft"
    )
    assert refused(assignment, audits, verb=BulkVerb.REAUDIT) == "budget_exceeded"

    with everywhere():
        assert not BulkRun.objects.exists()
        begin(assignment, audits, BulkVerb.REJUDGE)

    assert refused(assignment, audits, verb=BulkVerb.RESYNTHESISE) == "bulk_running"


def test_bulk_rejudge_creates_audits_and_counts_their_ends():
    assignment, audits = cohort(3)
    teacher = staff_user(assignment.organization)
    with everywhere():
        run = begin(assignment, audits, BulkVerb.REJUDGE, by=teacher, criteria=["tidy"])
        new = list(Audit.objects.filter(bulk_run=run).order_by("bulk_item__position"))
        assert [(a.renewal, a.criteria, a.state) for a in new] == [
            (Renewal.OPINIONS, ["tidy"], AuditState.QUEUED)
        ] * 3
        finish_audit(lease=claimed(new[0]), verdict=verdict(overall_score=3.0, digest="1" * 64))
        finish_audit(
            lease=claimed(new[1]), verdict=verdict(state=AuditState.DEGRADED, overall_score=None)
        )
        result = BulkRun.objects.get()
        assert (result.state, result.done, result.failed, result.changed) == (
            BulkState.RUNNING,
            2,
            1,
            1,
        )
        fail_audit(lease=claimed(new[2]), code="repository_empty", message="No commits.")
        result = BulkRun.objects.get()
        assert (result.state, result.done, result.failed, result.changed) == (
            BulkState.DONE,
            3,
            2,
            1,
        )
        items = list(run.items.values_list("state", "score_before", "score_after", "code"))
        assert [current_audit(a.submission) for a in audits] == [new[0], audits[1], audits[2]]
        verbs = set(
            Activity.objects.filter(verb__startswith="bulk.").values_list("verb", flat=True)
        )

    assert items == [
        (BulkItemState.DONE, 4.0, 3.0, ""),
        (BulkItemState.FAILED, 4.0, None, "degraded"),
        (BulkItemState.FAILED, 4.0, None, "repository_empty"),
    ]
    assert verbs == {"bulk.started", "bulk.finished"}


def test_cancel_ends_waiting_audits_and_uses_no_attempt():
    assignment, audits = cohort(3)
    with everywhere():
        run = begin(assignment, audits, BulkVerb.REAUDIT)
        new = list(Audit.objects.filter(bulk_run=run).order_by("bulk_item__position"))
        lease = claimed(new[0])
        assert cancel_bulk(run=run, by=None) == 2
        assert cancel_bulk(run=run, by=None) == 0
        ended = [Audit.objects.get(pk=audit_row.pk) for audit_row in new]
        assert [(a.state, a.failure_code, a.run_attempt) for a in ended] == [
            (AuditState.RUNNING, "", 1),
            (AuditState.FAILED, "cancelled", 0),
            (AuditState.FAILED, "cancelled", 0),
        ]
        assert "cancelled" in ended[1].failure_message
        assert all(Submission.objects.values_list("counts", flat=True))
        finish_audit(lease=lease, verdict=verdict(criteria=(criterion_row(score=5),)))
        result = BulkRun.objects.get()

    assert (result.state, result.done, result.failed, result.changed) == (
        BulkState.CANCELLED,
        1,
        0,
        1,
    )


def test_cancel_of_resynthesis_ends_waiting_items():
    assignment = small_assignment()
    audits = [judged(assignment) for _ in range(2)]
    with everywhere():
        run = begin(
            assignment,
            audits,
            BulkVerb.RESYNTHESISE,
            rubric_version=next_version(assignment, tidy=20.0),
        )
        assert cancel_bulk(run=run, by=None) == 2
        states = set(BulkItem.objects.values_list("state", flat=True))
        assert {audit.rubric_version_id for audit in Audit.objects.all()} == {
            assignment.rubric_version_id
        }

    assert states == {BulkItemState.CANCELLED}
