"""Markdown as safe HTML, and times for pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby

import nh3
from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince, timeuntil
from django.utils.timezone import get_current_timezone, localtime, now
from markdown_it import MarkdownIt
from markdown_it.token import Token

from grading.core.time_zones import abbreviation_of, name_of

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
_WORDS = re.compile(r"([\w-]+)")


@register.filter
def markdown(text: str, links: Mapping[str, str] | None = None) -> SafeString:
    """Return CommonMark with tables as HTML: no raw HTML, no images, only http(s) and mail links.

    Every heading becomes an h3, so that the page keeps its order of headings. Cut at 64 KB. Words
    of the text that `links` knows become links to the addresses there.
    """
    tokens = _MARKDOWN.parse(text[:MAX_CHARACTERS])
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = "h3"
        if links and token.children:
            token.children = list(_linked(token.children, links))

    html = str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))
    # A second barrier, in case the parser lets something through.
    return mark_safe(  # noqa: S308 -- nh3 has just cleaned it
        nh3.clean(
            html, tags=TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}
        )
    )


def _linked(tokens: Iterable[Token], links: Mapping[str, str]) -> Iterator[Token]:
    """Yield the tokens of a paragraph with these words as links, also in code; no link in a link."""
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type.startswith("link_") else 0
        if depth or token.type not in ("text", "code_inline"):
            yield token
            continue
        # Code is linked as a whole, or it would fall into pieces.
        parts = _WORDS.split(token.content) if token.type == "text" else [token.content]
        for is_link, run in groupby(filter(None, parts), links.__contains__):
            piece = token.copy(content="".join(run))
            yield from _link(piece, links[piece.content]) if is_link else [piece]


def _link(token: Token, address: str) -> Iterator[Token]:
    yield Token("link_open", "a", 1, attrs={"href": address})
    yield token
    yield Token("link_close", "a", -1)


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """Return a time element with its zone, such as 20 Nov 2026, 14:02 UTC."""
    if at is None:
        return "—"

    local = localtime(at)
    words = f"{local.day} {local:%b %Y, %H:%M} {abbreviation_of(local)}"
    return format_html('<time datetime="{}">{}</time>', local.isoformat(timespec="seconds"), words)


@register.filter
def countdown(at: datetime) -> str:
    """Return the distance in the two largest units: in 3 days, 4 hours; 2 weeks ago."""
    return f"in {timeuntil(at)}" if at > now() else f"{timesince(at)} ago"


@register.simple_tag
def page_zone() -> str:
    """Return the name of the zone of this page's times, such as Europe/Berlin."""
    return name_of(get_current_timezone())
