"""What pages ask about the versions of a rubric."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from grading.models import Activity, Assignment, Audit, RubricVersion


@dataclass(frozen=True, slots=True)
class RubricUse:
    """Where a version counts: assignments judged under it from now on, and audits held under it so far."""

    assignments: tuple[Assignment, ...]
    audits: int


def with_use(versions: QuerySet[RubricVersion]) -> QuerySet[RubricVersion]:
    """Each with `assignment_count` and `audit_count`."""
    return versions.annotate(
        assignment_count=_count(Assignment.objects), audit_count=_count(Audit.objects)
    )  # fmt: skip


def _count(rows: Any) -> Coalesce:
    counted = rows.filter(rubric_version=OuterRef("pk")).order_by().values("rubric_version")
    return Coalesce(
        Subquery(counted.annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0
    )  # fmt: skip


def use_of(version: RubricVersion) -> RubricUse:
    """How much hangs on this version."""
    assignments = Assignment.objects.filter(rubric_version=version).select_related("cohort", "organization")
    return RubricUse(tuple(assignments), Audit.objects.filter(rubric_version=version).count())


def assignments_of_rubric(version: RubricVersion) -> list[Assignment]:
    """Those judged under any version of the same rubric: where a draft can be tried."""
    own = Assignment.objects.filter(rubric_version__rubric=version.rubric_id)
    return list(own.select_related("cohort", "organization", "rubric_version"))


def published_sibling(version: RubricVersion) -> RubricVersion | None:
    """The version of the same rubric that is published now."""
    siblings = RubricVersion.objects.filter(rubric=version.rubric_id, state="published")
    return siblings.exclude(pk=version.pk).first()


def last_edit(version: RubricVersion) -> Activity | None:
    """Who saved the draft last, and when."""
    about = Activity.objects.filter(object_type="rubricversion", object_id=str(version.pk))
    return about.filter(verb="rubric.edited").select_related("actor").first()
