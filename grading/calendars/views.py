"""Page of one's times, and the calendar feed at its secret address."""

from __future__ import annotations

from http import HTTPStatus
from zoneinfo import ZoneInfo

from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from grading.calendars.actions import (
    choose_time_zone,
    make_feed_address,
    owner_of,
    revoke_feed_address,
)
from grading.calendars.forms import TimeZoneForm
from grading.calendars.icalendar import calendar_of
from grading.calendars.queries import deadlines_of
from grading.core.requests import MemberRequest
from grading.models import PersonalCalendar

WRONG, FETCHED = "calendar_wrong", "calendar_fetched"


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def times(request: MemberRequest) -> HttpResponse:
    calendar = _calendar_of(request.user)
    form = TimeZoneForm(request.POST or None, initial={"time_zone": calendar.time_zone})
    if form.is_valid():
        choose_time_zone(user=request.user, **form.cleaned_data)
        messages.success(request, "Time zone saved.")
        return redirect("times")
    return render(request, "calendars/times.html", {"form": form, "calendar": calendar})


@never_cache
@login_required
@require_POST
def renew(request: MemberRequest) -> HttpResponse:
    """Make a new address. It is on this response and nowhere else."""
    path = reverse("calendar-feed", args=[make_feed_address(user=request.user)])
    calendar = _calendar_of(request.user)
    context = {
        "form": TimeZoneForm(initial={"time_zone": calendar.time_zone}),
        "calendar": calendar,
        "address": f"{settings.SITE_URL}{path}",
    }
    return render(request, "calendars/times.html", context)


@login_required
@require_POST
def revoke(request: MemberRequest) -> HttpResponse:
    revoke_feed_address(user=request.user)
    messages.success(request, "The calendar address was revoked.")
    return redirect("times")


@never_cache
@require_safe
def feed(request: HttpRequest, secret: str) -> HttpResponse:
    """Return the deadlines of the person with this secret, without any sign-in."""
    user = owner_of(secret)
    action, key = (FETCHED, str(user.pk)) if user else (WRONG, None)
    if not ratelimit.consume(
        request, app="allauth.account", action=action, key=key, limit_get=True
    ):
        return HttpResponse(status=HTTPStatus.TOO_MANY_REQUESTS, headers={"Retry-After": "3600"})
    if user is None:
        raise Http404

    zone = _calendar_of(user).time_zone
    text = calendar_of(
        deadlines_of(user), zone=ZoneInfo(zone) if zone else None, now=timezone.now()
    )
    # A search engine that meets the address somewhere must not list it.
    headers = {"X-Robots-Tag": "noindex"}
    return HttpResponse(text, content_type="text/calendar; charset=utf-8", headers=headers)


def _calendar_of(user: User) -> PersonalCalendar:
    return PersonalCalendar.objects.filter(user=user).first() or PersonalCalendar(user=user)
