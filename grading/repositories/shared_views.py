"""Pages on which teachers give, see and revoke the organization's accesses to private repositories."""

from __future__ import annotations

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_organization
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_organization, access_shared_repository
from grading.core.requests import MemberRequest
from grading.models import Organization, RepositoryAccess
from grading.repositories.actions import (
    Holder,
    assign_repositories,
    link_token,
    make_deploy_key,
    withdraw_grant,
)
from grading.repositories.forms import AssignForm, SharedDeployKeyForm, SharedTokenForm
from grading.repositories.queries import accesses_of_organization, grants_of
from grading.repositories.views import access_page


@never_cache
@sensitive_post_parameters("token")
@require_http_methods(["GET", "HEAD", "POST"])
def repositories(request: MemberRequest, org: str) -> HttpResponse:
    """Show the organization's accesses, and give one by a token or a deploy key."""
    organization = access_organization(request.user, org, level="teacher")
    kinds = {"token": SharedTokenForm, "key": SharedDeployKeyForm}
    sent = request.POST.get("do", "") if request.method == "POST" else ""
    by_name = {
        name: kind(request.POST if name == sent else None, auto_id=f"{name}_%s")
        for name, kind in kinds.items()
    }
    if sent in by_name and (done := _give(request, organization, sent, by_name[sent])):
        return done
    context = {
        "organization": organization,
        "accesses": accesses_of_organization(organization),
        "forms": by_name,
        "trail": trail_to_organization(organization),
    }
    return render(request, "repositories/shared.html", context)


@sensitive_variables("form")
def _give(
    request: MemberRequest, organization: Organization, name: str, form: forms.Form
) -> HttpResponse | None:
    """Store what a valid form holds, and lead to its page; None where it was refused."""
    if not form.is_valid():
        return None
    give: Callable[..., RepositoryAccess] = link_token if name == "token" else make_deploy_key
    try:
        access = give(holder=Holder(organization), by=request.user, **form.cleaned_data)
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return None
    messages.success(request, f"Access to {access.place} was stored.")
    return redirect("shared-repository", organization.slug, access.pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def repository(request: MemberRequest, org: str, shared_id: int) -> HttpResponse:
    """Show one access of the organization and whose repositories it opens; assign and withdraw."""
    access = access_shared_repository(request.user, org, shared_id)
    is_list = "students" in request.POST
    form = AssignForm(request.POST if is_list else None, access=access)
    if is_list and form.is_valid():
        new = assign_repositories(
            access=access, lines=form.cleaned_data["students"], by=request.user
        )
        messages.success(request, f"{new} repositories assigned.")
        return redirect(request.path)
    if "grant" in request.POST:
        key = request.POST["grant"]
        grant = get_object_or_404(grants_of(access), pk=key if key.isdecimal() else 0)
        withdraw_grant(grant=grant, by=request.user)
        messages.success(request, f"{grant.path} was withdrawn from {grant.student}.")
        return redirect(request.path)
    here = reverse("shared-repositories", args=[org])
    return access_page(
        request,
        access,
        back=here,
        trail=[*trail_to_organization(access.organization), ("Repositories", here)],
        more={"grants": grants_of(access), "assign": form},
    )
