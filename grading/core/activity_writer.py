"""Write the activity log, in which every action records itself within its transaction."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Model

from grading.models import Activity, Cohort, Organization

Actor = AbstractBaseUser | AnonymousUser | None


def record_activity(
    *,
    organization: Organization | int,
    actor: Actor,
    verb: str,
    about: Model,
    **detail: Any,
) -> None:
    """Write one Activity row. Call it inside the action's transaction.

    `detail` is plain JSON. The row belongs to the log of the cohort that `about` belongs to, if any.
    """
    Activity.objects.create(
        organization_id=organization if isinstance(organization, int) else organization.pk,
        actor_id=actor.pk if actor is not None else None,
        cohort_id=_cohort_of(about),
        verb=verb,
        object_type=type(about).__name__.lower(),
        object_id=str(about.pk),
        detail=detail,
    )


def _cohort_of(about: Any) -> int | None:
    """Return the cohort's key by following the record's parents, None without a cohort."""
    # The nearest parent first: a record may name several.
    for parent in ("audit", "submission", "finding", "assignment", "round"):
        if getattr(about, f"{parent}_id", None) is not None:
            return _cohort_of(getattr(about, parent))
    if isinstance(about, Cohort):
        return about.pk
    cohort: int | None = getattr(about, "cohort_id", None)
    return cohort
