"""Members of a cohort as rows, without an invitation to each."""

from __future__ import annotations

from collections.abc import Sequence

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from grading.models import Cohort, Enrollment, Membership


def enrol(cohort: Cohort, names: Sequence[str]) -> list[Enrollment]:
    """Make an account and a place on the roster for each name."""
    organization = cohort.organization
    users = User.objects.bulk_create(
        User(username=name, email=f"{name}@example.org") for name in names
    )
    EmailAddress.objects.bulk_create(
        EmailAddress(user=user, email=user.email, verified=True, primary=True) for user in users
    )
    Membership.objects.bulk_create(
        Membership(organization=organization, user=user, email=user.email) for user in users
    )
    return Enrollment.objects.bulk_create(
        Enrollment(
            organization=organization,
            cohort=cohort,
            user=user,
            email=user.email,
            name=f"Student {user.pk}",
        )
        for user in users
    )
