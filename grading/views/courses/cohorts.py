"""A cohort: its assignments, its roster, its opening, its archive and its end."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from grading.actions.courses.archive import archive_cohort
from grading.actions.courses.cohort_deletion import delete_cohort
from grading.actions.courses.cohorts import open_cohort
from grading.actions.courses.roster import RosterImport, import_roster
from grading.errors import ActionRefused
from grading.forms.cohorts import DeletionForm
from grading.forms.named import CohortForm
from grading.forms.refusals import put_beside
from grading.forms.roster import RosterForm
from grading.models import Cohort
from grading.permissions import Level, access_cohort, access_organization, may
from grading.queries.courses.cohorts import cohort_overview, roster_of
from grading.queries.courses.holdings import holdings_of
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_cohort, trail_to_organization


@require_http_methods(["GET", "HEAD", "POST"])
def cohort_new(request: MemberRequest, org: str) -> HttpResponse:
    organization = access_organization(request.user, org, level="teacher")
    form = CohortForm(request.POST or None)
    if form.is_valid():
        try:
            opened = open_cohort(organization=organization, by=request.user, **form.cleaned_data)
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
    return render(request, "cohorts/cohort.html", context)


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
    return render(request, "cohorts/roster.html", context)


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
    context = {"cohort": found, "holdings": holdings_of(found), "trail": trail_to_cohort(found)}
    return render(request, "cohorts/archive.html", context)


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
        "holdings": holdings_of(found),
        "trail": trail_to_cohort(found),
    }
    return render(request, "cohorts/delete.html", context)


def _deleted(request: MemberRequest, cohort: Cohort, form: DeletionForm) -> bool:
    try:
        delete_cohort(cohort=cohort, by=request.user, **form.cleaned_data)
    except ActionRefused as refusal:
        put_beside(form, refusal, field="typed" if refusal.code == "slug_differs" else None)
        return False
    return True
