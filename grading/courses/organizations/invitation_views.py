"""Pages on which a person answers invitations, and leaves an organization."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.bearer_access import access_invitation_by_link
from grading.core.breadcrumbs import trail_to_organization
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.letter_proof import ACCEPTING
from grading.core.own_addresses import addresses_of
from grading.core.permissions import access_invitation, access_organization
from grading.core.requests import MemberRequest
from grading.core.user_text import name_in_email
from grading.courses.organizations.forms import AnswerForm, LeaveForm, LinkAnswerForm
from grading.courses.organizations.invitations import (
    accept_invitation,
    decline_invitation,
    leave_organization,
)
from grading.courses.organizations.queries import invitations_to
from grading.models import Invitation


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitations(request: MemberRequest) -> HttpResponse:
    """List the person's invitations, refused ones too; answer one on POST."""
    form = AnswerForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        invitation = access_invitation(request.user, form.cleaned_data["invitation"])
        return _answer(request, invitation, form.cleaned_data["answer"])

    context = {
        "form": form,
        "invitations": invitations_to(request.user, with_refused=True),
        "trail": [("Home", reverse("home"))],
    }
    return render(request, "courses/organizations/invitations.html", context)


def _answer(request: MemberRequest, invitation: Invitation, answer: str) -> HttpResponse:
    organization = invitation.organization
    if answer == "decline":
        decline_invitation(invitation=invitation, by=request.user)
        messages.success(request, f"You declined the invitation of {_name(invitation)}.")
        return redirect("home")

    try:
        accept_invitation(invitation=invitation, user=request.user)
    except ActionRefused as refusal:
        messages.error(request, refusal.sentence)
        return redirect("invitations")
    messages.success(request, f"You are a member of {_name(invitation)}.")
    return redirect("organization", organization.slug)


def _name(invitation: Invitation) -> str:
    return name_in_email(invitation.organization.name)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Answer an invitation by its letter's link; accepting needs an account, declining none."""
    record = access_invitation_by_link(token)
    user = request.user
    is_theirs = user.is_authenticated and record.email in addresses_of(user)
    form = LinkAnswerForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        if form.cleaned_data["answer"] == "accept":
            return _accept_by_link(request, record, token, is_theirs=is_theirs)
        decline_invitation(
            invitation=record, by=user if is_theirs and user.is_authenticated else None
        )
        messages.success(request, f"You declined the invitation of {_name(record)}.")
        return redirect("home")

    context = {
        "form": form,
        "invitation": record,
        "name": _name(record),
        "is_theirs": is_theirs,
    }
    return render(request, "courses/organizations/invitation.html", context)


def _accept_by_link(
    request: HttpRequest, invitation: Invitation, token: str, *, is_theirs: bool
) -> HttpResponse:
    if is_theirs:
        return _answer(request, invitation, "accept")  # type: ignore[arg-type]  # -- signed in
    if request.user.is_authenticated:
        messages.error(request, f"Add {invitation.email} to your account and confirm it first.")
        return redirect("account_email")

    request.session[ACCEPTING] = token
    query = urlencode({"email": invitation.email, "next": reverse("home")})
    return redirect(f"{reverse('account_signup')}?{query}")


@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: MemberRequest, org: str) -> HttpResponse:
    organization = access_organization(request.user, org)
    form = LeaveForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            leave_organization(organization=organization, user=request.user)
        except ActionRefused as refusal:
            add_refusal(form, refusal, field="understood")
        else:
            messages.success(request, f"You left {organization.name}.")
            return redirect("home")

    context = {
        "form": form,
        "title": f"Leave {organization.name}",
        "lead": (
            "You lose access to everything here, also to your own grades. What you handed in stays "
            "with the organization. You can come back on the page “Invitations”."
        ),
        "verb": "Leave",
        "trail": trail_to_organization(organization),
    }
    return render(request, "forms/page.html", context)
