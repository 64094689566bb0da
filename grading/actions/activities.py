"""The log that every action writes in its own transaction."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Model

from grading.models import Activity, Organization

Actor = AbstractBaseUser | AnonymousUser | None


def note(
    *,
    organization: Organization | int,
    actor: Actor,
    verb: str,
    about: Model,
    **detail: Any,
) -> None:
    """Write one Activity row; call it inside the action's transaction. `detail` is plain JSON."""
    Activity.objects.create(
        organization_id=organization if isinstance(organization, int) else organization.pk,
        actor_id=actor.pk if actor is not None else None,
        verb=verb,
        object_type=type(about).__name__.lower(),
        object_id=str(about.pk),
        detail=detail,
    )
