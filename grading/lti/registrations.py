"""Register learning platforms, and what they need here: deployments, keys, what a teacher becomes.

Owners alone do: whoever chooses a platform's keys can let it name any person who came from it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import Role
from grading.core.errors import PlatformRefused
from grading.courses.organizations.roles import may_appoint_teachers
from grading.lti.keys import PUBLISHED_AFTER, PUBLISHED_BEFORE, make_key, published_keys
from grading.lti.platform_keys import forget_keys
from grading.lti.platform_requests import check_address
from grading.models import LtiDeployment, LtiKey, LtiRegistration, Organization

MAX_PLATFORMS, MAX_DEPLOYMENTS = 20, 50
# Long enough to go through the pages of the other system.
SETUP_LASTS = timedelta(hours=1)
ADDRESSES = ("login_url", "token_url", "jwks_url")
NAMES = ("issuer", "client_id", *ADDRESSES, "audience")


@dataclass(frozen=True, slots=True)
class PlatformNames:
    """Names and addresses of a platform, as it states them; `audience` is "" for `token_url`."""

    issuer: str
    client_id: str
    login_url: str
    token_url: str
    jwks_url: str
    audience: str = ""


def add_platform(
    *, organization: Organization, name: str, teacher_role: Role | None, by: User
) -> LtiRegistration:
    """Register a platform by name, with our first key; its own names follow (`complete_platform`).

    Raises PlatformRefused platform_of_owners, too_many_platforms.
    """
    _refuse_all_but_owners(organization, by)
    with transaction.atomic():
        # Two owners must not both add the last one.
        Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
        if LtiRegistration.objects.filter(organization=organization).count() >= MAX_PLATFORMS:
            sentence = f"You already have {MAX_PLATFORMS} platforms. Delete one first."
            raise PlatformRefused("", "too_many_platforms", sentence)
        registration = LtiRegistration.objects.create(
            organization=organization, name=name, teacher_role=teacher_role or "", made_by=by
        )
        make_key(registration, signs_from=timezone.now())
        _record(registration, by, verb="platform.added")
    return registration


def complete_platform(
    *,
    registration: LtiRegistration,
    names: PlatformNames,
    by: User | None,
    deployment: str = "",
    family: str = "",
) -> None:
    """Store what a platform states of itself, at first or anew, and its deployment if it names one.

    `by` is None for the platform itself (dynamic_registration.py). Raises PlatformRefused:
    platform_of_owners, platform_known, and the codes of addresses.
    """
    _refuse_all_but_owners(registration.organization, by)
    _check_names(names)
    try:
        with transaction.atomic():
            locked = LtiRegistration.objects.select_for_update().get(pk=registration.pk)
            for field in NAMES:
                setattr(locked, field, getattr(names, field))
            locked.family = family or locked.family
            # The secret of a dynamic registration is used up.
            locked.setup_sha256, locked.setup_until = "", None
            locked.save()
            if deployment:
                _add_deployment(locked, deployment)
            _record(locked, by, verb="platform.completed", issuer=names.issuer)
    except IntegrityError as error:
        if "lti_client_once" not in str(error):
            raise
        sentence = "You have registered this client ID of this platform already."
        raise PlatformRefused("client_id", "platform_known", sentence) from error
    forget_keys(registration)
    registration.refresh_from_db()


def change_platform(
    *, registration: LtiRegistration, name: str, teacher_role: Role | None, by: User
) -> None:
    """Change our name for a platform, and what a teacher there becomes here. Raises PlatformRefused.

    Roles that were given stay.
    """
    _refuse_all_but_owners(registration.organization, by)
    with transaction.atomic():
        rows = LtiRegistration.objects.filter(pk=registration.pk)
        rows.update(name=name, teacher_role=teacher_role or "")
        _record(registration, by, verb="platform.changed", role=teacher_role or "none")


def switch_platform(*, registration: LtiRegistration, active: bool, by: User) -> None:
    """Turn a platform on or off: one that is off opens nothing and gets nothing. It is idempotent."""
    _refuse_all_but_owners(registration.organization, by)
    with transaction.atomic():
        rows = LtiRegistration.objects.filter(pk=registration.pk, active=not active)
        if rows.update(active=active):
            verb = "platform.switched_on" if active else "platform.switched_off"
            _record(registration, by, verb=verb)


def delete_platform(*, registration: LtiRegistration, by: User) -> None:
    """Delete a platform with its links to our people, courses and assignments, which stay."""
    _refuse_all_but_owners(registration.organization, by)
    with transaction.atomic():
        # Before the deletion: the log needs the row's key.
        _record(registration, by, verb="platform.deleted")
        registration.delete()


def allow_deployment(*, registration: LtiRegistration, deployment: str, by: User) -> None:
    """Let launches of this deployment in. Raises PlatformRefused deployment, too_many_deployments."""
    _refuse_all_but_owners(registration.organization, by)
    with transaction.atomic():
        LtiRegistration.objects.select_for_update(no_key=True).get(pk=registration.pk)
        if _add_deployment(registration, deployment):
            _record(registration, by, verb="platform.deployment_added", deployment=deployment)


def end_deployment(*, registration: LtiRegistration, deployment: str, by: User) -> None:
    """Let no launch of this deployment in any more; its courses are no longer linked.

    It is idempotent. Raises PlatformRefused platform_of_owners.
    """
    _refuse_all_but_owners(registration.organization, by)
    with transaction.atomic():
        rows = LtiDeployment.objects.filter(registration=registration, deployment_id=deployment)
        if rows.delete()[0]:
            _record(registration, by, verb="platform.deployment_removed", deployment=deployment)


def rotate_key(*, registration: LtiRegistration, by: User) -> LtiKey:
    """Publish a new key; it signs in an hour, and the old one stays published a day longer.

    Raises PlatformRefused platform_of_owners, key_waits.
    """
    _refuse_all_but_owners(registration.organization, by)
    with transaction.atomic():
        LtiRegistration.objects.select_for_update(no_key=True).get(pk=registration.pk)
        now = timezone.now()
        LtiKey.objects.filter(registration=registration, published_until__lte=now).delete()
        if published_keys(registration).filter(signs_from__gt=now).exists():
            sentence = "A new key is published and waits until it signs. Wait an hour."
            raise PlatformRefused("", "key_waits", sentence)
        signs_from = now + PUBLISHED_BEFORE
        LtiKey.objects.filter(registration=registration, published_until=None).update(
            published_until=signs_from + PUBLISHED_AFTER
        )
        key = make_key(registration, signs_from=signs_from)
        _record(registration, by, verb="platform.key_replaced")
    return key


def open_setup(*, registration: LtiRegistration, by: User) -> str:
    """Return the secret by which a platform may register itself once, within an hour."""
    _refuse_all_but_owners(registration.organization, by)
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        LtiRegistration.objects.filter(pk=registration.pk).update(
            setup_sha256=digest_of(secret), setup_until=timezone.now() + SETUP_LASTS
        )
        _record(registration, by, verb="platform.setup_opened")
    return secret


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _refuse_all_but_owners(organization: Organization, by: User | None) -> None:
    if not may_appoint_teachers(organization, by):
        sentence = "Only owners connect a learning platform: it names the people who come from it."
        raise PlatformRefused("", "platform_of_owners", sentence)


def _check_names(names: PlatformNames) -> None:
    if not names.issuer.startswith(("https://", "http://")) or " " in names.issuer:
        sentence = "The issuer is an address, such as https://moodle.example.org."
        raise PlatformRefused("issuer", "issuer_malformed", sentence)
    for field in ADDRESSES:
        check_address(field, getattr(names, field))


def _add_deployment(registration: LtiRegistration, deployment: str) -> bool:
    """Store a deployment that is new; return whether it is."""
    rows = LtiDeployment.objects.filter(registration=registration)
    if rows.filter(deployment_id=deployment).exists():
        return False
    if rows.count() >= MAX_DEPLOYMENTS:
        sentence = f"A platform has {MAX_DEPLOYMENTS} deployments at most."
        raise PlatformRefused("deployment", "too_many_deployments", sentence)
    LtiDeployment.objects.create(
        organization_id=registration.organization_id,
        registration=registration,
        deployment_id=deployment,
    )
    return True


def _record(registration: LtiRegistration, by: User | None, *, verb: str, **detail: str) -> None:
    words: Mapping[str, str] = {"platform": registration.name} | detail
    record_activity(
        organization=registration.organization_id, actor=by, verb=verb, about=registration, **words
    )
