"""Breadcrumbs of a page: (label, address), the outermost first; the page itself is not among them."""

from __future__ import annotations

from django.urls import reverse

from grading.models import Assignment, Cohort, Organization

Trail = list[tuple[str, str]]


def trail_to_organization(organization: Organization) -> Trail:
    return [
        ("Home", reverse("home")),
        (organization.name, reverse("organization", args=[organization.slug])),
    ]


def trail_to_cohort(cohort: Cohort) -> Trail:
    address = reverse("cohort", args=[cohort.organization.slug, cohort.slug])
    return [*trail_to_organization(cohort.organization), (cohort.name, address)]


def trail_to_assignment(assignment: Assignment) -> Trail:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return [
        *trail_to_cohort(assignment.cohort),
        (assignment.title, reverse("assignment", args=slugs)),
    ]


def trail_to_peers(cohort: Cohort) -> Trail:
    return [
        *trail_to_cohort(cohort),
        ("Peers", reverse("peers", args=[cohort.organization.slug, cohort.slug])),
    ]
