"""Create a course with an assignment and a join link at once, and copy a cohort."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.courses.actions import create_assignment, create_cohort, settings_of
from grading.courses.copies.queries import AssignmentKind, copy_plan
from grading.courses.organizations.approval import create_organization
from grading.courses.people.join_links import MAX_DAYS, open_join_link
from grading.courses.people.queries import default_end_of
from grading.models import Assignment, Cohort, Organization
from grading.rubrics.actions import adopt_shipped_rubric


def create_course(
    *,
    organization: Organization | str,
    name: str,
    slug: str,
    time_zone: str,
    kind: AssignmentKind,
    due_at: datetime | None,
    by: User,
) -> Assignment:
    """Create a cohort with an assignment of this kind and a join link, or nothing of it.

    `organization` is one that the user teaches in, or the name of a new one, of which they become
    the owner. Raises SlugTaken, OrganizationRefused, RubricRefused.
    """
    with transaction.atomic():
        if isinstance(organization, str):
            founded = slugify(organization)[:60].strip("-")
            organization = create_organization(name=organization, slug=founded, founder=by)
        with scope(organization=organization):
            version = adopt_shipped_rubric(organization=organization, name=kind.key, by=by)
            cohort = create_cohort(
                organization=organization, name=name, slug=slug, time_zone=time_zone, by=by
            )
            assignment = create_assignment(
                cohort=cohort,
                slug=slugify(kind.title),
                rubric_version=version,
                due_at=due_at,
                by=by,
                **kind.settings(),
            )
            open_join_link(cohort=cohort, ends_at=_link_end(cohort, due_at), by=by)
    return assignment


def _link_end(cohort: Cohort, due_at: datetime | None) -> datetime:
    """Return the end of the join link: the due date if it is after the usual end."""
    latest = timezone.now() + timedelta(days=MAX_DAYS - 1)
    usual = default_end_of(cohort)
    return min(max(usual, due_at), latest) if due_at else usual


def copy_cohort(*, cohort: Cohort, name: str, slug: str, starts_on: date, by: User) -> Cohort:
    """Create a cohort with the same assignments, without people and work.

    Rubric versions and settings are the same; each date moves by as many days as the first day.
    Raises SlugTaken, RubricRefused, ActionRefused bench_unavailable.
    """
    with transaction.atomic(), scope(organization=cohort.organization):
        plan = copy_plan(cohort, starts_on)
        copy = create_cohort(
            organization=cohort.organization,
            name=name,
            slug=slug,
            time_zone=cohort.time_zone,
            starts_on=plan.starts_on,
            ends_on=plan.ends_on,
            by=by,
        )
        for row in plan.assignments:
            dates = {"opens_at": row.opens_at, "due_at": row.due_at}
            create_assignment(
                cohort=copy,
                slug=row.source.slug,
                rubric_version=row.source.rubric_version,
                by=by,
                **asdict(settings_of(row.source)) | dates,
            )
        record_activity(
            organization=cohort.organization,
            actor=by,
            verb="cohort.copied",
            about=copy,
            source=cohort.name,
            assignments=len(plan.assignments),
        )
    return copy
