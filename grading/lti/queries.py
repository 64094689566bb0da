"""Read learning platforms, their courses and people, and launches."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.utils import timezone
from django_scopes import scope

from grading.lti.claims import LaunchClaims
from grading.models import (
    Assignment,
    Cohort,
    LtiAccount,
    LtiContext,
    LtiCourseLink,
    LtiDeployment,
    LtiLaunch,
    LtiRegistration,
    LtiResourceLink,
    Organization,
)

# A page is left open: to sign in, to confirm an address, to choose an assignment.
LAUNCH_LASTS = timedelta(hours=2)


def platforms_of(organization: Organization) -> QuerySet[LtiRegistration]:
    """Return the platforms with the numbers of their `people` and `courses` here."""
    rows = LtiRegistration.objects.filter(organization=organization)
    return rows.annotate(
        people=Count("accounts", distinct=True), courses=Count("contexts", distinct=True)
    )


def is_known_deployment(registration: LtiRegistration, deployment_id: str) -> bool:
    with scope(organization=registration.organization_id):
        rows = LtiDeployment.objects.filter(registration=registration)
        return rows.filter(deployment_id=deployment_id).exists()


def claims_of(launch: LtiLaunch) -> LaunchClaims:
    """Return what the platform said at a launch that was received."""
    return LaunchClaims.model_validate(launch.claims)


def account_of(launch: LtiLaunch) -> LtiAccount | None:
    """Return the connected account of a launch's person."""
    rows = LtiAccount.objects.select_related("user").filter(
        registration=launch.registration_id, ended_at=None
    )
    return rows.filter(subject=claims_of(launch).subject).first()


def connections_of(organization: Organization, user: User) -> QuerySet[LtiAccount]:
    """Return the platforms of an organization that open the user's account."""
    rows = LtiAccount.objects.filter(organization=organization, user=user, ended_at=None)
    return rows.select_related("registration")


def open_launch_of(registration: LtiRegistration, launch_id: UUID) -> LtiLaunch | None:
    """Return a launch whose message was accepted a short time ago."""
    rows = LtiLaunch.objects.select_related("registration__organization").filter(
        registration=registration,
        pk=launch_id,
        refusal="",
        received_at__gt=timezone.now() - LAUNCH_LASTS,
    )
    return rows.exclude(kind="").first()


def entered_launch_of(organization: Organization, user: User, launch_id: UUID) -> LtiLaunch | None:
    """Return a launch by which this user came a short time ago."""
    rows = LtiLaunch.objects.select_related("registration__organization").filter(
        organization=organization,
        pk=launch_id,
        user=user,
        entered_at__gt=timezone.now() - LAUNCH_LASTS,
    )
    return rows.first()


def launch_of_frame(registration: LtiRegistration, secret: str) -> LtiLaunch | None:
    """Return the launch for which a platform's frame waits, a short time after it."""
    rows = LtiLaunch.objects.select_related("registration__organization", "assignment").filter(
        registration=registration,
        frame_sha256=hashlib.sha256(secret.encode()).hexdigest(),
        entered_at__gt=timezone.now() - LAUNCH_LASTS,
    )
    return rows.first()


def launches_of(registration: LtiRegistration) -> QuerySet[LtiLaunch]:
    """Return the launches of a platform that ended, well or not, the newest first."""
    received = LtiLaunch.objects.filter(registration=registration, received_at__isnull=False)
    return received.defer("claims").select_related("user").order_by("-created_at", "pk")


def context_of(registration: LtiRegistration, claims: LaunchClaims) -> LtiContext | None:
    """Return the course of a launch, if it was opened before."""
    if claims.context is None:
        return None
    rows = LtiContext.objects.filter(
        registration=registration,
        deployment__deployment_id=claims.deployment_id,
        context_id=claims.context.id,
    )
    return rows.first()


def cohorts_of_context(context: LtiContext | None) -> list[Cohort]:
    """Return the cohorts that belong to a course of a platform."""
    if context is None:
        return []
    links = LtiCourseLink.objects.filter(context=context).select_related("cohort__organization")
    return [link.cohort for link in links]


def courses_of_cohort(cohort: Cohort) -> QuerySet[LtiCourseLink]:
    """Return the courses of platforms that belong to a cohort."""
    links = LtiCourseLink.objects.filter(cohort=cohort)
    return links.select_related("context__registration", "cohort")


def assignment_of_link(context: LtiContext | None, resource_link_id: str) -> Assignment | None:
    """Return the assignment that a link of the course opens."""
    rows = LtiResourceLink.objects.filter(context=context, resource_link_id=resource_link_id)
    link = rows.select_related("assignment__cohort", "assignment__organization").first()
    return link.assignment if link else None
