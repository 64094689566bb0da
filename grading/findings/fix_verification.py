"""Whether a commit that is said to fix a finding exists, and changes the place: looked up by a worker in a fresh clone."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope

from grading.core.activity import record_activity
from grading.core.audit_queue import JobHealth, health_of
from grading.core.enums import ResponseKind
from grading.core.fair_turns import SUBMISSIONS
from grading.core.rls.rls_scope import as_dispatcher
from grading.models import FindingResponse, Submission

JOB = "grading.jobs.verify_fix"
JOB_SECONDS = 300
JUST_ANSWERED = timedelta(seconds=30)  # its own job is on the way
BROKE_OFF = "Looking it up broke off on our side. Send the same answer again to have it looked up once more."


def verify_on_commit(response: FindingResponse) -> None:
    """Have the fix looked up, once the transaction holds. If the queue is down, the reconciler will."""
    transaction.on_commit(lambda: _enqueue(response), robust=True)


def verify_again(response: FindingResponse) -> bool:
    """Look a fix up once more that was not confirmed, in the transaction of whoever asks; whether it is.

    One that was confirmed, or is being looked up, is left alone.
    """
    told = FindingResponse.objects.filter(pk=response.pk, kind=ResponseKind.FIXED).exclude(
        verified=True
    )
    if not told.exclude(verification="").update(verified=None, verification=""):
        return False
    verify_on_commit(response)
    return True


def verify_left() -> int:
    """The reconciler's part: how many fixes were enqueued again because their job was gone. Raises redis.RedisError.

    One whose job has failed stays unverified, and says so.
    """
    with as_dispatcher():
        left = _waiting().filter(created_at__lt=timezone.now() - JUST_ANSWERED)
        responses = list(left.only("pk", "organization_id"))
    enqueued = 0
    for response in responses:
        with scope(organization=response.organization_id):
            health = health_of(SUBMISSIONS, _job_id(response))
            if health is JobHealth.FAILED:
                _write(response, None, BROKE_OFF)
            elif health is JobHealth.MISSING:
                _enqueue(response)
                enqueued += 1
    return enqueued


def verify_fix(*, response_id: int) -> None:
    """Look the commit up in the repository as it was last handed in, and write down what it is.

    An answer that was replaced meanwhile, or is verified, is left alone.
    """
    from grading.engine import commits as engine_commits

    response = _waiting().select_related("finding").filter(pk=response_id).first()
    if response is None:
        return
    finding = response.finding
    theirs = Submission.objects.filter(assignment=finding.assignment_id, student=finding.student_id)
    latest = theirs.order_by("-attempt")[0]
    touch = engine_commits.commit_touches(latest, response.commit, finding.place or None)
    _write(
        response, touch.touches if touch.exists and finding.place else touch.exists, touch.reason
    )


def _write(response: FindingResponse, verified: bool | None, sentence: str) -> None:
    with transaction.atomic():
        if _waiting().filter(pk=response.pk).update(verified=verified, verification=sentence):
            found = FindingResponse.objects.select_related("finding").get(pk=response.pk)
            record_activity(
                organization=found.organization_id,
                actor=None,
                verb="finding.fix_verified",
                about=found.finding,
                outcome={True: "confirmed", False: "not confirmed", None: "not looked up"}[
                    verified
                ],
                commit=found.commit[:12],
            )


def _waiting() -> QuerySet[FindingResponse]:
    return FindingResponse.objects.filter(
        kind=ResponseKind.FIXED, verified=None, verification="", replaced_at=None
    )


def _enqueue(response: FindingResponse) -> None:
    get_queue(SUBMISSIONS, commit_mode="auto").enqueue_call(
        JOB,
        args=(response.organization_id, response.pk),
        job_id=_job_id(response),
        timeout=JOB_SECONDS,
        result_ttl=0,
        failure_ttl=24 * 3600,
    )


def _job_id(response: FindingResponse) -> str:
    return f"fix-{response.pk}"
