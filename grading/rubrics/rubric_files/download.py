"""Export of a version as a file, and its copy as a new draft."""

from __future__ import annotations

import json

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import content_disposition_header

from grading.core.admin_tenancy import TenantAdmin
from grading.models import RubricVersion
from grading.rubrics.actions import duplicate_version


def export_view(_admin: TenantAdmin, _request: HttpRequest, version: RubricVersion) -> HttpResponse:
    """Return the document as JSON; imported again, here or elsewhere, it has the same digest."""
    # Indented, so that a version can be compared and kept in git.
    text = json.dumps(version.document, indent=2, ensure_ascii=False) + "\n"
    name = f"{version.rubric.slug}-v{version.number}.json"
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, name)
    return response


def duplicate_view(
    admin: TenantAdmin, request: HttpRequest, version: RubricVersion
) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if not admin.has_add_permission(request):
        raise PermissionDenied

    by = request.user if isinstance(request.user, User) else None
    draft = duplicate_version(version=version, by=by)
    messages.success(request, f"{draft} was created as a copy of version {version.number}.")
    return HttpResponseRedirect(reverse("admin:grading_rubricversion_change", args=[draft.pk]))
