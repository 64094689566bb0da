"""Answer a platform's request for a link: the assignment that a teacher chose, as a signed message.

Rules: https://www.imsglobal.org/spec/lti-dl/v2p0/
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from grading.core.activity_writer import record_activity
from grading.core.errors import LaunchRefused
from grading.lti.claims import (
    ASSIGNMENT,
    DEEP_LINKING,
    LTI,
    VERSION,
    DeepLinking,
    LaunchClaims,
)
from grading.lti.launches import USED, answer_deep_linking
from grading.lti.logins import launch_url
from grading.lti.messages import signed_message
from grading.lti.platform_requests import origin_of
from grading.lti.queries import (
    claims_of,
    cohorts_of_context,
    context_of,
    launch_of_frame,
)
from grading.models import Assignment, LtiLaunch, LtiRegistration

LINK = "ltiResourceLink"
# Grades are sent as parts of this; the platform scales them.
MAXIMUM = 100


@dataclass(frozen=True, slots=True)
class Response:
    """Form that the browser sends to the platform; its `origin` is for the Content-Security-Policy."""

    address: str
    message: str

    @property
    def origin(self) -> str:
        return origin_of(self.address)


def assignments_to_link(launch: LtiLaunch) -> QuerySet[Assignment]:
    """Return the assignments of the cohorts that belong to the course of a launch."""
    cohorts = cohorts_of_context(context_of(launch.registration, claims_of(launch)))
    rows = Assignment.objects.filter(cohort__in=[cohort.pk for cohort in cohorts])
    return rows.select_related("cohort").order_by("cohort__name", "due_at", "title", "pk")


def choose_assignment(*, launch: LtiLaunch, assignment: Assignment, by: User) -> Response | None:
    """Answer a platform's request with a link to the assignment.

    Return the answer for the browser to send; None where the platform's frame waits for it
    (`chosen_response`). Raises LaunchRefused. launch_used: the request was answered before.
    launch_link: the platform takes no such link, or wants the answer at no web address.
    """
    _check_request(claims_of(launch))
    with transaction.atomic():
        rows = LtiLaunch.objects.filter(pk=launch.pk, answered_at=None)
        if not rows.update(assignment=assignment):
            raise LaunchRefused("launch_used", USED)
        record_activity(
            organization=launch.organization_id,
            actor=by,
            verb="platform.link_offered",
            about=assignment,
            platform=launch.registration.name,
        )
        return None if launch.frame_sha256 else _answer(launch, assignment)


def chosen_response(registration: LtiRegistration, secret: str) -> Response | None:
    """Return the answer that a frame with this secret waits for, once; None before there is one.

    Needs the organization's scope. Raises LaunchRefused launch_used.
    """
    launch = launch_of_frame(registration, secret)
    if launch is None or launch.assignment is None:
        return None
    with transaction.atomic():
        return _answer(launch, launch.assignment)


def _answer(launch: LtiLaunch, assignment: Assignment) -> Response:
    claims = claims_of(launch)
    request = _check_request(claims)
    answer_deep_linking(launch=launch)
    message = signed_message(launch.registration, _claims(launch, claims, assignment))
    return Response(request.deep_link_return_url, message)


def _check_request(claims: LaunchClaims) -> DeepLinking:
    request = claims.deep_linking
    if request is None or LINK not in request.accept_types:
        raise LaunchRefused("launch_link", "Your learning platform takes no links of this kind.")
    if not origin_of(request.deep_link_return_url):
        raise LaunchRefused(
            "launch_link", "Your learning platform wants its answer at no web address."
        )
    return request


def _claims(launch: LtiLaunch, claims: LaunchClaims, assignment: Assignment) -> dict[str, Any]:
    registration, request = launch.registration, claims.deep_linking
    answer = {
        "iss": registration.client_id,
        "aud": registration.issuer,
        "nonce": secrets.token_urlsafe(32),
        f"{LTI}deployment_id": claims.deployment_id,
        f"{LTI}message_type": "LtiDeepLinkingResponse",
        f"{LTI}version": VERSION,
        f"{DEEP_LINKING}content_items": [_item(launch, assignment)],
    }
    if request is not None and request.data is not None:
        answer[f"{DEEP_LINKING}data"] = request.data
    return answer


def _item(launch: LtiLaunch, assignment: Assignment) -> dict[str, Any]:
    item: dict[str, Any] = {
        "type": LINK,
        "title": assignment.title,
        "url": launch_url(launch.registration),
        "custom": {ASSIGNMENT: str(assignment.pk)},
        # Our pages are opened in a window of their own: browsers keep our cookies out of frames.
        "window": {"targetName": "_blank"},
    }
    request = claims_of(launch).deep_linking
    if request is not None and request.accept_lineitem:
        item["lineItem"] = {
            "scoreMaximum": MAXIMUM,
            "label": assignment.title,
            "resourceId": str(assignment.pk),
        }
    if assignment.due_at is not None:
        item["submission"] = {"endDateTime": assignment.due_at.isoformat()}
    return item
