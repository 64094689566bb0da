"""Pages of logs: a cohort's for its staff, an organization's for its teachers. Nothing can be changed."""

from __future__ import annotations

from operator import itemgetter

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from grading.activity_log.forms import LogForm
from grading.activity_log.presenters import FAMILIES, family_name, sentence_of
from grading.activity_log.queries import Place, actors_of, log_of
from grading.core.breadcrumbs import Trail, trail_to_cohort, trail_to_organization
from grading.core.permissions import access_cohort, access_organization
from grading.core.requests import MemberRequest
from grading.models import Cohort


@require_safe
def log(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    record = access_cohort(request.user, cohort, level="staff")
    return _log_page(request, record, trail_to_cohort(record))


@require_safe
def organization_log(request: MemberRequest, org: str) -> HttpResponse:
    """Show what belongs to no cohort: roles, rubrics, models and budgets, webhooks."""
    record = access_organization(request.user, org, level="teacher")
    return _log_page(request, record, trail_to_organization(record))


def _log_page(request: MemberRequest, place: Place, trail: Trail) -> HttpResponse:
    cohort = place if isinstance(place, Cohort) else None
    actors = [(str(key), name) for key, name in actors_of(place).items()]
    families = sorted(((family, family_name(family)) for family in FAMILIES), key=itemgetter(1))

    form = LogForm(request.GET, families=families, actors=actors)
    # An invalid filter is reported on the page and ignored: the log is shown all the same.
    form.is_valid()
    before = form.cleaned_data.get("before")
    page = log_of(place, form.log_filter(), reader=request.user, before=before)

    # Links to other pages keep the filters.
    filters = request.GET.copy()
    filters.pop("before", None)
    context = {
        "place": place,
        "cohort": cohort,
        "org": cohort.organization.slug if cohort else place.slug,
        "form": form,
        "misread": form.query_errors(),
        "entries": [(entry, sentence_of(entry.verb, entry.detail)) for entry in page.entries],
        "older": page.older,
        "is_newest": before is None,
        "query": filters.urlencode(),
        "trail": trail,
    }
    return render(request, "activity_log/log.html", context)
