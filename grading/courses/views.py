"""A cohort: its assignments, its roster, its opening, its archive and its end."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import trail_to_assignment, trail_to_cohort, trail_to_organization
from grading.core.enums import RubricState
from grading.core.errors import ActionRefused, RubricRefused, SettingsRefused
from grading.core.form_bases import put_beside
from grading.core.form_fingerprint import fingerprint_of
from grading.core.permissions import (
    Level,
    access_assignment,
    access_cohort,
    access_enrollment,
    access_organization,
    may,
)
from grading.core.requests import MemberRequest
from grading.courses.actions import (
    AssignmentSettings,
    change_settings,
    create_assignment,
    create_cohort,
    settings_of,
)
from grading.courses.archive.actions import archive_cohort, delete_cohort
from grading.courses.archive.cohort_inventory import inventory_of
from grading.courses.archive.forms import DeletionForm
from grading.courses.forms import AssignmentForm, ChangeSettingsForm, CohortForm, RosterForm
from grading.courses.queries import cohort_overview, roster_of
from grading.courses.roster import RosterImport, import_roster
from grading.models import Assignment, Cohort, RubricVersion
from grading.rubrics.actions import adopt_shipped_rubric
from grading.submissions.queries import attempts_of, closed_reason, standings_of, visible_attempts


@require_http_methods(["GET", "HEAD", "POST"])
def cohort_new(request: MemberRequest, org: str) -> HttpResponse:
    organization = access_organization(request.user, org, level="teacher")
    form = CohortForm(request.POST or None)
    if form.is_valid():
        try:
            opened = create_cohort(organization=organization, by=request.user, **form.cleaned_data)
        except ActionRefused as refusal:
            put_beside(form, refusal)
        else:
            messages.success(request, f"{opened.name} is open. Next: its roster.")
            return redirect("roster", organization.slug, opened.slug)
    context = {
        "form": form,
        "title": "Open a cohort",
        "verb": "Open it",
        "trail": trail_to_organization(organization),
    }
    return render(request, "forms/page.html", context)


@require_safe
def cohort(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    found = access_cohort(request.user, cohort)
    context = {
        "overview": cohort_overview(found),
        "is_staff": may(request.user, found.organization, "staff"),
        "may_change": may(request.user, found.organization, "teacher"),
        "trail": trail_to_organization(found.organization),
    }
    return render(request, "courses/cohorts/cohort.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def roster(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Staff read it; who teaches may import a list."""
    level: Level = "staff" if request.method in {"GET", "HEAD"} else "teacher"
    found = access_cohort(request.user, cohort, level=level)
    form = RosterForm(request.POST or None, request.FILES or None)
    imported = _imported(request, found, form) if form.is_valid() else None
    context = {
        "cohort": found,
        "form": form,
        "imported": imported,
        "students": roster_of(found),
        "may_change": may(request.user, found.organization, "teacher"),
        "trail": trail_to_cohort(found),
    }
    return render(request, "courses/cohorts/roster.html", context)


def _imported(request: MemberRequest, cohort: Cohort, form: RosterForm) -> RosterImport | None:
    try:
        return import_roster(cohort=cohort, text=form.cleaned_data["roster"], by=request.user)
    except ActionRefused as refusal:
        put_beside(form, refusal, field="roster")
        return None


