"""From a preview to what it showed: what would happen in words, and then, once confirmed, exactly that."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.actions.bulk.bulk import TYPED_ABOVE
from grading.actions.courses.adoption import enact_preview
from grading.enums import RubricState
from grading.errors import ActionRefused, BulkRefused
from grading.forms.previews import AdoptForm
from grading.models import Assignment, Audit, RubricVersion
from grading.permissions import access_assignment, access_rubric_version
from grading.queries.courses.previews import audits_to_apply_to
from grading.queries.courses.rubrics import published_sibling
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_assignment


@require_http_methods(["GET", "HEAD", "POST"])
def adopt(request: MemberRequest, org: str, cohort: str, assignment: str, version_id: int) -> HttpResponse:
    """The page asks; its form is sent with what was previewed and how many audits were shown."""
    found = access_assignment(request.user, cohort, assignment, level="teacher")
    version = access_rubric_version(request.user, version_id, level="teacher")
    audits = audits_to_apply_to(found)
    begin = {"seen": request.GET.get("seen", ""), "adopt": True, "resynthesise": bool(audits)}
    form = AdoptForm(
        request.POST or None, initial=begin, count=len(audits), must_be_typed=len(audits) > TYPED_ABOVE
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
    return render(request, "previews/adopt.html", context)


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
            assignment=assignment, version=version, seen=asked["seen"], adopt=asked["adopt"],
            audits=audits if asked["resynthesise"] else [], confirmed=asked["confirmed"], by=request.user,
        )  # fmt: skip
    except ActionRefused as refusal:
        about_count = isinstance(refusal, BulkRefused) and refusal.field == "confirmed"
        form.add_error("confirmed" if about_count and form.must_be_typed else None, refusal.sentence)
        return None
    messages.success(
        request, f"{version} is published{' and judged under here from now on' if asked['adopt'] else ''}."
    )
    org = assignment.organization.slug
    if run is not None:
        return redirect("bulk-run", org, run.pk)
    return redirect("assignment", org, assignment.cohort.slug, assignment.slug)
