"""Our addresses and keys as the page of a platform shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from grading.lti.keys import published_keys
from grading.models import LtiRegistration


@dataclass(frozen=True, slots=True)
class Address:
    """Address to copy, with the names that Moodle and Canvas have for its field."""

    label: str
    address: str
    moodle: str
    canvas: str


@dataclass(frozen=True, slots=True)
class ShownKey:
    kid: str
    signs_from: datetime
    published_until: datetime | None
    state: str


def addresses_of(registration: LtiRegistration) -> list[Address]:
    launch = _address("lti-launch", registration)
    return [
        Address("Tool URL", launch, "Tool URL", "Target Link URI"),
        Address(
            "Login URL",
            _address("lti-login", registration),
            "Initiate login URL",
            "OpenID Connect Initiation Url",
        ),
        Address("Redirect URL", launch, "Redirection URI(s)", "Redirect URIs"),
        Address(
            "Public keys",
            _address("lti-keys", registration),
            "Public keyset",
            "JWK Method: Public JWK URL",
        ),
        Address(
            "Deep linking",
            launch,
            "Content Selection URL",
            "Placements: Target Link URI, LtiDeepLinkingRequest",
        ),
    ]


def setup_address(registration: LtiRegistration, secret: str) -> str:
    """Return the link by which a platform registers itself."""
    path = reverse("lti-register", args=[registration.key, secret])
    return f"{settings.SITE_URL}{path}"


def keys_of(registration: LtiRegistration) -> list[ShownKey]:
    """Return the published keys, the newest first, and what each does now."""
    now, shown = timezone.now(), list[ShownKey]()
    has_signer = False
    for key in published_keys(registration):
        waits = key.signs_from > now
        state = "signs soon" if waits else "published" if has_signer else "signs"
        has_signer = has_signer or not waits
        shown.append(ShownKey(str(key.kid), key.signs_from, key.published_until, state))
    return shown


def _address(name: str, registration: LtiRegistration) -> str:
    return f"{settings.SITE_URL}{reverse(name, args=[registration.key])}"
