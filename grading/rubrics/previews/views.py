"""Pages that preview a version on an assignment's grades, and put it into force."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from grading.bulk.actions import CONFIRM_ABOVE
from grading.core.breadcrumbs import trail_to_assignment
from grading.core.enums import RubricState
from grading.core.errors import ActionRefused
from grading.core.permissions import access_assignment, access_rubric_version, may
from grading.core.requests import MemberRequest
from grading.engine import rubrics as engine_rubrics
from grading.models import Assignment, Audit, RubricVersion
from grading.rubrics.previews import cohort_preview
from grading.rubrics.previews.cohort_preview import Change
from grading.rubrics.previews.forms import AdoptForm, PreviewForm
from grading.rubrics.previews.presenters import (
    PassMarks,
    criterion_changes,
    histogram_of,
    moves_of,
    tally_of,
)
from grading.rubrics.previews.queries import audits_to_apply_to, versions_to_try
from grading.rubrics.publishing.actions import Use, UseRefused, publish_and_use
from grading.rubrics.queries import published_sibling


@require_safe
def preview(
    request: MemberRequest, org: str, cohort: str, assignment: str, version_id: int
) -> HttpResponse:
    """Preview a version. Nothing changes, and no model is called."""
    target = access_assignment(request.user, cohort, assignment, level="staff")
    version = access_rubric_version(request.user, version_id, level="staff")
    form = PreviewForm(request.GET.dict())
    context = {
        "assignment": target,
        "version": version,
        "form": form,
        "versions": versions_to_try(target),
        "faults": engine_rubrics.rubric_faults(version.document),
        "may_publish": may(request.user, target.organization, "teacher"),
        "trail": trail_to_assignment(target),
    }
    if not context["faults"]:
        context |= _preview_context(target, version, form)
    return render(request, "rubrics/previews/preview.html", context)


def _preview_context(
    assignment: Assignment, version: RubricVersion, form: PreviewForm
) -> dict[str, Any]:
    changes = cohort_preview.preview(assignment, version.document, rules=form.chosen_rules)
    moves = moves_of(changes, PassMarks(*form.pass_marks))
    criteria = criterion_changes(changes)
    return {
        "digest": engine_rubrics.document_digest(version.document),
        "rules": form.chosen_rules,
        "tally": tally_of(changes, moves),
        "moves": moves,
        "criteria": criteria,
        "reheard": sum(criterion.is_reheard for criterion in criteria),
        "incomplete": [criterion for criterion in criteria if not criterion.is_complete],
        "histogram": histogram_of(_results(changes)),
    }


def _results(changes: list[Change]) -> list[tuple[Any, Any]]:
    return [(change.before, change.after) for change in changes if change.after is not None]


@require_http_methods(["GET", "HEAD", "POST"])
def adopt(
    request: MemberRequest, org: str, cohort: str, assignment: str, version_id: int
) -> HttpResponse:
    """Confirm and put the version into force, with the previewed digest and number of audits."""
    target = access_assignment(request.user, cohort, assignment, level="teacher")
    version = access_rubric_version(request.user, version_id, level="teacher")
    audits = audits_to_apply_to(target)
    initial = {"seen": request.GET.get("seen", ""), "adopt": True, "resynthesise": bool(audits)}
    form = AdoptForm(
        request.POST or None,
        initial=initial,
        count=len(audits),
        must_be_typed=len(audits) > CONFIRM_ABOVE,
    )
    response = _apply(request, target, version, audits, form) if form.is_valid() else None
    if response is not None:
        return response

    context = {
        "assignment": target,
        "version": version,
        "is_draft": version.state == RubricState.DRAFT,
        "superseded": published_sibling(version),
        "form": form,
        "audits": len(audits),
        "trail": trail_to_assignment(target),
    }
    return render(request, "rubrics/previews/adopt.html", context)


def _apply(
    request: MemberRequest,
    assignment: Assignment,
    version: RubricVersion,
    audits: list[Audit],
    form: AdoptForm,
) -> HttpResponse | None:
    """Return the redirect, or None when it was refused, with the reason in the form."""
    choices = form.cleaned_data
    use = Use(
        assignment=assignment,
        adopt=choices["adopt"],
        audits=tuple(audits) if choices["resynthesise"] else (),
        confirmed=choices["confirmed"],
    )
    digest, by = choices["seen"], request.user
    try:
        runs = publish_and_use(version=version, expected_digest=digest, uses=[use], by=by)
    except ActionRefused as refusal:
        about_count = isinstance(refusal, UseRefused) and refusal.is_about_count
        form.add_error(
            "confirmed" if about_count and form.must_be_typed else None, refusal.sentence
        )
        return None

    adopted = f" and {assignment} uses it from now on" if choices["adopt"] else ""
    messages.success(request, f"{version} is published{adopted}.")
    org = assignment.organization.slug
    if runs:
        return redirect("bulk-run", org, runs[0].pk)
    return redirect("assignment", org, assignment.cohort.slug, assignment.slug)
