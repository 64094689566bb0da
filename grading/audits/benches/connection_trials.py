"""Trials of an organization's models: run by a worker, with the outcome kept for an hour."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction

from grading.audits.benches.actions import budget_for_trial, record_trial
from grading.core.activity_writer import record_activity
from grading.core.audit_queue import JobHealth, health_of
from grading.core.errors import BenchRefused, InputRefused
from grading.core.fair_turns import BULK
from grading.core.job_queues import job_queue
from grading.engine import model_trials
from grading.engine.bench_settings import bench_of
from grading.engine.model_trials import TrialOutcome
from grading.models import Organization

JOB = "grading.jobs.try_models"
# Three models with 30 seconds each, and the wait for the rate limit.
JOB_SECONDS = 300
KEPT_SECONDS = 3600
# Each trial costs money, of the operator where the operator's key pays.
PAUSE_SECONDS = 30
# Forms of an answer (docs/operations.md), from the strictest on.
FORMS = {
    "json_schema": "by a JSON Schema",
    "json_object": "json_object, with the schema in words",
    "text": "text with one fenced JSON object",
    "provider": "as the provider's own library asks",
}
INTERRUPTED = "The trial was interrupted on our side. Please try again."


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Answer of one model, or the kind of failure and its message.

    `form` is how it was asked for JSON, `refused` what its endpoint takes no request with. Seconds
    and tokens are null where they are not known.
    """

    model: str
    answer: str
    failure: str
    message: str
    form: str = ""
    refused: list[str] = field(default_factory=list)
    seconds: float | None = None
    tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def failure_in_words(self) -> str:
        return self.failure.replace("_", " ")

    @property
    def form_in_words(self) -> str:
        return FORMS.get(self.form, "")

    @property
    def has_price(self) -> bool:
        return self.model in settings.MODEL_PRICES


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
        job_queue(BULK).enqueue_call(
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
    _keep(organization_id, ConnectionTrial(answers=tuple(map(_answer, outcomes))))


def _answer(outcome: TrialOutcome) -> ModelAnswer:
    # Some providers report no tokens.
    usage = outcome.usage if outcome.usage and outcome.usage.prompt_tokens else None
    return ModelAnswer(
        model=outcome.model,
        answer=outcome.answer,
        failure=outcome.failure,
        message=outcome.message,
        form=outcome.form,
        refused=list(outcome.refused),
        seconds=outcome.seconds,
        tokens=usage.prompt_tokens if usage else None,
        completion_tokens=usage.completion_tokens if usage else None,
    )


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
