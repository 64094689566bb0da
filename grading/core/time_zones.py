"""Zones: whose a page shows, and times in words.

A page shows times in the zone that its reader chose, else in that of the cohort it is about, else
in UTC. The administration and the API stay in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from grading.models import Cohort, PersonalCalendar

_IN_UTC = re.compile(r"^/(admin|api|calendar|healthz|metrics)(/|$)")
_follows_cohort: ContextVar[bool] = ContextVar("follows_cohort", default=False)


def zone_for(user: User | None, cohort: Cohort) -> ZoneInfo:
    """Return the zone in which a person reads times of a cohort. One query with a user."""
    chosen = zones_of([user.pk]).values() if user else ()
    return next(iter(chosen), ZoneInfo(cohort.time_zone))


def zones_of(users: Collection[int]) -> Mapping[int, ZoneInfo]:
    """Return the zones that people chose, by the key of their account. One query."""
    rows = PersonalCalendar.objects.filter(user__in=users).exclude(time_zone="")
    return {user: ZoneInfo(name) for user, name in rows.values_list("user", "time_zone")}


class TimeZoneMiddleware:
    """Activate the zone of a page's reader; pages about a cohort may change it (follow_cohort)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if _IN_UTC.match(request.path_info):
            return self._get_response(request)

        name = _chosen_zone(request.user)
        before = _follows_cohort.set(not name)
        try:
            with timezone.override(ZoneInfo(name) if name else None):
                return self._get_response(request)
        finally:
            _follows_cohort.reset(before)


def _chosen_zone(user: Any) -> str:
    calendar = getattr(user, "calendar", None)
    return calendar.time_zone if calendar else ""


def follow_cohort(cohort: Cohort) -> None:
    """Show the rest of this page in the cohort's zone, if its reader chose none."""
    if _follows_cohort.get():
        timezone.activate(ZoneInfo(cohort.time_zone))


def name_of(zone: tzinfo) -> str:
    """Return the name of a zone, such as Europe/Berlin."""
    return getattr(zone, "key", "UTC")


def abbreviation_of(local: datetime) -> str:
    """Return the zone of a time in short: CET, or UTC+05 where its zone has no letters."""
    short = local.tzname() or "UTC"
    return f"UTC{short}" if short[0] in "+-" else short


def is_usual_year(at: datetime) -> bool:
    """Return whether a time has a date in every zone; the first and the last year do not."""
    return 1970 <= at.year <= 9998


def in_words(at: datetime, zone: tzinfo | None = None, *, seconds: bool = False) -> str:
    """Return a time in words, such as 31 January 2026, 12:00 CET, in this zone or the page's.

    A zone that is passed is named too, for letters and fields: they have no footer that names it.
    """
    local = timezone.localtime(at, zone)
    words = f"{local:%d %B %Y, %H:%M:%S}" if seconds else f"{local:%d %B %Y, %H:%M}"
    short = abbreviation_of(local)
    if zone is None or name_of(zone) == short:
        return f"{words} {short}"
    return f"{words} {short} ({name_of(zone)})"
