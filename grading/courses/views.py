"""Pages of cohorts and their assignments: roster, settings, archive, deletion."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.timezone import get_current_timezone
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import trail_to_cohort, trail_to_organization
from grading.core.enums import Bench, RubricState
from grading.core.errors import ActionRefused, RubricRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import (
    access_assignment,
    access_cohort,
    access_enrollment,
    access_organization,
    may,
)
from grading.core.requests import MemberRequest
from grading.core.time_zones import name_of
from grading.courses.actions import (
    create_assignment,
    create_cohort,
)
from grading.courses.archive.actions import archive_cohort, delete_cohort
from grading.courses.archive.cohort_inventory import inventory_of
from grading.courses.archive.forms import DeletionForm
from grading.courses.copies.forms import StartForm
from grading.courses.copies.queries import starting_points, starting_values
from grading.courses.extensions.queries import terms_of, terms_of_pairs
from grading.courses.forms import (
    AssignmentForm,
    CohortForm,
)
from grading.courses.page_links import links_of_assignment, links_of_cohort
from grading.courses.queries import cohort_overview
from grading.courses.teams.queries import team_of
from grading.engine.bench_settings import sentence_without_models
from grading.models import Assignment, Cohort, Enrollment, RubricVersion
from grading.repositories.generated.queries import template_of
from grading.rubrics.actions import adopt_shipped_rubric
from grading.submissions.pushes.queries import links_of, with_pushes
from grading.submissions.queries import (
    attempts_of,
    closed_reason,
    standings_of,
    team_refusal,
    visible_attempts,
)


@require_http_methods(["GET", "HEAD", "POST"])
def cohort_new(request: MemberRequest, org: str) -> HttpResponse:
    organization = access_organization(request.user, org, level="teacher")
    newest = Cohort.objects.filter(organization=organization).order_by("-pk").first()
    zone = newest.time_zone if newest else name_of(get_current_timezone())
    form = CohortForm(request.POST or None, initial={"time_zone": zone})
    if form.is_valid():
        try:
            created = create_cohort(organization=organization, by=request.user, **form.cleaned_data)
        except ActionRefused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, f"{created.name} was created. Next, add its students.")
            return redirect("people", organization.slug, created.slug)

    context = {
        "form": form,
        "title": "Create cohort",
        "verb": "Create cohort",
        "trail": trail_to_organization(organization),
    }
    return render(request, "forms/page.html", context)


@require_safe
def cohort(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    record = access_cohort(request.user, cohort)
    overview = cohort_overview(record)
    is_staff = may(request.user, record.organization, "staff")
    student = None if is_staff else access_enrollment(request.user, record)
    context = {
        "overview": overview,
        "assignments": _with_due_dates(overview.assignments, student),
        "is_staff": is_staff,
        "may_change": may(request.user, record.organization, "teacher"),
        "groups": links_of_cohort(request.user, record),
        "trail": trail_to_organization(record.organization),
    }
    return render(request, "courses/cohorts/cohort.html", context)


def _with_due_dates(
    assignments: list[Assignment], student: Enrollment | None
) -> list[tuple[Assignment, datetime | None, bool]]:
    """Return each assignment with the student's own due date, and whether an extension holds."""
    if student is None:
        return [(assignment, assignment.due_at, False) for assignment in assignments]
    terms = terms_of_pairs((assignment, student) for assignment in assignments)
    own = [(assignment, terms[assignment.pk, student.pk]) for assignment in assignments]
    return [(assignment, term.due_at, bool(term.extensions)) for assignment, term in own]


