"""Places of a work as links: its repository, commits, files and lines."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from grading.engine.report import Location
from grading.models import Submission
from grading.report_pages.location_links import (
    SHORT_COMMIT,
    LinkedLocation,
    Work,
    link_commit,
    link_location,
    link_repository,
)

register = template.Library()


@register.filter
def linked(place: LinkedLocation, words: SafeString | str = "") -> SafeString | str:
    """Return the place's words, as a link where it can be opened, and a link to its code.

    `words` are shown instead of the place's own.
    """
    words = words or place.words
    if place.address is not None:
        # The host learns from no header which page of the site its visitor read.
        words = format_html('<a href="{}" rel="noreferrer noopener">{}</a>', place.address, words)
    if place.code is None:
        return words
    return format_html(
        '{} <a class="fine no-print" href="{}" aria-label="Code of {}">code</a>',
        words,
        place.code,
        place.words,
    )


@register.filter
def work(submission: Submission) -> Work:
    return Work(submission.repo_url, submission.resolved_commit)


@register.simple_tag
def repository_link(of: Work) -> SafeString | str:
    return linked(link_repository(of.repo_url))


@register.simple_tag
def commit_link(
    of: Work, commit: str | None = None, digits: int = SHORT_COMMIT
) -> SafeString | str:
    """Return this commit of the repository, else the work's own, to so many digits."""
    return linked(link_commit(commit or of.commit or "", of.repo_url, digits))


@register.simple_tag
def file_link(
    of: Work, path: str, first: int | None = None, last: int | None = None, words: str = ""
) -> SafeString | str:
    """Return a file or lines of it at the work's commit; `words` replace path and lines."""
    location = Location(path=path, line_start=first, line_end=last, commit=of.commit)
    return linked(link_location(location, of), words)


@register.simple_tag
def lines_link(of: Work, path: str, lines: Sequence[int]) -> SafeString | str:
    """Return a file with each of these lines as a link, such as src/graph.py:12,40."""
    if not lines:
        return file_link(of, path)
    first = file_link(of, path, lines[0])
    rest = ((file_link(of, path, line, words=str(line)),) for line in lines[1:])
    return format_html("{}{}", first, format_html_join("", ",{}", rest))
