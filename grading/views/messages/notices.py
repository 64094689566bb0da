"""Which letters one gets from an organization. A letter's link leads here and, after signing in, needs one click."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.actions.messages.notices import choose_letters
from grading.enums import NoticeKind
from grading.forms.notices import LettersForm, StopForm
from grading.permissions import access_organization
from grading.queries.messages.notices import letters_wanted
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_organization


@require_http_methods(["GET", "HEAD", "POST"])
def notices(request: MemberRequest, org: str) -> HttpResponse:
    organization = access_organization(request.user, org)
    wanted = letters_wanted(organization, request.user)
    stopping = "off" in request.POST
    stop = StopForm(request.POST if stopping else request.GET)
    form = LettersForm(None if stopping else request.POST or None, initial={"wanted": wanted})
    off = stop.cleaned_data["off"] if stop.is_valid() else None
    chosen: list[NoticeKind] | None = None
    if stopping and off:
        chosen = [kind for kind in wanted if kind != off]
    elif form.is_valid():
        chosen = form.cleaned_data["wanted"]
    if chosen is not None:
        choose_letters(organization=organization, user=request.user, wanted=chosen)
        messages.success(request, "Kept: you get these letters and no others.")
        return redirect("notices", organization.slug)
    context = {
        "organization": organization,
        "form": form,
        "stop": off,
        "trail": trail_to_organization(organization),
    }
    return render(request, "notices/notices.html", context)
