"""Addresses that a platform's browser opens: login, message, keys, and the page before the site.

A platform's page sends the first two, so no token of ours is in them: the state protects them.
"""

from __future__ import annotations

import secrets
from http import HTTPStatus
from urllib.parse import urlencode
from uuid import UUID

import structlog
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import (
    require_http_methods,
    require_safe,
)
from django_scopes import scope

from grading.core.bearer_access import access_platform
from grading.core.errors import ActionRefused, LaunchRefused, PlatformFailed, PlatformRefused
from grading.core.form_bases import add_refusal
from grading.core.launch_sessions import is_launch_session, open_launch_session
from grading.lti.claims import LaunchClaims
from grading.lti.courses import open_launch
from grading.lti.deep_linking import chosen_response
from grading.lti.dynamic_registration import register_dynamically
from grading.lti.forms import LoginForm, MessageForm, NewAccountForm
from grading.lti.keys import key_set
from grading.lti.launches import bind_launch, is_from_browser, log_refusal, receive_launch
from grading.lti.logins import LoginRequest, begin_login
from grading.lti.people import connect_account, continue_launch, create_account
from grading.lti.queries import account_of, claims_of, open_launch_of
from grading.models import LtiLaunch, LtiRegistration

COOKIE, COOKIE_PATH, COOKIE_SECONDS = "launch_browser", "/lti/", 24 * 3600
KEYS_CACHED_SECONDS = 600
UNREADABLE = "Your learning platform did not send what it should. Open the link there again."
OTHER_BROWSER = (
    "This page belongs to another browser, or your browser keeps no cookies of this site. Open the "
    "link in your learning platform again, in a new window."
)
log = structlog.get_logger(__name__)
FRAMES = frozenset({"iframe", "frame", "embed", "object"})


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def login(request: HttpRequest, platform: UUID) -> HttpResponse:
    """Send a browser that comes from a platform back there to sign in; out of a frame first."""
    limit = ratelimit.consume(request, app="allauth.account", action="launch_login", limit_get=True)
    if limit is None:
        return render(request, "429.html", status=HTTPStatus.TOO_MANY_REQUESTS)
    registration = access_platform(platform)
    form = LoginForm(request.POST if request.method == "POST" else request.GET)
    try:
        asked = _login_request(form)
        if request.headers.get("Sec-Fetch-Dest") in FRAMES:
            return _out_of_frame(request, registration, form)
        begun = begin_login(
            registration=registration, request=asked, browser=request.COOKIES.get(COOKIE, "")
        )
    except LaunchRefused as refusal:
        log_refusal(registration, refusal)
        return _refused(request, registration, refusal)
    response = redirect(begun.address)
    _keep_browser(response, begun.browser)
    return response


def _login_request(form: LoginForm) -> LoginRequest:
    if not form.is_valid():
        raise LaunchRefused("launch_unreadable", UNREADABLE, ", ".join(form.errors))
    values = form.cleaned_data
    return LoginRequest(
        issuer=values["iss"],
        login_hint=values["login_hint"],
        target=values["target_link_uri"],
        client_id=values["client_id"],
        message_hint=values["lti_message_hint"],
        frame=values["frame"],
    )


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def launch(request: HttpRequest, platform: UUID) -> HttpResponse:
    """Take a platform's message, and lead its browser to the page before the site.

    A GET, such as that of an address that was copied, holds none.
    """
    registration = access_platform(platform)
    browser = request.COOKIES.get(COOKIE, "")
    try:
        received = _receive(request, registration, browser)
    except LaunchRefused as refusal:
        return _refused(request, registration, refusal)
    # Seen Other: a browser sends our session's cookie along with what it opens next, not with a
    # form of another site.
    response = redirect("lti-entry", registration.key, received.pk)
    response.status_code = HTTPStatus.SEE_OTHER
    if not received.is_bound:
        browser = secrets.token_urlsafe(32)
        bind_launch(launch=received, browser=browser)
        _keep_browser(response, browser)
    return response


