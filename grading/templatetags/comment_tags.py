"""Comments at a place of a work.

A view that shows a work puts `comments_on(submission, request.user)` in its context: one query,
however many comments there are. Then, with {% load comment_tags %},

    {% comments_at comments audit %}                                   the whole work
    {% comments_at comments audit criterion=row.id %}                  one criterion
    {% comments_at comments audit path="src/graph.py" line=41 %}       lines that end at this one
    {% comments_at comments audit page=3 %}                            one page of the PDF

renders them with a link to write one, without a further query. `audit` is the audit that the page
shows; its organization is loaded. Where a page has no `comments`, nothing is rendered. A page that
includes `_htmx.html` and `js/comment_bank.js` lets its readers write in place; without them the
links lead to pages of their own.

A reader who picks an entry of the bank gets its text into the form. Where the entry has points, the
form sends the event `comment-bank:picked` up the page, with `detail.points` and
`detail.criterion`: a page with a field for the score may fill it. Nothing is saved by it.
"""

from __future__ import annotations

from typing import Any

from django import template

from grading.comments.places import WORK, Place, on_criterion, on_lines, on_page
from grading.comments.presenters import address_of
from grading.comments.queries import CommentsOf, ShownComment
from grading.models import Audit

register = template.Library()


@register.inclusion_tag("comments/_place.html")
def comments_at(
    comments: CommentsOf | str,
    audit: Audit,
    criterion: str = "",
    path: str = "",
    line: int = 0,
    page: int = 0,
) -> dict[str, Any]:
    """Render the comments at one place, and staff's link to write one. No query."""
    # A variable that a page does not have arrives as an empty string.
    if not isinstance(comments, CommentsOf):
        return {}
    shown, place = _at(comments, criterion, path, line, page)
    return {
        "place": place,
        "audit": audit,
        "is_staff": comments.is_staff,
        "shown": [row for row in shown if not row.is_earlier],
        "earlier": [row for row in shown if row.is_earlier],
    }


def _at(
    comments: CommentsOf, criterion: str, path: str, line: int, page: int
) -> tuple[list[ShownComment], Place]:
    if criterion:
        return comments.on_criterion(criterion), on_criterion(criterion)
    if path:
        own = [row for row in comments.on_file(path) if not row.is_earlier]
        return [row for row in own if row.comment.last_line == line], on_lines(path, line)
    if page:
        rows = [row for row in comments.on_pages() if row.comment.page == page]
        return rows, on_page(page)
    return comments.on_work(), WORK


@register.simple_tag
def comment_address(shown: ShownComment, audit: Audit) -> str:
    """Return the address of a comment at its place, on the pages of its own attempt."""
    return address_of(shown.comment, audit.organization.slug, shown.audit)


@register.filter
def staff_name(user: Any) -> str:
    """Return the name under which a person of the staff writes; accounts may have none."""
    return (user.get_full_name() if user else "") or "Staff"
