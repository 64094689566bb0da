"""Pages of a teacher who came from a platform: which cohorts a course is, and what a link opens."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_cohort, trail_to_organization
from grading.core.enums import LaunchKind
from grading.core.errors import ActionRefused, LaunchRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_cohort, access_organization
from grading.core.requests import MemberRequest
from grading.courses.actions import create_cohort
from grading.lti.courses import link_course, link_resource, unlink_course
from grading.lti.deep_linking import Response, assignments_to_link, choose_assignment
from grading.lti.forms import AssignmentChoiceForm, CourseLinkForm, NewCohortForm
from grading.lti.people import part_account
from grading.lti.queries import (
    claims_of,
    cohorts_of_context,
    connections_of,
    context_of,
    courses_of_cohort,
    entered_launch_of,
)
from grading.models import Assignment, Cohort, LtiContext, LtiLaunch


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def course(request: MemberRequest, org: str, launch_id: UUID) -> HttpResponse:
    """Choose the cohorts that belong to the course of a launch, or create one for it."""
    launch, context = _launch(request, org, launch_id)
    do, linked = request.POST.get("do"), cohorts_of_context(context)
    form = CourseLinkForm(
        request.POST if do == "link" else None,
        cohorts=Cohort.objects.all(),
        initial={"cohorts": linked},
    )
    new = NewCohortForm(request.POST if do == "create" else None, initial={"name": str(context)})
    if do == "link" and form.is_valid():
        link_course(context=context, cohorts=form.cleaned_data["cohorts"], by=request.user)
        return _next_page(request, launch)
    if do == "create" and new.is_valid() and _create(request, context, new, linked):
        return _next_page(request, launch)
    return _page(request, launch, "lti/course.html", {"context": context, "form": form, "new": new})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def link(request: MemberRequest, org: str, launch_id: UUID) -> HttpResponse:
    """Choose the assignment that the link of a launch opens, or go on to the cohorts."""
    launch, context = _launch(request, org, launch_id)
    form = _choice_form(request, launch)
    if form.is_valid():
        assignment = form.cleaned_data["assignment"]
        try:
            link_resource(launch=launch, assignment=assignment, by=request.user)
        except LaunchRefused as refusal:
            form.add_error(None, refusal.sentence)
        else:
            messages.success(request, f"The link opens “{assignment.title}” from now on.")
            return redirect("assignment", org, assignment.cohort.slug, assignment.slug)
    cohorts = cohorts_of_context(context)
    return _page(request, launch, "lti/link.html", {"form": form, "cohorts": cohorts})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def choice(request: MemberRequest, org: str, launch_id: UUID) -> HttpResponse:
    """Choose the assignment for a new link, and send it to the platform."""
    launch, context = _launch(request, org, launch_id)
    cohorts = cohorts_of_context(context)
    if not cohorts:
        return redirect("lti-course", org, launch.pk)
    form = _choice_form(request, launch)
    if form.is_valid():
        try:
            assignment = form.cleaned_data["assignment"]
            answer = choose_assignment(launch=launch, assignment=assignment, by=request.user)
        except LaunchRefused as refusal:
            form.add_error(None, refusal.sentence)
        else:
            return _answer_page(request, launch, answer, assignment)
    return _page(request, launch, "lti/choice.html", {"form": form, "cohorts": cohorts})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def cohort_platforms(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """List the courses of platforms that belong to a cohort, and part one from it."""
    record = access_cohort(request.user, cohort, level="teacher")
    links = courses_of_cohort(record)
    if request.method == "POST" and (key := _key(request, "link")):
        parted = get_object_or_404(links, pk=key)
        unlink_course(link=parted, by=request.user)
        messages.success(
            request, "The course is no longer connected. Nobody lost a place or grade."
        )
        return redirect("cohort-platforms", org, record.slug)
    context = {"cohort": record, "links": links, "trail": trail_to_cohort(record)}
    return render(request, "lti/cohort.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def connections(request: MemberRequest, org: str) -> HttpResponse:
    """List the platforms that open the user's own account, and part it from one."""
    organization = access_organization(request.user, org)
    accounts = connections_of(organization, request.user)
    if request.method == "POST" and (key := _key(request, "account")):
        parted = get_object_or_404(accounts, pk=key)
        part_account(account=parted, by=request.user)
        messages.success(request, f"{parted.registration.name} no longer opens your account.")
        return redirect("connections", org)
    context = {
        "organization": organization,
        "accounts": accounts,
        "trail": trail_to_organization(organization),
    }
    return render(request, "lti/connections.html", context)


def _key(request: MemberRequest, field: str) -> int | None:
    text = request.POST.get(field, "")
    # Python reads no number of thousands of digits.
    return int(text) if text.isdecimal() and len(text) < 19 else None


def _launch(request: MemberRequest, org: str, launch_id: UUID) -> tuple[LtiLaunch, LtiContext]:
    """Return the user's own launch and its course, for those who may change courses."""
    organization = access_organization(request.user, org, level="teacher")
    launch = entered_launch_of(organization, request.user, launch_id)
    context = context_of(launch.registration, claims_of(launch)) if launch else None
    if launch is None or context is None:
        raise Http404
    return launch, context


def _choice_form(request: MemberRequest, launch: LtiLaunch) -> AssignmentChoiceForm:
    sent = request.POST if request.method == "POST" else None
    made = request.GET.get("made", "")
    return AssignmentChoiceForm(
        sent, assignments=assignments_to_link(launch), initial={"assignment": made}
    )


def _create(
    request: MemberRequest, context: LtiContext, form: NewCohortForm, linked: list[Cohort]
) -> bool:
    try:
        made = create_cohort(
            organization=context.organization, by=request.user, **form.cleaned_data
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return False
    link_course(context=context, cohorts=[*linked, made], by=request.user)
    return True


def _next_page(request: MemberRequest, launch: LtiLaunch) -> HttpResponse:
    """Lead to what the launch was for."""
    messages.success(request, "The course is connected.")
    org, claims = launch.registration.organization.slug, claims_of(launch)
    cohorts = cohorts_of_context(context_of(launch.registration, claims))
    if not cohorts:
        return redirect("organization", org)
    if claims.kind == LaunchKind.DEEP_LINKING:
        return redirect("lti-choice", org, launch.pk)
    if Assignment.objects.filter(cohort__in=cohorts).exists():
        return redirect("lti-link", org, launch.pk)
    return redirect("cohort", org, cohorts[0].slug)


def _answer_page(
    request: MemberRequest, launch: LtiLaunch, answer: Response | None, assignment: Assignment
) -> HttpResponse:
    response = _page(
        request, launch, "lti/answer.html", {"answer": answer, "assignment": assignment}
    )
    # For the middleware of django-csp, as its decorators do: the form leaves for the platform.
    if answer is not None:
        vars(response)["_csp_update"] = {"form-action": [answer.origin]}
    return response


def _page(
    request: MemberRequest, launch: LtiLaunch, template: str, context: dict[str, object]
) -> HttpResponse:
    organization = launch.registration.organization
    names = {
        "organization": organization,
        "platform_name": launch.registration.name,
        "launch": launch,
        "here": reverse("lti-choice", args=[organization.slug, launch.pk]),
        "trail": trail_to_organization(organization),
    }
    return render(request, template, names | context)
