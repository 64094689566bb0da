"""Linking repositories by the GitHub App: the person shows who they are, then chooses.

GitHub says which repositories both this person and the App may read, and only these can be linked.
So nobody links an installation of somebody else by its number. The person's token is used for that
one answer and is not stored.
"""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import trail_to_cohort
from grading.core.errors import ActionRefused, GithubFailed
from grading.core.github_app import (
    Account,
    GithubApp,
    Repository,
    account_of,
    authorize_url,
    github_app,
    person_token,
    repositories_of,
)
from grading.core.permissions import access_cohort, access_enrollment
from grading.core.requests import MemberRequest
from grading.models import Cohort
from grading.repositories.actions import link_github

# Of the session: what was sent to GitHub, and what it answered. Each is read once.
STARTED, ANSWERED = "github_started", "github_answered"
# Of the session, for as long as it lasts: the account at GitHub that was shown.
SHOWN = "github_account"
NOT_STARTED = "This page of GitHub was not opened from here, or twice. Start again."


def start(request: MemberRequest, cohort: Cohort, *, back_to: str = "") -> HttpResponse:
    """Lead to GitHub, where the person confirms who they are.

    They come back to the choice of repositories, or with their account to the page `back_to`.
    """
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
    slugs = [cohort.organization.slug, cohort.slug]
    request.session[STARTED] = {"state": state, "verifier": verifier, "slugs": slugs}
    if back_to:
        request.session[STARTED] |= {"back_to": back_to, "user": request.user.pk}
    try:
        return redirect(authorize_url(state=state, verifier=verifier, redirect_uri=_back()))
    except GithubFailed as failure:
        messages.error(request, failure.sentence)
        return redirect(back_to) if back_to else redirect("repositories", *slugs)


def shown_account(request: MemberRequest) -> Account | None:
    """Return the account at GitHub that this person showed to have in this session."""
    user, *account = request.session.get(SHOWN) or [None]
    return Account(*account) if account and user == request.user.pk else None


def _back() -> str:
    return f"{settings.SITE_URL}{reverse('github-callback')}"


def app_or_none() -> GithubApp | None:
    """Return the site's GitHub App, None where its operator has set up none."""
    try:
        return github_app()
    except GithubFailed:
        return None


@require_safe
@never_cache
def callback(request: HttpRequest) -> HttpResponse:
    """Ask GitHub what the person who comes back may read, and lead to the choice.

    Who they are here does not matter yet: the session that started it keeps the answer, and the
    page of the choice asks.
    """
    started: dict[str, Any] = request.session.pop(STARTED, None) or {}
    state, code = request.GET.get("state", ""), request.GET.get("code", "")
    if not started or not secrets.compare_digest(started["state"].encode(), state.encode()):
        messages.error(request, NOT_STARTED)
        return redirect("home")
    slugs = started["slugs"]
    try:
        token = person_token(code=code, verifier=started["verifier"], redirect_uri=_back())
        account = account_of(token)
        if "back_to" in started:
            request.session[SHOWN] = [started["user"], account.id, account.login]
            return redirect(started["back_to"])
        rows = [[row.id, row.full_name, row.installation_id] for row in repositories_of(token)]
    except GithubFailed as failure:
        messages.error(request, failure.sentence)
        return redirect(started.get("back_to") or reverse("repositories", args=slugs))
    request.session[ANSWERED] = {
        "slugs": slugs,
        "account": [account.id, account.login],
        "repositories": rows,
    }
    return redirect("github-repositories", *slugs)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Show the repositories that GitHub named, and link the chosen ones."""
    target = access_cohort(request.user, cohort)
    student = access_enrollment(request.user, target)
    answered: dict[str, Any] = request.session.get(ANSWERED) or {}
    if answered.get("slugs") != [org, cohort]:
        answered = {"account": [0, ""], "repositories": []}
    offered = [Repository(*row) for row in answered["repositories"]]
    refused = ""
    if request.method == "POST" and offered:
        chosen = [row for row in offered if str(row.id) in request.POST.getlist("repository")]
        try:
            link_github(
                student=student,
                by=request.user,
                account=Account(*answered["account"]),
                repositories=chosen,
                teams="teams" in request.POST,
            )
        except ActionRefused as refusal:
            refused = refusal.sentence
        else:
            del request.session[ANSWERED]
            messages.success(request, f"{len(chosen)} repositories linked.")
            return redirect("repositories", org, cohort)
    app = app_or_none()
    context = {
        "cohort": target,
        "offered": offered,
        "login": answered["account"][1],
        "install_url": app.install_url if app else "",
        "refused": refused,
        "trail": [
            *trail_to_cohort(target),
            ("Repositories", reverse("repositories", args=[org, cohort])),
        ],
    }
    return render(request, "repositories/github.html", context)
