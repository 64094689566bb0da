"""Webhooks for teachers' programs: create, change, test, delete, and list deliveries."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

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

from grading.api.schema import ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import WEBHOOK_EVENTS, ApiScope, DeliveryState, WebhookEvent
from grading.core.permissions import access_organization
from grading.models import Organization, Webhook, WebhookDelivery
from grading.notifications.queries import deliveries_of, webhooks_of
from grading.notifications.webhooks import (
    add_webhook,
    change_webhook,
    delete_webhook,
    redeliver,
    rotate_secret,
    send_test,
)


class EventField(ChoiceField):
    """Event that a webhook may subscribe to."""

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=[event.value for event in WEBHOOK_EVENTS], **options)

    def to_internal_value(self, data: Any) -> WebhookEvent:
        return WebhookEvent(super().to_internal_value(data))


class WebhookSerializer(Serializer[Webhook]):
    """Webhook. `waiting` and `failed` count its kept deliveries; `last_delivered_at` may be null.

    Until `previous_secret_until` the secret before this one signs beside it; null without such.
    """

    id = IntegerField()
    url = CharField()
    events = ListField(child=CharField())
    active = BooleanField()
    waiting = IntegerField()
    failed = IntegerField()
    last_delivered_at = DateTimeField(source="last_at", allow_null=True)
    previous_secret_until = DateTimeField(source="previous_until", allow_null=True)
    created_at = DateTimeField()


class NewWebhookSerializer(WebhookSerializer):
    """Webhook with its signing secret, which is returned only once."""

    secret = CharField()


class AddSerializer(Serializer[Any]):
    """URL and events of a new webhook."""

    url = CharField(max_length=500)
    events = ListField(child=EventField())


class ChangeWebhookSerializer(Serializer[Any]):
    """Changes of a webhook; omitted fields stay. Turning it off fails its waiting deliveries."""

    url = CharField(max_length=500, required=False)
    events = ListField(child=EventField(), required=False)
    active = BooleanField(required=False)


class DeliverySerializer(Serializer[WebhookDelivery]):
    """Delivery of one event. `state` is waiting, delivered or failed.

    `tries` counts how often it was sent; `next_at` is the time of the next try. `status` is the last
    response's status, or null; `answer` is the start of that response; `error` says why it failed.
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


class _TeacherView(TenantView):
    """View for teachers; a token needs the scope of webhooks even for reading."""

    scopes = dict.fromkeys(("GET", "POST", "PATCH", "DELETE"), ApiScope.WEBHOOKS)

    def _organization(self) -> Organization:
        return access_organization(self.request.user, self.organization.slug, level="teacher")

    def _webhook(self) -> Webhook:
        return get_object_or_404(webhooks_of(self._organization()), pk=self.kwargs["webhook_id"])


class Webhooks(_TeacherView, ListAPIView[Webhook]):
    """List the organization's webhooks, newest first."""

    serializer_class = WebhookSerializer

    def get_queryset(self) -> QuerySet[Webhook]:
        return webhooks_of(self._organization())

    @extend_schema(request=AddSerializer, responses={201: NewWebhookSerializer, **ERRORS})
    def post(self, request: Request, org: str) -> Response:
        """Create a webhook."""
        organization = self._organization()
        serializer = AddSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        webhook, secret = add_webhook(
            organization=organization, by=member(request), **serializer.validated_data
        )
        data = WebhookSerializer(webhooks_of(organization).get(pk=webhook.pk)).data
        return Response({**data, "secret": secret}, status=HTTPStatus.CREATED)


class WebhookDetail(_TeacherView, RetrieveAPIView[Webhook]):
    """Return one webhook by its id."""

    serializer_class = WebhookSerializer

    def get_object(self) -> Any:
        return self._webhook()

    @extend_schema(request=ChangeWebhookSerializer, responses={200: WebhookSerializer, **ERRORS})
    def patch(self, request: Request, org: str, webhook_id: int) -> Response:
        """Change the URL or the events, or turn it on or off. The secret stays."""
        webhook = self._webhook()
        serializer = ChangeWebhookSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        change_webhook(webhook=webhook, by=member(request), **serializer.validated_data)
        return Response(WebhookSerializer(self._webhook()).data)

    @extend_schema(responses={204: None, **ERRORS})
    def delete(self, request: Request, org: str, webhook_id: int) -> Response:
        """Delete a webhook with its deliveries."""
        delete_webhook(webhook=self._webhook(), by=member(request))
        return Response(status=HTTPStatus.NO_CONTENT)


class Deliveries(_TeacherView, ListAPIView[WebhookDelivery]):
    """List a webhook's deliveries, newest first; finished ones are kept for 30 days."""

    serializer_class = DeliverySerializer
    ordering = ("-created_at", "pk")
    filters = ("state",)

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "state", str, enum=DeliveryState.values, description="Filter by state."
            )
        ]
    )
    def get(self, request: Request, org: str, webhook_id: int) -> Response:
        """List a webhook's deliveries, newest first; finished ones are kept for 30 days."""
        return super().get(request, org=org, webhook_id=webhook_id)

    def get_queryset(self) -> QuerySet[WebhookDelivery]:
        deliveries = deliveries_of(self._webhook())
        state = self.request.query_params.get("state")
        if state is None:
            return deliveries
        if state not in DeliveryState.values:
            choices = ", ".join(DeliveryState.values)
            raise ValidationError({"state": [f"Must be one of {choices}."]})
        return deliveries.filter(state=state)


class Secrets(_TeacherView):
    """Replacement of a webhook's secret."""

    @extend_schema(request=None, responses={201: NewWebhookSerializer, **ERRORS})
    def post(self, request: Request, org: str, webhook_id: int) -> Response:
        """Replace the signing secret; the old one signs beside it for 24 hours."""
        secret = rotate_secret(webhook=self._webhook(), by=member(request))
        data = WebhookSerializer(self._webhook()).data
        return Response({**data, "secret": secret}, status=HTTPStatus.CREATED)


class Redeliveries(_TeacherView):
    """Another sending of a delivery."""

    @extend_schema(request=None, responses={202: DeliverySerializer, **ERRORS})
    def post(self, request: Request, org: str, webhook_id: int, delivery_id: UUID) -> Response:
        """Send a delivery again, with the same id and all its tries."""
        delivery = get_object_or_404(deliveries_of(self._webhook()), pk=delivery_id)
        redeliver(delivery=delivery, by=member(request))
        return Response(DeliverySerializer(delivery).data, status=HTTPStatus.ACCEPTED)


class WebhookTests(_TeacherView):
    """Test of a webhook."""

    @extend_schema(request=None, responses={202: DeliverySerializer, **ERRORS})
    def post(self, request: Request, org: str, webhook_id: int) -> Response:
        """Send a test event; its result appears among the deliveries."""
        delivery = send_test(webhook=self._webhook(), by=member(request))
        return Response(DeliverySerializer(delivery).data, status=HTTPStatus.ACCEPTED)
