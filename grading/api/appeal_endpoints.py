"""Appeals: the inbox for the staff's programs, students' own for theirs."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.generics import ListAPIView
from rest_framework.serializers import (
    CharField,
    DateTimeField,
    IntegerField,
    Serializer,
    SerializerMethodField,
    UUIDField,
)

from grading.api.tenancy import TenantView, member
from grading.appeals.queries import InboxFilter, appeals_of, holder_of, inbox
from grading.core.own_work import handled_by
from grading.core.permissions import may
from grading.models import Appeal


class AppealSerializer(Serializer[Appeal]):
    """Appeal on one criterion. `assigned_to` is the address of the colleague who holds it.

    It is null for nobody, and always for students. `answer` is empty until it is decided.
    """

    id = IntegerField()
    submission = UUIDField(source="submission_id")
    student = CharField(source="submission.student.email")
    criterion = CharField(source="criterion_id")
    state = CharField()
    text = CharField()
    answer = CharField()
    new_score = IntegerField(allow_null=True)
    filed_at = DateTimeField()
    decided_at = DateTimeField(allow_null=True)
    assigned_to = SerializerMethodField()

    def get_assigned_to(self, appeal: Appeal) -> str | None:
        holder = holder_of(appeal) if self.context["view"].is_staff else None
        return holder.email if holder else None


class Appeals(TenantView, ListAPIView[Appeal]):
    """List appeals: all for staff, their own for students."""

    serializer_class = AppealSerializer
    ordering = ("filed_at", "pk")

    @property
    def is_staff(self) -> bool:
        return may(self.request.user, self.organization, "staff")

    def get_queryset(self) -> QuerySet[Appeal]:
        if self.is_staff:
            handled = handled_by(self.request.user, self.organization, "submission")
            return inbox(InboxFilter(state="all")).filter(handled)
        return appeals_of(member(self.request))
