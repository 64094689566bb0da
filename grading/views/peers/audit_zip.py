"""The audit/ folder of one student's work at an assignment, as a zip file."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from grading.permissions import access_assignment, access_enrollment
from grading.streaming import in_steps
from grading.views.reading.audit_folder import folder_of
from grading.views.requests import MemberRequest
from grading.zipping import zipped


@require_safe
def audit_zip(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponseBase:
    """One's own, written while it is sent."""
    found = access_assignment(request.user, cohort, assignment)
    student = access_enrollment(request.user, found.cohort)
    pieces = in_steps(found.organization_id, zipped(folder_of(student, found)))
    headers = {
        "Content-Disposition": f'attachment; filename="{found.slug}-audit.zip"',
        "Content-Type": "application/zip",
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingHttpResponse(pieces, headers=headers)
