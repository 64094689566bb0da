"""Page of a cohort's log, for its staff. Nothing in it can be changed."""

from __future__ import annotations

from operator import itemgetter

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from grading.activity_log.forms import LogForm
from grading.activity_log.presenters import FAMILIES, family_name, sentence_of
from grading.activity_log.queries import actors_of, log_of
from grading.core.breadcrumbs import trail_to_cohort
from grading.core.permissions import access_cohort
from grading.core.requests import MemberRequest


@require_safe
def log(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    record = access_cohort(request.user, cohort, level="staff")
    actors = [(str(key), name) for key, name in actors_of(record).items()]
    families = sorted(((family, family_name(family)) for family in FAMILIES), key=itemgetter(1))

    form = LogForm(request.GET, families=families, actors=actors)
    # An invalid filter is reported on the page and ignored: the log is shown all the same.
    form.is_valid()
    before = form.cleaned_data.get("before")
    page = log_of(record, form.log_filter(), before=before)

    # Links to other pages keep the filters.
    filters = request.GET.copy()
    filters.pop("before", None)
    context = {
        "cohort": record,
        "form": form,
        "misread": form.query_errors(),
        "entries": [(entry, sentence_of(entry.verb, entry.detail)) for entry in page.entries],
        "older": page.older,
        "is_newest": before is None,
        "query": filters.urlencode(),
        "trail": trail_to_cohort(record),
    }
    return render(request, "activity_log/log.html", context)
