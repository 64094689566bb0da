"""Change of an organization's name; its address stays."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from grading.core.activity_writer import record_activity
from grading.core.errors import OrganizationRefused
from grading.models import Organization

NAME_FIXED = (
    "The operator of this site approved the institution under this name. Ask them to change it."
)


def rename_organization(*, organization: Organization, name: str, by: User) -> None:
    """Change the name people know.

    Raises OrganizationRefused where the operator approved the name, in which letters are sent.
    """
    if settings.INSTITUTIONS_BY_APPROVAL and not by.is_superuser:
        raise OrganizationRefused("organization_name_fixed", NAME_FIXED)
    with transaction.atomic():
        locked = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
        before, locked.name = locked.name, name
        if before == name:
            return
        locked.save(update_fields=["name"])
        record_activity(
            organization=locked,
            actor=by,
            verb="organization.renamed",
            about=locked,
            before=before,
            after=name,
        )
