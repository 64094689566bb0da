"""The work of a bulk run on the queue: in turn, behind students' own, again after a death, and
never twice.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope

from grading.bulk import resynthesis_jobs
from grading.bulk.actions import start_bulk
from grading.bulk.progress import Change
from grading.core.audit_queue import enqueue_on_commit
from grading.core.enums import BulkItemState, BulkState, BulkVerb
from grading.jobs import resynthesise_chunk
from grading.models import (
    Assignment,
    Audit,
    BulkItem,
    BulkRun,
    Enrollment,
    Grade,
    RubricVersion,
    Submission,
    SupersededReport,
)
from grading.workflow import (
    Recovery,
    apply_rules_and_count,
    finish_audit,
    reconcile,
    resynthesise_audit,
)
from tests.factories.people import everywhere
from tests.factories.verdicts import judged, next_version, small_assignment
from tests.factories.work import AuditFactory, SubmissionFactory, claimed, verdict
from tests.waiting import PATIENCE_SECONDS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def started(number: int) -> tuple[BulkRun, RubricVersion]:
    """A re-synthesis of as many verdicts, on the queue."""
    assignment = small_assignment()
    audits, heavier = (
        [judged(assignment) for _ in range(number)],
        next_version(assignment, tidy=20.0),
    )

    with scope(organization=assignment.organization):
        run = start_bulk(
            assignment=assignment,
            verb=BulkVerb.RESYNTHESISE,
            rubric_version=heavier,
            audits=audits,
            by=None,
            confirmed=number,
        )

    return run, heavier


def work() -> list[str]:
    """Do the jobs on the bulk queue as a worker would, until there is none; their ids."""
    queue, done = get_queue("bulk"), []
    while queue.count:
        key = str(queue.pop_job_id())
        job = queue.fetch_job(key)
        assert job is not None
        job.func(*job.args)
        job.delete()
        done.append(key)

    return done


def progress(run: BulkRun) -> tuple[str, int, int, int]:
    with everywhere():
        now = BulkRun.objects.get(pk=run.pk)
    return (now.state, now.done, now.failed, now.changed)


def test_run_continues_chunk_by_chunk_to_its_end(monkeypatch):
    monkeypatch.setattr(resynthesis_jobs, "CHUNK", 2)
    run, heavier = started(5)
    assert work() == [f"bulk-{run.pk}-{chunk}" for chunk in (0, 1, 2)]
    assert progress(run) == (BulkState.DONE, 5, 0, 5)

    with everywhere():
        assert {audit.rubric_version for audit in Audit.objects.all()} == {heavier}
        assert SupersededReport.objects.count() == 5
        assert {item.criteria_changed for item in BulkItem.objects.all()} == {1}


def test_refused_item_fails_with_its_message_and_others_continue():
    run, _ = started(2)
    with everywhere():
        first: Any = BulkItem.objects.get(position=0)
        Audit.objects.filter(pk=first.audit_id).update(report={"schema": "older"})

    work()
    assert progress(run) == (BulkState.DONE, 2, 1, 1)
    with everywhere():
        item = BulkItem.objects.get(position=0)
        assert (item.state, item.code, item.message != "") == (
            BulkItemState.FAILED,
            "record_unreadable",
            True,
        )


def test_item_that_kills_its_worker_three_times_fails():
    run, _ = started(2)

    def die(**_: Any) -> Change:
        raise MemoryError

    for _ in range(3):
        with pytest.raises(MemoryError), everywhere():
            resynthesis_jobs.resynthesise_chunk(run_id=run.pk, chunk=0, apply_rules=die)
    with everywhere():
        first, second = BulkItem.objects.order_by("position")
        assert (first.tries, second.tries) == (2, 1)  # what was tried least comes first
        BulkItem.objects.filter(pk=first.pk).update(tries=3)
        resynthesis_jobs.resynthesise_chunk(
            run_id=run.pk, chunk=0, apply_rules=apply_rules_and_count
        )
        assert BulkItem.objects.get(pk=first.pk).code == "engine_failed"

    assert progress(run) == (BulkState.DONE, 2, 1, 1)


def test_reconciler_resumes_only_runs_without_a_job():
    run, _ = started(1)
    assert reconcile() == Recovery(enqueued=0, taken_back=0)
    get_queue("bulk").empty()
    assert reconcile() == Recovery(enqueued=0, taken_back=0, resumed=1)
    work()
    assert reconcile() == Recovery(enqueued=0, taken_back=0)
    assert progress(run)[0] == BulkState.DONE


def test_job_started_twice_works_once():
    run, _ = started(2)
    for _ in range(2):
        resynthesise_chunk(run.organization_id, str(run.pk), 0)
    assert progress(run) == (BulkState.DONE, 2, 0, 2)
    with everywhere():
        assert SupersededReport.objects.count() == 2


def test_student_submission_precedes_a_thousand_bulk_jobs():
    assignment = small_assignment()
    with scope(organization=assignment.organization):
        run = start_bulk(
            assignment=assignment,
            verb=BulkVerb.REAUDIT,
            rubric_version=assignment.rubric_version,
            audits=_audits(assignment, 1000),
            by=None,
            confirmed=1000,
        )
        assert Audit.objects.filter(bulk_run=run, state="queued").count() == 1000

    own = AuditFactory(submission=SubmissionFactory(assignment=assignment))
    enqueue_on_commit(own)
    queues = [get_queue(name) for name in ("submissions", "bulk")]  # as audit_worker serves them
    dequeued = queues[0].dequeue_any(queues, None, connection=queues[0].connection)
    assert dequeued is not None
    first = dequeued[0]
    assert first.args == [str(own.pk), 1]


def _audits(assignment: Assignment, number: int) -> list[Audit]:
    where = {"organization": assignment.organization}
    students = Enrollment.objects.bulk_create(
        Enrollment(**where, cohort=assignment.cohort, email=f"s{n}@example.org", name=f"S {n}")
        for n in range(number)
    )
    submissions = Submission.objects.bulk_create(
        Submission(
            **where,
            assignment=assignment,
            student=row,
            attempt=1,
            repo_url="https://git.example.org/s/w",
            handed_in_at=timezone.now(),
        )
        for row in students
    )

    return Audit.objects.bulk_create(
        Audit(
            **where,
            submission=row,
            rubric_version=assignment.rubric_version,
            state="done",
            report={},
            finished_at=timezone.now(),
        )
        for row in submissions
    )


def test_concurrent_verdict_and_resynthesis_are_both_kept():
    """Two connections: a worker has written its report and not committed when the rules are applied
    to the audit.
    """
    assignment = small_assignment()
    template, heavier = judged(assignment), next_version(assignment, tidy=20.0)
    audit = AuditFactory(submission__assignment=assignment, submission__attempt=1)
    lease, written, requested = claimed(audit), Event(), Event()
    outcome = verdict(
        report=template.report, digest=template.report_digest, overall_score=template.overall_score
    )

    def finish() -> None:
        try:
            with everywhere(), transaction.atomic():
                finish_audit(lease=lease, verdict=outcome)
                written.set()
                assert requested.wait(PATIENCE_SECONDS)
        finally:
            connection.close()

    def apply() -> bool:
        try:
            assert written.wait(PATIENCE_SECONDS)
            requested.set()
            with everywhere():
                return resynthesise_audit(audit=audit, rubric_version=heavier, by=None)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        ended, applied = pool.submit(finish), pool.submit(apply)
        assert (ended.result(2 * PATIENCE_SECONDS), applied.result(2 * PATIENCE_SECONDS)) == (
            None,
            True,
        )
    with everywhere():
        after: Any = Audit.objects.get(pk=audit.pk)
        assert (after.rubric_version, after.report["rubric"]["digest"]) == (heavier, heavier.digest)
        assert SupersededReport.objects.get(audit=audit).digest == outcome.digest
        assert Grade.objects.get(audit=audit).overall_score == after.overall_score


def test_concurrent_resyntheses_keep_all_three_reports():
    assignment = small_assignment()
    audit = judged(assignment)
    versions = [next_version(assignment, tidy=weight) for weight in (20.0, 40.0)]

    def apply(version: RubricVersion) -> bool:
        try:
            with everywhere():
                return resynthesise_audit(audit=audit, rubric_version=version, by=None)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(apply, versions))

    with everywhere():
        last: Any = Audit.objects.get(pk=audit.pk)
        kept = set(SupersededReport.objects.values_list("rubric_version", flat=True))
        assert last.report["rubric"]["digest"] == last.rubric_version.digest

    assert kept | {last.rubric_version_id} == {
        audit.rubric_version_id,
        *(version.pk for version in versions),
    }
