"""Checks of a criterion with their weights, for the account of its score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from grading.engine.report import Check
from grading.report_pages.checks_and_evidence import NOT_APPLICABLE, OUTCOMES
from grading.report_pages.quotes import reveal_invisible


@dataclass(frozen=True, slots=True)
class WeightedCheck:
    """Check by its outcome; `weight` is as the rubric writes it.

    `share` is its percent of the weight of all checks of the criterion, rounded half up.
    """

    sentence: str
    outcome: str
    weight: str
    share: int
    is_essential: bool


def weighted_checks(checks: Sequence[Check]) -> tuple[WeightedCheck, ...]:
    """Return the checks in the rubric's order."""
    total = sum(check.weight for check in checks) or 1.0
    return tuple(
        WeightedCheck(
            reveal_invisible(check.statement.sentence),
            NOT_APPLICABLE if check.not_applicable else OUTCOMES[check.met],
            f"{check.weight:g}",
            floor(100 * check.weight / total + 0.5),
            check.essential,
        )
        for check in checks
    )
