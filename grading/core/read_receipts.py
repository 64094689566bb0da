"""Record when a student opened something, so that it is no longer new to them."""

from __future__ import annotations

from django.utils import timezone

from grading.core.enums import Opened
from grading.core.view_as import is_viewing
from grading.models import Enrollment, Opening


def mark_opened(*, student: Enrollment, kind: Opened, about: object) -> None:
    """Store the time of the last opening, in one statement; not if staff view the student's pages."""
    if is_viewing():
        return
    # No Activity: nobody else learns when a student reads.
    row = Opening(
        organization_id=student.organization_id,
        student=student,
        kind=kind,
        about=str(about),
        opened_at=timezone.now(),
    )
    Opening.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["student", "kind", "about"],
        update_fields=["opened_at"],
    )
