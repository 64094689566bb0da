"""Page of an organization's models and budgets."""

from __future__ import annotations

from dataclasses import asdict

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from redis.exceptions import RedisError

from grading.audits.benches.actions import choices_of, save_bench
from grading.audits.benches.connection_trials import ConnectionTrial, latest_trial, request_trial
from grading.audits.benches.forms import BenchForm
from grading.audits.benches.queries import (
    bench_in_use,
    latest_failures,
    spending_by_assignment,
    spent_this_month,
)
from grading.core.breadcrumbs import trail_to_organization
from grading.core.errors import BenchRefused
from grading.core.form_fingerprint import fingerprint_of
from grading.core.permissions import access_organization
from grading.core.requests import MemberRequest
from grading.models import Organization, OrganizationBench

QUEUE_AWAY = "The queue cannot be reached. Try again in a minute."


@never_cache
@sensitive_post_parameters("new_key")
@require_http_methods(["GET", "HEAD", "POST"])
def models(request: MemberRequest, org: str) -> HttpResponse:
    """Show models, budgets and what was spent; save a change, or try the connection."""
    organization = access_organization(request.user, org, level="teacher")
    if "try" in request.POST:
        return _try_connection(request, organization)
    in_use = bench_in_use(organization)
    form = _form(request, in_use.stored)
    if form.is_valid() and _save(request, organization, form):
        messages.success(request, "Models and budgets saved.")
        return redirect("models", organization.slug)

    trial = _trial(organization)
    if trial and trial.is_final and "HX-Request" in request.headers:
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {
        "organization": organization,
        "in_use": in_use,
        "form": form,
        "trial": trial,
        "spent": spent_this_month(organization),
        "spending": spending_by_assignment(organization),
        "failures": latest_failures(organization),
        "trail": trail_to_organization(organization),
    }
    return render(request, "audits/benches/models.html", context)


def _try_connection(request: MemberRequest, organization: Organization) -> HttpResponse:
    try:
        request_trial(organization=organization, by=request.user)
    except BenchRefused as refusal:
        messages.error(request, refusal.sentence)
    except RedisError:
        messages.error(request, QUEUE_AWAY)
    return redirect("models", organization.slug)


def _form(request: MemberRequest, stored: OrganizationBench | None) -> BenchForm:
    choices = asdict(choices_of(stored))
    plain = {name: str(value) for name, value in choices.items()}
    return BenchForm(
        request.POST if request.method == "POST" else None,
        initial=choices,
        fingerprint=fingerprint_of(plain, stored.sealed_key if stored else ""),
    )


def _save(request: MemberRequest, organization: Organization, form: BenchForm) -> bool:
    try:
        save_bench(organization=organization, by=request.user, **form.choices())
    except BenchRefused as refusal:
        for field, sentence in refusal.faults.items():
            form.add_error(field, sentence)
        return False
    return True


def _trial(organization: Organization) -> ConnectionTrial | None:
    try:
        return latest_trial(organization)
    except RedisError:
        # The rest of the page needs no queue.
        return None
