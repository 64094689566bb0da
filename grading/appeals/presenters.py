"""Presentation of an appeal: the cited evidence, the released verdict and the current one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grading.core.code_locations import NamedPlace, read_places
from grading.engine.released_verdict import ReleasedCriterion
from grading.engine.report import Location, Report
from grading.report_pages.checks_and_evidence import EvidenceItem
from grading.report_pages.criterion import CriterionView, criterion_views
from grading.report_pages.location_links import LinkedLocation, Work, link_location

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class VerdictView:
    """One criterion as it counts, overrides included.

    `view` is the court's verdict, null where its report is gone or does not have the criterion.
    """

    counts: ReleasedCriterion
    view: CriterionView | None


def verdict_view(row: Json, report: Report | None) -> VerdictView:
    """Present a criterion of a released grade, as it is stored with an appeal."""
    counts = ReleasedCriterion.model_validate(row)
    return VerdictView(counts=counts, view=criterion_of(report, counts.id))


def criterion_of(report: Report | None, criterion_id: str) -> CriterionView | None:
    """Present this criterion alone, with all its evidence in full."""
    criterion = report.criterion(criterion_id) if report else None
    if report is None or criterion is None:
        return None
    # Parted from the others, the criterion is the first to print its evidence, hence in full.
    return criterion_views(report.model_copy(update={"criteria": (criterion,)}))[0]


def evidence_of(view: CriterionView | None) -> tuple[EvidenceItem, ...]:
    """Return every piece of the criterion's evidence once."""
    checks = view.checks if view else ()
    return tuple(item for check in checks for item in check.evidence if item.is_first)


def evidence_choices(view: CriterionView | None) -> list[tuple[str, str]]:
    """Return a criterion's evidence as form choices: (id, label)."""
    checks = view.checks if view else ()
    return [
        (
            item.id,
            f"{item.place.words}: {check.sentence}",
        )
        for check in checks
        for item in check.evidence
        if item.is_first
    ]


def cited_evidence(view: CriterionView | None, cited: Sequence[str]) -> tuple[EvidenceItem, ...]:
    return tuple(item for item in evidence_of(view) if item.id in cited)


def named_places(text: str, report: Report | None) -> tuple[LinkedLocation, ...]:
    """Return the locations that the student names, linked to the audited commit if possible."""
    return tuple(_place(named, report) for named in read_places(text))


def _place(named: NamedPlace, report: Report | None) -> LinkedLocation:
    if report is None:
        return LinkedLocation(str(named))
    location = Location(
        path=named.path,
        page=named.page,
        commit=report.commit,
        line_start=named.first,
        line_end=named.last,
    )

    return link_location(location, Work.of(report))
