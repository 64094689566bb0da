"""Checks of a criterion with their weights, for the account of its score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor

from grading.engine.report import Check
from grading.report_pages.checks_and_evidence import (
    NO_MATCH,
    NOT_APPLICABLE,
    OUTCOMES,
    WITH_RESERVATION,
)
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


def weighted_checks(
    checks: Sequence[Check], is_vain_search: Callable[[Check], bool]
) -> tuple[WeightedCheck, ...]:
    """Return the checks in the rubric's order; `is_vain_search` as in EvidencePresenter."""
    total = sum(check.weight for check in checks) or 1.0
    return tuple(_weighted(check, total, is_vain_search(check)) for check in checks)


def _weighted(check: Check, total: float, is_vain_search: bool) -> WeightedCheck:
    statement = check.search_statement if is_vain_search else check.statement
    return WeightedCheck(
        reveal_invisible(statement.sentence),
        _outcome(check, is_vain_search),
        f"{check.weight:g}",
        floor(100 * check.weight / total + 0.5),
        check.essential,
    )


def _outcome(check: Check, is_vain_search: bool) -> str:
    if check.not_applicable:
        return NOT_APPLICABLE
    outcome = NO_MATCH if is_vain_search else OUTCOMES[check.met]
    return f"{outcome}{WITH_RESERVATION}" if check.met and check.has_reservation else outcome
