"""What PostgreSQL is told about who asks, so that its row-level security can answer.

Three doors, each of them a django-scopes scope; whoever is in none of them gets no tenant's row from the database,
whatever the query. `grading.core.rls` tells the connection before the next query.

    scope(organization=...)   the rows of one organization, or of a list of them: django-scopes' own
    as_person(user)           to look at only: one's memberships, and the places on rosters that wait for one of
                              one's e-mails
    as_dispatcher()           to look at only, of every organization: the audits that wait or run, the letters and
                              webhook deliveries that wait, bulk runs, rounds of peers, and fixes to verify
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from django.db.models import Model
from django_scopes import get_scope, scope


class Told(NamedTuple):
    """The values of the settings that the policies read, as text: "7,12", "3", "dispatch", or nothing."""

    organization: str = ""
    person: str = ""
    errand: str = ""


def as_person(user: Any) -> AbstractContextManager[None]:
    """What a person may know about themselves before they have entered any organization."""
    return _door(person=user.pk)


def as_dispatcher() -> AbstractContextManager[None]:
    """Which audits, letters, rounds and fixes need a worker, and how many stand before one in the queue."""
    return _door(errand="dispatch")


def _door(**opened: Any) -> AbstractContextManager[None]:
    closed = {"organization": None, "person": None, "errand": None}
    door: AbstractContextManager[None] = scope(**closed | opened, _enabled=False)
    return door


def told() -> Told:
    """What the scopes entered at this moment say to the database."""
    entered = get_scope()  # type: ignore[no-untyped-call]  # -- django-scopes is untyped
    if entered.get("_enabled", False):
        return Told(organization=",".join(map(str, _keys(entered.get("organization")))))
    return Told(person=str(entered.get("person") or ""), errand=entered.get("errand") or "")


def _keys(organizations: Any) -> list[int]:
    if organizations is None:
        return []
    several = isinstance(organizations, Iterable) and not isinstance(organizations, str)
    return [
        int(each.pk if isinstance(each, Model) else each)
        for each in (organizations if several else [organizations])
    ]
