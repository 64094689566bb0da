"""Pages of bulk runs: estimate, confirm, follow the progress, cancel."""

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
    """Choose, see count and cost, then confirm.

    Values in the address are treated like a submitted choice.
    """
    bulk_assignment = access_assignment(request.user, cohort, assignment, level="teacher")
    grades = list(grades_of(bulk_assignment).select_related("audit__rubric_version").defer(*_HEAVY))
    data = request.POST if request.method == "POST" else request.GET
    versions = list(judgeable_versions(bulk_assignment))
    chosen = _chosen(data, grades)
    form = BulkForm(
        data if "verb" in data or request.method == "POST" else None,
        assignment=bulk_assignment,
        versions=versions,
        grades={grade.pk for grade in grades},
        initial={"scope": CHOSEN} if chosen else None,
    )
    estimate = (
        _estimate(bulk_assignment, form, grades) if form.is_bound and form.is_valid() else None
    )
    if estimate and request.method == "POST" and "start" in request.POST:
        run = _start(request, bulk_assignment, form, estimate)
        if run is not None:
            return redirect("bulk-run", org, run.pk)

    context = {
        "assignment": bulk_assignment,
        "form": form,
        "estimate": estimate,
        "listed": [_listed(grade, chosen) for grade in grades],
        "flagged": sum(bool(flags_of(grade)) for grade in grades),
        "failed": len(failed_audits(bulk_assignment)),
        "runs": list(past_runs(bulk_assignment)[:PAST]),
        "trail": trail_to_assignment(bulk_assignment),
    }

    return render(request, "bulk/start.html", context)


def _chosen(data: QueryDict, grades: list[Grade]) -> set[int]:
    """Return the ids of grades chosen in this form or in the list of grades."""
    keys = set(data.getlist("grade"))
    return {grade.pk for grade in grades if str(grade.pk) in keys}


# Large columns that the list doesn't show.
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
    # The members of a team share one work: it is judged once.
    return list({audit.pk: audit for audit in _chosen_audits(assignment, form, grades)}.values())


def _chosen_audits(assignment: Assignment, form: BulkForm, grades: list[Grade]) -> list[Audit]:
    match form.cleaned_data["scope"]:
        case scope if scope == FAILED:
            return failed_audits(assignment)
        case scope if scope == FLAGGED:
            return [grade.audit for grade in grades if flags_of(grade)]
        case scope if scope == CHOSEN:
            return [grade.audit for grade in grades if grade.pk in form.cleaned_data["grade"]]
    return [grade.audit for grade in grades]


def _start(
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

    messages.success(request, "Started. You can close this page; the run continues.")
    return run


@never_cache
@require_safe
def run(request: MemberRequest, org: str, bulk_id: UUID) -> HttpResponse:
    """Show progress, largest changes, failures and every attempt."""
    bulk_run = access_bulk_run(request.user, bulk_id, level="staff")
    form = ItemsForm(request.GET)
    form.full_clean()
    kind = form.cleaned_data.get("show", "")
    items = items_of(bulk_run, kind).order_by("position")
    # Assistants follow a run but can't cancel it.
    may_change = may(request.user, bulk_run.organization, "teacher")
    page = Paginator(items, PER_PAGE).get_page(form.cleaned_data.get("page") or 1)
    context = _progress(bulk_run) | {
        "kind": kind,
        "misread": form.query_errors(),
        "page": page,
        "failures": list(failures_of(bulk_run)[:PER_PAGE]),
        "spent": usage_of_run(bulk_run),
        "trail": _trail_to_bulk(bulk_run.assignment)
        if may_change
        else trail_to_assignment(bulk_run.assignment),
        "may_change": may_change,
    }

    return render(request, "bulk/run.html", context)


@require_safe
def progress(request: MemberRequest, org: str, bulk_id: UUID) -> HttpResponse:
    """Return the page fragment that refreshes itself: 304 if unchanged.

    When the run has ended, the whole page is reloaded.
    """
    bulk_run = access_bulk_run(request.user, bulk_id, level="staff")
    context = _progress(bulk_run) | {
        "may_change": may(request.user, bulk_run.organization, "teacher")
    }
    headers = {"ETag": context["etag"], "Cache-Control": "private, no-cache"}
    # The page polls often; an unchanged fragment is not rendered again.
    if request.headers.get("If-None-Match") == context["etag"]:
        return HttpResponse(status=304, headers=headers)

    if not context["going_on"]:
        headers["HX-Refresh"] = "true"
    return HttpResponse(render_to_string("bulk/_progress.html", context, request), headers=headers)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: MemberRequest, org: str, bulk_id: UUID) -> HttpResponse:
    """Show what cancelling would skip; on POST, cancel."""
    bulk_run = access_bulk_run(request.user, bulk_id, level="teacher")
    if request.method == "POST" and "cancel" in request.POST:
        cancelled = cancel_bulk(run=bulk_run, by=request.user)
        messages.success(
            request, f"{cancelled} cancelled." if cancelled else "The run had already ended."
        )
        return redirect("bulk-run", org, bulk_id)

    context = {
        "run": bulk_run,
        "counts": progress_of(bulk_run),
        "trail": _trail_to_bulk(bulk_run.assignment),
    }

    return render(request, "bulk/cancel.html", context)


def _progress(run: BulkRun) -> dict[str, Any]:
    counts = progress_of(run)
    return {
        "run": run,
        "counts": counts,
        "going_on": run.state == BulkState.RUNNING or counts.waiting > 0,
        "moved": most_moved(run),
        "etag": f'"{hashlib.sha256(repr((run.state, counts)).encode()).hexdigest()[:16]}"',
    }


def _trail_to_bulk(assignment: Assignment) -> Trail:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return [*trail_to_assignment(assignment), ("Judge again", reverse("bulk", args=slugs))]
