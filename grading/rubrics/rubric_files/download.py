"""Export of a version as a file, and its copy as a new draft."""

from __future__ import annotations

import json

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.utils.http import content_disposition_header

from grading.models import RubricVersion
from grading.rubrics.actions import duplicate_version
from grading.rubrics.page_frame import PageFrame, person_of


def export_view(_frame: PageFrame, _request: HttpRequest, version: RubricVersion) -> HttpResponse:
    """Return the document as JSON; imported again, here or elsewhere, it has the same digest."""
    # Indented, so that a version can be compared and kept in git.
    text = json.dumps(version.document, indent=2, ensure_ascii=False) + "\n"
    name = f"{version.rubric.slug}-v{version.number}.json"
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, name)
    return response


def duplicate_view(frame: PageFrame, request: HttpRequest, version: RubricVersion) -> HttpResponse:
    """Copy a version as a new draft and open it."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if not frame.may_edit:
        raise PermissionDenied

    draft = duplicate_version(version=version, by=person_of(request))
    messages.success(request, f"{draft} was created as a copy of version {version.number}.")
    return HttpResponseRedirect(frame.address("edit", draft))
