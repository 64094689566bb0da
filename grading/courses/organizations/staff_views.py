"""Page of an organization's staff: owners give all roles, instructors invite assistants."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_organization
from grading.core.enums import Role
from grading.core.errors import RoleRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_organization
from grading.core.requests import MemberRequest
from grading.courses.organizations.actions import (
    change_offer,
    change_role,
    invite_staff,
    remove_staff,
)
from grading.courses.organizations.forms import ROLE_CHOICES, RoleForm, StaffForm
from grading.courses.organizations.invitations import withdraw_role
from grading.courses.organizations.queries import open_offers, staff_of
from grading.courses.organizations.roles import refuse_roles, roles_given_by
from grading.models import Invitation, Membership, Organization

CHANGES = frozenset({"change", "remove", "withdraw", "offer"})


@require_http_methods(["GET", "HEAD", "POST"])
def staff(request: MemberRequest, org: str) -> HttpResponse:
    """List the staff; invite an address, or do what `act` names with one person."""
    organization = access_organization(request.user, org, level="teacher")
    if request.method == "POST" and request.POST.get("act") in CHANGES:
        try:
            messages.success(request, _change(request, organization))
        except RoleRefused as refusal:
            messages.error(request, refusal.sentence)
        return redirect("staff", org)

    given = roles_given_by(organization, request.user)
    form = StaffForm(request.POST if request.method == "POST" else None, roles=given)
    if form.is_valid():
        email, role = form.cleaned_data["email"], Role(form.cleaned_data["role"])
        try:
            invite_staff(organization=organization, email=email, role=role, by=request.user)
        except RoleRefused as refusal:
            add_refusal(form, refusal, field="email")
        else:
            messages.success(request, f"{email} is invited as {role.label.lower()}.")
            return redirect("staff", org)

    context = {
        "organization": organization,
        "form": form,
        "staff": staff_of(organization),
        "offers": open_offers(organization),
        "roles": ROLE_CHOICES,
        "given": given,
        "is_owner": len(given) == len(ROLE_CHOICES),
        "trail": trail_to_organization(organization),
    }
    return render(request, "courses/organizations/staff.html", context)


def _change(request: MemberRequest, organization: Organization) -> str:
    """Do what was asked with one person, and return what to say. Raises RoleRefused, Http404."""
    if request.POST["act"] == "withdraw":
        return _withdraw(request, organization)
    if request.POST["act"] == "offer":
        return _change_offer(request, organization)
    member = _member(request, organization)
    if request.POST["act"] == "remove":
        remove_staff(membership=member, by=request.user)
        return f"{member.email} is no longer staff."

    role, was = _roles_sent(request)
    changed = change_role(membership=member, role=role, was=was, by=request.user)
    if changed is None:
        return f"{member.email} is {role.label.lower()} after accepting it on their first page."
    return f"{member.email} is now {role.label.lower()}."


def _roles_sent(request: MemberRequest) -> tuple[Role, str]:
    """Return the chosen role and the one that the page showed. Raises RoleRefused role_unknown."""
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise RoleRefused("role_unknown", "Choose a role.")
    return Role(form.cleaned_data["role"]), form.cleaned_data["was"]


def _member(request: MemberRequest, organization: Organization) -> Membership:
    key = request.POST.get("member", "")
    for member in staff_of(organization):
        if str(member.pk) == key:
            return member
    raise Http404


def _withdraw(request: MemberRequest, organization: Organization) -> str:
    offer = _offer(request, organization)
    refuse_roles(organization, [offer.role], request.user)
    withdraw_role(invitation=offer, by=request.user)
    return f"The offer to {offer.email} was withdrawn."


def _change_offer(request: MemberRequest, organization: Organization) -> str:
    offer = _offer(request, organization)
    role, was = _roles_sent(request)
    change_offer(invitation=offer, role=role, was=was, by=request.user)
    return f"{offer.email} is now invited as {role.label.lower()}."


def _offer(request: MemberRequest, organization: Organization) -> Invitation:
    key = request.POST.get("offer", "")
    for offer in open_offers(organization):
        if str(offer.pk) == key:
            return offer
    raise RoleRefused("offer_answered", "This offer is no longer open.")
