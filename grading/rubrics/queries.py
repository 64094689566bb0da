"""What pages ask about the versions of a rubric."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

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


@dataclass(frozen=True, slots=True)
class RubricUse:
    """Where a version counts: assignments judged under it from now on, and audits held under it so far."""

    assignments: tuple[Assignment, ...]
    audits: int


def with_use(versions: QuerySet[RubricVersion]) -> QuerySet[RubricVersion]:
    """Each with `assignment_count` and `audit_count`."""
    return versions.annotate(
        assignment_count=_count(Assignment.objects), audit_count=_count(Audit.objects)
    )


def _count(rows: Any) -> Coalesce:
    counted = rows.filter(rubric_version=OuterRef("pk")).order_by().values("rubric_version")
    return Coalesce(
        Subquery(counted.annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0
    )


def use_of(version: RubricVersion) -> RubricUse:
    """How much hangs on this version."""
    assignments = Assignment.objects.filter(rubric_version=version).select_related(
        "cohort", "organization"
    )
    return RubricUse(tuple(assignments), Audit.objects.filter(rubric_version=version).count())


def assignments_of_rubric(version: RubricVersion) -> list[Assignment]:
    """Those judged under any version of the same rubric: where a draft can be tried."""
    own = Assignment.objects.filter(rubric_version__rubric=version.rubric_id)
    return list(own.select_related("cohort", "organization", "rubric_version"))


def published_sibling(version: RubricVersion) -> RubricVersion | None:
    """The version of the same rubric that is published now."""
    siblings = RubricVersion.objects.filter(rubric=version.rubric_id, state="published")
    return siblings.exclude(pk=version.pk).first()


@dataclass(frozen=True, slots=True)
class Standing:
    """What hangs on one criterion under any version of its rubric: verdicts, scores by hand that stand, appeals that
    wait."""

    verdicts: int = 0
    by_hand: int = 0
    appeals: int = 0


def standing_on(version: RubricVersion, criteria: Collection[str]) -> dict[str, Standing]:
    """By criterion id. No query for none, three for any."""
    if not criteria:
        return {}
    under = "submission__assignment__rubric_version__rubric"
    verdicts = CriterionVerdict.objects.filter(audit__rubric_version__rubric=version.rubric_id)
    by_hand = Override.objects.filter(withdrawn_at=None, **{under: version.rubric_id})
    appeals = Appeal.objects.filter(state__in=PENDING_APPEALS, **{under: version.rubric_id})
    counted = [_by_criterion(rows, criteria) for rows in (verdicts, by_hand, appeals)]
    return {key: Standing(*(counts.get(key, 0) for counts in counted)) for key in criteria}


def _by_criterion(rows: QuerySet[Any], criteria: Collection[str]) -> dict[str, int]:
    found = rows.filter(criterion_id__in=criteria).order_by().values_list("criterion_id")
    return dict(found.annotate(number=Count("pk")))


def last_edit(version: RubricVersion) -> Activity | None:
    """Who saved the draft last, and when."""
    about = Activity.objects.filter(object_type="rubricversion", object_id=str(version.pk))
    return about.filter(verb="rubric.edited").select_related("actor").first()


def import_of(version: RubricVersion) -> Activity | None:
    """The import that made the version, with what of the text was not used; None when nobody imported it."""
    about = Activity.objects.filter(object_type="rubricversion", object_id=str(version.pk))
    return about.filter(verb="rubric.imported").select_related("actor").first()


def other_versions(version: RubricVersion) -> list[RubricVersion]:
    """What a version can be compared with: the others of its rubric, newest first."""
    others = RubricVersion.objects.filter(rubric=version.rubric_id).exclude(pk=version.pk)
    return list(others.select_related("rubric").defer("document").order_by("-number"))
