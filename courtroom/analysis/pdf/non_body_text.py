"""Read a PDF's metadata, comments, attachments, layers, opacity and page bounds.

Runs in the confined child. Errors of a broken file are raised, and cost the caller only that part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pypdf
from pypdf.generic import DictionaryObject, IndirectObject

from courtroom.analysis.pdf.visibility import Ink

MAX_TEXTS = 200
MAX_TEXT_LENGTH = 20_000  # characters
_CLEAR = 0.05  # share of full opacity
_EDGE = 2.0  # points beside the paper where text still shows in part
_COMMENT_KEYS = ("/Contents", "/RC", "/T", "/Subj")
_MARKUP = re.compile(r"<[^<>]{0,400}>")

# Page number (0 for the whole file), source in words, text.
NonBodyText = tuple[int, str, str]


def file_texts(reader: pypdf.PdfReader) -> list[NonBodyText]:
    """Return metadata and attachments of the whole file, as page 0."""
    return [*_metadata(reader), *_xmp(reader), *islice(_attachments(reader), MAX_TEXTS)]


def page_comments(page: pypdf.PageObject, number: int) -> list[NonBodyText]:
    """Return the text of a page's annotations, pop-ups and form fields."""
    return [(number, "a comment on the page", text) for text in islice(_comments(page), MAX_TEXTS)]


def hidden_layers(reader: pypdf.PdfReader) -> frozenset[int]:
    """Return the object numbers of the optional-content groups a viewer hides at first."""
    return frozenset(_hidden_groups(_root(reader)))


def ink_of(page: pypdf.PageObject, hidden_groups: frozenset[int]) -> Ink:
    """Return the ink at the page's beginning, with its names of clear states and hidden layers."""
    resources = page.get("/Resources", DictionaryObject()).get_object()
    return Ink(
        clear_states=_named(resources, "/ExtGState", _is_clear),
        hidden_layers=_named(
            resources, "/Properties", lambda group: _is_hidden(group, hidden_groups)
        ),
    )


def paper_of(page: pypdf.PageObject) -> tuple[float, float, float, float] | None:
    """Return left, bottom, right and top of the visible page with a small edge, in points.

    None when the page has no area.
    """
    left, bottom, right, top = (float(value) for value in page.cropbox)
    if left >= right or bottom >= top:
        return None
    return left - _EDGE, bottom - _EDGE, right + _EDGE, top + _EDGE


def _root(reader: pypdf.PdfReader) -> Any:
    return reader.trailer["/Root"].get_object()


def _metadata(reader: pypdf.PdfReader) -> Iterator[NonBodyText]:
    for name, value in (reader.metadata or {}).items():
        yield 0, f"the metadata ({name.strip('/')})", str(value)[:MAX_TEXT_LENGTH]


def _xmp(reader: pypdf.PdfReader) -> Iterator[NonBodyText]:
    packet = _root(reader).get("/Metadata")
    if packet is not None:
        text = packet.get_object().get_data()[: 4 * MAX_TEXT_LENGTH].decode("utf-8", "replace")
        yield 0, "the metadata (XMP)", _MARKUP.sub("\n", text)[:MAX_TEXT_LENGTH]


def _attachments(reader: pypdf.PdfReader) -> Iterator[NonBodyText]:
    for name, contents in reader.attachments.items():
        for content in contents:
            text = content[:MAX_TEXT_LENGTH].decode("utf-8", "replace")
            yield 0, "an attached file", f"{name}\n{text}"


def _comments(page: pypdf.PageObject) -> Iterator[str]:
    annotations = page.get("/Annots")
    for reference in annotations.get_object() if annotations is not None else ():
        annotation = reference.get_object()
        for key in _COMMENT_KEYS:
            if isinstance(annotation.get(key), str):
                yield _MARKUP.sub(" ", str(annotation[key]))[:MAX_TEXT_LENGTH]


def _hidden_groups(root: Any) -> Iterator[int]:
    content = root.get("/OCProperties")
    if content is None:
        return

    default = content.get_object()["/D"].get_object()
    yield from (reference.idnum for reference in default.get("/OFF", ()))
    if default.get("/BaseState") == "/OFF":
        on = {reference.idnum for reference in default.get("/ON", ())}
        yield from (r.idnum for r in content.get_object()["/OCGs"] if r.idnum not in on)


def _named(resources: Any, kind: str, matches: Callable[[Any], bool]) -> frozenset[str]:
    table = resources.get(kind)
    if table is None:
        return frozenset()
    entries = table.get_object()
    return frozenset(str(name) for name in entries if matches(entries.raw_get(name)))


def _is_clear(state: Any) -> bool:
    opacity = state.get_object().get("/ca")
    return opacity is not None and float(opacity) <= _CLEAR


def _is_hidden(group: Any, hidden_groups: frozenset[int]) -> bool:
    """Return whether the group is off, or is a membership of groups that are all off."""
    # The default policy of a membership shows it when any of its groups is on.
    if isinstance(group, IndirectObject) and group.idnum in hidden_groups:
        return True
    members = group.get_object().get("/OCGs")
    if members is None:
        return False
    groups = members if isinstance(members, list) else [members]
    return bool(groups) and all(getattr(g, "idnum", None) in hidden_groups for g in groups)
