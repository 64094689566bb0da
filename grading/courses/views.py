"""Pages of cohorts and their assignments: roster, settings, archive, deletion."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.timezone import get_current_timezone
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import trail_to_assignment, trail_to_cohort, trail_to_organization
from grading.core.enums import RubricState
from grading.core.errors import ActionRefused, RubricRefused, SettingsRefused
from grading.core.form_bases import add_refusal
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
from grading.core.time_zones import name_of
from grading.courses.actions import (
    AssignmentSettings,
    change_settings,
    change_time_zone,
    create_assignment,
    create_cohort,
    settings_of,
)
from grading.courses.archive.actions import archive_cohort, delete_cohort
from grading.courses.archive.cohort_inventory import inventory_of
from grading.courses.archive.forms import DeletionForm
from grading.courses.forms import (
    AssignmentForm,
    ChangeSettingsForm,
    CohortForm,
    CohortZoneForm,
    RosterForm,
)
from grading.courses.queries import cohort_overview, roster_lines
from grading.courses.roster import RosterImport, import_roster
from grading.engine.bench_settings import reason_without_models
from grading.models import Assignment, Cohort, RubricVersion
from grading.notifications.letter_limits import held_back
from grading.rubrics.actions import adopt_shipped_rubric
from grading.submissions.queries import attempts_of, closed_reason, standings_of, visible_attempts


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
            messages.success(request, f"{created.name} was created. Next, import its roster.")
            return redirect("roster", organization.slug, created.slug)

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
    context = {
        "overview": cohort_overview(record),
        "is_staff": may(request.user, record.organization, "staff"),
        "may_change": may(request.user, record.organization, "teacher"),
        "trail": trail_to_organization(record.organization),
    }
    return render(request, "courses/cohorts/cohort.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def time_zone(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    record = access_cohort(request.user, cohort, level="teacher")
    form = CohortZoneForm(request.POST or None, initial={"time_zone": record.time_zone})
    if form.is_valid():
        change_time_zone(cohort=record, by=request.user, **form.cleaned_data)
        messages.success(request, "Time zone saved.")
        return redirect("cohort", org, record.slug)

    context = {
        "form": form,
        "title": f"Time zone of {record.name}",
        "lead": "Deadlines are set in it, and shown in it to people who chose no zone of their "
        "own. Deadlines that are set stay at their moment: only how they are shown changes.",
        "verb": "Save time zone",
        "trail": trail_to_cohort(record),
    }
    return render(request, "forms/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def roster(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Show the roster to staff; let teachers import a list."""
    level: Level = "staff" if request.method in {"GET", "HEAD"} else "teacher"
    record = access_cohort(request.user, cohort, level=level)
    form = RosterForm(request.POST or None, request.FILES or None)
    imported = _import(request, record, form) if form.is_valid() else None

    context = {
        "cohort": record,
        "form": form,
        "imported": imported,
        "lines": roster_lines(record),
        "held": held_back(),
        "may_change": may(request.user, record.organization, "teacher"),
        "trail": trail_to_cohort(record),
    }
    return render(request, "courses/cohorts/roster.html", context)


def _import(request: MemberRequest, cohort: Cohort, form: RosterForm) -> RosterImport | None:
    try:
        return import_roster(cohort=cohort, text=form.cleaned_data["roster"], by=request.user)
    except ActionRefused as refusal:
        add_refusal(form, refusal, field="roster")
        return None


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
        context["may_change"] = may(request.user, record.organization, "teacher")
        context["versions"] = _other_versions(record.rubric_version)
        return render(request, "courses/assignments/standings.html", context)

    student = access_enrollment(request.user, record.cohort)
    submissions = list(attempts_of(student, record))
    # Attempts whose audit failed use none of the allowance.
    left = max(0, record.max_attempts - sum(submission.counts for submission in submissions))
    context |= {
        "attempts": visible_attempts(submissions),
        "attempts_left": left,
        "closed": closed_reason(assignment=record, left=left),
    }
    return render(request, "courses/assignments/assignment.html", context)


def _other_versions(version: RubricVersion) -> QuerySet[RubricVersion]:
    """Return the newest other versions of the rubric, without their documents."""
    versions = RubricVersion.objects.filter(rubric=version.rubric_id).exclude(pk=version.pk)
    return versions.defer("document").order_by("-number")[:5]


@require_http_methods(["GET", "HEAD", "POST"])
def assignment_new(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    record = access_cohort(request.user, cohort, level="teacher")
    versions = RubricVersion.objects.filter(state=RubricState.PUBLISHED).select_related("rubric")
    own_rubrics = [(f"version:{version.pk}", str(version)) for version in versions]
    form = AssignmentForm(
        request.POST or None,
        own_rubrics=own_rubrics,
        zone=ZoneInfo(record.time_zone),
        no_models=_reason_without_models(record),
    )

    created = _create(request, record, form) if form.is_valid() else None
    if created is not None:
        return redirect("assignment", org, record.slug, created.slug)

    context = {
        "form": form,
        "title": f"New assignment for {record.name}",
        "verb": "Create assignment",
        "trail": trail_to_cohort(record),
    }
    return render(request, "forms/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def assignment_settings(
    request: MemberRequest, org: str, cohort: str, assignment: str
) -> HttpResponse:
    """Change settings other than the rubric, which is adopted from a preview."""
    record = access_assignment(request.user, cohort, assignment, level="teacher")
    current = asdict(settings_of(record))
    form = ChangeSettingsForm(
        request.POST if request.method == "POST" else None,
        initial=current,
        zone=ZoneInfo(record.cohort.time_zone),
        no_models=_reason_without_models(record),
        fingerprint=fingerprint_of({name: str(value) for name, value in current.items()}),
    )
    if form.is_valid() and _change(request, record, form):
        return redirect("assignment", org, record.cohort.slug, record.slug)

    context = {
        "form": form,
        "title": f"Settings of {record.title}",
        "lead": (
            f"It uses {record.rubric_version}. "
            "To change the rubric, preview another version on the assignment's page."
        ),
        "verb": "Save settings",
        "trail": trail_to_assignment(record),
    }
    return render(request, "forms/page.html", context)


def _reason_without_models(record: Cohort | Assignment) -> str:
    refusal = reason_without_models(record.organization_id)
    return refusal.sentence if refusal else ""


def _change(request: MemberRequest, assignment: Assignment, form: ChangeSettingsForm) -> bool:
    try:
        change_settings(
            assignment=assignment, settings=AssignmentSettings(**form.cleaned_data), by=request.user
        )
    except SettingsRefused as refusal:
        for field, sentence in refusal.faults.items():
            form.add_error(field, sentence)
        return False

    messages.success(request, "Settings saved.")
    return True


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
