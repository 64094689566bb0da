"""Jobs of a bulk re-synthesis: each processes a chunk and enqueues the next.

One chunk per run waits at the end of the bulk queue, so that runs take turns. Submissions of
students are on another queue, which is served first. The items in PostgreSQL are the truth, jobs
are only hints.
"""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django_scopes import scope

from grading.bulk.progress import Change, end_item, fail_item
from grading.core.audit_queue import JobHealth, health_of
from grading.core.enums import BulkItemState, BulkState, BulkVerb
from grading.core.errors import GradingError
from grading.core.fair_turns import BULK
from grading.core.job_queues import job_queue
from grading.core.rls.rls_scope import as_dispatcher
from grading.engine.stored_verdicts import Resynthesis
from grading.models import Audit, BulkItem, BulkRun, RubricVersion

JOB = "grading.jobs.resynthesise_chunk"
JOB_SECONDS = 5 * 60
# About two seconds of work: a student's submission may have to wait that long on a busy machine.
CHUNK = 20
# A job that kills its worker comes back through the reconciler; this ends it.
MOST_TRIES = 3
BROKEN = (
    "engine_failed",
    "Applying the rules failed three times because of an error on our side.",
)


def enqueue_chunk_on_commit(run: BulkRun) -> None:
    """Enqueue the run's next chunk on commit. If the queue is down, the reconciler does it."""
    transaction.on_commit(lambda: enqueue_next_chunk(run), robust=True)


def enqueue_next_chunk(run: BulkRun) -> bool:
    """Enqueue the first chunk with work left; return whether a new job was needed.

    Raises redis.RedisError.
    """
    chunk = _next_chunk(run)
    if chunk is None or health_of(BULK, _job_id(run, chunk)) is JobHealth.ALIVE:
        return False
    job_queue(BULK).enqueue_call(
        JOB,
        args=(run.organization_id, str(run.pk), chunk),
        job_id=_job_id(run, chunk),
        timeout=JOB_SECONDS,
        # The result is in PostgreSQL; Valkey keeps nothing.
        result_ttl=0,
    )

    return True


def resume_runs() -> int:
    """Return how many runs were resumed because their job was lost or had failed.

    The reconciler calls it. Raises redis.RedisError.
    """
    with as_dispatcher():
        running = list(BulkRun.objects.filter(state=BulkState.RUNNING, verb=BulkVerb.RESYNTHESISE))
    resumed = 0
    for run in running:
        with scope(organization=run.organization_id):
            resumed += enqueue_next_chunk(run)

    return resumed


class ApplyRules(Protocol):
    """Signature of `grading.workflow.apply_rules_and_count`."""

    def __call__(
        self,
        *,
        audit: Audit,
        version: RubricVersion,
        by: User | None,
        bulk_run: BulkRun | None,
        rules: Resynthesis | None,
    ) -> Change: ...


def resynthesise_chunk(*, run_id: UUID | str, chunk: int, apply_rules: ApplyRules) -> None:
    """Apply the run's rules to the waiting items of this chunk, then enqueue the next chunk.

    Each item has a transaction of its own. `apply_rules` comes from `grading.workflow`, which
    knows what follows a new verdict.
    """
    runs = BulkRun.objects.select_related("rubric_version__rubric", "started_by")
    run = runs.filter(pk=run_id, state=BulkState.RUNNING).first()
    if run is None:
        return

    rules, positions = (
        Resynthesis(run.rubric_version.document),
        (chunk * CHUNK, (chunk + 1) * CHUNK - 1),
    )
    waiting = BulkItem.objects.filter(
        run=run, state=BulkItemState.WAITING, position__range=positions
    )
    # Items that failed before come last, so that they don't block the others.
    for key in list(waiting.order_by("tries", "position").values_list("pk", flat=True)):
        _process_item(key, run, rules, apply_rules)
    enqueue_next_chunk(run)


def _process_item(key: int, run: BulkRun, rules: Resynthesis, apply_rules: ApplyRules) -> None:
    """Count the try first: an item that kills its worker three times is not tried again."""
    if not BulkItem.objects.filter(pk=key, state=BulkItemState.WAITING).update(
        tries=F("tries") + 1
    ):
        return
    with transaction.atomic():
        waiting = BulkItem.objects.select_for_update(no_key=True, of=("self",))
        item = waiting.select_related("audit__submission").defer("audit__report").get(pk=key)
        # Cancelled, or processed by another job, while this one waited for the lock.
        if item.state != BulkItemState.WAITING:
            return
        if item.tries > MOST_TRIES or item.audit is None:
            code, message = BROKEN
            fail_item(item=item, code=code, message=message)
            return

        try:
            change = apply_rules(
                audit=item.audit,
                version=run.rubric_version,
                by=run.started_by,
                bulk_run=run,
                rules=rules,
            )
        except GradingError as refused:
            fail_item(item=item, code=refused.code, message=refused.sentence)
        else:
            end_item(item=item, change=change)


def _next_chunk(run: BulkRun) -> int | None:
    first = (
        BulkItem.objects.filter(run=run, state=BulkItemState.WAITING).order_by("position").first()
    )
    return None if first is None else first.position // CHUNK


def _job_id(run: BulkRun, chunk: int) -> str:
    return f"bulk-{run.pk}-{chunk}"
