"""Webhooks, for teachers' programs: made, changed, tried, deleted, and what became of what they were told."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    IntegerField,
    JSONField,
    ListField,
    Serializer,
    UUIDField,
    ValidationError,
)

from grading.api.schema import REFUSALS
from grading.api.tenancy import TenantView, member
from grading.core.enums import WEBHOOK_EVENTS, ApiScope, DeliveryState, WebhookEvent
from grading.core.permissions import access_organization
from grading.models import Organization, Webhook, WebhookDelivery
from grading.notifications.queries import deliveries_of, webhooks_of
from grading.notifications.webhooks import add_webhook, change_webhook, delete_webhook, send_test


class EventField(ChoiceField):
    """One of the events that a webhook may be told of."""

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=[event.value for event in WEBHOOK_EVENTS], **options)

    def to_internal_value(self, data: Any) -> WebhookEvent:
        return WebhookEvent(super().to_internal_value(data))


class WebhookSerializer(Serializer[Webhook]):
    """`waiting` and `failed` count deliveries of what is kept; `last_delivered_at` is null before the first arrived."""

    id = IntegerField()
    url = CharField()
    events = ListField(child=CharField())
    active = BooleanField()
    waiting = IntegerField()
    failed = IntegerField()
    last_delivered_at = DateTimeField(source="last_at", allow_null=True)
    created_at = DateTimeField()


class NewWebhookSerializer(WebhookSerializer):
    """With the secret that signs what it is told: answered this once, and never again."""

    secret = CharField()


class AddSerializer(Serializer[Any]):
    """The address, and what it is told of."""

    url = CharField(max_length=500)
    events = ListField(child=EventField())


class ChangeWebhookSerializer(Serializer[Any]):
    """What is left out stays as it is. What waited when it is switched off is not sent."""

    url = CharField(max_length=500, required=False)
    events = ListField(child=EventField(), required=False)
    active = BooleanField(required=False)


class DeliverySerializer(Serializer[WebhookDelivery]):
    """One event: `state` is waiting, delivered or failed. `tries` counts how often it was sent, `next_at` is when it may
    be sent again; `status` the last answer's, null where there was none, `answer` how that began, `error` why it did
    not arrive.
    """

    id = UUIDField()
    event = CharField()
    state = ChoiceField(choices=DeliveryState.choices)
    tries = IntegerField()
    next_at = DateTimeField()
    status = IntegerField(allow_null=True)
    answer = CharField()
    error = CharField()
    payload = JSONField()
    created_at = DateTimeField()
    ended_at = DateTimeField(allow_null=True)


class _ForTeachers(TenantView):
    """Nobody else learns of webhooks, nor a token without their scope."""

    scopes = dict.fromkeys(("GET", "POST", "PATCH", "DELETE"), ApiScope.WEBHOOKS)

    def _organization(self) -> Organization:
        return access_organization(self.request.user, self.organization.slug, level="teacher")

    def _webhook(self) -> Webhook:
        return get_object_or_404(webhooks_of(self._organization()), pk=self.kwargs["webhook_id"])


class Webhooks(_ForTeachers, ListAPIView[Webhook]):
    """The organization's webhooks, the newest first."""

    serializer_class = WebhookSerializer

    def get_queryset(self) -> QuerySet[Webhook]:
        return webhooks_of(self._organization())

    @extend_schema(request=AddSerializer, responses={201: NewWebhookSerializer, **REFUSALS})
    def post(self, request: Request, org: str) -> Response:
        """Have an address told of events."""
        organization = self._organization()
        asked = AddSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        made, secret = add_webhook(
            organization=organization, by=member(request), **asked.validated_data
        )
        told = WebhookSerializer(webhooks_of(organization).get(pk=made.pk)).data
        return Response({**told, "secret": secret}, status=HTTPStatus.CREATED)


class OneWebhook(_ForTeachers, RetrieveAPIView[Webhook]):
    """One webhook by its number."""

    serializer_class = WebhookSerializer

    def get_object(self) -> Any:
        return self._webhook()

    @extend_schema(request=ChangeWebhookSerializer, responses={200: WebhookSerializer, **REFUSALS})
    def patch(self, request: Request, org: str, webhook_id: int) -> Response:
        """Another address, other events, on or off. Its secret stays: for another one make another webhook."""
        webhook = self._webhook()
        asked = ChangeWebhookSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        change_webhook(webhook=webhook, by=member(request), **asked.validated_data)
        return Response(WebhookSerializer(self._webhook()).data)

    @extend_schema(responses={204: None, **REFUSALS})
    def delete(self, request: Request, org: str, webhook_id: int) -> Response:
        """With all that was ever sent to it."""
        delete_webhook(webhook=self._webhook(), by=member(request))
        return Response(status=HTTPStatus.NO_CONTENT)


class Deliveries(_ForTeachers, ListAPIView[WebhookDelivery]):
    """What a webhook was told, the newest first; what has ended is kept for 30 days."""

    serializer_class = DeliverySerializer
    ordering = ("-created_at", "pk")
    filters = ("state",)

    @extend_schema(
        parameters=[
            OpenApiParameter("state", str, enum=DeliveryState.values, description="Only these.")
        ]
    )
    def get(self, request: Request, org: str, webhook_id: int) -> Response:
        """What a webhook was told, the newest first; what has ended is kept for 30 days."""
        return super().get(request, org=org, webhook_id=webhook_id)

    def get_queryset(self) -> QuerySet[WebhookDelivery]:
        found, state = deliveries_of(self._webhook()), self.request.query_params.get("state")
        if state is None:
            return found
        if state not in DeliveryState.values:
            raise ValidationError({"state": [f"One of {', '.join(DeliveryState.values)}."]})
        return found.filter(state=state)


class Tests(_ForTeachers):
    """Trying a webhook."""

    @extend_schema(request=None, responses={202: DeliverySerializer, **REFUSALS})
    def post(self, request: Request, org: str, webhook_id: int) -> Response:
        """Tell it of an event that stands for nothing; among its deliveries is what became of that."""
        delivery = send_test(webhook=self._webhook(), by=member(request))
        return Response(DeliverySerializer(delivery).data, status=HTTPStatus.ACCEPTED)
