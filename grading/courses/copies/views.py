"""Pages to create a course at once and to copy a cohort."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import get_current_timezone
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_cohort
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of
from grading.core.permissions import access_cohort, access_organization, staffed_organizations
from grading.core.requests import MemberRequest
from grading.core.time_zones import name_of
from grading.courses.copies.actions import copy_cohort, create_course
from grading.courses.copies.forms import NEW, CopyForm, CourseForm
from grading.courses.copies.queries import CopyPlan, copied_assignments, copy_plan
from grading.models import Cohort


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def course_new(request: MemberRequest) -> HttpResponse:
    """Create a cohort, its first assignment and its join link, then show the link."""
    organizations = [row for row in staffed_organizations(request.user) if row.is_usable]
    if settings.INSTITUTIONS_BY_APPROVAL and not organizations:
        return redirect("organization-new")

    form = CourseForm(
        request.POST if request.method == "POST" else None,
        organizations=organizations,
        initial={
            "time_zone": name_of(get_current_timezone()),
            "kind": "general",
            # The approval's letter names it; another value selects nothing.
            "organization": request.GET.get("organization", ""),
        },
    )
    if form.is_valid() and (address := _create(request, form)):
        return redirect(address)

    context = {
        "form": form,
        "title": "Create a course",
        "lead": "One page makes a cohort, its first assignment and a link by which students join.",
        "verb": "Create course",
        "trail": [("Home", reverse("home"))],
    }
    return render(request, "forms/page.html", context)


def _create(request: MemberRequest, form: CourseForm) -> str:
    """Return the address of the page with the join link; "" and an error in the form if refused."""
    values = form.cleaned_data
    slug = values.get("organization", NEW)
    try:
        assignment = create_course(
            organization=values["institution"]
            if slug == NEW
            else access_organization(request.user, slug, level="teacher"),
            name=values["name"],
            slug=values["slug"],
            time_zone=values["time_zone"],
            kind=form.chosen_kind,
            due_at=values["due_at"],
            by=request.user,
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return ""
    cohort = assignment.cohort
    messages.success(
        request, f"{cohort.name} was created with the assignment “{assignment.title}”."
    )
    return reverse("join-link", args=[cohort.organization.slug, cohort.slug])


@require_http_methods(["GET", "HEAD", "POST"])
def cohort_copy(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Preview a copy of the cohort; `do=create` makes it."""
    record = access_cohort(request.user, cohort, level="teacher")
    form = CopyForm(
        request.POST if request.method == "POST" else None, fingerprint=_fingerprint(record)
    )
    plan: CopyPlan | None = None
    if form.is_valid():
        plan = _plan(record, form)
        is_wanted = plan is not None and request.POST.get("do") == "create"
        if is_wanted and (copy := _copy(request, record, form)):
            messages.success(request, f"{copy.name} was created as a copy of {record.name}.")
            return redirect("cohort", org, copy.slug)

    context = {"cohort": record, "form": form, "plan": plan, "trail": trail_to_cohort(record)}
    return render(request, "courses/copies/copy.html", context)


def _plan(cohort: Cohort, form: CopyForm) -> CopyPlan | None:
    try:
        return copy_plan(cohort, form.cleaned_data["starts_on"])
    except ActionRefused as refusal:
        add_refusal(form, refusal, field="starts_on")
        return None


def _copy(request: MemberRequest, cohort: Cohort, form: CopyForm) -> Cohort | None:
    values: dict[str, Any] = {key: form.cleaned_data[key] for key in ("name", "slug", "starts_on")}
    try:
        return copy_cohort(cohort=cohort, by=request.user, **values)
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return None


def _fingerprint(cohort: Cohort) -> str:
    """Return the fingerprint of what a copy takes, dates included."""
    rows = [
        [row.pk, row.title, row.rubric_version_id, str(row.opens_at), str(row.due_at)]
        for row in copied_assignments(cohort)
    ]
    return fingerprint_of(rows, str(cohort.starts_on), str(cohort.ends_on))
