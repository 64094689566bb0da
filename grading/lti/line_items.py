"""Columns of a platform's gradebook: find the one of an assignment, or make one.

The column that a launch names comes first. After a copy of a course there may be two of a name; those
of other links are left alone. Rules: https://www.imsglobal.org/spec/lti-ags/v2p0/#line-item-service
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from http import HTTPStatus
from typing import Any

from django.utils import timezone

from grading.core.enums import LineItemOrigin
from grading.core.errors import PlatformFailed
from grading.lti.platform_requests import json_of
from grading.lti.service_requests import ask_service, check_origin, with_query
from grading.models import LtiContext, LtiLineItem, LtiResourceLink
from grading.models.lti import LONGEST_ADDRESS
from grading.notifications.gradebooks import MAXIMUM

AGS = "https://purl.imsglobal.org/spec/lti-ags/scope/"
WRITE, READ, SCORE = f"{AGS}lineitem", f"{AGS}lineitem.readonly", f"{AGS}score"
COLUMN = "application/vnd.ims.lis.v2.lineitem+json"
COLUMNS = "application/vnd.ims.lis.v2.lineitemcontainer+json"
# Columns that we make; those of deep linking have no tag.
TAG = "automaton-auditor"
# Teachers change the maximum of a column rarely.
READ_EVERY = timedelta(hours=1)
MOST_COLUMNS = 1000
LARGEST = Decimal(999_999)


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a gradebook; `link` is the id of the resource link that it belongs to, or ""."""

    url: str
    maximum: Decimal
    link: str = ""
    resource: str = ""
    tag: str = ""


def scopes_of(context: LtiContext, *, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the wanted scopes that the platform grants."""
    return tuple(scope for scope in wanted if scope in context.grade_scopes)


def prepare_column(item: LtiLineItem) -> None:
    """Store the address and the maximum of an assignment's column, looked up where they are not known.

    Needs the organization's scope, outside a transaction. Raises PlatformFailed: column_missing,
    and those of requests.
    """
    links = list(LtiResourceLink.objects.filter(context=item.context, assignment=item.assignment))
    given = [link.lineitem_url for link in reversed(links) if link.lineitem_url]
    is_ours = bool(item.url) and (not given or item.url in given)
    is_fresh = item.read_at is not None and item.read_at > timezone.now() - READ_EVERY
    if is_ours and is_fresh:
        return
    known = ([item.url] if is_ours else []) + given
    column, item.origin = _find(item, known, [link.resource_link_id for link in links])
    item.url, item.maximum, item.read_at = column.url, column.maximum, timezone.now()
    item.save(update_fields=["url", "maximum", "read_at", "origin"])


def _find(item: LtiLineItem, known: list[str], links: list[str]) -> tuple[Column, str]:
    """Return the column and who made it: a known one that is still there, another, or a new one."""
    for url in known:
        if (column := _read(item.context, url, item.maximum)) is not None:
            return column, item.origin if url == item.url else LineItemOrigin.PLATFORM
    if (column := _search(item, links)) is not None:
        return column, LineItemOrigin.SITE if column.tag == TAG else LineItemOrigin.PLATFORM
    return _make(item, links), LineItemOrigin.SITE


def forget_column(item: LtiLineItem) -> None:
    """Look the column up again before the next grade: it is gone there."""
    LtiLineItem.objects.filter(pk=item.pk).update(url="", read_at=None)


def _read(context: LtiContext, url: str, maximum: Decimal) -> Column | None:
    """Return the column at an address, None if it is gone; unread where the platform forbids it."""
    scopes = scopes_of(context, wanted=(READ,)) or scopes_of(context, wanted=(WRITE,))
    if not scopes:
        return Column(url, maximum)
    try:
        reply = ask_service(context.registration, scopes, url, types=(COLUMN, ""))
    except PlatformFailed as failure:
        if failure.status == HTTPStatus.NOT_FOUND:
            return None
        raise
    content = json_of(reply)
    return _column_of(content if isinstance(content, dict) else {}, url)


def _search(item: LtiLineItem, links: list[str]) -> Column | None:
    """Return the column of one of our links, else one with our key that belongs to no other link.

    Platforms may ignore the filters of a request: what they answer is filtered again.
    """
    scopes = scopes_of(item.context, wanted=(READ,)) or scopes_of(item.context, wanted=(WRITE,))
    if not scopes or not item.context.lineitems_url:
        return None
    key = str(item.assignment_id)
    for link in reversed(links):
        rows = _columns(item.context, scopes, resource_link_id=link)
        ours = [column for column in rows if column.link == link]
        if ours:
            # One with our key is the link's own; the last is the one of a copied course.
            return max(enumerate(ours), key=lambda row: (row[1].resource == key, row[0]))[1]
    rows = _columns(item.context, scopes, resource_id=key)
    loose = [row for row in rows if row.resource == key and row.link in ("", *links)]
    return max(enumerate(loose), key=lambda row: (row[1].tag == TAG, row[0]))[1] if loose else None


def _columns(context: LtiContext, scopes: tuple[str, ...], **filters: str) -> list[Column]:
    url = with_query(context.lineitems_url, **filters)
    rows = json_of(ask_service(context.registration, scopes, url, types=(COLUMNS, "")))
    if not isinstance(rows, list):
        raise PlatformFailed("platform_unreadable", "The platform's columns are no list.")
    return list(_readable(rows[:MOST_COLUMNS], context.lineitems_url))


def _readable(rows: list[Any], known: str) -> Iterator[Column]:
    """Yield the columns that can be used; those of others do not matter to us."""
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            continue
        try:
            yield _column_of(row, check_origin(row["id"], known))
        except PlatformFailed:
            continue


def _make(item: LtiLineItem, links: list[str]) -> Column:
    context, scopes = item.context, scopes_of(item.context, wanted=(WRITE,))
    if not scopes or not context.lineitems_url:
        sentence = "The course has no column for this assignment, and the platform lets this site make none."
        raise PlatformFailed("column_missing", sentence)
    wanted = {
        "scoreMaximum": MAXIMUM,
        "label": item.assignment.title,
        "resourceId": str(item.assignment_id),
        "tag": TAG,
    }
    if links:
        wanted["resourceLinkId"] = links[-1]
    reply = ask_service(
        context.registration,
        scopes,
        context.lineitems_url,
        method="POST",
        body=json.dumps(wanted).encode(),
        types=(COLUMN, COLUMN),
    )
    made = json_of(reply)
    if not isinstance(made, dict) or not isinstance(made.get("id"), str):
        raise PlatformFailed("platform_unreadable", "The platform does not name its new column.")
    return _column_of(made, check_origin(made["id"], context.lineitems_url))


def _column_of(row: dict[str, Any], url: str) -> Column:
    maximum = row.get("scoreMaximum")
    try:
        points = Decimal(str(maximum)).quantize(Decimal("0.01"))
    except InvalidOperation:
        points = Decimal(0)
    # Whatever is no number can't be compared.
    is_number = points.is_finite() and not isinstance(maximum, bool)
    if not is_number or not 0 < points <= LARGEST or len(url) > LONGEST_ADDRESS:
        raise PlatformFailed(
            "column_unusable", "The column for this assignment has no maximum there."
        )
    names = (row.get(name) for name in ("resourceLinkId", "resourceId", "tag"))
    return Column(url, points, *("" if name is None else str(name) for name in names))
