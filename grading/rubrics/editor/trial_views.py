"""Part of the editor's page: the trial of one check. JavaScript loads it; it saves nothing."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render

from grading.models import RubricVersion
from grading.rubrics.check_trials.typed_checks import trial_bench
from grading.rubrics.editor.editing_session import trial_session
from grading.rubrics.page_frame import PageFrame


def try_view(frame: PageFrame, request: HttpRequest, version: RubricVersion) -> HttpResponse:
    """Return the outcome of trying one check on the chosen work."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if not frame.teaches():
        raise PermissionDenied
    session = trial_session(version, request.POST)
    bench = trial_bench(version, request.POST, session.texts)
    return render(request, "rubrics/check_trials/_typed.html", {"trial": bench.trial})
