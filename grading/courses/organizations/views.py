"""Pages of an organization and of its creation."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.enums import Role
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_organization, may
from grading.core.requests import MemberRequest
from grading.courses.forms import OrganizationForm
from grading.courses.organizations.approval import create_organization
from grading.courses.page_links import links_of_organization
from grading.courses.queries import cohorts_of, members_of

LEAD = "Only its members can see what is in it."
LEAD_BY_APPROVAL = f"{LEAD} The operator of this site has to approve it before you can use it."


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def organization_new(request: MemberRequest) -> HttpResponse:
    form = OrganizationForm(request.POST or None)
    if form.is_valid():
        try:
            created = create_organization(
                name=form.cleaned_data["name"], slug=form.cleaned_data["slug"], founder=request.user
            )
        except ActionRefused as refusal:
            add_refusal(form, refusal)
        else:
            if created.is_usable:
                messages.success(request, f"{created.name} was created, and you are its owner.")
            return redirect("organization", created.slug)

    context = {
        "form": form,
        "title": "Create organization",
        "lead": LEAD_BY_APPROVAL if settings.INSTITUTIONS_BY_APPROVAL else LEAD,
        "verb": "Create organization",
        "trail": [("Home", reverse("home"))],
    }
    return render(request, "forms/page.html", context)


@require_safe
def organization(request: MemberRequest, org: str) -> HttpResponse:
    organization = access_organization(request.user, org)
    is_staff = may(request.user, organization, "staff")
    context = {
        "organization": organization,
        "cohorts": cohorts_of(request.user, organization),
        "staff": members_of(organization).exclude(role=Role.STUDENT) if is_staff else (),
        "may_change": may(request.user, organization, "teacher"),
        "groups": links_of_organization(request.user, organization),
        "trail": [("Home", reverse("home"))],
    }
    return render(request, "courses/organizations/organization.html", context)