def _receive(request: HttpRequest, registration: LtiRegistration, browser: str) -> LtiLaunch:
    form = MessageForm(request.POST)
    if not form.is_valid() or form.cleaned_data["error"]:
        reason = form.data.get("error_description") or form.data.get("error") or "no message"
        refusal = LaunchRefused("launch_unreadable", UNREADABLE, str(reason)[:200])
        log_refusal(registration, refusal)
        raise refusal
    return receive_launch(
        registration=registration,
        state=form.cleaned_data["state"],
        message=form.cleaned_data["id_token"],
        browser=browser,
    )


@require_safe
def keys(request: HttpRequest, platform: UUID) -> HttpResponse:
    """Publish our public keys for a platform."""
    registration = access_platform(platform)
    with scope(organization=registration.organization_id):
        response = JsonResponse(key_set(registration))
    response["Cache-Control"] = f"public, max-age={KEYS_CACHED_SECONDS}"
    return response


@never_cache
@require_safe
def register(request: HttpRequest, platform: UUID, token: str) -> HttpResponse:
    """Register a platform that opens the link which an owner gave it, in a frame of its own page."""
    registration, problem = access_platform(platform), ""
    # Whoever only looks at the link must not use it up.
    if request.method == "HEAD":
        return HttpResponse()
    configuration = request.GET.get("openid_configuration", "")
    try:
        register_dynamically(
            registration=registration,
            secret=token,
            configuration_url=configuration,
            token=request.GET.get("registration_token", ""),
        )
    except (PlatformRefused, PlatformFailed) as failure:
        problem = failure.sentence
        log.warning("platform_not_registered", code=failure.code, platform=str(platform))
    status = HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK
    context = {"platform": registration, "problem": problem}
    response = render(request, "lti/registered.html", context, status=status)
    return _in_frame(response)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def entry(request: HttpRequest, platform: UUID, launch_id: UUID) -> HttpResponse:
    """Let the person of a launch in, once it is clear which account is theirs.

    Who came before goes on at once. A newcomer chooses: the account in which they are signed in, or
    a new one.
    """
    registration = access_platform(platform)
    with scope(organization=registration.organization_id):
        received = open_launch_of(registration, launch_id)
        if received is None:
            raise Http404
        try:
            _check_browser(request, received)
            return _enter(request, received)
        except LaunchRefused as refusal:
            log_refusal(registration, refusal)
            return _refused(request, registration, refusal)


def _check_browser(request: HttpRequest, received: LtiLaunch) -> None:
    if not is_from_browser(received, request.COOKIES.get(COOKIE, "")):
        raise LaunchRefused("launch_browser", OTHER_BROWSER)


def _enter(request: HttpRequest, received: LtiLaunch) -> HttpResponse:
    if received.entered_at and received.user_id == request.user.pk:
        return redirect(open_launch(launch=received, user=_member(request)))
    account = account_of(received)
    if account is None:
        return _newcomer(request, received)
    if not account.user.is_active:
        raise LaunchRefused("launch_deactivated", "Your account here is deactivated.")
    if not received.is_bound and request.method != "POST":
        return _page(request, received, "lti/confirm.html", {"claims": claims_of(received)})
    continue_launch(launch=received, user=account.user)
    return _opened(request, received, account.user)


def _newcomer(request: HttpRequest, received: LtiLaunch) -> HttpResponse:
    claims, own = claims_of(received), _own_account(request, received)
    do = request.POST.get("do")
    form = NewAccountForm(
        request.POST if do == "create" else None,
        needs_name=not claims.name,
        needs_email=not claims.email,
    )
    try:
        if do == "connect" and own is not None:
            connect_account(launch=received, user=own)
            return _opened(request, received, own)
        if do == "create" and form.is_valid():
            typed = form.cleaned_data
            user = create_account(
                launch=received, name=typed.get("name", ""), email=typed.get("email", "")
            )
            return _opened(request, received, user)
    except ActionRefused as refusal:
        # An empty form takes no errors.
        form = form if form.is_bound else _bound(claims)
        add_refusal(form, refusal)
    sign_in = f"{reverse('account_login')}?{urlencode({'next': request.path})}"
    return _page(
        request,
        received,
        "lti/newcomer.html",
        {"claims": claims, "own": own, "form": form, "sign_in": sign_in, "launch": received},
    )


