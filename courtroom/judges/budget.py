"""What an audit may spend, and what its calls cost by the operator's price table."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from courtroom.judges.provider_failures import Unusable
from courtroom.models.case import Price
from courtroom.models.record import Usage

MILLION = 1_000_000
DOLLAR_DIGITS = 8


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """US dollars; None when the model has no price."""
    if price is None:
        return None
    fresh = usage.prompt_tokens - usage.cached_tokens
    dollars = (
        fresh * price.input
        + usage.cached_tokens * price.cached_input
        + usage.completion_tokens * price.output
    )
    return dollars / MILLION


def total_of(usages: list[Usage]) -> Usage:
    """The sum; its cost is unknown as soon as one call's is, and null where nothing was bought."""
    bought = [usage.cost_usd for usage in usages if usage.calls]
    known = [cost for cost in bought if cost is not None]
    return Usage(
        calls=sum(u.calls for u in usages),
        reused=sum(u.reused for u in usages),
        prompt_tokens=sum(u.prompt_tokens for u in usages),
        cached_tokens=sum(u.cached_tokens for u in usages),
        completion_tokens=sum(u.completion_tokens for u in usages),
        cost_usd=round(sum(known), DOLLAR_DIGITS) if known and len(known) == len(bought) else None,
    )


class Purse:
    """The budget of one audit, never overdrawn: a call sets its ceiling aside before it is made.

    While other calls are still out their ceilings are higher than their bills, so a call that does not fit
    waits for theirs; only what does not fit then is refused.
    """

    def __init__(self, budget_usd: float | None, prices: Mapping[str, Price]) -> None:
        self._left, self._prices = budget_usd, prices
        self._out = 0
        self._changed = asyncio.Condition()

    def price_of(self, model: str) -> Price | None:
        return self._prices.get(model)

    def ceiling(self, model: str, prompt_tokens: int, room: int) -> float:
        asked = Usage(calls=1, prompt_tokens=prompt_tokens, completion_tokens=room)
        return cost_of(asked, self.price_of(model)) or 0.0

    async def set_aside(self, ceiling: float) -> None:
        """Raises Unusable (budget) when the call does not fit into what is left."""
        if self._left is None:
            return
        async with self._changed:
            await self._changed.wait_for(lambda: self._fits(ceiling) or not self._out)
            if not self._fits(ceiling):
                message = f"The budget of this audit is spent: ${max(self._left, 0.0):.4f} left, ${ceiling:.4f} needed."
                raise Unusable("budget", message)
            self._left -= ceiling
            self._out += 1

    async def settle(self, ceiling: float, bill: float) -> None:
        """The call is over; what it did not cost is free again."""
        if self._left is None:
            return
        async with self._changed:
            self._left += ceiling - bill
            self._out -= 1
            self._changed.notify_all()

    def _fits(self, ceiling: float) -> bool:
        return self._left is not None and ceiling <= self._left
