"""Trial of models: an answer, a typed failure, and a bound on time and money."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from courtroom.judges.connection_trial import ModelTrial, try_models
from courtroom.models.case import BenchSettings, Price
from courtroom.models.judge_answer import PERSONAS
from tests.factories.model_server import Desk, model_endpoint


@pytest.fixture
def endpoint() -> Iterator[Desk]:
    with model_endpoint() as server:
        yield server


def trials(endpoint: Desk, *models: str, **changes: Any) -> list[ModelTrial]:
    """Return the trials of these models, the first for every persona that is left."""
    chosen = dict(zip(PERSONAS, (*models, *[models[0]] * 3), strict=False))
    given = {"kind": "llm", "models": chosen, "base_url": endpoint.base_url, "api_key": "k"}
    settings = BenchSettings.model_validate(given | changes)

    async def ask() -> list[ModelTrial]:
        return [trial async for trial in try_models(settings)]

    return asyncio.run(ask())


def test_model_of_three_judges_is_asked_once_with_its_usage_and_cost(endpoint: Desk) -> None:
    (trial,) = trials(endpoint, "good", prices={"good": Price(input=1, cached_input=1, output=1)})
    assert (trial.answer, trial.failure, len(endpoint.requests)) == ('{"sum": 5}', None, 1)
    assert (trial.usage.prompt_tokens, trial.usage.cost_usd) == (100, 0.00012)


@pytest.mark.parametrize(
    ("model", "failure"),
    [
        ("unauthorised", "auth"),
        ("out-of-quota", "budget"),
        ("truncated", "truncated"),
        ("answer-filtered", "filtered"),
        ("extra-key", None),
        ("empty-choices", "invalid"),
        ("page", "invalid"),
    ],
)
def test_failure_has_the_type_that_an_audit_would_record(
    endpoint: Desk, model: str, failure: str | None
) -> None:
    good, other = sorted(trials(endpoint, "good", model), key=lambda trial: trial.model != "good")
    assert (good.failure, other.failure, bool(other.message)) == (None, failure, bool(failure))


def test_endpoint_that_never_ends_its_answer_times_out(endpoint: Desk) -> None:
    (trial,) = trials(endpoint, "dripping", deadline_seconds=0.3)
    assert (trial.failure, trial.message) == ("timeout", "No answer within 0.3 s.")


def test_provider_that_is_not_installed_or_has_no_key_is_named(endpoint: Desk) -> None:
    (trial,) = trials(endpoint, "anthropic:claude")
    assert (trial.failure, "anthropic" in trial.message) == ("invalid", True)
    assert endpoint.requests == []


def test_budget_that_is_too_small_stops_the_trial_before_its_call(endpoint: Desk) -> None:
    price = {"good": Price(input=1, cached_input=1, output=1)}
    (trial,) = trials(endpoint, "good", prices=price, budget_usd=0.0001)
    assert (trial.failure, endpoint.requests) == ("budget", [])
