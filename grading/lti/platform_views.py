"""Pages on which owners register learning platforms; other teachers read them."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import Trail, trail_to_organization
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_organization
from grading.core.requests import MemberRequest
from grading.courses.organizations.roles import may_appoint_teachers
from grading.lti.forms import PlatformActionForm, PlatformForm, PlatformNamesForm
from grading.lti.presenters import addresses_of, keys_of, setup_address
from grading.lti.queries import launches_of, platforms_of
from grading.lti.registrations import (
    NAMES,
    add_platform,
    allow_deployment,
    change_platform,
    complete_platform,
    delete_platform,
    end_deployment,
    open_setup,
    rotate_key,
    switch_platform,
)
from grading.models import LtiRegistration, Organization

PER_PAGE = 25
DONE = {
    "on": "The platform is on.",
    "off": "The platform is off: nobody comes in from it, and it gets nothing.",
    "delete": "The platform was deleted. People, courses and grades here stay.",
    "rotate": "A new key is published. It signs in an hour; the old one is published a day longer.",
    "allow": "Launches of this deployment are let in.",
    "end": "Launches of this deployment are no longer let in.",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def platforms(request: MemberRequest, org: str) -> HttpResponse:
    """List the platforms, and register one by name."""
    organization = access_organization(request.user, org, level="teacher")
    form = PlatformForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            row = add_platform(organization=organization, by=request.user, **form.cleaned_data)
        except ActionRefused as refusal:
            add_refusal(form, refusal)
        else:
            return redirect("platform", org, row.pk)
    context = {
        "organization": organization,
        "platforms": platforms_of(organization),
        "form": form,
        "may_manage": may_appoint_teachers(organization, request.user),
        "trail": trail_to_organization(organization),
    }
    return render(request, "lti/platforms.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def platform(request: MemberRequest, org: str, platform_id: int) -> HttpResponse:
    """Show our addresses for a platform and what it stated; change, switch, delete it.

    The registration link is on this response and nowhere else.
    """
    organization = access_organization(request.user, org, level="teacher")
    rows = LtiRegistration.objects.select_related("organization")
    row = get_object_or_404(rows, pk=platform_id)
    settings, names, action = _forms(request, row)
    link = ""
    try:
        if action.is_bound and action.is_valid() and action.cleaned_data["do"] == "setup":
            link = setup_address(row, open_setup(registration=row, by=request.user))
        elif done := _change(request, row, settings, names, action):
            messages.success(request, done)
            # A deleted row has no key any more.
            return redirect("platform", org, row.pk) if row.pk else redirect("platforms", org)
    except ActionRefused as refusal:
        if may_appoint_teachers(organization, request.user):
            add_refusal(next(form for form in (names, settings, action) if form.is_bound), refusal)
        else:  # the page shows them no form
            messages.error(request, refusal.sentence)
    context = {
        "settings_form": settings,
        "names_form": names,
        "action_form": action,
        "setup_link": link,
        **_page_of(request, organization, row),
    }
    return render(request, "lti/platform.html", context)


def _forms(
    request: MemberRequest, row: LtiRegistration
) -> tuple[PlatformForm, PlatformNamesForm, PlatformActionForm]:
    """Return the forms; the one that was sent holds what was sent."""
    is_sent = request.method == "POST"
    do = request.POST.get("do") if is_sent else None
    sent = {name: request.POST if do == name else None for name in ("settings", "names")}
    stored = {name: getattr(row, name) for name in NAMES}
    return (
        PlatformForm(
            sent["settings"], initial={"name": row.name, "teacher_role": row.teacher_role}
        ),
        PlatformNamesForm(sent["names"], initial=stored),
        PlatformActionForm(request.POST if is_sent and do not in sent else None),
    )


def _change(
    request: MemberRequest,
    row: LtiRegistration,
    settings: PlatformForm,
    names: PlatformNamesForm,
    action: PlatformActionForm,
) -> str:
    """Do what the sent form asks for; return a sentence, or "" if there is nothing to do."""
    if settings.is_bound and settings.is_valid():
        change_platform(registration=row, by=request.user, **settings.cleaned_data)
        return "Settings saved."
    if names.is_bound and names.is_valid():
        complete_platform(
            registration=row,
            names=names.names(),
            deployment=names.cleaned_data["deployment"],
            by=request.user,
        )
        return "The platform's addresses are saved."
    if action.is_bound and action.is_valid():
        _act(request, row, action)
        return DONE[action.cleaned_data["do"]]
    return ""


def _act(request: MemberRequest, row: LtiRegistration, form: Form) -> None:
    deployment = form.cleaned_data["deployment"]
    match form.cleaned_data["do"]:
        case "delete":
            delete_platform(registration=row, by=request.user)
        case "rotate":
            rotate_key(registration=row, by=request.user)
        case "allow":
            allow_deployment(registration=row, deployment=deployment, by=request.user)
        case "end":
            end_deployment(registration=row, deployment=deployment, by=request.user)
        case switch:
            switch_platform(registration=row, active=switch == "on", by=request.user)


def _page_of(
    request: MemberRequest, organization: Organization, row: LtiRegistration
) -> dict[str, object]:
    trail: Trail = [
        *trail_to_organization(organization),
        ("Learning platforms", reverse("platforms", args=[organization.slug])),
    ]
    known = list(row.deployments.values_list("deployment_id", flat=True))
    return {
        "organization": organization,
        "platform": row,
        "addresses": addresses_of(row),
        "deployments": known,
        "keys": keys_of(row),
        "courses": row.contexts.prefetch_related("course_links__cohort"),
        "page": Paginator(launches_of(row), PER_PAGE).get_page(request.GET.get("page")),
        "may_manage": may_appoint_teachers(organization, request.user),
        "trail": trail,
    }
