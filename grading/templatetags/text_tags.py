"""Markdown as safe HTML, and times for pages."""

from __future__ import annotations

from datetime import datetime

import nh3
from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince, timeuntil
from django.utils.timezone import localtime, now
from markdown_it import MarkdownIt

register = template.Library()

# 64 KB of the worst known Markdown takes about half a second; real texts are much shorter.
MAX_CHARACTERS = 64 * 1024
# No images: they would tell another server who reads the page.
TAGS = {
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h3",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
}
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@register.filter
def markdown(text: str) -> SafeString:
    """Return CommonMark with tables as HTML: no raw HTML, no images, only http(s) and mail links.

    Every heading becomes an h3, so that the page keeps its order of headings. Cut at 64 KB.
    """
    tokens = _MARKDOWN.parse(text[:MAX_CHARACTERS])
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = "h3"

    html = str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))
    # A second barrier, in case the parser lets something through.
    return mark_safe(  # noqa: S308 -- nh3 has just cleaned it
        nh3.clean(
            html, tags=TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}
        )
    )


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """Return a time element with its zone, such as 20 Nov 2026, 14:02 UTC."""
    if at is None:
        return "—"

    local = localtime(at)
    words = f"{local.day} {local:%b %Y, %H:%M %Z}"
    return format_html('<time datetime="{}">{}</time>', local.isoformat(timespec="seconds"), words)


@register.filter
def countdown(at: datetime) -> str:
    """Return the distance in the two largest units: in 3 days, 4 hours; 2 weeks ago."""
    return f"in {timeuntil(at)}" if at > now() else f"{timesince(at)} ago"
