"""Launch: a platform's message is checked, used once, and leads its person to a page."""

from __future__ import annotations

import hmac
from datetime import timedelta
from typing import Any

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import LaunchKind
from grading.core.errors import LaunchRefused
from grading.lti.claims import LaunchClaims, read_claims
from grading.lti.logins import check_target, check_usable, digest_of
from grading.lti.messages import verified_claims
from grading.lti.queries import claims_of, is_known_deployment
from grading.models import LtiLaunch, LtiRegistration

# A platform may ask its person for a password in between.
LOGIN_LASTS = timedelta(minutes=15)
USED = "This launch was used already, or it took too long. Open the link in your platform again."
UNKNOWN_PLACE = (
    "This site is installed in your learning platform in a place that is not registered here. An "
    "owner finds the attempt on the platform's page here, and can allow it."
)
log = structlog.get_logger(__name__)


def receive_launch(
    *, registration: LtiRegistration, state: str, message: str, browser: str
) -> LtiLaunch:
    """Check a platform's message and store what it says. Raises LaunchRefused.

    The state is used up, whatever comes of it. A refusal is kept for the owners of the organization
    and written to the log; a state that nobody was given leaves the latter alone. `browser` is the
    cookie that came, "" without one.
    """
    try:
        with scope(organization=registration.organization_id):
            check_usable(registration)
            launch = _use_state(registration, state)
    except LaunchRefused as refusal:
        log_refusal(registration, refusal)
        raise
    try:
        with transaction.atomic(), scope(organization=registration.organization_id):
            claims = _check_message(registration, launch, message)
            _store(launch, claims, is_bound=_is_bound(launch, browser))
    except LaunchRefused as refusal:
        log_refusal(registration, refusal)
        with transaction.atomic(), scope(organization=registration.organization_id):
            LtiLaunch.objects.filter(pk=launch.pk).update(
                refusal=refusal.code, detail=refusal.detail.replace("\x00", "")
            )
        raise
    return launch


def log_refusal(registration: LtiRegistration, refusal: LaunchRefused) -> None:
    log.warning(
        "launch_refused",
        code=refusal.code,
        detail=refusal.detail,
        platform=str(registration.key),
        organization=registration.organization_id,
    )


def bind_launch(*, launch: LtiLaunch, browser: str) -> None:
    """Tie a launch that came without its cookie to the browser that it came from."""
    with transaction.atomic(), scope(organization=launch.organization_id):
        rows = LtiLaunch.objects.filter(pk=launch.pk, is_bound=False, entered_at=None)
        rows.update(browser_sha256=digest_of(browser))


def enter_launch(*, launch: LtiLaunch, user: User) -> None:
    """Mark a launch as that of this user. Raises LaunchRefused launch_used if it was entered before.

    Runs in the scope and transaction of its caller.
    """
    rows = LtiLaunch.objects.filter(pk=launch.pk, entered_at=None, refusal="")
    if not rows.update(user=user, entered_at=timezone.now()):
        raise LaunchRefused("launch_used", USED)
    launch.user = user


def is_from_browser(launch: LtiLaunch, browser: str) -> bool:
    """Return whether this browser began the launch, or brought it."""
    return hmac.compare_digest(launch.browser_sha256, digest_of(browser))


def _use_state(registration: LtiRegistration, state: str) -> LtiLaunch:
    now = timezone.now()
    with transaction.atomic():
        launches = LtiLaunch.objects.filter(
            registration=registration,
            state_sha256=digest_of(state),
            received_at=None,
            created_at__gt=now - LOGIN_LASTS,
        )
        # One statement: of two messages with one state the second changes nothing.
        if not launches.update(received_at=now):
            raise LaunchRefused("launch_used", USED)
    return LtiLaunch.objects.get(state_sha256=digest_of(state))


def _check_message(registration: LtiRegistration, launch: LtiLaunch, message: str) -> LaunchClaims:
    payload = verified_claims(registration, message)
    if payload["nonce"] != launch.nonce:
        raise LaunchRefused(
            "launch_nonce", "The message of your learning platform answers another request."
        )
    claims = read_claims(payload)
    if not is_known_deployment(registration, claims.deployment_id):
        raise LaunchRefused("launch_deployment", UNKNOWN_PLACE, claims.deployment_id)
    check_target(registration, claims.target or launch.target)
    return claims


def _store(launch: LtiLaunch, claims: LaunchClaims, *, is_bound: bool) -> None:
    launch.kind, launch.is_bound = claims.kind, is_bound
    launch.target = claims.target or launch.target
    launch.claims = _json_of(claims)
    launch.save(update_fields=["kind", "is_bound", "target", "claims"])


def _json_of(claims: LaunchClaims) -> dict[str, Any]:
    return claims.model_dump(mode="json", exclude_defaults=True)


def _is_bound(launch: LtiLaunch, browser: str) -> bool:
    return bool(browser) and is_from_browser(launch, browser)


def answer_deep_linking(*, launch: LtiLaunch) -> None:
    """Use up a request for a link. Raises LaunchRefused launch_used.

    Runs in the scope and transaction of its caller.
    """
    rows = LtiLaunch.objects.filter(
        pk=launch.pk, kind=LaunchKind.DEEP_LINKING, answered_at=None, entered_at__isnull=False
    )
    if claims_of(launch).deep_linking is None or not rows.update(answered_at=timezone.now()):
        raise LaunchRefused("launch_used", USED)
