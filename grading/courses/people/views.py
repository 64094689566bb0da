"""The People page of a cohort, and its join link."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import Trail, trail_to_cohort
from grading.core.errors import PeopleRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import Level, access_cohort, may
from grading.core.requests import MemberRequest
from grading.courses.people.forms import GroupForm, JoinLinkForm, SearchForm
from grading.courses.people.join_links import (
    close_join_link,
    move_join_link_end,
    open_join_link,
)
from grading.courses.people.queries import default_end_of, groups_of, join_link_of, matching
from grading.courses.people.students import group_students
from grading.courses.queries import roster_lines
from grading.models import Cohort
from grading.notifications.letter_limits import held_back


@require_http_methods(["GET", "HEAD", "POST"])
def people(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Show the cohort's students and its join link to staff; move selected ones to a group."""
    level: Level = "staff" if request.method in {"GET", "HEAD"} else "teacher"
    record = access_cohort(request.user, cohort, level=level)
    search = SearchForm(request.GET)
    wanted = search.cleaned_data if search.is_valid() else {}
    lines = roster_lines(record, students=matching(wanted.get("q", ""), wanted.get("group", "")))
    form = GroupForm(
        request.POST if request.method == "POST" else None,
        students=[line.student.pk for line in lines],
    )
    if form.is_valid():
        _group(request, record, form)
        return redirect(request.get_full_path())

    context = link_context(record) | {
        "lines": lines,
        "form": form,
        "search": search,
        "is_filtered": any(wanted.values()),
        "groups": groups_of(record),
        "held": held_back(),
        "may_change": may(request.user, record.organization, "teacher"),
        "trail": trail_to_cohort(record),
    }
    return render(request, "courses/people/people.html", context)


def _group(request: MemberRequest, cohort: Cohort, form: GroupForm) -> None:
    number = group_students(cohort=cohort, by=request.user, **form.cleaned_data)
    group = form.cleaned_data["group"]
    place = f"in group {group}" if group else "in no group"
    messages.success(request, f"{number} student{'' if number == 1 else 's'} changed: now {place}.")


@require_http_methods(["GET", "HEAD", "POST"])
def join_link(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Create, replace, move or close the join link."""
    record = access_cohort(request.user, cohort, level="teacher")
    form = _link_form(record, request.POST if request.method == "POST" else None)
    if form.is_valid() and _change_link(request, record, form):
        return redirect("people", org, record.slug)

    context = link_context(record) | {"link_form": form, "trail": trail_to_people(record)}
    return render(request, "courses/people/join_link.html", context)


def trail_to_people(cohort: Cohort) -> Trail:
    address = reverse("people", args=[cohort.organization.slug, cohort.slug])
    return [*trail_to_cohort(cohort), ("People", address)]


def link_context(cohort: Cohort) -> dict[str, Any]:
    link = join_link_of(cohort)
    path = reverse("join", args=[str(link)]) if link else ""
    return {
        "cohort": cohort,
        "link": link,
        "link_address": f"{settings.SITE_URL}{path}",
        "link_form": _link_form(cohort),
    }


def _link_form(cohort: Cohort, data: Any = None) -> JoinLinkForm:
    link = join_link_of(cohort)
    ends_at = link.ends_at if link and link.is_open else default_end_of(cohort)
    return JoinLinkForm(data, initial={"ends_at": ends_at}, zone=ZoneInfo(cohort.time_zone))


def _change_link(request: MemberRequest, cohort: Cohort, form: JoinLinkForm) -> bool:
    cleaned = form.cleaned_data
    try:
        if cleaned["act"] == "close":
            close_join_link(cohort=cohort, by=request.user)
            messages.success(request, "The join link was closed.")
        elif cleaned["act"] == "move":
            move_join_link_end(cohort=cohort, ends_at=cleaned["ends_at"], by=request.user)
            messages.success(request, "The end of the join link was saved.")
        else:
            open_join_link(cohort=cohort, ends_at=cleaned["ends_at"], by=request.user)
            messages.success(request, "The join link was created.")
    except PeopleRefused as refusal:
        add_refusal(form, refusal)
        return False
    return True
