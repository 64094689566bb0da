"""Order of audits: a thousand of one organization do not delay five of another."""

from typing import Any

import pytest
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope

from grading.audits.actions import claim_audit
from grading.core.audit_queue import enqueue_on_commit
from grading.core.enums import AuditKind, AuditState
from grading.core.fair_turns import AHEAD, UNAPPROVED_AHEAD, queue_position
from grading.models import Audit
from grading.workflow import Recovery, reconcile
from tests.factories.people import OrganizationFactory, UserFactory, everywhere
from tests.factories.work import SubmissionFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def handed_in(number: int, *, kind: AuditKind = AuditKind.SELF, **organization: Any) -> list[Audit]:
    """As many waiting audits of an organization of their own."""
    submission = SubmissionFactory(
        assignment__cohort__organization=OrganizationFactory(**organization)
    )
    with scope(organization=submission.organization):
        audits = Audit.objects.bulk_create(
            Audit(
                organization=submission.organization,
                submission=submission,
                kind=kind,
                rubric_version=submission.assignment.rubric_version,
                state=AuditState.QUEUED,
                queued_at=timezone.now(),
            )
            for _ in range(number)
        )
    for audit in audits[: AHEAD + 1]:
        enqueue_on_commit(audit)
    return audits


def take_up(number: int) -> list[str]:
    """The audits that workers would take up next, in order; each is claimed, as they would."""
    taken = []
    for _ in range(number):
        queue = next(queue for queue in map(get_queue, ("submissions", "bulk")) if queue.count)
        audit_id = str(queue.pop_job_id()).removeprefix("audit-").rpartition("-")[0]
        with everywhere():
            organization = Audit.objects.get(pk=audit_id).organization_id
        with scope(organization=organization):
            assert claim_audit(audit_id=audit_id, run_attempt=1) is not None
        taken.append(audit_id)
    return taken


def ids(audits: list[Audit]) -> set[str]:
    return {str(audit.pk) for audit in audits}


def test_a_thousand_jobs_of_one_organization_do_not_delay_anothers_five():
    large, small = ids(handed_in(1000)), ids(handed_in(5))
    order = take_up(20)
    assert [place for place, audit in enumerate(order) if audit in small] == [4, 5, 6, 7, 12]
    assert sum(audit in large for audit in order) == 15


def test_what_one_organization_waits_for_is_taken_up_to_the_last():
    audits = ids(handed_in(12))
    assert set(take_up(12)) == audits
    assert get_queue("submissions").count == 0


def test_students_own_hand_ins_come_before_bulk_work():
    bulk, own = ids(handed_in(3, kind=AuditKind.INSTRUCTOR)), ids(handed_in(2))
    order = take_up(5)
    assert (set(order[:2]), set(order[2:])) == (own, bulk)


def test_the_reconciler_queues_no_more_than_is_in_turn():
    handed_in(10)
    get_queue("submissions").empty()
    assert reconcile() == Recovery(enqueued=AHEAD, taken_back=0)
    assert reconcile() == Recovery(enqueued=0, taken_back=0)


def test_the_place_that_is_shown_is_the_place_in_which_it_is_taken_up():
    large, small, bulk = handed_in(11), handed_in(6), handed_in(2, kind=AuditKind.INSTRUCTOR)
    audits = large + small + bulk
    for taken in (0, 5, 7):  # also when some of one organization have gone and others moved up
        take_up(taken)
        with everywhere():
            waiting = [
                audit
                for audit in audits
                if Audit.objects.get(pk=audit.pk).state == AuditState.QUEUED
            ]
        positions = {str(audit.pk): queue_position(audit) for audit in waiting}
        audits = waiting
        if taken == 7:
            assert [positions[audit] for audit in take_up(7)] == list(range(1, 8))


def test_a_place_is_told_also_while_the_queues_server_is_away(settings):
    first, second = handed_in(1)[0], handed_in(1)[0]
    settings.RQ_QUEUES = {name: {"URL": "redis://127.0.0.1:1/0"} for name in settings.QUEUES}
    assert [queue_position(audit) for audit in (second, first)] == [2, 1]


def strangers(organizations: int, number: int) -> list[Audit]:
    """Audits of organizations that one account created and no operator approved."""
    founder = UserFactory()
    return [
        audit
        for _ in range(organizations)
        for audit in handed_in(number, approved_at=None, founder=founder)
    ]


def test_ten_free_organizations_are_before_a_student_as_one():
    strangers(10, 3)
    student = handed_in(1)[0]
    assert queue_position(student) == UNAPPROVED_AHEAD + 1
    assert take_up(3)[2] == str(student.pk)


def test_accounts_take_turns_among_organizations_without_approval():
    crowd = strangers(10, 3)
    other = strangers(1, 1)[0]
    assert queue_position(other) == UNAPPROVED_AHEAD + 1
    assert take_up(3)[2] == str(other.pk)
    assert set(take_up(28)) < ids(crowd)


def test_every_audit_of_organizations_without_approval_is_taken_up():
    audits = strangers(3, 2)
    assert set(take_up(6)) == ids(audits)
    assert get_queue("submissions").count == 0


def test_the_reconciler_queues_one_turn_for_all_organizations_without_approval():
    strangers(3, 2)
    get_queue("submissions").empty()
    assert reconcile().enqueued == UNAPPROVED_AHEAD
