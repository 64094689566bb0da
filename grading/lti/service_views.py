"""Pages of staff about a platform's services: the roster of a course, and the grades sent to it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import Trail, trail_to_assignment, trail_to_cohort
from grading.core.errors import PlatformFailed, PlatformRefused
from grading.core.held_slots import held_slot
from grading.core.own_work import own_students
from grading.core.permissions import Level, access_assignment, access_cohort, may
from grading.core.requests import MemberRequest
from grading.lti.forms import ConfirmPlatformRosterForm, CourseSettingsForm
from grading.lti.gradebooks import columns_of, score_lines, send_again, students_with_scores
from grading.lti.memberships import ListedPerson, read_members
from grading.lti.nightly_rosters import change_course_link
from grading.lti.queries import courses_of_cohort
from grading.lti.rosters import RosterPlan, State, import_roster, plan_roster
from grading.models import Cohort, LtiCourseLink, LtiMember

PER_PAGE = 50
# A page that reads a list holds a web thread so long at most; longer lists come at night.
READING_SECONDS = 20
# The last page may begin at the end of that, with a new token.
HELD_SECONDS = 90
SECTIONS: tuple[tuple[State, str], ...] = (
    ("new", "New"),
    ("changed", "Changed"),
    ("consent", "Wait for their consent"),
    ("waiting", "Wait for their first launch"),
    ("staff", "Staff and others: no place"),
    ("here", "Already here"),
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def course_roster(request: MemberRequest, org: str, cohort: str, link_id: int) -> HttpResponse:
    """Show the people of a connected course; read the platform's list, preview it, import it."""
    record = access_cohort(request.user, cohort, level="teacher")
    link = get_object_or_404(courses_of_cohort(record), pk=link_id)
    do = request.POST.get("do") if request.method == "POST" else None
    form = CourseSettingsForm(
        request.POST if do == "settings" else None,
        initial={"nightly": link.roster_next_at is not None, "sends_grades": link.sends_grades},
    )
    if form.is_valid():
        change_course_link(link=link, by=request.user, **form.cleaned_data)
        messages.success(request, "Settings saved.")
        return redirect("platform-roster", org, record.slug, link.pk)
    context: dict[str, Any] = {"form": form}
    if do in {"preview", "import"}:
        done = _read(request, link, context, wants_import=do == "import")
        if done is not None:
            messages.success(request, _sentence_of(done))
            return redirect("platform-roster", org, record.slug, link.pk)
    return render(request, "lti/roster.html", _roster_page(request, record, link) | context)


def _read(
    request: MemberRequest, link: LtiCourseLink, context: dict[str, Any], *, wants_import: bool
) -> RosterPlan | None:
    """Read the platform's list; return what was imported, else fill the page with a preview."""
    confirmed = ConfirmPlatformRosterForm(request.POST if wants_import else None)
    # A slow platform must not take all web threads.
    reader = held_slot(f"platform lists of {link.organization_id}", slots=1, seconds=HELD_SECONDS)
    with reader as slot:
        if slot is None:
            context["refusal"] = "Another list is being read. Try again in a few seconds."
            return None
        try:
            people = read_members(link.context, seconds=READING_SECONDS)
        except PlatformFailed as failure:
            context["refusal"] = failure.sentence
            return None
    if confirmed.is_valid():
        try:
            return import_roster(
                link=link, people=people, by=request.user, **confirmed.cleaned_data
            )
        except PlatformRefused as refusal:
            context["refusal"] = refusal.sentence
    context |= _preview(link, people)
    return None


def _preview(link: LtiCourseLink, people: list[ListedPerson]) -> dict[str, Any]:
    plan = plan_roster(link=link, people=people)
    return {
        "plan": plan,
        "sections": [(key, label, plan.of(key)) for key, label in SECTIONS if plan.of(key)],
        "confirm": ConfirmPlatformRosterForm(initial={"fingerprint": plan.fingerprint}),
    }


def _sentence_of(plan: RosterPlan) -> str:
    return (
        f"Imported: {len(plan.of('new'))} new, {len(plan.of('changed'))} changed, "
        f"{len(plan.left)} left."
    )


def _roster_page(request: MemberRequest, cohort: Cohort, link: LtiCourseLink) -> dict[str, Any]:
    members = LtiMember.objects.filter(course_link=link).select_related("enrollment")
    trail: Trail = [
        *trail_to_cohort(cohort),
        (
            "Learning platforms",
            reverse("cohort-platforms", args=[cohort.organization.slug, cohort.slug]),
        ),
    ]
    return {
        "cohort": cohort,
        "link": link,
        "page": Paginator(members, PER_PAGE).get_page(request.GET.get("page")),
        "left": members.filter(left_at__isnull=False).count(),
        "trail": trail,
    }


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def gradebooks(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show what became of each grade in the gradebooks of connected courses; send grades again."""
    level: Level = "staff" if request.method in {"GET", "HEAD"} else "teacher"
    record = access_assignment(request.user, cohort, assignment, level=level)
    if request.method == "POST" and request.POST.get("do") == "send":
        key = request.POST.get("student", "")
        if key and not (key.isdecimal() and len(key) < 19):
            raise Http404
        number = send_again(
            assignment=record, by=request.user, students=[int(key)] if key else None
        )
        messages.success(request, f"{number} grade{'' if number == 1 else 's'} will be sent.")
        return redirect("gradebooks", org, record.cohort.slug, record.slug)
    rows = students_with_scores(record).exclude(pk__in=own_students(request.user, record))
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "assignment": record,
        "columns": columns_of(record),
        "page": page,
        "lines": score_lines(record, page),
        "may_change": may(request.user, record.organization, "teacher"),
        "trail": trail_to_assignment(record),
    }
    return render(request, "lti/gradebooks.html", context)
