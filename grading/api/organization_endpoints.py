"""Organizations of the user."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.generics import ListAPIView
from rest_framework.serializers import CharField, Serializer

from grading.api.tenancy import ApiView, member
from grading.courses.queries import organizations_visible_to
from grading.models import Organization


class OrganizationSerializer(Serializer[Organization]):
    """Organization that you belong to."""

    slug = CharField()
    name = CharField()


class Organizations(ApiView, ListAPIView[Organization]):
    """List the organizations that you belong to."""

    serializer_class = OrganizationSerializer

    def get_queryset(self) -> QuerySet[Organization]:
        return organizations_visible_to(member(self.request))
