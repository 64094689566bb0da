"""What a PDF holds beside its pages' own text: metadata, comments, attachments, layers, opacity, the paper's edge.

Runs in the confined child. What a broken file breaks here is raised, and costs the caller this part alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pypdf
from pypdf.generic import DictionaryObject, IndirectObject

from courtroom.analysis.pdf.visibility import Ink

MOST_MARGINS = 200
LONGEST_MARGIN = 20_000  # characters
_CLEAR = 0.05  # of full opacity
_EDGE = 2.0  # points beside the paper that still show something
_COMMENTS = ("/Contents", "/RC", "/T", "/Subj")
_MARKUP = re.compile(r"<[^<>]{0,400}>")

Margin = tuple[int, str, str]


def beside_the_pages(reader: pypdf.PdfReader) -> list[Margin]:
    """Page 0: metadata and attachments of the whole file."""
    return [*_metadata(reader), *_xmp(reader), *islice(_attachments(reader), MOST_MARGINS)]


def comments_on(page: pypdf.PageObject, number: int) -> list[Margin]:
    """The words of a page's annotations, pop-ups and form fields."""
    return [
        (number, "a comment on the page", text) for text in islice(_comments(page), MOST_MARGINS)
    ]


def layers_switched_off(reader: pypdf.PdfReader) -> frozenset[int]:
    """The object numbers of the optional-content groups that a viewer does not show at first."""
    return frozenset(_hidden_groups(_root(reader)))


def ink_of(page: pypdf.PageObject, hidden_groups: frozenset[int]) -> Ink:
    """The page's ink at its beginning, with its names of clear states and hidden layers."""
    resources = page.get("/Resources", DictionaryObject()).get_object()
    return Ink(
        clear_states=_named(resources, "/ExtGState", _is_clear),
        hidden_layers=_named(
            resources, "/Properties", lambda group: _is_hidden(group, hidden_groups)
        ),
    )


def paper_of(page: pypdf.PageObject) -> tuple[float, float, float, float] | None:
    """What is seen of the page, and a little beside it: left, bottom, right, top in points. Null for no paper."""
    left, bottom, right, top = (float(value) for value in page.cropbox)
    if left >= right or bottom >= top:
        return None
    return left - _EDGE, bottom - _EDGE, right + _EDGE, top + _EDGE


def _root(reader: pypdf.PdfReader) -> Any:
    return reader.trailer["/Root"].get_object()


def _metadata(reader: pypdf.PdfReader) -> Iterator[Margin]:
    for name, value in (reader.metadata or {}).items():
        yield 0, f"the metadata ({name.strip('/')})", str(value)[:LONGEST_MARGIN]


def _xmp(reader: pypdf.PdfReader) -> Iterator[Margin]:
    packet = _root(reader).get("/Metadata")
    if packet is not None:
        text = packet.get_object().get_data()[: 4 * LONGEST_MARGIN].decode("utf-8", "replace")
        yield 0, "the metadata (XMP)", _MARKUP.sub("\n", text)[:LONGEST_MARGIN]


def _attachments(reader: pypdf.PdfReader) -> Iterator[Margin]:
    for name, contents in reader.attachments.items():
        for content in contents:
            text = content[:LONGEST_MARGIN].decode("utf-8", "replace")
            yield 0, "an attached file", f"{name}\n{text}"


def _comments(page: pypdf.PageObject) -> Iterator[str]:
    annotations = page.get("/Annots")
    for reference in annotations.get_object() if annotations is not None else ():
        annotation = reference.get_object()
        for key in _COMMENTS:
            if isinstance(annotation.get(key), str):
                yield _MARKUP.sub(" ", str(annotation[key]))[:LONGEST_MARGIN]


def _hidden_groups(root: Any) -> Iterator[int]:
    content = root.get("/OCProperties")
    if content is None:
        return
    usual = content.get_object()["/D"].get_object()
    off = [reference.idnum for reference in usual.get("/OFF", ())]
    if usual.get("/BaseState") == "/OFF":
        shown = {reference.idnum for reference in usual.get("/ON", ())}
        off += [r.idnum for r in content.get_object()["/OCGs"] if r.idnum not in shown]
    yield from off


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
    """A group that is off, or a membership of such groups alone (the usual policy shows it if any is on)."""
    if isinstance(group, IndirectObject) and group.idnum in hidden_groups:
        return True
    members = group.get_object().get("/OCGs")
    if members is None:
        return False
    several = members if isinstance(members, list) else [members]
    return bool(several) and all(getattr(m, "idnum", None) in hidden_groups for m in several)
