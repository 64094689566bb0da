"""Webhooks, for teachers: listed, made, tried, switched off, and what became of what they were told."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.actions.messages.deliveries import MOST_TRIES
from grading.actions.messages.webhooks import add_webhook, delete_webhook, send_test, switch_webhook
from grading.enums import WebhookEvent
from grading.errors import ActionRefused
from grading.forms.refusals import put_beside
from grading.forms.webhooks import DeedForm, WebhookForm
from grading.models import Organization, Webhook
from grading.permissions import access_organization
from grading.queries.messages.webhooks import deliveries_of, webhooks_of
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_organization

PER_PAGE = 50
DONE = {
    "test": "A test is on its way: load this page again in a moment.",
    "on": "It is told from now on.",
    "off": "It is told nothing any more.",
    "delete": "It is deleted.",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: MemberRequest, org: str) -> HttpResponse:
    """A new webhook's secret is on the answer to the form that made it, and nowhere else."""
    organization = access_organization(request.user, org, level="teacher")
    form = WebhookForm(request.POST if request.method == "POST" else None)
    secret = _made(request, organization, form) if form.is_valid() else None
    context = {
        "organization": organization,
        "form": form if secret is None else WebhookForm(),
        "secret": secret,
        "webhooks": [(each, _labels(each)) for each in webhooks_of(organization)],
        "trail": trail_to_organization(organization),
    }
    return render(request, "webhooks/webhooks.html", context)


def _made(request: MemberRequest, organization: Organization, form: WebhookForm) -> str | None:
    try:
        return add_webhook(organization=organization, by=request.user, **form.cleaned_data)[1]
    except ActionRefused as refusal:
        put_beside(form, refusal)
        return None


def _labels(webhook: Webhook) -> list[str]:
    return [WebhookEvent(event).label for event in webhook.events]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: MemberRequest, org: str, webhook_id: int) -> HttpResponse:
    """What it was told, newest first; a test, and the switch."""
    organization = access_organization(request.user, org, level="teacher")
    found = get_object_or_404(Webhook.objects.select_related("organization"), pk=webhook_id)
    form = DeedForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _done(request, found, form):
        messages.success(request, DONE[form.cleaned_data["do"]])
        return redirect("webhook", org, found.pk) if found.pk else redirect("webhooks", org)
    address = reverse("webhooks", args=[organization.slug])
    context = {
        "organization": organization,
        "webhook": found,
        "events": _labels(found),
        "form": form,
        "page": Paginator(deliveries_of(found), PER_PAGE).get_page(request.GET.get("page")),
        "most_tries": MOST_TRIES,
        "trail": [*trail_to_organization(organization), ("Webhooks", address)],
    }
    return render(request, "webhooks/webhook.html", context)


def _done(request: MemberRequest, found: Webhook, form: DeedForm) -> bool:
    try:
        match form.cleaned_data["do"]:
            case "test":
                send_test(webhook=found, by=request.user)
            case "delete":
                delete_webhook(webhook=found, by=request.user)
            case switch:
                switch_webhook(webhook=found, active=switch == "on", by=request.user)
    except ActionRefused as refusal:
        put_beside(form, refusal)
        return False
    return True
