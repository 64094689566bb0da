"""Count what became of every submission: `python -m benchmarks.load.machines.tally`.

The last line printed is JSON: the fields of Tally.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import django


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers over all organizations.

    `submissions` were accepted; `audits` and `ends` (finished or failed) should be as many, `grades`
    too. `states` and `attempts` count audits; `double_verdicts` are criteria with two of them.
    `requeued` are the moments, in seconds since 1970, at which an audit was taken back, with those
    of its end. `notices` are ids of letters to be sent, `unsent` those that were not; `uploads` are
    objects in the store.
    """

    submissions: int
    audits: int
    ends: dict[str, int]
    states: dict[str, int]
    attempts: dict[str, int]
    double_verdicts: int
    grades: int
    requeued: list[list[float]]
    notices: list[int]
    unsent: int
    uploads: int

    @property
    def is_settled(self) -> bool:
        """Return whether no audit waits or runs, and no letter waits."""
        return not self.unsent and not self.states.keys() & {"received", "queued", "running"}

    def faults(self, accepted: int, letters: Counter[str]) -> list[str]:
        """Return in words what was lost or came twice; `letters` counts arrived Message-IDs."""
        arrived = Counter(
            int(key.partition("-")[2].partition("@")[0]) for key in letters.elements()
        )
        twice = sum(count > 1 for count in arrived.values())
        compared = (
            (self.submissions == accepted, f"{accepted} accepted, {self.submissions} stored"),
            (self.audits == accepted, f"{self.audits} audits of {accepted} submissions"),
            (self.ends == {"1": accepted}, f"ends of an audit: {self.ends}"),
            (self.states == {"done": accepted}, f"states: {self.states}"),
            (not self.double_verdicts, f"{self.double_verdicts} criteria with two verdicts"),
            (self.grades == accepted, f"{self.grades} grades"),
            (not self.unsent, f"{self.unsent} letters were not sent"),
            (set(arrived) == set(self.notices), "other letters arrived than were written"),
            (not twice, f"{twice} letters arrived twice"),
            (self.uploads == accepted, f"{self.uploads} uploads in the store"),
        )
        return [words for holds, words in compared if not holds]


def tally() -> Tally:
    from django.core.files.storage import default_storage
    from django.db.models import Count
    from django_scopes import scope

    from grading.models import (
        Activity,
        Audit,
        CriterionVerdict,
        Grade,
        Notice,
        Organization,
        Submission,
    )

    with scope(organization=list(Organization.objects.all())):
        ended = Activity.objects.filter(verb__in=("audit.finished", "audit.failed"))
        ends = Counter(ended.values_list("object_id", flat=True))
        finished = dict(ended.values_list("object_id", "at"))
        requeued = Activity.objects.filter(verb="audit.requeued").values_list("object_id", "at")
        doubles = CriterionVerdict.objects.values("audit", "criterion_id").annotate(n=Count("pk"))
        storage: Any = default_storage
        return Tally(
            submissions=Submission.objects.count(),
            audits=Audit.objects.count(),
            ends=_counts(ends.values()),
            states=_counts(Audit.objects.values_list("state", flat=True)),
            attempts=_counts(Audit.objects.values_list("run_attempt", flat=True)),
            double_verdicts=doubles.filter(n__gt=1).count(),
            grades=Grade.objects.filter(audit__isnull=False).count(),
            requeued=[
                [at.timestamp(), finished[key].timestamp() if key in finished else 0.0]
                for key, at in requeued
            ],
            notices=list(Notice.objects.values_list("pk", flat=True)),
            unsent=Notice.objects.filter(sent_at=None).count(),
            uploads=sum(storage.exists(name) for name in _names(Submission)),
        )


def _names(submissions: Any) -> list[str]:
    return list(submissions.objects.exclude(pdf="").values_list("pdf", flat=True))


def _counts(values: Any) -> dict[str, int]:
    return {str(value): number for value, number in Counter(values).items()}


if __name__ == "__main__":
    django.setup()
    print(json.dumps(asdict(tally())))
