"""Opening a cohort and filling its roster."""

from datetime import date

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django_scopes import scope

from grading.actions.activities import note
from grading.errors import SlugTaken
from grading.models import Cohort, Organization


def open_cohort(
    *,
    organization: Organization,
    name: str,
    slug: str,
    by: User | None,
    starts_on: date | None = None,
    ends_on: date | None = None,
) -> Cohort:
    """A new cohort. Raises SlugTaken."""
    try:
        with transaction.atomic(), scope(organization=organization):
            cohort = Cohort.objects.create(
                organization=organization, name=name, slug=slug, starts_on=starts_on, ends_on=ends_on
            )
            note(organization=organization, actor=by, verb="cohort.opened", about=cohort)
    except IntegrityError as error:
        raise SlugTaken("slug_taken", f"This organization has a cohort called “{slug}” already.") from error
    return cohort
