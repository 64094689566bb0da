"""Home page: an introduction for visitors, what is due and new for members, all institutions for operators."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_safe
from django_scopes import scope

from grading.core.breadcrumbs import trail_to_organization
from grading.core.own_organizations import organizations_of
from grading.core.permissions import access_organization
from grading.core.request_cache import request_cache
from grading.core.requests import MemberRequest
from grading.core.time_zones import follow_cohort
from grading.courses.organizations.queries import invitations_to
from grading.courses.queries import organizations_waiting_for
from grading.dashboard.forms import SearchForm
from grading.dashboard.institutions import overview_of_institutions
from grading.dashboard.presenters import Dashboard, dashboard_of
from grading.dashboard.queries import Teaching, teaching_of
from grading.dashboard.search import search_organization


@require_safe
@request_cache()
def home(request: HttpRequest) -> HttpResponse:
    user = request.user
    if not user.is_authenticated:
        return render(request, "dashboard/landing.html")

    invitations = invitations_to(user)
    organizations = list(organizations_of(user))
    overview = None
    if user.is_superuser:
        overview = overview_of_institutions(request.GET.get("page", ""))
    # One scope over all organizations: the page shows every course of the user.
    with scope(organization=organizations):
        student, teaching = dashboard_of(user), teaching_of(user, organizations)
        _follow_first_cohort(student, teaching)
        context = {
            "overview": overview,
            "organizations": organizations,
            "waiting": organizations_waiting_for(user),
            "invitations": invitations,
            "student": student,
            "teaching": teaching,
        }
        return render(request, "dashboard/home.html", context)


@require_safe
def search(request: MemberRequest, org: str) -> HttpResponse:
    """Search one organization, for its staff."""
    organization = access_organization(request.user, org, level="staff")
    form = SearchForm(request.GET or None)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    context = {
        "organization": organization,
        "form": form,
        "text": text,
        "results": search_organization(organization, text) if text else None,
        "trail": trail_to_organization(organization),
    }
    return render(request, "dashboard/search.html", context)


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Lead to the site's mark: browsers ask for this address beside files, which name no icon."""
    return redirect(static("img/mark.svg"))


def _follow_first_cohort(student: Dashboard | None, teaching: Teaching | None) -> None:
    """Show times in the zone of the cohort that comes first, if the reader chose none."""
    courses = [course.cohort for course in (*student.current, *student.past)] if student else []
    taught = [assignment.cohort for assignment in teaching.assignments] if teaching else []
    for cohort in (*courses, *taught)[:1]:
        follow_cohort(cohort)
