"""Trials of a check on a repository: run by a worker, with the answer kept for an hour."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django_rq import get_queue
from rq.exceptions import NoSuchJobError
from rq.job import JobStatus

from grading.core.allowed_job import AllowedJob
from grading.core.fair_turns import BULK
from grading.core.job_queues import job_queue
from grading.engine import rubrics as engine_rubrics
from grading.engine.check_trials import Trial
from grading.models import Audit

JOB = "grading.jobs.try_check"
# Cloning and reading one repository takes seconds; this stops a job that hangs.
JOB_SECONDS = 300
KEPT_SECONDS = 3600
# States of a job that has ended and will give no answer any more.
OVER = frozenset({JobStatus.FINISHED, JobStatus.FAILED, JobStatus.STOPPED, JobStatus.CANCELED})


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to a requested trial: its outcome, or a refusal, or neither while it runs."""

    trial: Trial | None = None
    refusal: str = ""

    @property
    def is_final(self) -> bool:
        return self.trial is not None or bool(self.refusal)


def request_trial(*, audit: Audit, check: Mapping[str, Any]) -> str:
    """Queue a trial before all bulk work and return the key for answer_to.

    The same question is queued only once. Nothing of a tenant is written, so there is no Activity
    row. Raises redis.RedisError.
    """
    key = engine_rubrics.document_digest(check)[:16]
    if answer_to(audit_id=audit.pk, key=key) in {None, INTERRUPTED}:
        job_queue(BULK).enqueue_call(
            JOB,
            args=(audit.organization_id, str(audit.pk), key, json.dumps(check)),
            job_id=_job_id(audit.pk, key),
            timeout=JOB_SECONDS,
            result_ttl=0,
            failure_ttl=KEPT_SECONDS,
            # A person waits for this answer; nobody waits for a bulk run at the screen.
            at_front=True,
        )
    return key


def keep_answer(*, audit_id: UUID | str, key: str, answer: Answer) -> None:
    """Keep an answer for KEPT_SECONDS in the cache."""
    trial = answer.trial.model_dump(mode="json") if answer.trial else None
    record = {"trial": trial, "refusal": answer.refusal}
    cache.set(_job_id(audit_id, key), json.dumps(record), KEPT_SECONDS)


def answer_to(*, audit_id: UUID | str, key: str) -> Answer | None:
    """Return the answer; None when no such trial was requested within the last hour."""
    stored = cache.get(_job_id(audit_id, key))
    if stored is not None:
        record = json.loads(stored)
        return Answer(
            trial=Trial.model_validate(record["trial"]) if record["trial"] else None,
            refusal=record["refusal"],
        )

    # A job that ended without an answer lost its worker.
    queue = get_queue(BULK)
    try:
        job = AllowedJob.fetch(
            _job_id(audit_id, key), connection=queue.connection, serializer=queue.serializer
        )
    except NoSuchJobError:
        return None
    return INTERRUPTED if job.get_status(refresh=False) in OVER else Answer()


def _job_id(audit_id: UUID | str, key: str) -> str:
    return f"trial-{audit_id}-{key}"


INTERRUPTED = Answer(refusal="The trial was interrupted on our side. Please try again.")
