"""Pages of email preferences and of webhooks."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_organization
from grading.core.enums import NoticeKind, WebhookEvent
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_organization
from grading.core.requests import MemberRequest
from grading.models import Organization, Webhook
from grading.notifications.emails import choose_emails
from grading.notifications.forms import EmailKindsForm, OptOutForm, WebhookActionForm, WebhookForm
from grading.notifications.queries import deliveries_of, wanted_email_kinds, webhooks_of
from grading.notifications.webhook_deliveries import MAX_TRIES
from grading.notifications.webhooks import add_webhook, delete_webhook, send_test, switch_webhook


@require_http_methods(["GET", "HEAD", "POST"])
def notices(request: MemberRequest, org: str) -> HttpResponse:
    """Choose kinds of email; the link in an email opens it with one kind to turn off."""
    organization = access_organization(request.user, org)
    wanted = wanted_email_kinds(organization, request.user)
    stopping = "off" in request.POST
    stop = OptOutForm(request.POST if stopping else request.GET)
    form = EmailKindsForm(None if stopping else request.POST or None, initial={"wanted": wanted})
    off = stop.cleaned_data["off"] if stop.is_valid() else None

    chosen: list[NoticeKind] | None = None
    if stopping and off:
        chosen = [kind for kind in wanted if kind != off]
    elif form.is_valid():
        chosen = form.cleaned_data["wanted"]
    if chosen is not None:
        choose_emails(organization=organization, user=request.user, wanted=chosen)
        messages.success(request, "Email settings saved.")
        return redirect("notices", organization.slug)

    context = {
        "organization": organization,
        "form": form,
        "stop": off,
        "trail": trail_to_organization(organization),
    }
    return render(request, "notifications/emails/notices.html", context)


PER_PAGE = 50
ACTION_MESSAGES = {
    "test": "The test is being sent. Reload this page in a moment.",
    "on": "Webhook turned on.",
    "off": "Webhook turned off.",
    "delete": "Webhook deleted.",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: MemberRequest, org: str) -> HttpResponse:
    """List webhooks and add one. A new webhook's secret is on this response and nowhere else."""
    organization = access_organization(request.user, org, level="teacher")
    form = WebhookForm(request.POST if request.method == "POST" else None)
    secret = _add_webhook(request, organization, form) if form.is_valid() else None
    context = {
        "organization": organization,
        "form": form if secret is None else WebhookForm(),
        "secret": secret,
        "webhooks": [(row, _labels(row)) for row in webhooks_of(organization)],
        "trail": trail_to_organization(organization),
    }
    return render(request, "notifications/webhooks/webhooks.html", context)


def _add_webhook(
    request: MemberRequest, organization: Organization, form: WebhookForm
) -> str | None:
    try:
        return add_webhook(organization=organization, by=request.user, **form.cleaned_data)[1]
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return None


def _labels(webhook: Webhook) -> list[str]:
    return [WebhookEvent(event).label for event in webhook.events]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: MemberRequest, org: str, webhook_id: int) -> HttpResponse:
    """Show a webhook's deliveries, newest first; test it, turn it on or off, delete it."""
    organization = access_organization(request.user, org, level="teacher")
    row = get_object_or_404(Webhook.objects.select_related("organization"), pk=webhook_id)
    form = WebhookActionForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _run_action(request, row, form):
        messages.success(request, ACTION_MESSAGES[form.cleaned_data["do"]])
        # A deleted row has no key any more.
        return redirect("webhook", org, row.pk) if row.pk else redirect("webhooks", org)

    address = reverse("webhooks", args=[organization.slug])
    context = {
        "organization": organization,
        "webhook": row,
        "events": _labels(row),
        "form": form,
        "page": Paginator(deliveries_of(row), PER_PAGE).get_page(request.GET.get("page")),
        "max_tries": MAX_TRIES,
        "trail": [*trail_to_organization(organization), ("Webhooks", address)],
    }
    return render(request, "notifications/webhooks/webhook.html", context)


def _run_action(request: MemberRequest, row: Webhook, form: WebhookActionForm) -> bool:
    try:
        match form.cleaned_data["do"]:
            case "test":
                send_test(webhook=row, by=request.user)
            case "delete":
                delete_webhook(webhook=row, by=request.user)
            case switch:
                switch_webhook(webhook=row, active=switch == "on", by=request.user)
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return False
    return True
