"""Pages of the organization's rubrics: their list, a new one, and an import."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import trail_to_organization
from grading.core.errors import RubricRefused
from grading.core.permissions import access_organization, may
from grading.core.requests import MemberRequest
from grading.models import Organization, RubricVersion
from grading.rubrics.editor.new_draft import empty_document, shipped_document
from grading.rubrics.library.actions import create_rubric
from grading.rubrics.library.forms import NewRubricForm
from grading.rubrics.library.queries import rubric_rows
from grading.rubrics.page_frame import site_frame
from grading.rubrics.previews.queries import all_versions
from grading.rubrics.rubric_files.upload import import_view


@require_safe
def rubrics(request: MemberRequest, org: str) -> HttpResponse:
    """List the rubrics with their versions and what uses them."""
    organization = access_organization(request.user, org, level="staff")
    context = {
        "organization": organization,
        "rubrics": rubric_rows(),
        "may_edit": may(request.user, organization, "teacher"),
        "trail": trail_to_organization(organization),
    }
    return render(request, "rubrics/library/rubrics.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def rubric_new(request: MemberRequest, org: str) -> HttpResponse:
    """Create a rubric: empty, from a shipped one, or as a copy; a file has its own page."""
    organization = access_organization(request.user, org, level="teacher")
    is_sent = request.method == "POST"
    data = request.POST.dict() if is_sent else None
    form = NewRubricForm(data, versions=all_versions(), start=request.GET.get("start", ""))
    if is_sent and form.is_valid():
        try:
            draft = _created(organization, form, request)
        except RubricRefused as refused:
            form.add_error("name", refused.sentence)
        else:
            messages.success(request, f"{draft} is created as a draft. Assignments do not use it.")
            return redirect("rubric-edit", org, draft.pk)

    trail = site_frame(request, organization).trail
    context = {"organization": organization, "form": form, "trail": trail}
    return render(request, "rubrics/library/new.html", context)


def _created(
    organization: Organization, form: NewRubricForm, request: MemberRequest
) -> RubricVersion:
    copied, start = form.copied, form.cleaned_data["start"]
    if copied is not None:
        document, why = dict(copied.document), f"Copy of {copied}"
    else:
        document, why = shipped_document(start) or empty_document(), ""
    name = form.cleaned_data["name"]
    return create_rubric(
        organization=organization, name=name, document=document, why=why, by=request.user
    )


@require_http_methods(["GET", "HEAD", "POST"])
def rubric_import(request: MemberRequest, org: str) -> HttpResponse:
    """Import a rubric from a file or a text."""
    organization = access_organization(request.user, org, level="teacher")
    return import_view(site_frame(request, organization), request)
