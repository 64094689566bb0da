"""Pages of the grading queue: the way through the works, and one work criterion by criterion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.urls import reverse

from grading.engine.report import Report
from grading.grading_queue.queries import (
    WHOLE_WORK,
    Criterion,
    Queue,
    Work,
    flag_fingerprint,
    review_fingerprint,
)
from grading.models import Assignment, CriterionVerdict, Override, ReviewMark
from grading.report_pages.criterion import CriterionView, criterion_views

SCORES = range(1, 6)


@dataclass(frozen=True, slots=True)
class Route:
    """Addresses of an assignment's queue, with its filters: by student, or of one criterion."""

    assignment: Assignment
    filters: Mapping[str, str]
    criterion: Criterion | None = None

    @property
    def slugs(self) -> list[str]:
        assignment = self.assignment
        return [assignment.organization.slug, assignment.cohort.slug, assignment.slug]

    @property
    def overview(self) -> str:
        return reverse("queue", args=self.slugs) + self._query()

    def address_of(self, work: Work) -> str:
        if self.criterion is None:
            return reverse("queue-student", args=[*self.slugs, work.student.pk]) + self._query()
        args = [*self.slugs, self.criterion.place, work.student.pk]
        return reverse("queue-criterion", args=args) + self._query()

    def with_criterion(self, criterion: Criterion | None) -> Route:
        return Route(self.assignment, self.filters, criterion)

    def _query(self) -> str:
        return f"?{urlencode(self.filters)}" if self.filters else ""


@dataclass(frozen=True, slots=True)
class Way:
    """Places to go from a work; "" where there is none. `place` counts from 1, 0 outside the filter."""

    place: int
    total: int
    previous: str
    next: str
    next_unreviewed: str
    next_flagged: str


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """One criterion of the page: its verdict, the score that counts, review and flag."""

    verdict: CriterionVerdict
    view: CriterionView | None
    override: Override | None
    review: ReviewMark | None
    flag: ReviewMark | None
    is_current: bool
    is_mine: bool
    shown: str
    flag_shown: str
    error: str = ""

    @property
    def score(self) -> int | None:
        return self.override.score if self.override else self.verdict.score

    @property
    def anchor(self) -> str:
        return f"c-{self.verdict.position}"

    @property
    def buttons(self) -> list[tuple[int, bool]]:
        """Each score, and whether it counts."""
        return [(score, score == self.score) for score in SCORES]


def selected_works(
    queue: Queue, filters: Mapping[str, str], reader: User, criterion: Criterion | None = None
) -> list[Work]:
    """Return the works that the filters of the address select, in the order of reading.

    A reader with a share gets their share, unless the address asks for everybody's.
    """
    key = criterion.id if criterion else WHOLE_WORK
    owner = filters.get("of") or ("mine" if queue.shares.has_reader(reader.pk) else "all")
    tests: list[Callable[[Work], bool]] = []
    if criterion is not None:
        tests.append(lambda work: work.has(key))
    if owner == "mine":
        tests.append(lambda work: queue.shares.is_of(reader.pk, work, key))
    if filters.get("show") == "unreviewed":
        tests.append(lambda work: not work.is_reviewed(key))
    if filters.get("show") == "flagged":
        tests.append(lambda work: bool(work.flags_of(key)))
    return [work for work in queue.works if all(test(work) for test in tests)]


def way_from(work: Work, queue: Queue, route: Route, reader: User) -> Way:
    """Return the ways from a work, by the filters; what waits is looked for round the end."""
    key = route.criterion.id if route.criterion else WHOLE_WORK
    selected = selected_works(queue, route.filters, reader, route.criterion)
    everything = {name: value for name, value in route.filters.items() if name != "show"}
    round_ = _after(work, queue, selected_works(queue, everything, reader, route.criterion))
    order = {other.student.pk: place for place, other in enumerate(queue.works)}
    here = order[work.student.pk]
    before = [other for other in selected if order[other.student.pk] < here]
    later = [other for other in selected if order[other.student.pk] > here]
    is_selected = len(before) + len(later) < len(selected)

    def first(works: Sequence[Work]) -> str:
        return route.address_of(works[0]) if works else ""

    return Way(
        place=len(before) + 1 if is_selected else 0,
        total=len(selected),
        previous=first(before[::-1]),
        next=first(later),
        next_unreviewed=first([other for other in round_ if not other.is_reviewed(key)]),
        next_flagged=first([other for other in round_ if other.flags_of(key)]),
    )


def criterion_rows(
    work: Work,
    report: Report | None,
    overrides: Mapping[str, Override],
    *,
    is_mine: Callable[[str], bool],
    only: Criterion | None,
    audit_address: str,
    errors: Mapping[str, str],
) -> list[CriterionRow]:
    """Return the criteria of the page; the current one is the first that waits."""
    views = criterion_views(report, audit_address=audit_address) if report else ()
    by_id = {view.record.id: view for view in views}
    verdicts = [
        verdict for verdict in work.verdicts if only is None or verdict.criterion_id == only.id
    ]
    ids = [verdict.criterion_id for verdict in verdicts]
    current = next(
        (key for key in ids if key in errors or not work.review_of(key)), ids[0] if ids else None
    )
    rows = []
    for verdict in verdicts:
        key = verdict.criterion_id
        mark = work.marks.get(key)
        rows.append(
            CriterionRow(
                verdict=verdict,
                view=by_id.get(key),
                override=overrides.get(key),
                review=work.review_of(key),
                flag=mark if mark and mark.flagged_at else None,
                is_current=key == current,
                is_mine=is_mine(key),
                shown=review_fingerprint(work.audit.report_digest, key, overrides.get(key), mark),
                flag_shown=flag_fingerprint(mark),
                error=errors.get(key, ""),
            )
        )
    return rows


def _after(work: Work, queue: Queue, works: Sequence[Work]) -> list[Work]:
    """Return the other works, those after this one first, then those before it."""
    order = {other.student.pk: place for place, other in enumerate(queue.works)}
    here = order[work.student.pk]
    others = [other for other in works if other.student.pk != work.student.pk]
    return sorted(
        others, key=lambda other: (order[other.student.pk] < here, order[other.student.pk])
    )
