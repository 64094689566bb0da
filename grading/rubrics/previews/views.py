"""A version of a rubric tried on everything that counts at an assignment, before anybody is judged under it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from grading.bulk.actions import TYPED_ABOVE
from grading.core.breadcrumbs import trail_to_assignment
from grading.core.enums import RubricState
from grading.core.errors import ActionRefused, BulkRefused
from grading.core.permissions import access_assignment, access_rubric_version, may
from grading.core.requests import MemberRequest
from grading.engine import rubrics as engine_rubrics
from grading.models import Assignment, Audit, RubricVersion
from grading.rubrics.previews import rubric_preview
from grading.rubrics.previews.actions import enact_preview
from grading.rubrics.previews.forms import AdoptForm, PreviewForm
from grading.rubrics.previews.presenters import (
    PassMarks,
    criteria_of,
    histogram_of,
    moves_of,
    tally_of,
)
from grading.rubrics.previews.queries import audits_to_apply_to, versions_to_try
from grading.rubrics.previews.rubric_preview import Change
from grading.rubrics.queries import published_sibling


@require_safe
def preview(
    request: MemberRequest, org: str, cohort: str, assignment: str, version_id: int
) -> HttpResponse:
    """Nothing is changed by looking, and no model is asked."""
    found = access_assignment(request.user, cohort, assignment, level="staff")
    version = access_rubric_version(request.user, version_id, level="staff")
    form = PreviewForm(request.GET.dict())
    context = {
        "assignment": found,
        "version": version,
        "form": form,
        "versions": versions_to_try(found),
        "faults": engine_rubrics.rubric_faults(version.document),
        "may_publish": may(request.user, found.organization, "teacher"),
        "trail": trail_to_assignment(found),
    }
    if not context["faults"]:
        context |= _looked_at(found, version, form)
    return render(request, "rubrics/previews/preview.html", context)


def _looked_at(assignment: Assignment, version: RubricVersion, form: PreviewForm) -> dict[str, Any]:
    changes = rubric_preview.preview(assignment, version.document, rules=form.asked_rules)
    moves = moves_of(changes, PassMarks(*form.pass_marks))
    criteria = criteria_of(changes)
    return {
        "seen": engine_rubrics.document_digest(version.document),
        "rules": form.asked_rules,
        "tally": tally_of(changes, moves),
        "moves": moves,
        "criteria": criteria,
        "heard_again": sum(criterion.is_heard_again for criterion in criteria),
        "unknown": [criterion for criterion in criteria if not criterion.is_known],
        "histogram": histogram_of(_results(changes)),
    }


def _results(changes: list[Change]) -> list[tuple[Any, Any]]:
    return [(change.before, change.after) for change in changes if change.after is not None]


@require_http_methods(["GET", "HEAD", "POST"])
def adopt(
    request: MemberRequest, org: str, cohort: str, assignment: str, version_id: int
) -> HttpResponse:
    """The page asks; its form is sent with what was previewed and how many audits were shown."""
    found = access_assignment(request.user, cohort, assignment, level="teacher")
    version = access_rubric_version(request.user, version_id, level="teacher")
    audits = audits_to_apply_to(found)
    begin = {"seen": request.GET.get("seen", ""), "adopt": True, "resynthesise": bool(audits)}
    form = AdoptForm(
        request.POST or None,
        initial=begin,
        count=len(audits),
        must_be_typed=len(audits) > TYPED_ABOVE,
    )
    done = _enacted(request, found, version, audits, form) if form.is_valid() else None
    if done is not None:
        return done
    context = {
        "assignment": found,
        "version": version,
        "is_draft": version.state == RubricState.DRAFT,
        "superseded": published_sibling(version),
        "form": form,
        "audits": len(audits),
        "trail": trail_to_assignment(found),
    }
    return render(request, "rubrics/previews/adopt.html", context)


def _enacted(
    request: MemberRequest,
    assignment: Assignment,
    version: RubricVersion,
    audits: list[Audit],
    form: AdoptForm,
) -> HttpResponse | None:
    """Where to go on; null when it was refused, with the reason in the form."""
    asked = form.cleaned_data
    try:
        run = enact_preview(
            assignment=assignment,
            version=version,
            seen=asked["seen"],
            adopt=asked["adopt"],
            audits=audits if asked["resynthesise"] else [],
            confirmed=asked["confirmed"],
            by=request.user,
        )
    except ActionRefused as refusal:
        about_count = isinstance(refusal, BulkRefused) and refusal.field == "confirmed"
        form.add_error(
            "confirmed" if about_count and form.must_be_typed else None, refusal.sentence
        )
        return None
    messages.success(
        request,
        f"{version} is published{' and judged under here from now on' if asked['adopt'] else ''}.",
    )
    org = assignment.organization.slug
    if run is not None:
        return redirect("bulk-run", org, run.pk)
    return redirect("assignment", org, assignment.cohort.slug, assignment.slug)
