"""Pages of the settings of cohorts and assignments, with the short names in their addresses."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment, trail_to_cohort
from grading.core.errors import SettingsRefused, SlugTaken
from grading.core.form_bases import ShortNameForm, add_refusal
from grading.core.form_fingerprint import fingerprint_of
from grading.core.permissions import access_assignment, access_cohort
from grading.core.requests import MemberRequest
from grading.courses.actions import (
    AssignmentSettings,
    CohortSettings,
    change_cohort,
    change_settings,
    settings_of,
    settings_of_cohort,
)
from grading.courses.forms import ChangeSettingsForm, CohortSettingsForm
from grading.courses.short_names import change_short_name
from grading.engine.bench_settings import sentence_without_models
from grading.models import Assignment, Cohort


@require_http_methods(["GET", "HEAD", "POST"])
def cohort_settings(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    record = access_cohort(request.user, cohort, level="teacher")
    short_name = _short_name_form(request, record)
    current = asdict(settings_of_cohort(record))
    form = CohortSettingsForm(
        _sent_settings(request),
        initial=current,
        fingerprint=fingerprint_of({name: str(value) for name, value in current.items()}),
    )
    if slug := _renamed(request, record, short_name):
        return redirect("cohort", org, slug)
    if form.is_valid():
        change_cohort(cohort=record, settings=CohortSettings(**form.cleaned_data), by=request.user)
        messages.success(request, "Settings saved.")
        return redirect("cohort", org, record.slug)

    context = {
        "form": form,
        "short_name": short_name,
        "kind": "cohort",
        "title": f"Settings of {record.name}",
        "lead": "In another time zone, deadlines that are set stay at their moment: only how they "
        "are shown changes.",
        "verb": "Save settings",
        "trail": trail_to_cohort(record),
    }
    return render(request, "courses/place_settings.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def assignment_settings(
    request: MemberRequest, org: str, cohort: str, assignment: str
) -> HttpResponse:
    """Change settings other than the rubric, which is adopted from a preview."""
    record = access_assignment(request.user, cohort, assignment, level="teacher")
    short_name = _short_name_form(request, record)
    current = asdict(settings_of(record))
    form = ChangeSettingsForm(
        _sent_settings(request),
        initial=current,
        zone=ZoneInfo(record.cohort.time_zone),
        no_models=sentence_without_models(record.organization_id),
        fingerprint=fingerprint_of({name: str(value) for name, value in current.items()}),
    )
    if slug := _renamed(request, record, short_name):
        return redirect("assignment", org, record.cohort.slug, slug)
    if form.is_valid() and _change(request, record, form):
        return redirect("assignment", org, record.cohort.slug, record.slug)

    context = {
        "form": form,
        "short_name": short_name,
        "kind": "assignment",
        "title": f"Settings of {record.title}",
        "lead": (
            f"It uses {record.rubric_version}. "
            "To change the rubric, preview another version on the assignment's page."
        ),
        "verb": "Save settings",
        "trail": trail_to_assignment(record),
    }
    return render(request, "courses/place_settings.html", context)


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


# Value of `act` that tells the second form of the page from the first.
SHORT_NAME = "short-name"


def _sent_settings(request: MemberRequest) -> Any:
    is_sent = request.method == "POST" and request.POST.get("act") != SHORT_NAME
    return request.POST if is_sent else None


def _short_name_form(request: MemberRequest, place: Cohort | Assignment) -> ShortNameForm:
    is_sent = request.method == "POST" and request.POST.get("act") == SHORT_NAME
    return ShortNameForm(request.POST if is_sent else None, initial={"slug": place.slug})


def _renamed(request: MemberRequest, place: Cohort | Assignment, form: ShortNameForm) -> str | None:
    """Change the short name and return it; None if it was not sent, or was refused."""
    if not form.is_valid():
        return None
    slug = str(form.cleaned_data["slug"])
    try:
        change_short_name(place=place, slug=slug, by=request.user)
    except SlugTaken as refusal:
        add_refusal(form, refusal)
        return None
    messages.success(request, f"The short name is “{slug}”. This page has its new address.")
    return slug
