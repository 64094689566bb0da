"""Queries about the versions of a rubric."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Func, IntegerField, OuterRef, QuerySet

from grading.core.enums import PENDING_APPEALS
from grading.models import (
    Activity,
    Appeal,
    Assignment,
    Audit,
    CriterionVerdict,
    Override,
    RubricVersion,
)

# Nobody reads how many more there are, and counting them takes ever longer.
MOST_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class RubricUse:
    """Assignments that use a version, the newest first, and the number of audits under it so far.

    `audits` counts MOST_COUNTED at most.
    """

    assignments: tuple[Assignment, ...]
    audits: int

    @property
    def has_more_audits(self) -> bool:
        return self.audits == MOST_COUNTED


def with_use(versions: QuerySet[RubricVersion]) -> QuerySet[RubricVersion]:
    """Annotate each version with `assignment_count` and `audit_count`, MOST_COUNTED at most."""
    return versions.annotate(
        assignment_count=_count(Assignment.objects), audit_count=_count(Audit.objects)
    )


def _count(rows: Any) -> Func:
    # Subqueries: two joins would multiply each other's rows.
    counted = rows.filter(rubric_version=OuterRef("pk")).order_by().values("pk")[:MOST_COUNTED]
    return Func(ArraySubquery(counted), function="CARDINALITY", output_field=IntegerField())


def use_of(version: RubricVersion) -> RubricUse:
    """Return the assignments and the number of audits of a version."""
    assignments = Assignment.objects.filter(rubric_version=version).select_related(
        "cohort", "organization"
    )
    audits = Audit.objects.filter(rubric_version=version).order_by()[:MOST_COUNTED]
    return RubricUse(tuple(assignments.order_by("-pk")), audits.count())


def assignments_of_rubric(version: RubricVersion) -> list[Assignment]:
    """Return the assignments that use any version of the rubric; a draft can be tried on them."""
    own = Assignment.objects.filter(rubric_version__rubric=version.rubric_id)
    return list(own.select_related("cohort", "organization", "rubric_version"))


def published_sibling(version: RubricVersion) -> RubricVersion | None:
    """Return the version of the same rubric that is published now."""
    siblings = RubricVersion.objects.filter(rubric=version.rubric_id, state="published")
    return siblings.exclude(pk=version.pk).first()


@dataclass(frozen=True, slots=True)
class CriterionUse:
    """Verdicts, overrides in force and open appeals on one criterion, over all versions."""

    verdicts: int = 0
    overrides: int = 0
    appeals: int = 0


def criterion_uses(version: RubricVersion, criteria: Collection[str]) -> dict[str, CriterionUse]:
    """Return the use of criteria by their ids. No query for none, three for any."""
    if not criteria:
        return {}

    under = "submission__assignment__rubric_version__rubric"
    verdicts = CriterionVerdict.objects.filter(audit__rubric_version__rubric=version.rubric_id)
    overrides = Override.objects.filter(withdrawn_at=None, **{under: version.rubric_id})
    appeals = Appeal.objects.filter(state__in=PENDING_APPEALS, **{under: version.rubric_id})
    counted = [_by_criterion(rows, criteria) for rows in (verdicts, overrides, appeals)]
    return {key: CriterionUse(*(counts.get(key, 0) for counts in counted)) for key in criteria}


def _by_criterion(rows: QuerySet[Any], criteria: Collection[str]) -> dict[str, int]:
    groups = rows.filter(criterion_id__in=criteria).order_by().values_list("criterion_id")
    return dict(groups.annotate(number=Count("pk")))


def last_edit(version: RubricVersion) -> Activity | None:
    """Return the last save of the draft, with its actor."""
    about = Activity.objects.filter(object_type="rubricversion", object_id=str(version.pk))
    return about.filter(verb="rubric.edited").select_related("actor").first()


def import_of(version: RubricVersion) -> Activity | None:
    """Return the import that made the version, with its notes; None when it was not imported."""
    about = Activity.objects.filter(object_type="rubricversion", object_id=str(version.pk))
    return about.filter(verb="rubric.imported").select_related("actor").first()


def other_versions(version: RubricVersion) -> list[RubricVersion]:
    """Return the other versions of the rubric, newest first, to compare with."""
    versions = RubricVersion.objects.filter(rubric=version.rubric_id).exclude(pk=version.pk)
    return list(versions.select_related("rubric").defer("document").order_by("-number"))