@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: MemberRequest, org: str, cohort: str) -> HttpResponseBase:
    """What would be in it; POST sends it, and is logged."""
    found = access_cohort(request.user, cohort, level="teacher")
    if request.method == "POST":
        headers = {
            "Content-Disposition": f'attachment; filename="{found.slug}.zip"',
            "Content-Type": "application/zip",
            "Cache-Control": "private, no-store",
            "X-Content-Type-Options": "nosniff",
        }
        return StreamingHttpResponse(archive_cohort(cohort=found, by=request.user), headers=headers)
    context = {"cohort": found, "holdings": inventory_of(found), "trail": trail_to_cohort(found)}
    return render(request, "courses/cohorts/archive.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """What goes and what stays; it goes when its short name is typed."""
    found = access_cohort(request.user, cohort, level="teacher")
    form = DeletionForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _deleted(request, found, form):
        messages.success(request, f"{found.name} is deleted. Its log stays.")
        return redirect("organization", org)
    context = {
        "cohort": found,
        "form": form,
        "holdings": inventory_of(found),
        "trail": trail_to_cohort(found),
    }
    return render(request, "courses/cohorts/delete.html", context)


def _deleted(request: MemberRequest, cohort: Cohort, form: DeletionForm) -> bool:
    try:
        delete_cohort(cohort=cohort, by=request.user, **form.cleaned_data)
    except ActionRefused as refusal:
        put_beside(form, refusal, field="typed" if refusal.code == "slug_differs" else None)
        return False
    return True


@require_safe
def assignment(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Staff see where the cohort stands; a student their own attempts."""
    found = access_assignment(request.user, cohort, assignment)
    context: dict[str, Any] = {"assignment": found, "trail": trail_to_cohort(found.cohort)}
    if may(request.user, found.organization, "staff"):
        context["standings"] = standings_of(found)
        context["may_change"] = may(request.user, found.organization, "teacher")
        context["versions"] = _other_versions(found.rubric_version)
        return render(request, "courses/assignments/standings.html", context)
    student = access_enrollment(request.user, found.cohort)
    handed_in = list(attempts_of(student, found))
    left = max(0, found.max_attempts - sum(submission.counts for submission in handed_in))
    context |= {
        "attempts": visible_attempts(handed_in),
        "attempts_left": left,
        "closed": closed_reason(assignment=found, left=left),
    }
    return render(request, "courses/assignments/assignment.html", context)


def _other_versions(version: RubricVersion) -> QuerySet[RubricVersion]:
    """The newest other texts of its rubric, without the texts."""
    others = RubricVersion.objects.filter(rubric=version.rubric_id).exclude(pk=version.pk)
    return others.defer("document").order_by("-number")[:5]


@require_http_methods(["GET", "HEAD", "POST"])
def assignment_new(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    found = access_cohort(request.user, cohort, level="teacher")
    versions = RubricVersion.objects.filter(state=RubricState.PUBLISHED).select_related("rubric")
    own_rubrics = [(f"version:{version.pk}", str(version)) for version in versions]
    form = AssignmentForm(request.POST or None, own_rubrics=own_rubrics)
    created = _created(request, found, form) if form.is_valid() else None
    if created is not None:
        return redirect("assignment", org, found.slug, created.slug)
    context = {
        "form": form,
        "title": f"New assignment for {found.name}",
        "verb": "Create it",
        "trail": trail_to_cohort(found),
    }
    return render(request, "forms/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def assignment_settings(
    request: MemberRequest, org: str, cohort: str, assignment: str
) -> HttpResponse:
    """What can no longer be changed is refused beside its field; the rubric is adopted from a preview instead."""
    found = access_assignment(request.user, cohort, assignment, level="teacher")
    now = asdict(settings_of(found))
    form = ChangeSettingsForm(
        request.POST if request.method == "POST" else None,
        initial=now,
        fingerprint=fingerprint_of({name: str(value) for name, value in now.items()}),
    )
    if form.is_valid() and _changed(request, found, form):
        return redirect("assignment", org, found.cohort.slug, found.slug)
    context = {
        "form": form,
        "title": f"Settings of {found.title}",
        "lead": f"It is judged under {found.rubric_version}: to change that, preview another version on its page.",
        "verb": "Keep the settings",
        "trail": trail_to_assignment(found),
    }
    return render(request, "forms/page.html", context)


def _changed(request: MemberRequest, assignment: Assignment, form: ChangeSettingsForm) -> bool:
    try:
        change_settings(
            assignment=assignment, settings=AssignmentSettings(**form.cleaned_data), by=request.user
        )
    except SettingsRefused as refused:
        for field, sentence in refused.faults.items():
            form.add_error(field, sentence)
        return False
    messages.success(request, "The settings are kept.")
    return True


def _created(request: MemberRequest, cohort: Cohort, form: AssignmentForm) -> Assignment | None:
    asked = dict(form.cleaned_data)
    kind, key = asked.pop("rubric")
    try:
        if kind == "shipped":
            version = adopt_shipped_rubric(
                organization=cohort.organization, name=key, by=request.user
            )
        else:
            version = RubricVersion.objects.get(pk=key)
        return create_assignment(cohort=cohort, rubric_version=version, by=request.user, **asked)
    except ActionRefused as refusal:
        put_beside(form, refusal, field="rubric" if isinstance(refusal, RubricRefused) else "bench")
        return None
