"""Courses of a learning platform, the cohorts that belong to them, and where a launch leads."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import LaunchKind
from grading.core.errors import LaunchRefused
from grading.core.roles import may
from grading.lti.claims import LaunchClaims, assignment_key
from grading.lti.members import enroll_from_launch
from grading.lti.queries import (
    assignment_of_link,
    claims_of,
    cohorts_of_context,
    context_of,
)
from grading.models import (
    Assignment,
    Cohort,
    LtiContext,
    LtiCourseLink,
    LtiDeployment,
    LtiLaunch,
    LtiResourceLink,
    Organization,
)

UNLINKED = (
    "Your teacher has not connected this course with a course of this site yet. Open the link again "
    "when they have."
)


def open_launch(*, launch: LtiLaunch, user: User) -> str:
    """Return the path that a launch leads its user to, and store what it says of course and link.

    Students get their place on the roster. Raises LaunchRefused: launch_course, launch_link,
    launch_taken, launch_role.
    """
    claims, organization = claims_of(launch), launch.registration.organization
    with transaction.atomic(), scope(organization=organization):
        context = _remember_context(launch, claims)
        if claims.kind == LaunchKind.DEEP_LINKING:
            return _choice_page(launch, user, organization)
        cohorts = cohorts_of_context(context)
        if not cohorts:
            return _course_page(launch, user, organization, context)
        assignment = _assignment_of(context, claims, cohorts)
        if assignment is not None:
            enroll_from_launch(context=context, cohort=assignment.cohort, user=user, claims=claims)
            slugs = [organization.slug, assignment.cohort.slug, assignment.slug]
            return reverse("assignment", args=slugs)
        return _page_without_assignment(launch, user, context, claims, cohorts)


def link_course(*, context: LtiContext, cohorts: Collection[Cohort], by: User) -> None:
    """Let these cohorts belong to a course of a platform, and no others; students stay in theirs."""
    with transaction.atomic():
        LtiContext.objects.select_for_update(no_key=True).get(pk=context.pk)
        wanted = {cohort.pk: cohort for cohort in cohorts}
        links = LtiCourseLink.objects.filter(context=context).select_related("cohort")
        for link in links.exclude(cohort__in=wanted):
            unlink_course(link=link, by=by)
        for cohort in wanted.values():
            link, is_new = LtiCourseLink.objects.get_or_create(
                context=context,
                cohort=cohort,
                defaults={"organization_id": context.organization_id, "made_by": by},
            )
            if is_new:
                _record(link, by, verb="platform.course_linked")


def unlink_course(*, link: LtiCourseLink, by: User) -> None:
    """Part a cohort from a course of a platform; nobody loses their place or a grade."""
    with transaction.atomic():
        _record(link, by, verb="platform.course_unlinked")
        LtiResourceLink.objects.filter(
            context=link.context_id, assignment__cohort=link.cohort_id
        ).delete()
        link.delete()


def link_resource(*, launch: LtiLaunch, assignment: Assignment, by: User) -> None:
    """Let the link of a launch open this assignment from now on.

    Raises LaunchRefused launch_course where the assignment belongs to another course.
    """
    claims = claims_of(launch)
    with transaction.atomic():
        context = context_of(launch.registration, claims)
        if context is None or assignment.cohort not in cohorts_of_context(context):
            raise LaunchRefused("launch_course", UNLINKED)
        link = _remember_link(context, claims, assignment)
        record_activity(
            organization=launch.organization_id,
            actor=by,
            verb="platform.link_set",
            about=link,
            platform=launch.registration.name,
        )


def _remember_context(launch: LtiLaunch, claims: LaunchClaims) -> LtiContext | None:
    """Store the course of a launch, with the addresses of its services as they are now."""
    if claims.context is None:
        return None
    deployment = LtiDeployment.objects.get(
        registration=launch.registration_id, deployment_id=claims.deployment_id
    )
    told = {"title": claims.context.title, "label": claims.context.label}
    # A platform may leave out a service in one kind of launch, and grant it in another.
    if claims.memberships_url:
        told["memberships_url"] = claims.memberships_url
    services: dict[str, object] = dict(told)
    if claims.gradebook.lineitems:
        services["lineitems_url"] = claims.gradebook.lineitems
    if claims.gradebook.scope:
        services["grade_scopes"] = list(claims.gradebook.scope)
    context, _created = LtiContext.objects.update_or_create(
        deployment=deployment,
        context_id=claims.context.id,
        defaults=services,
        create_defaults=services
        | {"organization_id": launch.organization_id, "registration_id": launch.registration_id},
    )
    return context


def _assignment_of(
    context: LtiContext | None, claims: LaunchClaims, cohorts: Collection[Cohort]
) -> Assignment | None:
    """Return what the link opens: as stored, else as the link itself names it.

    After a course was copied there, its links name assignments of the first course's cohort. Those
    open nothing before a teacher has linked that cohort, or another one, to the copy.
    """
    link = claims.resource_link
    if context is None or link is None:
        return None
    stored = assignment_of_link(context, link.id)
    named = stored or _named_assignment(claims, cohorts)
    if named is not None:
        _remember_link(context, claims, named)
    return named


def _named_assignment(claims: LaunchClaims, cohorts: Collection[Cohort]) -> Assignment | None:
    key = assignment_key(claims)
    rows = Assignment.objects.select_related("cohort", "organization")
    return rows.filter(pk=key, cohort__in=cohorts).first() if key is not None else None


def _remember_link(
    context: LtiContext, claims: LaunchClaims, assignment: Assignment
) -> LtiResourceLink:
    link = claims.resource_link
    if link is None:
        raise LaunchRefused("launch_link", "Your learning platform does not say which link it is.")
    told = {"assignment": assignment, "title": link.title}
    if claims.gradebook.lineitem:
        told["lineitem_url"] = claims.gradebook.lineitem
    row, _created = LtiResourceLink.objects.update_or_create(
        context=context,
        resource_link_id=link.id,
        defaults=told,
        create_defaults=told | {"organization_id": context.organization_id},
    )
    return row


def _choice_page(launch: LtiLaunch, user: User, organization: Organization) -> str:
    if not may(user, organization, "teacher"):
        raise LaunchRefused(
            "launch_role", "Only instructors choose what a link opens. Ask one of them."
        )
    return reverse("lti-choice", args=[organization.slug, launch.pk])


def _course_page(
    launch: LtiLaunch, user: User, organization: Organization, context: LtiContext | None
) -> str:
    """Lead a teacher to the page that links a course; without a course there is only the start."""
    if context is None:
        return reverse("organization", args=[organization.slug])
    if may(user, organization, "teacher"):
        return reverse("lti-course", args=[organization.slug, launch.pk])
    raise LaunchRefused("launch_course", UNLINKED, context.context_id)


def _page_without_assignment(
    launch: LtiLaunch,
    user: User,
    context: LtiContext | None,
    claims: LaunchClaims,
    cohorts: list[Cohort],
) -> str:
    organization = launch.registration.organization
    if len(cohorts) == 1:
        enroll_from_launch(context=context, cohort=cohorts[0], user=user, claims=claims)
    home = reverse("organization", args=[organization.slug])
    if (path := urlsplit(launch.target).path).startswith(home) and path != home:
        return path
    if claims.resource_link and may(user, organization, "teacher"):
        return reverse("lti-link", args=[organization.slug, launch.pk])
    if len(cohorts) == 1:
        return reverse("cohort", args=[organization.slug, cohorts[0].slug])
    return home


def _record(link: LtiCourseLink, by: User, *, verb: str) -> None:
    record_activity(
        organization=link.organization_id,
        actor=by,
        verb=verb,
        about=link,
        course=str(link.context),
        cohort=link.cohort.name,
    )
