"""Addresses of comments: the page on which each stands at its place."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from grading.comments.places import place_of
from grading.core.enums import CommentPlace
from grading.models import Comment


def address_of(comment: Comment, org: str, audit: UUID) -> str:
    """Return the address of a comment at its place, on the pages of an audit of its attempt."""
    place, anchor = place_of(comment), f"#comment-{comment.pk}"
    if place.kind == CommentPlace.CRITERION:
        return reverse("audit", args=[org, audit]) + anchor
    if place.kind == CommentPlace.CODE:
        return f"{reverse('audit-code', args=[org, audit])}?{place.query}{anchor}"
    if place.kind == CommentPlace.PAGE:
        query = urlencode({"page": place.page})
        return f"{reverse('audit-pdf', args=[org, audit])}?{query}{anchor}"
    return reverse("comments", args=[org, audit]) + anchor
