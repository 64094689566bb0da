"""Judging many again: what it would be, the yes to it, how far it is, and the stop."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from grading.audits.queries import usage_of_run
from grading.bulk.actions import Estimate, cancel_bulk, estimate_bulk, start_bulk
from grading.bulk.forms import CHOSEN, FAILED, FLAGGED, BulkForm, ItemsForm
from grading.bulk.queries import (
    failed_audits,
    failures_of,
    items_of,
    judgeable_versions,
    most_moved,
    past_runs,
    progress_of,
)
from grading.core.breadcrumbs import Trail, trail_to_assignment
from grading.core.enums import BulkState
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_assignment, access_bulk_run, may
from grading.core.requests import MemberRequest
from grading.grades.queries.gradebook import FLAGS, flags_of, grades_of
from grading.models import Assignment, Audit, BulkRun, Grade

PER_PAGE = 50
PAST = 10
AT_FAULT = {"criterion_unknown": "criterion", "rubric_draft": "rubric_version"}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def bulk(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Choose; see count and cost; confirm. What stands in the address is looked at as if it had been chosen."""
    found = access_assignment(request.user, cohort, assignment, level="teacher")
    grades = list(grades_of(found).select_related("audit__rubric_version").defer(*_HEAVY))
    asked = request.POST if request.method == "POST" else request.GET
    versions = list(judgeable_versions(found))
    chosen = _chosen(asked, grades)
    form = BulkForm(
        asked if "verb" in asked or request.method == "POST" else None,
        assignment=found,
        versions=versions,
        grades={grade.pk for grade in grades},
        initial={"scope": CHOSEN} if chosen else None,
    )
    estimate = _estimate(found, form, grades) if form.is_bound and form.is_valid() else None
    if estimate and request.method == "POST" and "start" in request.POST:
        run = _started(request, found, form, estimate)
        if run is not None:
            return redirect("bulk-run", org, run.pk)
    context = {
        "assignment": found,
        "form": form,
        "estimate": estimate,
        "listed": [_listed(grade, chosen) for grade in grades],
        "flagged": sum(bool(flags_of(grade)) for grade in grades),
        "failed": len(failed_audits(found)),
        "runs": list(past_runs(found)[:PAST]),
        "trail": trail_to_assignment(found),
    }
    return render(request, "bulk/start.html", context)


def _chosen(asked: QueryDict, grades: list[Grade]) -> set[int]:
    """Who was chosen here, whatever is refused of it, or in the list of grades before."""
    keys = set(asked.getlist("grade"))
    return {grade.pk for grade in grades if str(grade.pk) in keys}


_HEAVY = ("released", "audit__report", "audit__rubric_version__document")


def _listed(grade: Grade, chosen: set[int]) -> tuple[Grade, list[str], bool]:
    return grade, [FLAGS[flag] for flag in flags_of(grade)], grade.pk in chosen


def _estimate(assignment: Assignment, form: BulkForm, grades: list[Grade]) -> Estimate:
    return estimate_bulk(
        assignment=assignment,
        verb=form.cleaned_data["verb"],
        audits=_in_scope(assignment, form, grades),
        version=form.cleaned_data["rubric_version"],
        criteria=form.criteria,
    )


def _in_scope(assignment: Assignment, form: BulkForm, grades: list[Grade]) -> list[Audit]:
    match form.cleaned_data["scope"]:
        case scope if scope == FAILED:
            return failed_audits(assignment)
        case scope if scope == FLAGGED:
            return [grade.audit for grade in grades if flags_of(grade)]
        case scope if scope == CHOSEN:
            return [grade.audit for grade in grades if grade.pk in form.cleaned_data["grade"]]
    return [grade.audit for grade in grades]


def _started(
    request: MemberRequest, assignment: Assignment, form: BulkForm, estimate: Estimate
) -> BulkRun | None:
    try:
        run = start_bulk(
            assignment=assignment,
            verb=form.cleaned_data["verb"],
            rubric_version=form.cleaned_data["rubric_version"],
            audits=estimate.audits,
            by=request.user,
            confirmed=form.cleaned_data["confirmed"],
            criteria=form.criteria,
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal, field=AT_FAULT.get(refusal.code))
        return None
    messages.success(request, "It has begun. You may close the page: it goes on.")
    return run


@never_cache
@require_safe
def run(request: MemberRequest, org: str, bulk_id: UUID) -> HttpResponse:
    """How far it is, what moved most, what failed, and every attempt."""
    found = access_bulk_run(request.user, bulk_id, level="staff")
    form = ItemsForm(request.GET)
    form.full_clean()
    shown = form.cleaned_data.get("show", "")
    items = items_of(found, shown).order_by("position")
    may_change = may(request.user, found.organization, "teacher")
    page = Paginator(items, PER_PAGE).get_page(form.cleaned_data.get("page") or 1)
    context = _progress(found) | {
        "shown": shown,
        "misread": form.query_errors(),
        "page": page,
        "failures": list(failures_of(found)[:PER_PAGE]),
        "spent": usage_of_run(found),
        "trail": _trail_to_bulk(found.assignment)
        if may_change
        else trail_to_assignment(found.assignment),
        "may_change": may_change,
    }
    return render(request, "bulk/run.html", context)


@require_safe
def progress(request: MemberRequest, org: str, bulk_id: UUID) -> HttpResponse:
    """The fragment that renews itself: 304 while nothing changed; when the run has ended, the page is loaded anew."""
    found = access_bulk_run(request.user, bulk_id, level="staff")
    context = _progress(found) | {"may_change": may(request.user, found.organization, "teacher")}
    headers = {"ETag": context["etag"], "Cache-Control": "private, no-cache"}
    if request.headers.get("If-None-Match") == context["etag"]:
        return HttpResponse(status=304, headers=headers)
    if not context["going_on"]:
        headers["HX-Refresh"] = "true"
    return HttpResponse(render_to_string("bulk/_progress.html", context, request), headers=headers)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: MemberRequest, org: str, bulk_id: UUID) -> HttpResponse:
    """What a stop would leave undone; then the stop."""
    found = access_bulk_run(request.user, bulk_id, level="teacher")
    if request.method == "POST" and "cancel" in request.POST:
        cancelled = cancel_bulk(run=found, by=request.user)
        messages.success(
            request, f"{cancelled} cancelled." if cancelled else "It had ended already."
        )
        return redirect("bulk-run", org, bulk_id)
    context = {"run": found, "far": progress_of(found), "trail": _trail_to_bulk(found.assignment)}
    return render(request, "bulk/cancel.html", context)


def _progress(run: BulkRun) -> dict[str, Any]:
    far = progress_of(run)
    return {
        "run": run,
        "far": far,
        "going_on": run.state == BulkState.RUNNING or far.waiting > 0,
        "moved": most_moved(run),
        "etag": f'"{hashlib.sha256(repr((run.state, far)).encode()).hexdigest()[:16]}"',
    }


def _trail_to_bulk(assignment: Assignment) -> Trail:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return [*trail_to_assignment(assignment), ("Judge again", reverse("bulk", args=slugs))]
