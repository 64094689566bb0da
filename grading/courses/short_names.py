"""Change of the name that a cohort or an assignment has in addresses."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.urls import reverse
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.errors import SlugTaken
from grading.models import Assignment, Cohort
from grading.notifications.emails import move_waiting_emails


def change_short_name(*, place: Cohort | Assignment, slug: str, by: User) -> None:
    """Give the place another address; links to the former one end. Raises SlugTaken.

    Emails that wait lead to the new address. Join links, invitations and calendars hold keys, and
    stay as they are.
    """
    try:
        with transaction.atomic(), scope(organization=place.organization_id):
            _change(place, slug, by)
    # Caught outside of atomic: after the error its transaction takes no more queries.
    except IntegrityError as error:
        raise SlugTaken("slug_taken", _taken(place, slug)) from error


def _change(place: Cohort | Assignment, slug: str, by: User) -> None:
    rows = type(place).objects.select_for_update(no_key=True, of=("self",))
    locked = rows.get(pk=place.pk)
    former, locked.slug = locked.slug, slug
    if former == slug:
        return
    before = _address_of(locked, former)
    locked.save(update_fields=["slug"])
    move_waiting_emails(
        organization_id=locked.organization_id, before=before, after=_address_of(locked, slug)
    )
    record_activity(
        organization=locked.organization_id,
        actor=by,
        verb="cohort.moved" if isinstance(locked, Cohort) else "assignment.moved",
        about=locked,
        before=former,
        after=slug,
    )


def _address_of(place: Cohort | Assignment, slug: str) -> str:
    organization = place.organization.slug
    if isinstance(place, Cohort):
        return reverse("cohort", args=[organization, slug])
    return reverse("assignment", args=[organization, place.cohort.slug, slug])


def _taken(place: Cohort | Assignment, slug: str) -> str:
    if isinstance(place, Cohort):
        return f"This organization already has a cohort called “{slug}”."
    return f"This cohort already has an assignment called “{slug}”."
