"""The import of a roster: choose a file, read what it would do, confirm."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.core.errors import RosterRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_cohort
from grading.core.requests import MemberRequest
from grading.courses.people.forms import ConfirmRosterForm, RosterForm
from grading.courses.people.views import trail_to_people
from grading.courses.roster import RosterPreview, confirm_roster, preview_roster
from grading.models import Cohort
from grading.notifications.letter_limits import held_back

# Refused rows come first: they have to be mended before anything is saved.
SECTIONS = (
    ("refused", "Refused"),
    ("changed", "Changed"),
    ("new", "New"),
    ("unchanged", "Unchanged"),
)


@require_http_methods(["GET", "HEAD", "POST"])
def roster(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Preview an uploaded list; save it when its preview is confirmed."""
    record = access_cohort(request.user, cohort, level="teacher")
    if request.method == "POST" and "text" in request.POST:
        return _confirm(request, record)

    form = RosterForm(
        request.POST if request.method == "POST" else None,
        request.FILES if request.method == "POST" else None,
    )
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        text = form.cleaned_data["roster"]
        try:
            context |= _preview_context(preview_roster(cohort=record, text=text), text)
        except RosterRefused as refusal:
            add_refusal(form, refusal, field="roster")
    return _page(request, record, context)


def _confirm(request: MemberRequest, cohort: Cohort) -> HttpResponse:
    """Save a previewed list; show the preview anew if the roster changed meanwhile."""
    confirmed = ConfirmRosterForm(request.POST)
    if not confirmed.is_valid():
        return _page(request, cohort, {"form": RosterForm(), "refusal": "Choose the file again."})
    text = confirmed.cleaned_data["text"]
    try:
        done = confirm_roster(
            cohort=cohort,
            text=text,
            fingerprint=confirmed.cleaned_data["fingerprint"],
            by=request.user,
        )
    except RosterRefused as refusal:
        context: dict[str, Any] = {"form": RosterForm(), "refusal": refusal.sentence}
        if refusal.code in {"roster_changed", "roster_rows_refused"}:
            context |= _preview_context(preview_roster(cohort=cohort, text=text), text)
        return _page(request, cohort, context)

    messages.success(
        request,
        f"Imported: {len(done.of('new'))} new, {len(done.of('changed'))} changed, "
        f"{len(done.of('unchanged'))} unchanged.",
    )
    return redirect("people", cohort.organization.slug, cohort.slug)


def _preview_context(preview: RosterPreview, text: str) -> dict[str, Any]:
    return {
        "preview": preview,
        "sections": [(key, label, preview.of(key)) for key, label in SECTIONS if preview.of(key)],
        "confirm": ConfirmRosterForm(initial={"text": text, "fingerprint": preview.fingerprint}),
    }


def _page(request: MemberRequest, cohort: Cohort, context: dict[str, Any]) -> HttpResponse:
    page = {"cohort": cohort, "held": held_back(), "trail": trail_to_people(cohort)}
    return render(request, "courses/people/roster.html", page | context)
