"""Staff notes on a submission, for the staff's programs; students get a 404."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.generics import ListAPIView
from rest_framework.serializers import CharField, DateTimeField, IntegerField, Serializer

from grading.api.tenancy import TenantView
from grading.core.permissions import access_staff_thread
from grading.models import StaffNote
from grading.staff_threads.queries import notes_on


class StaffNoteSerializer(Serializer[StaffNote]):
    """Note among staff. `author` is an address, null for a former member; withdrawn: no text."""

    id = IntegerField()
    author = CharField(source="author_address", allow_null=True)
    text = CharField()
    written_at = DateTimeField()
    edited_at = DateTimeField(allow_null=True)
    withdrawn_at = DateTimeField(allow_null=True)


class StaffNotes(TenantView, ListAPIView[StaffNote]):
    """List the staff notes on an attempt, oldest first, for staff."""

    serializer_class = StaffNoteSerializer
    ordering = ("written_at", "pk")

    def get_queryset(self) -> QuerySet[StaffNote]:
        return notes_on(access_staff_thread(self.request.user, self.kwargs["submission_id"]))