@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: MemberRequest, org: str, cohort: str) -> HttpResponseBase:
    """Show what an archive would contain; send it on POST, which is logged."""
    record = access_cohort(request.user, cohort, level="teacher")
    if request.method == "POST":
        headers = {
            "Content-Disposition": f'attachment; filename="{record.slug}.zip"',
            "Content-Type": "application/zip",
            # The archive holds personal data: no browser or proxy may keep a copy.
            "Cache-Control": "private, no-store",
            "X-Content-Type-Options": "nosniff",
        }
        return StreamingHttpResponse(
            archive_cohort(cohort=record, by=request.user), headers=headers
        )

    context = {
        "cohort": record,
        "inventory": inventory_of(record),
        "trail": trail_to_cohort(record),
    }
    return render(request, "courses/cohorts/archive.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Show what would be deleted; delete on POST if the cohort's short name was typed."""
    record = access_cohort(request.user, cohort, level="teacher")
    form = DeletionForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _delete(request, record, form):
        messages.success(request, f"{record.name} was deleted. Its log was kept.")
        return redirect("organization", org)

    context = {
        "cohort": record,
        "form": form,
        "inventory": inventory_of(record),
        "trail": trail_to_cohort(record),
    }
    return render(request, "courses/cohorts/delete.html", context)


def _delete(request: MemberRequest, cohort: Cohort, form: DeletionForm) -> bool:
    """Delete the cohort; on a refusal put the error into the form and return False."""
    try:
        delete_cohort(
            cohort=cohort,
            typed=form.cleaned_data["typed"],
            fingerprint=form.cleaned_data["seen"],
            by=request.user,
        )
    except ActionRefused as refusal:
        # The other refusals are about the cohort and stand above the form.
        add_refusal(form, refusal, field="typed" if refusal.code == "slug_differs" else None)
        return False
    return True


@require_safe
def assignment(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show staff the whole cohort's progress, and a student their own attempts."""
    record = access_assignment(request.user, cohort, assignment)
    context: dict[str, Any] = {"assignment": record, "trail": trail_to_cohort(record.cohort)}
    if may(request.user, record.organization, "staff"):
        context["standings"] = standings_of(record)
        context["groups"] = links_of_assignment(request.user, record)
        context |= _judges(request, record)
        context["versions"] = _other_versions(record.rubric_version)
        return render(request, "courses/assignments/standings.html", context)

    student = access_enrollment(request.user, record.cohort)
    submissions = list(attempts_of(student, record))
    # Attempts whose audit failed use none of the allowance.
    terms = terms_of(record, student)
    left = max(0, terms.max_attempts - sum(submission.counts for submission in submissions))
    context |= {
        "attempts": visible_attempts(submissions),
        "attempts_left": left,
        "terms": terms,
        "closed": team_refusal(record, student) or closed_reason(terms=terms, left=left),
        "team": team_of(record, student),
        "template": template_of(record),
        "links": list(with_pushes(links_of(record, student))),
    }
    return render(request, "courses/assignments/assignment.html", context)


def _judges(request: MemberRequest, assignment: Assignment) -> dict[str, str]:
    """Return what staff read of the models that judge, if any: their page, and why none can."""
    if assignment.bench != Bench.LLM:
        return {}
    is_teacher = may(request.user, assignment.organization, "teacher")
    address = reverse("models", args=[assignment.organization.slug]) if is_teacher else ""
    return {
        "models_address": address,
        "no_models": sentence_without_models(assignment.organization_id),
    }


def _other_versions(version: RubricVersion) -> QuerySet[RubricVersion]:
    """Return the newest other versions of the rubric, without their documents."""
    versions = RubricVersion.objects.filter(rubric=version.rubric_id).exclude(pk=version.pk)
    return versions.defer("document").order_by("-number")[:5]


@require_http_methods(["GET", "HEAD", "POST"])
def assignment_new(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    record = access_cohort(request.user, cohort, level="teacher")
    versions = RubricVersion.objects.filter(state=RubricState.PUBLISHED).select_related("rubric")
    own_rubrics = [(f"version:{version.pk}", str(version)) for version in versions]
    choices = starting_points(record.organization)
    start = StartForm(request.GET, choices=choices)
    key = start.cleaned_data["start"] if start.is_valid() else ""
    form = AssignmentForm(
        request.POST or None,
        initial=dict(starting_values(record.organization, key)),
        own_rubrics=own_rubrics,
        zone=ZoneInfo(record.time_zone),
        no_models=sentence_without_models(record.organization_id),
    )

    created = _create(request, record, form) if form.is_valid() else None
    if created is not None:
        return redirect(_page_after(request, created))

    context = {
        "form": form,
        "start": start,
        "title": f"New assignment for {record.name}",
        "verb": "Create assignment",
        "trail": trail_to_cohort(record),
    }
    return render(request, "courses/copies/assignment_new.html", context)


def _page_after(request: MemberRequest, created: Assignment) -> str:
    """Return the page of this site that sent the teacher here, else that of the assignment."""
    sender = request.GET.get("next", "")
    if sender and url_has_allowed_host_and_scheme(sender, allowed_hosts=None):
        return f"{sender}?{urlencode({'made': created.pk})}"
    slugs = [created.organization.slug, created.cohort.slug, created.slug]
    return reverse("assignment", args=slugs)


def _create(request: MemberRequest, cohort: Cohort, form: AssignmentForm) -> Assignment | None:
    """Create the assignment; on a refusal put the error into the form and return None."""
    settings = dict(form.cleaned_data)
    kind, key = settings.pop("rubric")
    try:
        if kind == "shipped":
            version = adopt_shipped_rubric(
                organization=cohort.organization, name=key, by=request.user
            )
        else:
            # The form accepts only keys that it offered: published versions in this scope.
            version = RubricVersion.objects.get(pk=key)
        return create_assignment(cohort=cohort, rubric_version=version, by=request.user, **settings)
    except ActionRefused as refusal:
        add_refusal(
            form, refusal, field="rubric" if isinstance(refusal, RubricRefused) else "bench"
        )
        return None
