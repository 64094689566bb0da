"""A check tried on the submission itself: by a worker, with the outcome kept for an hour and nothing written for good."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django_rq import get_queue
from rq.exceptions import NoSuchJobError
from rq.job import Job, JobStatus

from grading.core.fair_turns import BULK
from grading.engine import rubrics as engine_rubrics
from grading.engine.check_trials import Trial
from grading.models import Audit

JOB = "grading.jobs.try_check"
JOB_SECONDS = 300
KEPT_SECONDS = 3600
OVER = frozenset({JobStatus.FINISHED, JobStatus.FAILED, JobStatus.STOPPED, JobStatus.CANCELED})


@dataclass(frozen=True, slots=True)
class Answer:
    """Of a trial that was asked for: the trial, why there is none, or both null while it is waited for."""

    trial: Trial | None = None
    refusal: str = ""

    @property
    def is_final(self) -> bool:
        return self.trial is not None or bool(self.refusal)


def ask_for_trial(*, audit: Audit, check: Mapping[str, Any]) -> str:
    """Have a worker look, before all bulk work; the key to ask answer_to with. The same question waits but once.

    Nothing of a tenant is written, so there is no row in the log. Raises redis.RedisError.
    """
    key = engine_rubrics.document_digest(check)[:16]
    if answer_to(audit_id=audit.pk, key=key) in {None, BROKE_OFF}:
        get_queue(BULK, commit_mode="auto").enqueue_call(
            JOB,
            args=(audit.organization_id, str(audit.pk), key, json.dumps(check)),
            job_id=_name(audit.pk, key),
            timeout=JOB_SECONDS,
            result_ttl=0,
            failure_ttl=KEPT_SECONDS,
            at_front=True,
        )
    return key


def keep_answer(*, audit_id: UUID | str, key: str, answer: Answer) -> None:
    """For an hour, beside the queue."""
    trial = answer.trial.model_dump(mode="json") if answer.trial else None
    kept = {"trial": trial, "refusal": answer.refusal}
    cache.set(_name(audit_id, key), json.dumps(kept), KEPT_SECONDS)


def answer_to(*, audit_id: UUID | str, key: str) -> Answer | None:
    """None when nothing of the kind was asked, or longer ago than an hour."""
    kept = cache.get(_name(audit_id, key))
    if kept is not None:
        told = json.loads(kept)
        return Answer(
            trial=Trial.model_validate(told["trial"]) if told["trial"] else None,
            refusal=told["refusal"],
        )
    try:
        job = Job.fetch(_name(audit_id, key), connection=get_queue(BULK).connection)
    except NoSuchJobError:
        return None
    return BROKE_OFF if job.get_status(refresh=False) in OVER else Answer()


def _name(audit_id: UUID | str, key: str) -> str:
    return f"trial-{audit_id}-{key}"


BROKE_OFF = Answer(refusal="The examination broke off on our side. Ask once more.")
