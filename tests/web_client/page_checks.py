"""A page as the checks read it: well-formed, labelled, in order, nothing inline. `faults_of` says
what is not.
"""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "link", "input", "br", "hr", "img", "circle", "line", "path", "rect", "polygon"}


class Page(HTMLParser):
    """Parser of a page for the checks: its tags, and faults of their nesting.

    What stands in a <template> is no part of the page until a script copies it.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.feed(html)
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if "template" not in self.open:
            self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if "template" not in self.open:
            self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]} in line {self.getpos()[0]}")
        elif self.open:
            self.open.pop()

    def named(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in names]


def faults_of(html: str) -> list[str]:
    page = Page(html)
    return [
        *page.faults,
        *headings(page),
        *controls(page),
        *references(page),
        *inline(page),
        *drawings(page),
    ]


def headings(page: Page) -> list[str]:
    ranks = [int(tag[1]) for tag, _ in page.tags if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}]
    skipped = [
        f"h{after} after h{before}" for before, after in pairwise(ranks) if after > before + 1
    ]
    return skipped if ranks.count(1) == 1 and ranks[0] == 1 else [f"headings {ranks}", *skipped]


def controls(page: Page) -> list[str]:
    labelled = {label.get("for") for label in page.named("label")}
    visible = [
        c
        for c in page.named("input", "select", "textarea")
        if c.get("type") != "hidden" and "hidden" not in c
    ]
    bare = [
        str(c.get("name")) for c in visible if c.get("id") not in labelled and "aria-label" not in c
    ]
    nameless = (
        [] if [html.get("lang") for html in page.named("html")] == ["en"] else ["no language"]
    )
    return [f"no label: {name}" for name in bare] + nameless


def references(page: Page) -> list[str]:
    ids = Counter(a["id"] for _, a in page.tags if a.get("id"))
    twice = [f"id twice: {name}" for name, times in ids.items() if times > 1]
    named = {
        name
        for _, a in page.tags
        for key in ("aria-describedby", "aria-labelledby")
        for name in (a.get(key) or "").split()
    }
    links = {
        (a.get("href") or "")[1:] for a in page.named("a") if (a.get("href") or "").startswith("#")
    }
    return twice + [f"leads nowhere: {name}" for name in (named | links) - set(ids)]


def inline(page: Page) -> list[str]:
    styled = [
        f"{tag} {name}"
        for tag, a in page.tags
        for name in a
        if name == "style" or name.startswith("on")
    ]

    scripts = [
        str(a)
        for a in page.named("script")
        if not a.get("src") and a.get("type") != "application/json"
    ]

    return styled + scripts + ["<style>" for _ in page.named("style")]


def drawings(page: Page) -> list[str]:
    described = [
        a
        for a in page.named("svg")
        if a.get("aria-hidden") == "true" or (a.get("role") == "img" and a.get("aria-label"))
    ]
    headers = [a for a in page.named("th") if a.get("scope") not in {"row", "col"}]
    return [f"{len(page.named('svg')) - len(described)} silent drawings"] * (
        described != page.named("svg")
    ) + ["th without scope"] * bool(headers)