def _bound(claims: LaunchClaims) -> NewAccountForm:
    form = NewAccountForm({}, needs_name=not claims.name, needs_email=not claims.email)
    # Nothing was typed, so nothing is missing.
    form.full_clean()
    form.errors.clear()
    return form


def _own_account(request: HttpRequest, received: LtiLaunch) -> User | None:
    """Return the account in which the visitor has signed in by themselves, if it may be connected.

    A message without the browser's cookie may be another person's, whose page sent it here: to
    connect it would open the visitor's account to them.
    """
    if not received.is_bound:
        return None
    is_own = isinstance(request.user, User) and not is_launch_session(request)
    return _member(request) if is_own else None


def _member(request: HttpRequest) -> User:
    # Not the lazy object of the request: its row is written as another's foreign key.
    return User.objects.get(pk=request.user.pk or 0)


def _opened(request: HttpRequest, received: LtiLaunch, user: User) -> HttpResponse:
    address = open_launch(launch=received, user=user)
    open_launch_session(request, user, received.registration)
    return redirect(address)


def _page(
    request: HttpRequest, received: LtiLaunch, template: str, context: dict[str, object]
) -> HttpResponse:
    names = {
        "platform_name": received.registration.name,
        "organization_name": received.registration.organization.name,
    }
    return render(request, template, names | context)


def _refused(
    request: HttpRequest, registration: LtiRegistration, refusal: LaunchRefused
) -> HttpResponse:
    context = {
        "refusal": refusal,
        "platform_name": registration.name,
        "organization_name": registration.organization.name,
    }
    return render(request, "lti/refused.html", context, status=HTTPStatus.BAD_REQUEST)


def _out_of_frame(
    request: HttpRequest, registration: LtiRegistration, form: LoginForm
) -> HttpResponse:
    """Show a link that opens a new window: browsers keep our cookies out of other sites' frames."""
    secret = secrets.token_urlsafe(32)
    values = {name: value for name, value in form.cleaned_data.items() if value}
    address = f"{request.path}?{urlencode(values | {'frame': secret})}"
    context = {"address": address, "answer": reverse("lti-frame", args=[registration.key, secret])}
    response = render(request, "lti/frame.html", context)
    return _in_frame(response)


@never_cache
@require_safe
def frame(request: HttpRequest, platform: UUID, secret: str) -> HttpResponse:
    """Hand the answer that a teacher chose in a new window to the platform, out of its own frame.

    The frame has no session: its secret says which request it waits for.
    """
    registration = access_platform(platform)
    context: dict[str, object] = {"platform_name": registration.name, "here": request.path}
    answer = None
    try:
        if request.method == "GET":
            with scope(organization=registration.organization_id):
                answer = chosen_response(registration, secret)
    except LaunchRefused as refusal:
        log_refusal(registration, refusal)
        context["problem"] = refusal.sentence
    response = render(request, "lti/frame_answer.html", context | {"answer": answer})
    return _in_frame(response, sends_to=answer.origin if answer else "")


def _in_frame(response: HttpResponse, *, sends_to: str = "") -> HttpResponse:
    """Let any site show the page in its frame: it uses no session of ours.

    A platform's pages are not always at the host of its addresses. `sends_to` is the origin that the
    page's form goes to.
    """
    # For the middleware of django-csp and of Django, as their decorators do.
    sent = {"form-action": [sends_to]} if sends_to else {}
    vars(response)["_csp_replace"] = {"frame-ancestors": ["*"], **sent}
    vars(response)["xframe_options_exempt"] = True
    return response


def _keep_browser(response: HttpResponse, browser: str) -> None:
    """Keep the browser's secret. The form that brings the message comes from the platform's site."""
    is_secure = settings.SITE_URL.startswith("https://")
    response.set_cookie(
        COOKIE,
        browser,
        max_age=COOKIE_SECONDS,
        path=COOKIE_PATH,
        secure=is_secure,
        httponly=True,
        # Without TLS, on a developer's machine, browsers refuse None.
        samesite="None" if is_secure else "Lax",
    )
