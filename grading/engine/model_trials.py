"""Trial of an organization's models: one small question to each. For jobs only."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from grading.engine.bench_settings import settings_within
from grading.engine.events import UsageRow
from grading.engine.shared_rate_limit import limit_for

if TYPE_CHECKING:
    from courtroom import BenchSettings, ModelTrial


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """Outcome for one model. Without a `failure` it gave the `answer`; else `message` says why not.

    `form` is how it was asked for JSON, as the courtroom names it; empty if it gave none. `seconds`
    is null without a call. `usage` is null if no call was made.
    """

    model: str
    answer: str
    failure: str
    message: str
    form: str
    refused: tuple[str, ...]
    seconds: float | None
    usage: UsageRow | None


def try_models(organization_id: int, budget_usd: Decimal | None) -> list[TrialOutcome]:
    """Ask each of the organization's models one question, for so much together at most.

    Raises InputRefused (bench_*) if nobody pays for them.
    """
    from courtroom import BenchSettings

    chosen = settings_within(organization_id, budget_usd)
    bench = BenchSettings.model_validate({"kind": "llm", **chosen})
    return [_outcome(trial) for trial in asyncio.run(_trials(bench))]


async def _trials(bench: BenchSettings) -> list[ModelTrial]:
    from courtroom import try_models

    gate = limit_for(bench)
    try:
        return [trial async for trial in try_models(bench, rate_limit=gate)]
    finally:
        await gate.close()


def _outcome(trial: ModelTrial) -> TrialOutcome:
    usage = trial.usage.model_dump(exclude={"reused", "answer_forms", "refused"})
    return TrialOutcome(
        model=trial.model,
        answer=trial.answer,
        failure=trial.failure or "",
        message=trial.message,
        form=trial.usage.answer_forms.get(trial.model, ""),
        refused=trial.usage.refused.get(trial.model, ()),
        seconds=trial.seconds,
        usage=UsageRow(model=trial.model, **usage) if trial.usage.calls else None,
    )
