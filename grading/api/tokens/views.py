"""Pages for a user's own API tokens."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from grading.api.tokens.actions import active_tokens, create_token, revoke_token
from grading.api.tokens.forms import ApiTokenForm
from grading.core.enums import ApiScope
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.requests import MemberRequest
from grading.models import ApiToken

FIELD_BY_CODE = {"scopes_missing": "scopes", "days_out_of_range": "days"}


@never_cache
@login_required
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]  # -- allauth is untyped
@require_http_methods(["GET", "HEAD", "POST"])
def api_tokens(request: MemberRequest) -> HttpResponse:
    """List tokens and create one. A new token's text is on this response and nowhere else."""
    form = ApiTokenForm(request.POST or None)
    text = _create(request, form) if form.is_valid() else None
    active = [
        (token, [ApiScope(scope).label for scope in token.scopes])
        for token in active_tokens(request.user)
    ]
    context = {"form": form if text is None else ApiTokenForm(), "text": text, "tokens": active}
    return render(request, "account/api_tokens.html", context)


def _create(request: MemberRequest, form: ApiTokenForm) -> str | None:
    try:
        return create_token(user=request.user, **form.cleaned_data)[1]
    except ActionRefused as refusal:
        add_refusal(form, refusal, field=FIELD_BY_CODE.get(refusal.code, ""))
        return None


@login_required
@require_POST
def revoke(request: MemberRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, pk=token_id, user=request.user)
    revoke_token(token=token)
    messages.success(request, f"Token “{token.name}” revoked.")
    return redirect("api-tokens")
