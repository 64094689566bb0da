"""The claims of a verified launch as a typed record: what a platform says of a person and a place there.

Names: https://www.imsglobal.org/spec/lti/v1p3/#resource-link-launch-request-message and the services' own.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import validate_email
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from grading.core.enums import LaunchKind
from grading.core.errors import LaunchRefused
from grading.models.lti import LONGEST_ADDRESS, LONGEST_ID

LTI = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"
GRADES = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
ROSTER = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
VERSION = "1.3.0"
KINDS = {
    "LtiResourceLinkRequest": LaunchKind.RESOURCE,
    "LtiDeepLinkingRequest": LaunchKind.DEEP_LINKING,
}
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
# Our parameter in the links that deep linking makes.
ASSIGNMENT = "auditor_assignment"
INCOMPLETE = "The message of your learning platform lacks what this site needs."


def words_of(value: Any, longest: int) -> str:
    """Return words of the platform, which only describe, in one line and shortened."""
    text = value if isinstance(value, str) else ""
    # JSON can hold half of a character, and no text can.
    text = text.encode(errors="ignore").decode()
    return " ".join(text.replace("\x00", "").split())[:longest]


def _one_line(longest: int) -> BeforeValidator:
    return BeforeValidator(lambda value: words_of(value, longest))


Id = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ID, pattern=r"^[^\x00]+$")]
Address = Annotated[str, StringConstraints(max_length=LONGEST_ADDRESS, pattern=r"^[!-~]*$")]
Role = Literal["teacher", "assistant", "student"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True)


class Context(_Record):
    """Course there."""

    id: Id
    title: Annotated[str, _one_line(200)] = ""
    label: Annotated[str, _one_line(120)] = ""


class ResourceLink(_Record):
    id: Id
    title: Annotated[str, _one_line(200)] = ""


class Gradebook(_Record):
    """Service of the gradebook: addresses of all columns and of the link's own."""

    scope: tuple[Annotated[str, StringConstraints(max_length=200)], ...] = Field((), max_length=20)
    lineitems: Address = ""
    lineitem: Address = ""


class DeepLinking(_Record):
    """Request to choose what a link opens; `data` goes back as it came."""

    # That of Canvas holds a whole signed message.
    deep_link_return_url: Annotated[str, StringConstraints(max_length=8000, pattern=r"^[!-~]*$")]
    accept_types: tuple[str, ...]
    accept_multiple: bool = False
    accept_lineitem: bool = True
    data: Any = None


class LaunchClaims(_Record):
    """Message of a platform about one person. Empty words were not told."""

    kind: LaunchKind
    deployment_id: Id
    subject: Id
    target: Annotated[str, StringConstraints(max_length=2000)]
    name: Annotated[str, _one_line(200)] = ""
    email: Annotated[str, _one_line(254)] = ""
    role: Role | None = None
    context: Context | None = None
    resource_link: ResourceLink | None = None
    assignment: Annotated[str, _one_line(40)] = ""
    gradebook: Gradebook = Gradebook()
    memberships_url: Address = ""
    deep_linking: DeepLinking | None = None

    @property
    def is_teacher(self) -> bool:
        return self.role in {"teacher", "assistant"}


def read_claims(claims: dict[str, Any]) -> LaunchClaims:
    """Return the record of a verified message. Raises LaunchRefused launch_kind, launch_incomplete."""
    kind = KINDS.get(str(claims.get(f"{LTI}message_type")))
    if kind is None or claims.get(f"{LTI}version") != VERSION:
        raise LaunchRefused(
            "launch_kind",
            "Your learning platform asks for something that this site can't do.",
            str(claims.get(f"{LTI}message_type"))[:100],
        )
    try:
        record = LaunchClaims.model_validate(
            {
                "kind": kind,
                "deployment_id": claims.get(f"{LTI}deployment_id"),
                "subject": claims.get("sub"),
                "target": claims.get(f"{LTI}target_link_uri") or "",
                "name": _name(claims),
                "email": read_email(claims.get("email")),
                "role": role_of(claims.get(f"{LTI}roles")),
                "context": claims.get(f"{LTI}context") or None,
                "resource_link": claims.get(f"{LTI}resource_link") or None,
                "assignment": _mapping(claims, f"{LTI}custom").get(ASSIGNMENT),
                "gradebook": _mapping(claims, GRADES),
                "memberships_url": _mapping(claims, ROSTER).get("context_memberships_url") or "",
                "deep_linking": claims.get(f"{DEEP_LINKING}deep_linking_settings") or None,
            }
        )
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise LaunchRefused("launch_incomplete", INCOMPLETE, place[:200]) from error
    if not _is_storable(record):
        raise LaunchRefused("launch_incomplete", INCOMPLETE, "characters")
    if kind is LaunchKind.RESOURCE and record.resource_link is None:
        raise LaunchRefused("launch_incomplete", INCOMPLETE, "resource_link")
    if kind is LaunchKind.DEEP_LINKING and record.deep_linking is None:
        raise LaunchRefused("launch_incomplete", INCOMPLETE, "deep_linking_settings")
    return record


def _is_storable(record: LaunchClaims) -> bool:
    """Return whether PostgreSQL takes the record as JSON: without NUL and halves of characters."""
    try:
        text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False)
        text.encode()
    # Half of a character, or a list in a list in a list ...
    except (ValueError, RecursionError):
        return False
    return "\\u0000" not in text


def role_of(names: Any) -> Role | None:
    """Return the highest role in the course that the platform names; others are not about it.

    An assistant is named as an instructor, too, by a role below that one.
    """
    roles = {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
    if f"{MEMBERSHIP}/Instructor#TeachingAssistant" in roles or "TeachingAssistant" in roles:
        return "assistant"
    if roles & {f"{MEMBERSHIP}#Instructor", "Instructor"}:
        return "teacher"
    if roles & {f"{MEMBERSHIP}#Learner", "Learner"}:
        return "student"
    return None


def _name(claims: dict[str, Any]) -> str:
    if claims.get("name"):
        return str(claims["name"])
    parts = (claims.get("given_name"), claims.get("family_name"))
    return " ".join(str(part) for part in parts if part)


def read_email(value: Any) -> str:
    """Return an address in lower case; "" for what is none."""
    email = str(value or "").lower()
    try:
        validate_email(email)
    except DjangoValidationError:
        return ""
    return email if len(email) <= 254 else ""


def _mapping(claims: dict[str, Any], name: str) -> dict[str, Any]:
    value = claims.get(name)
    return value if isinstance(value, dict) else {}


def assignment_key(claims: LaunchClaims) -> int | None:
    """Return the key of the assignment that the link names, if any."""
    text = claims.assignment
    return int(text) if text.isdecimal() and len(text) < 19 else None
