"""The people of a course as its platform lists them, page by page.

Rules: https://www.imsglobal.org/spec/lti-nrps/v2p0
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import monotonic
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from grading.core.errors import PlatformFailed
from grading.engine.pinned_requests import Reply
from grading.lti.claims import Id, Role, read_email, role_of, words_of
from grading.lti.platform_requests import json_of
from grading.lti.service_requests import ask_service, check_origin, with_query
from grading.models import LtiContext

SCOPE = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
CONTAINER = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
# As many as a list in a file may hold (courses/roster.py).
MOST_MEMBERS, MOST_PAGES = 5000, 100
PER_PAGE = 200
NEXT = re.compile(r'<([^<>]*)>\s*;[^,<]*\brel="?next"?', re.IGNORECASE)


def _roles(value: Any) -> tuple[str, ...]:
    names = value if isinstance(value, list) else []
    return tuple(words_of(name, 255) for name in names[:20] if isinstance(name, str))


class ListedPerson(BaseModel):
    """Person on the list. Empty words were not told: platforms keep names and addresses back."""

    model_config = ConfigDict(frozen=True)

    subject: Id
    name: Annotated[str, BeforeValidator(lambda value: words_of(value, 200))] = ""
    email: Annotated[str, BeforeValidator(read_email)] = ""
    roles: Annotated[tuple[str, ...], BeforeValidator(_roles)] = ()

    @property
    def role(self) -> Role | None:
        return role_of(list(self.roles))


def read_members(context: LtiContext, *, seconds: float) -> list[ListedPerson]:
    """Return who is in the course now, in the platform's order. Needs the organization's scope.

    Raises PlatformFailed: roster_missing, roster_too_long, roster_too_slow, platform_unreadable, and
    those of requests.
    """
    if not context.memberships_url:
        sentence = "The platform does not show this site who is in the course (Names and Roles)."
        raise PlatformFailed("roster_missing", sentence)
    people: dict[str, ListedPerson] = {}
    for row in _rows(context, monotonic() + seconds):
        if (person := _person(row)) is not None:
            people.setdefault(person.subject, person)
        if len(people) > MOST_MEMBERS:
            sentence = f"The course has more than {MOST_MEMBERS} people."
            raise PlatformFailed("roster_too_long", sentence)
    return list(people.values())


def _rows(context: LtiContext, until: float) -> Iterator[Any]:
    """Yield the members of all pages."""
    url = with_query(context.memberships_url, limit=str(PER_PAGE))
    visited = set[str]()
    while url:
        if monotonic() > until:
            raise PlatformFailed(
                "roster_too_slow", "The platform took too long to list the people."
            )
        visited.add(url)
        reply = ask_service(context.registration, [SCOPE], url, types=(CONTAINER, ""))
        content = json_of(reply)
        rows = content.get("members") if isinstance(content, dict) else None
        if not isinstance(rows, list):
            raise PlatformFailed("platform_unreadable", "The platform's answer lists no members.")
        yield from rows
        url = _next_page(reply, context)
        if url in visited or len(visited) >= MOST_PAGES:
            raise PlatformFailed("roster_too_long", "The platform's list has no end.")


def _next_page(reply: Reply, context: LtiContext) -> str:
    match = NEXT.search(reply.headers.get("link", ""))
    return check_origin(match[1], context.memberships_url) if match else ""


def _person(row: Any) -> ListedPerson | None:
    """Return somebody who is active; the rest are listed there as well."""
    if not isinstance(row, dict) or row.get("status", "Active") != "Active":
        return None
    parts = (row.get("given_name"), row.get("family_name"))
    named = row.get("name") or " ".join(str(part) for part in parts if part)
    try:
        return ListedPerson(
            subject=row.get("user_id"), name=named, email=row.get("email"), roles=row.get("roles")
        )
    except ValidationError as error:
        raise PlatformFailed(
            "platform_unreadable", "The platform lists somebody without an ID."
        ) from error
