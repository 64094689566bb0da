"""Rubrics of the organization with their versions, and the assignments that use them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import F

from grading.core.enums import RubricState
from grading.models import Assignment, Rubric, RubricVersion
from grading.rubrics.queries import MOST_COUNTED, with_use

# As the template slices.
MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version in the list, with the assignments that use it now, the newest first.

    The page shows MOST_SHOWN of them. `audits` counts MOST_COUNTED at most.
    """

    version: RubricVersion
    assignments: tuple[Assignment, ...]
    audits: int

    @property
    def more_assignments(self) -> int:
        return max(0, len(self.assignments) - MOST_SHOWN)

    @property
    def has_more_audits(self) -> bool:
        return self.audits == MOST_COUNTED

    @property
    def is_current(self) -> bool:
        """Drafts, the published version and what an assignment uses are shown at once."""
        return self.version.state != RubricState.SUPERSEDED or bool(self.assignments)


@dataclass(frozen=True, slots=True)
class RubricRow:
    """A rubric in the list: its versions, newest first."""

    rubric: Rubric
    current: tuple[VersionRow, ...]
    earlier: tuple[VersionRow, ...]


def rubric_rows() -> list[RubricRow]:
    """Return the rubrics of the organization by name, in two queries."""
    assignments: defaultdict[int, list[Assignment]] = defaultdict(list)
    related = Assignment.objects.select_related("cohort", "organization").defer("instructions")
    for assignment in related.order_by("-pk"):
        assignments[assignment.rubric_version_id].append(assignment)

    versions: defaultdict[Rubric, list[VersionRow]] = defaultdict(list)
    rows = with_use(RubricVersion.objects.select_related("rubric").defer("document"))
    for version in rows.order_by("rubric__name", "rubric", "-number"):
        audits = int(vars(version)["audit_count"])
        row = VersionRow(version, tuple(assignments[version.pk]), audits)
        versions[version.rubric].append(row)

    return [
        RubricRow(
            rubric,
            tuple(row for row in own if row.is_current),
            tuple(row for row in own if not row.is_current),
        )
        for rubric, own in versions.items()
    ]


def newest_draft(rubric_id: int) -> RubricVersion | None:
    """Return the draft of a rubric that was made last, without its document."""
    drafts = RubricVersion.objects.filter(rubric=rubric_id, state=RubricState.DRAFT)
    return drafts.select_related("rubric").defer("document").order_by(F("number").desc()).first()
