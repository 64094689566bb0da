"""Page of an organization's settings."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_organization
from grading.core.errors import OrganizationRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of
from grading.core.permissions import access_organization
from grading.core.requests import MemberRequest
from grading.courses.forms import OrganizationNameForm
from grading.courses.organizations.renaming import rename_organization
from grading.models import Organization


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: MemberRequest, org: str) -> HttpResponse:
    organization = access_organization(request.user, org, level="teacher")
    form = OrganizationNameForm(
        request.POST if request.method == "POST" else None,
        initial={"name": organization.name},
        fingerprint=fingerprint_of(organization.name),
    )
    if form.is_valid() and _rename(request, organization, form):
        messages.success(request, "Settings saved.")
        return redirect("organization", organization.slug)

    context = {
        "form": form,
        "title": f"Settings of {organization.name}",
        "lead": "Its address on this site stays as it is.",
        "verb": "Save settings",
        "trail": trail_to_organization(organization),
    }
    return render(request, "forms/page.html", context)


def _rename(request: MemberRequest, organization: Organization, form: OrganizationNameForm) -> bool:
    try:
        rename_organization(organization=organization, by=request.user, **form.cleaned_data)
    except OrganizationRefused as refusal:
        add_refusal(form, refusal, field="name")
        return False
    return True
