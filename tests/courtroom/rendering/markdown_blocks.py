"""Markdown as a CommonMark parser reads it."""

from markdown_it import MarkdownIt


def blocks(text):
    """Return the block tokens of a CommonMark parser."""
    return MarkdownIt("commonmark").enable("table").parse(text)
