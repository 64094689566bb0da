"""Pages on which students give, see and revoke accesses to their private repositories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import Trail, trail_to_cohort
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_cohort, access_enrollment, access_repository
from grading.core.requests import MemberRequest
from grading.engine.access_trials import fingerprint_of
from grading.engine.repository_access import location_of
from grading.models import Enrollment, RepositoryAccess
from grading.repositories.actions import (
    Holder,
    confirm_host_key,
    grant_by_branch,
    link_token,
    make_deploy_key,
    read_host_key,
    revoke_access,
    try_again,
)
from grading.repositories.forms import ConfirmForm, DeployKeyForm, ProofForm, TokenForm
from grading.repositories.github_views import app_or_none, start
from grading.repositories.queries import (
    accesses_of,
    accesses_of_organization,
    covering_access,
    grants_to,
    proof_branch,
)

VERBS = ("revoke", "try", "confirm", "read")


@never_cache
@sensitive_post_parameters("token")
@require_http_methods(["GET", "HEAD", "POST"])
def repositories(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Show who can read what, and give an access by one of the forms."""
    target = access_cohort(request.user, cohort)
    student = access_enrollment(request.user, target)
    kinds: Mapping[str, type[forms.Form]] = {
        "token": TokenForm,
        "key": DeployKeyForm,
        "proof": ProofForm,
    }
    sent = request.POST.get("do", "") if request.method == "POST" else ""
    by_name = {
        name: kind(request.POST if name == sent else None, auto_id=f"{name}_%s")
        for name, kind in kinds.items()
    }
    if sent == "github":
        return start(request, target)
    if sent in by_name and (done := _give(request, student, sent, by_name[sent])):
        return done
    context = {
        "cohort": target,
        "accesses": accesses_of(student),
        "grants": grants_to(student),
        "shared": accesses_of_organization(target.organization),
        "forms": by_name,
        "proof": _proof(student, by_name["proof"]),
        "app": app_or_none(),
        "trail": trail_to_cohort(target),
    }
    return render(request, "repositories/repositories.html", context)


@sensitive_variables("form")
def _give(
    request: MemberRequest, student: Enrollment, name: str, form: forms.Form
) -> HttpResponse | None:
    """Do what a valid form asks for, and lead on; None where it was refused."""
    if not form.is_valid():
        return None
    given, holder = form.cleaned_data, Holder(student.organization, student)
    slugs = [student.organization.slug, student.cohort.slug]
    try:
        if name == "proof":
            grant = grant_by_branch(student=student, address=given["address"], by=request.user)
            messages.success(
                request, f"{grant.access.host}/{grant.path} is yours: you can submit it."
            )
            return redirect("repositories", *slugs)
        give: Callable[..., RepositoryAccess] = link_token if name == "token" else make_deploy_key
        access = give(holder=holder, by=request.user, **given)
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return None
    messages.success(request, f"Access to {access.place} was stored.")
    return redirect("repository", *slugs, access.pk)


def _proof(student: Enrollment, form: forms.Form) -> str:
    """Return the branch to push for the address that was sent; "" where no access covers it."""
    # A refusal has taken the address out of the cleaned data.
    location = location_of(str(form["address"].value() or ""))
    if location is None or covering_access(student.organization, location) is None:
        return ""
    return proof_branch(student, location)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def repository(request: MemberRequest, org: str, cohort: str, access_id: int) -> HttpResponse:
    """Show one access of the student: its public key and host key; confirm, try or revoke it."""
    access = access_repository(request.user, cohort, access_id)
    assert access.student is not None  # noqa: S101 -- access_repository returns a student's own
    here = reverse("repositories", args=[org, cohort])
    trail = [*trail_to_cohort(access.student.cohort), ("Repositories", here)]
    return access_page(request, access, back=here, trail=trail)


def access_page(
    request: MemberRequest,
    access: RepositoryAccess,
    *,
    back: str,
    trail: Trail,
    more: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Answer for a page of one access, of a student or of the organization."""
    fingerprint = fingerprint_of(access.host_key) if access.host_key else ""
    refused = ""
    if request.method == "POST" and request.POST.get("do") in VERBS:
        try:
            sentence = _do(request.POST["do"], access, request.user, request)
        except ActionRefused as refusal:
            refused = refusal.sentence
            access.refresh_from_db()
        else:
            messages.success(request, sentence)
            is_gone = not RepositoryAccess.objects.filter(pk=access.pk).exists()
            return redirect(back if is_gone else request.path)
    context = {
        "access": access,
        "fingerprint": fingerprint,
        "refused": refused,
        "trail": trail,
        **(more or {}),
    }
    return render(request, "repositories/repository.html", context)


def _do(verb: str, access: RepositoryAccess, by: User, request: MemberRequest) -> str:
    """Do what a button of the page says, and return what to tell. Raises ActionRefused."""
    match verb:
        case "revoke":
            revoke_access(access=access, by=by)
            return f"The access to {access.place} is revoked, and what we stored of it deleted."
        case "try":
            try_again(access=access, by=by)
            return f"{access.host} opens {access.path}."
        case "read":
            read_host_key(access=access, by=by)
            return "The host key was read again. A new one has to be confirmed."
        case _:
            form = ConfirmForm(request.POST)
            fingerprint = form.cleaned_data["fingerprint"] if form.is_valid() else ""
            confirm_host_key(access=access, fingerprint=fingerprint, by=by)
            return "Host key confirmed."
