"""Choices of the reader of a report's page: which criteria it shows, and what is unfolded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from grading.report_pages.criterion import CriterionView

Criteria = tuple[CriterionView, ...]


@dataclass(frozen=True, slots=True)
class CriteriaFilter:
    """Filter of the criteria; `key` stands in addresses, `emptiness` where no criterion matches."""

    key: str
    words: str
    emptiness: str
    criteria: Criteria


@dataclass(frozen=True, slots=True)
class PageView:
    """Page as its address asks for it. `others` are the criteria that `shown` leaves out.

    `is_open`: everything is unfolded. `is_whole`: that, and everything is printed.
    """

    filters: tuple[CriteriaFilter, ...]
    shown: CriteriaFilter
    others: Criteria
    is_open: bool
    is_whole: bool


def page_view(
    query: Mapping[str, str], criteria: Criteria, changed: Collection[str] | None
) -> PageView:
    """Return the view of `?show=failed|changed`, `?open=all` and `?print=all`.

    `changed` are the ids of the criteria that changed since the attempt before; None without one.
    Unknown values show everything, folded: a link with a mistake still opens the report.
    """
    filters = _filters(criteria, changed)
    shown = next((row for row in filters if row.key == query.get("show")), filters[0])
    is_whole = query.get("print") == "all"

    return PageView(
        filters=filters,
        shown=shown,
        others=tuple(row for row in criteria if row not in shown.criteria),
        is_open=is_whole or query.get("open") == "all",
        is_whole=is_whole,
    )


def _filters(criteria: Criteria, changed: Collection[str] | None) -> tuple[CriteriaFilter, ...]:
    failed = tuple(row for row in criteria if row.faults)
    filters = [
        CriteriaFilter("all", "All", "", criteria),
        CriteriaFilter("failed", "With failed checks", "No check of this report failed.", failed),
    ]
    if changed is not None:
        rows = tuple(row for row in criteria if row.record.id in changed)
        emptiness = "No score and no finding changed since the attempt before."
        filters.append(CriteriaFilter("changed", "Changed since last attempt", emptiness, rows))
    return tuple(filters)
