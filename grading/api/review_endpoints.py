"""Reviews and flags of the grading queue, for staff."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.generics import ListAPIView
from rest_framework.serializers import (
    CharField,
    DateTimeField,
    Serializer,
    UUIDField,
)

from grading.api.tenancy import TenantView
from grading.core.own_work import handled_by
from grading.core.permissions import access_assignment
from grading.grading_queue.queries import marks_of
from grading.models import ReviewMark


class ReviewSerializer(Serializer[ReviewMark]):
    """Review and flag of one criterion, or of the whole work where `criterion` is "".

    `report_digest` is the verdict that was reviewed: after a new one the review no longer holds.
    """

    submission = UUIDField(source="submission_id")
    student = CharField(source="submission.student.email")
    criterion = CharField(source="criterion_id")
    report_digest = CharField()
    reviewed_by = CharField(source="reviewed_by.email", default="")
    reviewed_at = DateTimeField(allow_null=True)
    flagged_at = DateTimeField(allow_null=True)
    flag_word = CharField()
    flagged_by = CharField(source="flagged_by.email", default="")


class Reviews(TenantView, ListAPIView[ReviewMark]):
    """List an assignment's reviews and flags, the newest first; an assistant's own are left out."""

    serializer_class = ReviewSerializer
    ordering = ("-pk",)

    def get_queryset(self) -> QuerySet[ReviewMark]:
        assignment = access_assignment(
            self.request.user, self.kwargs["cohort"], self.kwargs["assignment"], level="staff"
        )
        handled = handled_by(self.request.user, assignment.organization, "submission")
        return marks_of(assignment).filter(handled)
