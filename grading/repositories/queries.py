"""Read accesses to private repositories, as their owners and staff see them. No secret is read."""

from __future__ import annotations

import hashlib
import hmac

from django.db.models import Count, QuerySet

from grading.core.crypto import secret_for
from grading.core.enums import AccessKind
from grading.engine.repository_access import Location, covers
from grading.models import Enrollment, Organization, RepositoryAccess, RepositoryGrant

BRANCH_DIGITS = 12


def accesses_of(student: Enrollment) -> QuerySet[RepositoryAccess]:
    """Return a student's own accesses in the cohort, newest first."""
    return RepositoryAccess.objects.filter(student=student).defer("sealed_secret")


def accesses_of_organization(organization: Organization) -> QuerySet[RepositoryAccess]:
    """Return the organization's accesses with the number of granted repositories, newest first."""
    rows = RepositoryAccess.objects.filter(organization=organization, student=None)
    return rows.annotate(granted=Count("grants")).select_related("made_by").order_by("host", "path")


def grants_of(access: RepositoryAccess) -> QuerySet[RepositoryGrant]:
    rows = RepositoryGrant.objects.filter(access=access)
    return rows.select_related("student__cohort", "made_by")


def grants_to(student: Enrollment) -> QuerySet[RepositoryGrant]:
    return RepositoryGrant.objects.filter(student=student).select_related("access")


def covering_access(organization: Organization, location: Location) -> RepositoryAccess | None:
    """Return the organization's access below which a repository lies, the narrowest one."""
    kind = AccessKind.DEPLOY_KEY if location.protocol == "ssh" else AccessKind.TOKEN
    rows = RepositoryAccess.objects.filter(
        organization=organization, student=None, kind=kind, host=location.host
    ).exclude(kind=AccessKind.DEPLOY_KEY, host_key_confirmed_at=None)
    fitting = [row for row in rows if covers(row, location.path)]
    return max(fitting, key=lambda row: len(row.path), default=None)


def proof_branch(student: Enrollment, location: Location) -> str:
    """Return the branch that shows that a student may push to a repository.

    Nobody can guess that of another student or repository, and it stays the same from page to page.
    """
    words = f"{student.pk} {location.host} {location.path}"
    key = secret_for("proof of a repository")
    digest = hmac.new(key, words.encode(), hashlib.sha256).hexdigest()
    return f"auditor-{digest[:BRANCH_DIGITS]}"
