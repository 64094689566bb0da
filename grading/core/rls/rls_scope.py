"""Scopes for PostgreSQL's row-level security.

There are seven, each of them a django-scopes scope. Outside of all seven, no tenant's row is
visible, whatever the query. `grading.core.rls` sets the connection before the next query.

    scope(organization=...)   rows of one organization, or of a list of them (django-scopes' own)
    as_person(user)           read only: the user's memberships, and the invitations of their email
                              addresses
    as_join_code(code)        read only: the join link with this code, of any organization
    as_platform(key)          read only: the learning platform that is registered under this key, of
                              any organization
    as_push_link(key)         read only: the repository that is linked under this key, of any
                              organization
    as_github_repository(id)  read only: the links of this repository of GitHub, of every organization
    as_dispatcher()           read only, of every organization: audits that wait or run, emails and
                              webhook deliveries that wait, pushes to submit or to answer, all invitations'
                              emails, bulk runs, rounds of peers, fixes to
                              verify, editions of reports to make, due dates, uploads to delete, and who
                              of the staff gets a daily email
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Model
from django_scopes import get_scope, scope


class SessionSettings(NamedTuple):
    """Values of the settings that the policies read, as text: "7,12", "3", "dispatch", or ""."""

    organization: str = ""
    person: str = ""
    errand: str = ""


def as_person(user: Any) -> AbstractContextManager[None]:
    """Enter the scope of one user, before any organization is entered."""
    return _read_only_scope(person=user.pk)


def as_dispatcher() -> AbstractContextManager[None]:
    """Enter the scope of the dispatcher: work of all organizations that needs a worker."""
    return _read_only_scope(errand="dispatch")


def as_join_code(code: str) -> AbstractContextManager[None]:
    """Enter the scope of somebody who knows a join link's code, as stored."""
    return _read_only_scope(errand=f"join:{code}")


def as_platform(key: UUID) -> AbstractContextManager[None]:
    """Enter the scope of a request to the addresses of one learning platform."""
    return _read_only_scope(errand=f"lti:{key}")


def as_push_link(key: UUID) -> AbstractContextManager[None]:
    """Enter the scope of a webhook to the address of one link."""
    return _read_only_scope(errand=f"push:{key}")


def as_github_repository(repository_id: int) -> AbstractContextManager[None]:
    """Enter the scope of a webhook that GitHub signed for the site's App."""
    return _read_only_scope(errand=f"github:{repository_id}")


def _read_only_scope(**opened: Any) -> AbstractContextManager[None]:
    empty = {"organization": None, "person": None, "errand": None}
    # Not enabled: querysets are not filtered by django-scopes, only by the database.
    manager: AbstractContextManager[None] = scope(**empty | opened, _enabled=False)
    return manager


def current_settings() -> SessionSettings:
    """Return the settings of the scope that is entered now."""
    entered = get_scope()  # type: ignore[no-untyped-call]  # -- django-scopes is untyped
    # Neither the read-only scopes nor scopes_disabled() are enabled: they open no organization.
    if entered.get("_enabled", False):
        return SessionSettings(organization=",".join(map(str, _keys(entered.get("organization")))))
    return SessionSettings(
        person=str(entered.get("person") or ""), errand=entered.get("errand") or ""
    )


def _keys(organizations: Any) -> list[int]:
    if organizations is None:
        return []
    is_list = isinstance(organizations, Iterable) and not isinstance(organizations, str)
    return [
        int(organization.pk if isinstance(organization, Model) else organization)
        for organization in (organizations if is_list else [organizations])
    ]
