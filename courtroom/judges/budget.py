"""Costs of calls by the operator's price table, and the budget of one audit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from courtroom.judges.provider_failures import CallFailed
from courtroom.models.audit_report import Usage
from courtroom.models.case import Price

MILLION = 1_000_000
DOLLAR_DIGITS = 8


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """Return US dollars; None when the model has no price."""
    if price is None:
        return None
    fresh = usage.prompt_tokens - usage.cached_tokens
    dollars = (
        fresh * price.input
        + usage.cached_tokens * price.cached_input
        + usage.completion_tokens * price.output
    )
    return dollars / MILLION


def total_usage(usages: list[Usage]) -> Usage:
    """Return the sum. Its cost is None when one call's cost is unknown, or nothing was bought."""
    costs = [usage.cost_usd for usage in usages if usage.calls]
    priced = [cost for cost in costs if cost is not None]
    return Usage(
        calls=sum(u.calls for u in usages),
        reused=sum(u.reused for u in usages),
        prompt_tokens=sum(u.prompt_tokens for u in usages),
        cached_tokens=sum(u.cached_tokens for u in usages),
        completion_tokens=sum(u.completion_tokens for u in usages),
        answer_forms=dict(sorted(form for u in usages for form in u.answer_forms.items())),
        # The longest comes last: an endpoint's refusals are learnt one after the other.
        refused=dict(
            sorted(
                (row for u in usages for row in u.refused.items()), key=lambda r: (r[0], len(r[1]))
            )
        ),
        cost_usd=round(sum(priced), DOLLAR_DIGITS)
        if priced and len(priced) == len(costs)
        else None,
    )


class Budget:
    """The budget of one audit, never overdrawn: a call reserves its highest cost before it is made.

    Calls under way hold more than they will cost. A call that does not fit therefore waits until
    they have settled, and is refused only if it does not fit then.
    """

    def __init__(self, budget_usd: float | None, prices: Mapping[str, Price]) -> None:
        self._left, self._prices = budget_usd, prices
        self._open_calls = 0
        self._changed = asyncio.Condition()

    def price_of(self, model: str) -> Price | None:
        return self._prices.get(model)

    def highest_cost(self, model: str, prompt_tokens: int, max_tokens: int) -> float:
        usage = Usage(calls=1, prompt_tokens=prompt_tokens, completion_tokens=max_tokens)
        return cost_of(usage, self.price_of(model)) or 0.0

    async def reserve(self, highest_cost: float) -> None:
        """Reserve US dollars; raises CallFailed (budget) when too little of the budget is left."""
        if self._left is None:
            return
        async with self._changed:
            # Wait while another open call may still release part of its reservation.
            await self._changed.wait_for(lambda: self._fits(highest_cost) or not self._open_calls)
            if not self._fits(highest_cost):
                message = (
                    f"The budget of this audit is spent: ${max(self._left, 0.0):.4f} left,"
                    f" ${highest_cost:.4f} needed."
                )
                raise CallFailed("budget", message)
            self._left -= highest_cost
            self._open_calls += 1

    async def settle(self, highest_cost: float, cost: float) -> None:
        """Release the part of a reservation that the finished call did not cost."""
        if self._left is None:
            return
        async with self._changed:
            self._left += highest_cost - cost
            self._open_calls -= 1
            self._changed.notify_all()

    def _fits(self, cost: float) -> bool:
        return self._left is not None and cost <= self._left
