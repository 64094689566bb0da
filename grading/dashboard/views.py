"""Home page: an introduction for visitors, what is due and new for members."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_safe
from django_scopes import scope

from grading.courses.organizations.queries import invitations_to
from grading.courses.queries import organizations_of, organizations_waiting_for
from grading.dashboard.presenters import dashboard_of
from grading.dashboard.queries import teaching_of


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    user = request.user
    if not user.is_authenticated:
        return render(request, "dashboard/landing.html")

    invitations = invitations_to(user)
    organizations = list(organizations_of(user))
    # One scope over all organizations: the page shows every course of the user.
    with scope(organization=organizations):
        context = {
            "organizations": organizations,
            "waiting": organizations_waiting_for(user),
            "invitations": invitations,
            "student": dashboard_of(user),
            "teaching": teaching_of(user, organizations),
        }
        return render(request, "dashboard/home.html", context)


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Lead to the site's mark: browsers ask for this address beside files, which name no icon."""
    return redirect(static("img/mark.svg"))
