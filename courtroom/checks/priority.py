"""Urgency of an unmet check: the order of a judge's gravest fault and of the plan are the same."""

from __future__ import annotations

from typing import Literal

from courtroom.models.check import CheckBase

Priority = Literal["high", "medium", "low"]
URGENCY: tuple[Priority, ...] = ("high", "medium", "low")
# Share of the criterion's weight with which one check moves the score by a step, or by half a step.
STEP_SHARE, HALF_STEP_SHARE = 0.25, 0.125


def priority_of(check: CheckBase, total: float) -> Priority:
    """Return the priority of a check; `total` is the weight of all checks of the criterion."""
    if check.essential or "security" in check.tags or check.weight / total >= STEP_SHARE:
        return "high"
    return "medium" if check.weight / total >= HALF_STEP_SHARE else "low"
