"""Ways to put words into a PDF where nobody sees them, for tests of what is heard there all the
same.
"""

from __future__ import annotations

from pathlib import Path

from pypdf import PdfWriter
from pypdf.annotations import FreeText, Popup, Text
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    StreamObject,
    TextStringObject,
)

# What is drawn, by how it hides; {} is the words as a PDF string.
DRAWN = {
    "white": "1 g BT /F1 11 Tf 72 300 Td {} Tj ET 0 g",
    "tiny": "BT /F1 0.5 Tf 72 300 Td {} Tj ET",
    "render_mode": "BT 3 Tr /F1 11 Tf 72 300 Td {} Tj 0 Tr ET",
    "clear": "q /Clear gs BT /F1 11 Tf 72 300 Td {} Tj ET Q",
    "off_page": "BT /F1 11 Tf 72 2000 Td {} Tj ET",
    "covered": "BT /F1 11 Tf 72 300 Td {} Tj ET 1 g 60 290 500 30 re f 0 g",
    "layer_off": "/OC /Hidden BDC BT /F1 11 Tf 72 300 Td {} Tj ET EMC",
    "actual_text": "/Span << /ActualText {} >> BDC BT /F1 11 Tf 72 300 Td (A harmless line.) Tj ET EMC",
}


def draw_hidden(pdf: Path, words: str, how: str) -> None:
    """Draw the words on the first page in one of the ways of DRAWN."""
    writer = PdfWriter(clone_from=pdf)
    page = writer.pages[0]
    escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    stream = DecodedStreamObject()
    stream.set_data(DRAWN[how].format(f"({escaped})").encode("cp1252", "replace"))
    before = page["/Contents"].indirect_reference
    page[NameObject("/Contents")] = ArrayObject([before, writer._add_object(stream)])
    if how == "clear":
        _resource(
            page, "/ExtGState", "/Clear", DictionaryObject({NameObject("/ca"): FloatObject(0)})
        )
    if how == "layer_off":
        _resource(page, "/Properties", "/Hidden", _layer_switched_off(writer))

    writer.write(pdf)


def _resource(page, kind, name, value) -> None:
    page["/Resources"][NameObject(kind)] = DictionaryObject({NameObject(name): value})


def _layer_switched_off(writer: PdfWriter):
    group = writer._add_object(
        DictionaryObject(
            {
                NameObject("/Type"): NameObject("/OCG"),
                NameObject("/Name"): TextStringObject("Draft"),
            }
        )
    )
    usual = DictionaryObject({NameObject("/OFF"): ArrayObject([group])})
    writer._root_object[NameObject("/OCProperties")] = DictionaryObject(
        {NameObject("/OCGs"): ArrayObject([group]), NameObject("/D"): usual}
    )
    return group


def add_metadata(pdf: Path, words: str, field: str) -> None:
    """`field` is /Title, /Subject or /Keywords."""
    writer = PdfWriter(clone_from=pdf)
    writer.add_metadata({field: words})
    writer.write(pdf)


def add_xmp(pdf: Path, words: str) -> None:
    writer = PdfWriter(clone_from=pdf)
    packet = StreamObject()
    packet.set_data(f"<x:xmpmeta><dc:description>{words}</dc:description></x:xmpmeta>".encode())
    packet.update(
        {NameObject("/Type"): NameObject("/Metadata"), NameObject("/Subtype"): NameObject("/XML")}
    )
    writer._root_object[NameObject("/Metadata")] = writer._add_object(packet)
    writer.write(pdf)


def add_comment(pdf: Path, words: str) -> None:
    """A note on the first page with a pop-up that is closed."""
    writer = PdfWriter(clone_from=pdf)
    note = writer.add_annotation(0, Text(rect=(50, 550, 60, 560), text=words))
    writer.add_annotation(0, Popup(rect=(50, 550, 200, 650), parent=note, open=False))
    writer.add_annotation(0, FreeText(rect=(50, 500, 200, 520), text="Draft"))
    writer.write(pdf)


def attach(pdf: Path, name: str, content: str) -> None:
    writer = PdfWriter(clone_from=pdf)
    writer.add_attachment(name, content.encode())
    writer.write(pdf)
