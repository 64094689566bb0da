"""Trials of an organization's models: run by a worker, with the outcome kept for an hour."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction
from django_rq import get_queue

from grading.audits.benches.actions import budget_for_trial, record_trial
from grading.core.activity_writer import record_activity
from grading.core.audit_queue import JobHealth, health_of
from grading.core.errors import BenchRefused, InputRefused
from grading.core.fair_turns import BULK
from grading.engine import model_trials
from grading.engine.bench_settings import bench_of
from grading.models import Organization

JOB = "grading.jobs.try_models"
# Three models with 30 seconds each, and the wait for the rate limit.
JOB_SECONDS = 300
KEPT_SECONDS = 3600
# Each trial costs money, of the operator where the operator's key pays.
PAUSE_SECONDS = 30
INTERRUPTED = "The trial was interrupted on our side. Please try again."


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Answer of one model, or the kind of failure and its message."""

    model: str
    answer: str
    failure: str
    message: str


@dataclass(frozen=True, slots=True)
class ConnectionTrial:
    """Trial of all models. It is under way without `answers` and `refusal`."""

    answers: tuple[ModelAnswer, ...] = ()
    refusal: str = ""

    @property
    def is_final(self) -> bool:
        return bool(self.answers or self.refusal)


def request_trial(*, organization: Organization, by: User) -> None:
    """Queue a trial of the organization's models before all bulk work.

    Raises BenchRefused, also within PAUSE_SECONDS of the last one, and redis.RedisError.
    """
    budget_for_trial(organization)
    if not cache.add(f"{_job_id(organization.pk)}-pause", "1", PAUSE_SECONDS):
        sentence = f"Wait {PAUSE_SECONDS} seconds between two trials."
        raise BenchRefused("bench_tried_now", sentence)
    with transaction.atomic():
        record_activity(
            organization=organization,
            actor=by,
            verb="bench.tried",
            about=bench_of(organization.pk) or organization,
        )
        cache.delete(_job_id(organization.pk))
        get_queue(BULK, commit_mode="auto").enqueue_call(
            JOB,
            args=(organization.pk,),
            job_id=_job_id(organization.pk),
            timeout=JOB_SECONDS,
            result_ttl=0,
            failure_ttl=KEPT_SECONDS,
            # A person waits for this answer.
            at_front=True,
        )


def run_trial(*, organization_id: int) -> None:
    """Ask the models, store what it cost and keep the outcome in the cache. For the job."""
    organization = Organization.objects.get(pk=organization_id)
    try:
        budget = budget_for_trial(organization)
        outcomes = model_trials.try_models(organization_id, budget)
    except (BenchRefused, InputRefused) as refused:
        _keep(organization_id, ConnectionTrial(refusal=refused.sentence))
        return
    record_trial(
        organization_id=organization_id,
        usages=[outcome.usage for outcome in outcomes if outcome.usage],
    )
    answers = tuple(
        ModelAnswer(outcome.model, outcome.answer, outcome.failure, outcome.message)
        for outcome in outcomes
    )
    _keep(organization_id, ConnectionTrial(answers=answers))


def latest_trial(organization: Organization) -> ConnectionTrial | None:
    """Return the trial of the last hour, None without one. Raises redis.RedisError."""
    stored = cache.get(_job_id(organization.pk))
    if stored is not None:
        record = json.loads(stored)
        answers = tuple(ModelAnswer(**answer) for answer in record["answers"])
        return ConnectionTrial(answers=answers, refusal=record["refusal"])
    match health_of(BULK, _job_id(organization.pk)):
        case JobHealth.ALIVE:
            return ConnectionTrial()
        case JobHealth.FAILED:
            return ConnectionTrial(refusal=INTERRUPTED)
        case _:
            return None


def _keep(organization_id: int, trial: ConnectionTrial) -> None:
    cache.set(_job_id(organization_id), json.dumps(asdict(trial)), KEPT_SECONDS)


def _job_id(organization_id: int) -> str:
    return f"models-{organization_id}"
