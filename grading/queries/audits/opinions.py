"""What the judges of audits said, in numbers: no report is opened for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from grading.models import OpinionRecord

Scores = dict[str, int | None]


@dataclass(frozen=True, slots=True)
class Hearing:
    """`scores`: by criterion and judge the last word, null where there was never an answer."""

    scores: dict[str, Scores] = field(default_factory=dict)

    @property
    def failed_judges(self) -> int:
        """How often a judge gave no answer on a criterion."""
        return sum(score is None for judges in self.scores.values() for score in judges.values())

    @property
    def widest_spread(self) -> int:
        return max(map(spread_of, self.scores.values()), default=0)


def spread_of(scores: Scores) -> int:
    """Between the highest and the lowest of those who answered."""
    given = [score for score in scores.values() if score is not None]
    return max(given) - min(given) if given else 0


def hearings_of(audits: Iterable[UUID]) -> dict[UUID, Hearing]:
    """By audit. A judge's last word is the last answer; no answer in a later round takes nothing back. One query."""
    heard: defaultdict[UUID, defaultdict[str, Scores]] = defaultdict(lambda: defaultdict(dict))
    rows = OpinionRecord.objects.filter(audit__in=audits).order_by("round", "pk")
    for audit, criterion, judge, score in rows.values_list("audit_id", "criterion_id", "judge", "score"):
        if score is not None or judge not in heard[audit][criterion]:
            heard[audit][criterion][judge] = score
    return {audit: Hearing(dict(criteria)) for audit, criteria in heard.items()}
