"""Pages on which people join a cohort by its link or code."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlencode

from allauth.core.internal import ratelimit
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django_scopes import scope

from grading.core.bearer_access import access_join_link
from grading.core.enums import STAFF_ROLES
from grading.core.errors import PeopleRefused
from grading.core.form_bases import add_refusal
from grading.core.join_codes import read_code, spoken_form
from grading.core.permissions import access_enrollment, role_of
from grading.core.user_text import name_in_email, without_links
from grading.courses.people.forms import JoinCodeForm, JoinForm
from grading.courses.people.join_links import join_cohort
from grading.courses.people.queries import has_waiting_place, only_open_assignment
from grading.models import Cohort, JoinLink


@never_cache
@require_safe
def join_code(request: HttpRequest) -> HttpResponse:
    """Ask for a code that somebody read aloud or wrote on a board."""
    form = JoinCodeForm(request.GET if "code" in request.GET else None)
    if form.is_valid():
        return redirect("join", spoken_form(form.cleaned_data["code"]))
    context = {"form": form, "trail": [("Home", reverse("home"))]}
    return render(request, "courses/people/join_code.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Show whose link it is, and join on POST; visitors sign up or in first and come back."""
    wrong = ratelimit.consume(request, app="allauth.account", action="join_wrong", limit_get=True)
    if wrong is None:
        return render(
            request,
            "courses/people/join_limit.html",
            status=HTTPStatus.TOO_MANY_REQUESTS,
        )
    link = _link(code)
    wrong.rollback()

    if not link.is_open:
        return render(request, "courses/people/join_ended.html", status=HTTPStatus.GONE)
    with scope(organization=link.organization_id):
        return _join(request, link)


def _link(code: str) -> JoinLink:
    stored = read_code(code)
    if stored is None:
        raise Http404
    return access_join_link(stored)


def _join(request: HttpRequest, link: JoinLink) -> HttpResponse:
    if not request.user.is_authenticated:
        return _visitor_page(request, link)
    role = role_of(request.user, link.organization)
    if role in STAFF_ROLES:
        return _page(request, link, staff_role=role.label.lower() if role else "")
    if _is_enrolled(request, link.cohort):
        return redirect("cohort", link.organization.slug, link.cohort.slug)

    form = JoinForm(
        request.POST if request.method == "POST" else None,
        needs_name=not has_waiting_place(link.cohort, request.user),
    )
    if form.is_valid():
        try:
            join_cohort(link=link, user=request.user, name=form.cleaned_data.get("name", ""))
        except PeopleRefused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, f"You joined {link.cohort.name}.")
            return _first_page(link)
    return _page(request, link, form=form)


def _visitor_page(request: HttpRequest, link: JoinLink) -> HttpResponse:
    query = urlencode({"next": reverse("join", args=[str(link)])})
    sign_up = f"{reverse('account_signup')}?{query}"
    if request.method == "POST":
        return redirect(sign_up)
    return _page(request, link, sign_up=sign_up, sign_in=f"{reverse('account_login')}?{query}")


def _page(request: HttpRequest, link: JoinLink, **context: object) -> HttpResponse:
    # Words of staff that strangers read: without links, as in letters.
    names = {
        "organization_name": name_in_email(link.organization.name),
        "cohort_name": without_links(link.cohort.name),
    }
    return render(request, "courses/people/join.html", {"link": link} | names | context)


def _is_enrolled(request: HttpRequest, cohort: Cohort) -> bool:
    try:
        access_enrollment(request.user, cohort)
    except Http404:
        return False
    return True


def _first_page(link: JoinLink) -> HttpResponse:
    """Lead to the only assignment, or to the cohort's list."""
    slugs = [link.organization.slug, link.cohort.slug]
    if assignment := only_open_assignment(link.cohort):
        return redirect("assignment", *slugs, assignment.slug)
    return redirect("cohort", *slugs)
