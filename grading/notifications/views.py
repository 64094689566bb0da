"""Pages of email preferences and of webhooks."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_scopes import scope

from grading.core.breadcrumbs import trail_to_organization
from grading.core.enums import (
    DAILY_NOTICES,
    OPTIONAL_NOTICES,
    EmailTiming,
    NoticeKind,
    WebhookEvent,
)
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.own_organizations import organizations_of
from grading.core.permissions import access_organization, may
from grading.core.request_cache import request_cache
from grading.core.requests import MemberRequest
from grading.models import Organization, Webhook
from grading.notifications.choices import choose_everywhere, choose_timings
from grading.notifications.digests import HOUR, zones_for_emails
from grading.notifications.forms import (
    BOTH_EMAILS,
    STAFF_EMAILS,
    EmailTimingsForm,
    EverywhereForm,
    OptOutForm,
    WebhookActionForm,
    WebhookForm,
)
from grading.notifications.queries import (
    deliveries_of,
    email_timings,
    enrolled_in,
    has_enrollments,
    timings_by_organization,
    webhooks_of,
)
from grading.notifications.webhook_deliveries import MAX_TRIES
from grading.notifications.webhooks import (
    add_webhook,
    delete_webhook,
    redeliver,
    rotate_secret,
    send_test,
    switch_webhook,
)


@require_http_methods(["GET", "HEAD", "POST"])
def notices(request: MemberRequest, org: str) -> HttpResponse:
    """Choose what one is emailed, and when; the link in an email opens it with a kind to stop."""
    organization = access_organization(request.user, org)
    timings = email_timings(organization, request.user)
    groups = _email_groups(request, organization)
    stopping = "off" in request.POST
    stop = OptOutForm(request.POST if stopping else request.GET)
    off = stop.cleaned_data["off"] if stop.is_valid() else None
    form = EmailTimingsForm(
        None if stopping else request.POST or None,
        initial=timings,
        kinds=[kind for _name, kinds in groups for kind in kinds],
    )

    chosen: dict[NoticeKind, EmailTiming] | None = None
    if stopping and off:
        chosen = {off: EmailTiming.OFF}
    elif "all" in request.POST:
        chosen = _all_at(request.POST["all"], timings)
    elif form.is_valid():
        chosen = form.timings()
    if chosen is not None:
        # Kinds that the page does not show keep their choice.
        choose_timings(organization=organization, user=request.user, timings=timings | chosen)
        messages.success(request, "Email settings saved.")
        return redirect("notices", organization.slug)

    context = {
        "organization": organization,
        "form": form,
        "groups": [(name, [form[kind.value] for kind in kinds]) for name, kinds in groups],
        "stop": off,
        "zone": zones_for_emails(organization.pk, [request.user.pk])[request.user.pk],
        "hour": HOUR,
        "trail": trail_to_organization(organization),
    }
    return render(request, "notifications/emails/notices.html", context)


EmailGroups = list[tuple[str, list[NoticeKind]]]


def _email_groups(request: MemberRequest, organization: Organization) -> EmailGroups:
    """Return the kinds that can reach this member: as a student, as staff, or as both."""
    is_staff = may(request.user, organization, "staff")
    is_student = not is_staff or has_enrollments(organization, request.user)
    return _groups(is_staff=is_staff, is_student=is_student)


def _groups(*, is_staff: bool, is_student: bool) -> EmailGroups:
    groups: EmailGroups = []
    if is_student:
        own: list[NoticeKind] = [
            kind for kind in OPTIONAL_NOTICES if kind not in (*STAFF_EMAILS, *BOTH_EMAILS)
        ]
        groups.append(("My own work", own if is_staff else [*own, *BOTH_EMAILS]))
    if is_staff:
        groups.append(("My work as staff", [*BOTH_EMAILS, *STAFF_EMAILS]))
    return groups


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@request_cache()
def everywhere(request: MemberRequest) -> HttpResponse:
    """Choose for all organizations of the person at once what they are emailed, and when."""
    organizations = organizations_of(request.user)
    with scope(organization=organizations):
        stored = timings_by_organization(organizations, request.user)
        kinds = _kinds_by_organization(request, organizations)
    timings = {row: stored[row.pk] for row in organizations}
    form = EverywhereForm(
        request.POST if request.method == "POST" else None, common=_common(timings, kinds)
    )
    if organizations and form.is_valid():
        chosen = form.timings()
        changed = choose_everywhere(
            user=request.user,
            timings=timings,
            # Kinds that cannot reach the person in one of them keep their choice there.
            changes={
                row: {kind: at for kind, at in chosen.items() if kind in kinds[row]}
                for row in organizations
            },
        )
        messages.success(request, f"Email settings saved; {changed} of them changed.")
        return redirect("notices-everywhere")

    context = {
        "form": form,
        "organizations": organizations,
        "trail": [("Home", reverse("home"))],
    }
    return render(request, "notifications/emails/everywhere.html", context)


def _kinds_by_organization(
    request: MemberRequest, organizations: list[Organization]
) -> dict[Organization, list[NoticeKind]]:
    enrolled = enrolled_in(organizations, request.user)
    kinds = {}
    for row in organizations:
        is_staff = may(request.user, row, "staff")
        groups = _groups(is_staff=is_staff, is_student=not is_staff or row.pk in enrolled)
        kinds[row] = [kind for _name, listed in groups for kind in listed]
    return kinds


def _common(
    timings: Mapping[Organization, Mapping[NoticeKind, EmailTiming]],
    kinds: Mapping[Organization, list[NoticeKind]],
) -> dict[NoticeKind, EmailTiming | None]:
    """Return each kind that can reach the person anywhere, with its timing if that is one."""
    common: dict[NoticeKind, EmailTiming | None] = {}
    for kind in OPTIONAL_NOTICES:
        values = {timings[row][kind] for row in kinds if kind in kinds[row]}
        if values:
            common[kind] = values.pop() if len(values) == 1 else None
    return common


def _all_at(
    value: str, timings: Mapping[NoticeKind, EmailTiming]
) -> dict[NoticeKind, EmailTiming] | None:
    """Return all kinds that are on at this timing, where they can have it."""
    if value not in (EmailTiming.NOW, EmailTiming.DAILY):
        return None
    return {kind: EmailTiming(value) for kind in DAILY_NOTICES if timings[kind] != EmailTiming.OFF}


PER_PAGE = 50
ACTION_MESSAGES = {
    "test": "The test is being sent. Reload this page in a moment.",
    "on": "Webhook turned on.",
    "off": "Webhook turned off.",
    "delete": "Webhook deleted.",
    "redeliver": "The event is being sent again. Reload this page in a moment.",
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
    """Show a webhook's deliveries, newest first, send them again; test, change, delete the webhook.

    A new secret is on this response and nowhere else.
    """
    organization = access_organization(request.user, org, level="teacher")
    row = get_object_or_404(Webhook.objects.select_related("organization"), pk=webhook_id)
    form = WebhookActionForm(request.POST if request.method == "POST" else None)
    secret = None
    if form.is_valid() and form.cleaned_data["do"] == "rotate":
        secret = rotate_secret(webhook=row, by=request.user)
    elif form.is_valid() and _run_action(request, row, form):
        messages.success(request, ACTION_MESSAGES[form.cleaned_data["do"]])
        # A deleted row has no key any more.
        return redirect("webhook", org, row.pk) if row.pk else redirect("webhooks", org)

    address = reverse("webhooks", args=[organization.slug])
    context = {
        "organization": organization,
        "webhook": row,
        "secret": secret,
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
            case "redeliver":
                delivery = get_object_or_404(deliveries_of(row), pk=form.cleaned_data["delivery"])
                redeliver(delivery=delivery, by=request.user)
            case switch:
                switch_webhook(webhook=row, active=switch == "on", by=request.user)
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return False
    return True
