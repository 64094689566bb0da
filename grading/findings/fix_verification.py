"""Lookup of a fix: a worker finds out in a fresh clone whether the commit changes the place.

A commit that does not is refused. Audits alone confirm a fix.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.audit_queue import JobHealth, health_of
from grading.core.enums import ResponseKind
from grading.core.fair_turns import SUBMISSIONS
from grading.core.job_queues import job_queue
from grading.core.rls.rls_scope import as_dispatcher
from grading.models import Finding, FindingResponse, Submission

JOB = "grading.jobs.verify_fix"
JOB_SECONDS = 300
# A younger answer's own job may still be on its way to the queue.
JUST_ANSWERED = timedelta(seconds=30)
FIXED_ELSEWHERE = " If the fix is in another file, submit again: the audit decides."
LOOKUP_BROKEN = (
    "We couldn't look up the commit because of a problem on our side. "
    "Send the same answer again to retry."
)


def verify_on_commit(response: FindingResponse) -> None:
    """Enqueue the lookup after the commit. If the queue is down, the reconciler enqueues it."""
    transaction.on_commit(lambda: _enqueue(response), robust=True)


def verify_again(response: FindingResponse) -> bool:
    """Repeat a lookup that failed, in the caller's transaction; return whether it is repeated.

    A fix that was looked up, or is being looked up, is left alone.
    """
    fixes = FindingResponse.objects.filter(pk=response.pk, kind=ResponseKind.FIXED)
    failed = fixes.exclude(verified=True).exclude(verification="")
    if not failed.update(verified=None, verification=""):
        return False
    verify_on_commit(response)
    return True


def verify_waiting() -> int:
    """Enqueue again the fixes whose job is gone; return their number. Raises redis.RedisError.

    Called by the reconciler. A fix whose job failed stays claimed, and says so.
    """
    with as_dispatcher():
        waiting = _waiting().filter(created_at__lt=timezone.now() - JUST_ANSWERED)
        responses = list(waiting.only("pk", "organization_id"))

    enqueued = 0
    for response in responses:
        with scope(organization=response.organization_id):
            health = health_of(SUBMISSIONS, _job_id(response))
            if health is JobHealth.FAILED:
                _write(response, None, LOOKUP_BROKEN)
            elif health is JobHealth.MISSING:
                _enqueue(response)
                enqueued += 1
    return enqueued


def verify_fix(*, response_id: int) -> None:
    """Look the commit up in the repository of the latest submission, and store the result.

    A commit that is not there, or changes nothing of the place, is refused. An answer that was
    replaced meanwhile, or is looked up, is left alone.
    """
    # courtroom is imported by workers alone.
    from grading.engine import commits as engine_commits

    response = _waiting().select_related("finding").filter(pk=response_id).first()
    if response is None:
        return

    finding = response.finding
    submissions = Submission.objects.filter(
        assignment=finding.assignment_id, student=finding.student_id
    )
    latest = submissions.order_by("-attempt")[0]
    touch = engine_commits.commit_touches(latest, response.commit, finding.place or None)
    # A finding without a file is fixed by any commit that exists.
    is_fix = touch.touches if touch.exists and finding.place else touch.exists
    elsewhere = FIXED_ELSEWHERE if touch.touches is False else ""
    _write(response, is_fix, f"{touch.reason}{elsewhere}")


def _write(response: FindingResponse, verified: bool | None, sentence: str) -> None:
    with transaction.atomic():
        # As in answer_finding: one current answer at a time.
        Finding.objects.select_for_update(no_key=True).get(pk=response.finding_id)
        if _waiting().filter(pk=response.pk).update(verified=verified, verification=sentence):
            answer = FindingResponse.objects.select_related("finding").get(pk=response.pk)
            if verified is False:
                _set_aside(answer)
            outcomes = {True: "it changes the place", False: "refused", None: "not looked up"}
            record_activity(
                organization=answer.organization_id,
                actor=None,
                verb="finding.fix_verified",
                about=answer.finding,
                outcome=outcomes[verified],
                commit=answer.commit[:12],
            )


def _set_aside(refused: FindingResponse) -> None:
    """Let the answer before the refused one stand again; without one the finding needs an answer."""
    answers = FindingResponse.objects.filter(finding=refused.finding_id)
    answers.filter(pk=refused.pk).update(replaced_at=timezone.now())
    before = answers.exclude(pk=refused.pk).exclude(verified=False).first()
    if before is not None:
        answers.filter(pk=before.pk).update(replaced_at=None)


def _waiting() -> QuerySet[FindingResponse]:
    return FindingResponse.objects.filter(
        kind=ResponseKind.FIXED, verified=None, verification="", replaced_at=None
    )


def _enqueue(response: FindingResponse) -> None:
    job_queue(SUBMISSIONS).enqueue_call(
        JOB,
        args=(response.organization_id, response.pk),
        job_id=_job_id(response),
        timeout=JOB_SECONDS,
        result_ttl=0,
        # verify_waiting has to see that a job failed.
        failure_ttl=24 * 3600,
    )


def _job_id(response: FindingResponse) -> str:
    return f"fix-{response.pk}"
