"""Somebody who comes from a learning platform: a browser here, and messages by lti1p3platform there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.registration import Registration
from lti1p3platform.request import Request

from grading.models import LtiRegistration
from tests.factories.lti_server import LtiServer

LTI = "https://purl.imsglobal.org/spec/lti/claim/"
TEACHER = "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"
ASSISTANT = "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"
LEARNER = "http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"
Claims = dict[str, Any]


class _Platform(LTI1P3PlatformConfAbstract):
    def init_platform_config(self, **kwargs: Any) -> None:
        self._registration = kwargs["registration"]

    def get_registration_by_params(self, **_: Any) -> Any:
        return self._registration


class _Request(Request):
    def build_metadata(self, request: Any) -> Any:
        return {"get_data": request, "form_data": {}}


class _Launch(LTIAdvantageMessageLaunchAbstract):
    """Message as claims: the tests sign it, rightly or wrongly."""

    def render_launch_form(self, launch_data: Any, **_: Any) -> Any:
        return launch_data

    def claims(self) -> Claims:
        self._registration = self._platform_config.get_registration()
        preflight = self.get_preflight_response()
        self.validate_preflight_response(preflight)
        message: Claims = self.get_launch_data()[0]
        if self._deep_linking_launch_data:
            message |= {f"{LTI}message_type": "LtiDeepLinkingRequest"}
            message |= self._deep_linking_launch_data
        return message


@dataclass
class Traveller:
    """Person of a platform, with their browser. `course` "" leaves the course out."""

    registration: LtiRegistration
    platform: LtiServer
    subject: str = "ada"
    name: str = "Ada Lovelace"
    email: str = "ada@example.org"
    roles: list[str] = field(default_factory=lambda: [LEARNER])
    deployment: str = "1"
    course: str = "course-1"
    link: str = "link-1"
    custom: dict[str, str] = field(default_factory=dict)
    client: Client = field(default_factory=Client)

    @property
    def paths(self) -> str:
        return f"/lti/{self.registration.key}"

    @property
    def launch_url(self) -> str:
        return f"{settings.SITE_URL}{self.paths}/launch/"

    def conf(self) -> _Platform:
        """Return the platform as lti1p3platform knows it."""
        there = (
            Registration()
            .set_iss(self.registration.issuer)
            .set_client_id(self.registration.client_id)
            .set_deployment_id(self.deployment)
            .set_launch_url(self.launch_url)
            .set_deeplink_launch_url(self.launch_url)
        )
        return _Platform(registration=there)

    def login(self, *, target: str = "", **headers: Any) -> HttpResponse:
        """Begin a launch, as a page of the platform does."""
        fields = {
            "iss": self.registration.issuer,
            "login_hint": self.subject,
            "target_link_uri": target or self.launch_url,
            "client_id": self.registration.client_id,
            "lti_message_hint": "hint",
            "lti_deployment_id": self.deployment,
        }
        response: Any = self.client.post(f"{self.paths}/login/", fields, headers=headers)
        return response

    def preflight(self, **options: Any) -> dict[str, str]:
        """Return what the browser brings back to the platform."""
        response = self.login(**options)
        assert response.status_code == 302, response.content
        return dict(parse_qsl(urlsplit(response["Location"]).query))

    def claims(self, preflight: dict[str, str], *, deep_linking: bool = False) -> Claims:
        message = _Launch(_Request(preflight), self.conf())
        message.set_user_data(self.subject, self.roles, self.name or None, self.email or None)
        if not deep_linking:
            message.set_resource_link_claim(self.link, title="The auditor")
        if self.course:
            message.set_launch_context_claim(self.course, context_title="Software engineering")
        if self.custom:
            message.set_custom_parameters_claim(self.custom)
        message.set_ags(f"{self.platform.issuer}/lineitems", f"{self.platform.issuer}/lineitems/1")
        message.set_nrps(f"{self.platform.issuer}/members")
        if deep_linking:
            message.set_dl(f"{self.platform.issuer}/return", extra_data={"page": "7"})
        return message.claims() | times()

    def send(self, state: str, message: str) -> Any:
        return self.client.post(f"{self.paths}/launch/", {"state": state, "id_token": message})

    def launch(self, change: Callable[[Claims], Any] = lambda _: None, **options: Any) -> Any:
        """Come from the platform; return the answer to its message. `change` spoils the claims."""
        preflight = self.preflight()
        claims = self.claims(preflight, **options)
        change(claims)
        return self.send(preflight["state"], self.platform.signed(claims))

    def enter(self, **options: Any) -> Any:
        """Come from the platform and go on to the page that opens first."""
        response = self.launch(**options)
        assert response.status_code == 303, response.content
        return self.client.get(response["Location"])

    def arrive(self, **options: Any) -> Any:
        """Come for the first time, with a new account, and go on to the first page."""
        response = self.launch(**options)
        assert response.status_code == 303, response.content
        return self.client.post(response["Location"], {"do": "create"})


def times() -> Claims:
    import time

    now = int(time.time())
    return {"iat": now, "exp": now + 300}
