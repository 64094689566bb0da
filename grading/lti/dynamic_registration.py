"""A platform registers itself by a link that an owner gave it, once.

Rules: https://www.imsglobal.org/spec/lti-dr/v1p0/
"""

from __future__ import annotations

import hmac
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from grading.core.errors import PlatformFailed, PlatformRefused
from grading.core.held_slots import held_slot
from grading.lti.logins import launch_url
from grading.lti.platform_requests import get_json, origin_of, post_json
from grading.lti.registrations import PlatformNames, complete_platform, digest_of
from grading.models import LtiRegistration
from grading.models.lti import LONGEST_ADDRESS, LONGEST_ID

PLATFORM = "https://purl.imsglobal.org/spec/lti-platform-configuration"
TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"
GRADE_SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/"
SCOPES = (
    "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly",
    *(f"{GRADE_SCOPE}{name}" for name in ("lineitem", "result.readonly", "score")),
)
CLAIMS = ("iss", "sub", "name", "given_name", "family_name", "email")
# Canvas shows a tool only in the places that the tool names.
CANVAS, CANVAS_PLACES = "canvas", ("assignment_selection", "link_selection")
# It names its people only to a tool that asks for it.
CANVAS_PRIVACY = "https://canvas.instructure.com/lti/privacy_level"
# One issuer for all institutions, each at a host of its own.
HOSTED = {
    f"https://canvas.{stage}instructure.com": (".instructure.com", ".canvaslms.com")
    for stage in ("", "beta.", "test.")
}
ENDED = "This registration link was used, or an hour has passed. An owner can make a new one."
BUSY = "Another platform registers itself at this moment. Open the link again in a minute."
# Two requests of ten seconds, and the names of their hosts.
HELD_SECONDS = 40
UNFIT = "The platform does not state what this site needs. Register it by hand."

# Neither NUL nor half of a character, which no database holds.
PRINTABLE = r"^[^\x00-\x1f]*$"
Address = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_ADDRESS, pattern=PRINTABLE)
]


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True)


Told = TypeVar("Told", bound=_Told)


class PlatformInformation(_Told):
    product_family_code: Annotated[str, StringConstraints(max_length=40, pattern=PRINTABLE)] = ""


class Configuration(_Told):
    """OpenID configuration of a platform, as far as it matters here."""

    issuer: Address
    authorization_endpoint: Address
    token_endpoint: Address
    jwks_uri: Address
    registration_endpoint: Address
    authorization_server: Annotated[
        str, StringConstraints(max_length=LONGEST_ADDRESS, pattern=PRINTABLE)
    ] = ""
    platform: PlatformInformation = Field(PlatformInformation(), alias=PLATFORM)


class ToolInformation(_Told):
    deployment_id: Annotated[str, StringConstraints(max_length=LONGEST_ID, pattern=PRINTABLE)] = ""


class Registered(_Told):
    """Answer of a platform that took us."""

    client_id: Annotated[
        str, StringConstraints(min_length=1, max_length=LONGEST_ID, pattern=PRINTABLE)
    ]
    tool: ToolInformation = Field(ToolInformation(), alias=TOOL)


def register_dynamically(
    *, registration: LtiRegistration, secret: str, configuration_url: str, token: str
) -> None:
    """Register this site with a platform, and the platform here. The secret is used up.

    `token` is the platform's own, "" without one. Raises PlatformRefused (setup_ended, setup_busy,
    setup_unfit and those of complete_platform), PlatformFailed.
    """
    digest = digest_of(secret)
    if not hmac.compare_digest(registration.setup_sha256, digest):
        raise PlatformRefused("", "setup_ended", ENDED)
    # A slow platform must not take all web threads.
    holder = f"registrations of platforms of {registration.organization_id}"
    with held_slot(holder, slots=1, seconds=HELD_SECONDS) as slot:
        if slot is None:
            raise PlatformRefused("", "setup_busy", BUSY)
        _use_secret(registration, digest)
        _register(registration, configuration_url, token)


def _register(registration: LtiRegistration, configuration_url: str, token: str) -> None:
    configuration = _configuration(configuration_url)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    family = configuration.platform.product_family_code
    answer = post_json(
        configuration.registration_endpoint,
        our_configuration(registration, family),
        headers=headers,
    )
    registered = _read(Registered, answer)
    names = PlatformNames(
        issuer=configuration.issuer,
        client_id=registered.client_id,
        login_url=configuration.authorization_endpoint,
        token_url=configuration.token_endpoint,
        jwks_url=configuration.jwks_uri,
        audience=configuration.authorization_server,
    )
    with scope(organization=registration.organization_id):
        complete_platform(
            registration=registration,
            names=names,
            by=None,
            deployment=registered.tool.deployment_id,
            family=family,
        )


def our_configuration(registration: LtiRegistration, family: str) -> dict[str, Any]:
    """Return what the site tells a platform of itself."""
    launch, site = launch_url(registration), settings.SITE_URL
    is_canvas = family == CANVAS
    places = {"placements": list(CANVAS_PLACES)} if is_canvas else {}
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "initiate_login_uri": f"{site}{reverse('lti-login', args=[registration.key])}",
        "redirect_uris": [launch],
        "client_name": "Automaton Auditor",
        "jwks_uri": f"{site}{reverse('lti-keys', args=[registration.key])}",
        "logo_uri": f"{site}{static('img/mark.svg')}",
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": " ".join(SCOPES),
        TOOL: {
            "domain": urlsplit(site).netloc,
            "description": "Audits of software projects, with evidence, grades and feedback.",
            "target_link_uri": launch,
            "claims": list(CLAIMS),
            "messages": [
                {
                    "type": "LtiDeepLinkingRequest",
                    "target_link_uri": launch,
                    "label": "Automaton Auditor",
                    **places,
                }
            ],
            **({CANVAS_PRIVACY: "public"} if is_canvas else {}),
        },
    }


def _use_secret(registration: LtiRegistration, digest: str) -> None:
    with transaction.atomic(), scope(organization=registration.organization_id):
        # One statement: of two requests the second changes nothing.
        rows = LtiRegistration.objects.filter(
            pk=registration.pk, setup_sha256=digest, setup_until__gt=timezone.now()
        )
        if not rows.update(setup_sha256="", setup_until=None):
            raise PlatformRefused("", "setup_ended", ENDED)


def speaks_for(url: str, issuer: str) -> bool:
    """Return whether a configuration at this address may be that of the issuer."""
    origin = origin_of(url)
    if not origin or origin == origin_of(issuer):
        return bool(origin)
    host = urlsplit(origin).hostname or ""
    return origin.startswith("https://") and host.endswith(HOSTED.get(issuer, ()))


def _configuration(url: str) -> Configuration:
    configuration = _read(Configuration, get_json(url))
    # A page of somebody else must not speak for the platform.
    if not speaks_for(url, configuration.issuer):
        raise PlatformRefused(
            "",
            "setup_unfit",
            f"{origin_of(url)} speaks for another platform: {configuration.issuer}. Register "
            "it by hand.",
        )
    return configuration


def _read(kind: type[Told], answer: Any) -> Told:
    try:
        return kind.model_validate(answer)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise PlatformFailed("platform_unreadable", f"{UNFIT} ({place[:100]})") from error
