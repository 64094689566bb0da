"""Hostile PDFs: structure, streams and objects that mislead or exhaust a reader. Each stands beside
its outcome.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.hostile.pdf_objects import PAGE, TEXT, document, drawing, packed, page, stream
from tests.hostile.traps import Trap

MEBIBYTE = 1024 * 1024
SEEN = "Seen by a reader."


@dataclass(frozen=True)
class HostilePdf:
    """`refused`: the error code; else `text` is the first page's, `errors` the codes on record and
    `hidden` what is in the file but cannot be seen. `pages` are at least so many.
    """

    name: str
    content: bytes | Callable[[Trap], bytes]
    refused: str | None = None
    text: str | None = SEEN
    errors: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    pages: int = 1

    def bytes_for(self, trap: Trap) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content(trap)


def unreadable(name: str, content: bytes) -> HostilePdf:
    return HostilePdf(name, content, refused="pdf_unreadable")


def partly(name: str, content: bytes | Callable[[Trap], bytes], text: str = "") -> HostilePdf:
    """Opened, but the page could not be read, which is on record."""
    return HostilePdf(name, content, text=text, errors=("pdf_page_unreadable",))


PLAIN = document()
TABLE_AT = PLAIN.rindex(b"xref\n0 1")


def with_start(offset: int) -> bytes:
    head, _, _ = PLAIN.rpartition(b"startxref")
    return head + b"startxref\n%d\n%%%%EOF\n" % offset


def with_previous(offset: int) -> bytes:
    return document(trailer=b"/Prev %d" % offset)


def previous_chain(length: int) -> bytes:
    body, at = PLAIN, TABLE_AT
    for _ in range(length):
        table = len(body)
        trailer = b"trailer\n<< /Size 6 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n" % (
            at,
            table,
        )
        body, at = body + b"xref\n0 0\n" + trailer, table
    return body


def deep_tree(depth: int) -> bytes:
    levels = {
        10 + n: b"<< /Type /Pages /Kids [%d 0 R] /Count 1 /Parent %d 0 R >>" % (11 + n, 9 + n)
        for n in range(depth)
    }
    last = {10 + depth: PAGE}
    return document({2: b"<< /Type /Pages /Kids [10 0 R] /Count 1 >>", **levels, **last})


def many_pages(count: int) -> bytes:
    kids = b" ".join(b"%d 0 R" % (10 + n) for n in range(count))
    pages = {10 + n: PAGE for n in range(count)}
    return document({2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count), **pages})


def same_page(times: int) -> bytes:
    return document({2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b"3 0 R " * times, times)})


def pages(entries: bytes) -> bytes:
    return document({2: b"<< /Type /Pages %s >>" % entries})


def contents(value: bytes, **more: bytes) -> bytes:
    """The page's contents are another object."""
    return document({4: value, **{int(name[1:]): extra for name, extra in more.items()}})


def bomb(data: bytes, times: int, *, packings: int = 1) -> Callable[[Trap], bytes]:
    """A page of so much data, made only when its test asks: packing takes up to a second, and each
    worker collects all.
    """
    return lambda _: contents(packed(data * times, times=packings))


def laughing(levels: int) -> bytes:
    """Each form draws the next ten times."""
    forms = {
        10 + n: stream(
            b"/X Do " * 10 if n < levels else TEXT,
            b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>"
            % (11 + n),
        )
        for n in range(levels + 1)
    }
    return document({3: drawing(b"/XObject << /X 10 0 R >>"), **forms}, content=TEXT + b" /X Do")


def formed(inner: int) -> bytes:
    """A form that draws form `inner`; 10 is itself, 11 one that draws it back."""
    head = (
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>"
    )
    forms = {10: stream(b"/X Do", head % inner), 11: stream(b"/X Do", head % 10)}
    return document({3: drawing(b"/XObject << /X 10 0 R >>"), **forms}, content=TEXT + b" /X Do")


def pictured(entries: bytes, data: bytes = b"x", *, flate: bool = True) -> bytes:
    kind = b"/Type /XObject /Subtype /Image " + entries
    image = packed(data, kind) if flate else stream(data, kind)
    return document({3: drawing(b"/XObject << /I 10 0 R >>"), 10: image}, content=TEXT + b" /I Do")


def fonted(font: bytes, **more: bytes) -> bytes:
    return document({5: font, **{int(name[1:]): extra for name, extra in more.items()}})


def mapped(cmap: bytes) -> bytes:
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 10 0 R >>"
    return fonted(font, o10=stream(cmap))


LZW_ENDLESS = bytes.fromhex("800b6050220c0c8501") * 100_000
GREY = b"/ColorSpace /DeviceGray /BitsPerComponent 8 /Width %d /Height %d"

STRUCTURE = (
    HostilePdf("nothing", b"", refused="pdf_not_a_pdf"),
    HostilePdf("no_signature", PLAIN.replace(b"%PDF-1.7", b"%XYZ-1.7"), refused="pdf_not_a_pdf"),
    HostilePdf("signature_too_late", b" " * 2000 + PLAIN, refused="pdf_not_a_pdf"),
    unreadable("signature_only", b"%PDF-1.7\n"),
    unreadable("signature_and_noise", b"%PDF-1.7\n" + bytes(range(256)) * 200),
    HostilePdf(
        "page_of_html_first", b"<!doctype html><script>alert(1)</script><!--" + PLAIN + b"-->"
    ),
    HostilePdf("archive_first", b"PK\x03\x04" + bytes(60) + PLAIN),
    HostilePdf("program_first", b"MZ" + bytes(500) + PLAIN),
    unreadable("no_table", PLAIN[:TABLE_AT] + b"trailer\n<< /Root 1 0 R /Size 6 >>\n%%EOF"),
    unreadable("cut_in_half", PLAIN[: len(PLAIN) // 2]),
    HostilePdf("start_past_the_end", with_start(10**9)),
    HostilePdf("start_before_the_beginning", with_start(-5)),
    HostilePdf("start_in_the_middle", with_start(30)),
    HostilePdf("table_before_itself", with_previous(TABLE_AT)),
    HostilePdf("tables_500", previous_chain(500)),
    unreadable("table_of_a_billion", PLAIN.replace(b"xref\n0 1\n", b"xref\n0 999999999\n")),
    HostilePdf(
        "no_root", PLAIN.replace(b"/Root 1 0 R", b"/Toor 1 0 R"), errors=("pdf_part_unreadable",)
    ),
    unreadable("root_is_a_number", document({1: b"42"})),
    unreadable("catalogue_without_pages", document({1: b"<< /Type /Catalog >>"})),
    unreadable("tree_is_its_own_kid", pages(b"/Kids [2 0 R] /Count 1")),
    unreadable("kids_is_a_number", pages(b"/Kids 7 /Count 1")),
    HostilePdf("kid_is_missing", pages(b"/Kids [77 0 R] /Count 1"), pages=0),
    unreadable("tree_3000_deep", deep_tree(3000)),
    HostilePdf("same_page_5000_times", same_page(5000), refused="pdf_too_many_pages"),
    HostilePdf("count_of_a_billion", pages(b"/Kids [3 0 R] /Count 999999999")),
    HostilePdf("count_below_nothing", pages(b"/Kids [3 0 R] /Count -1")),
    HostilePdf("pages_300", many_pages(300), errors=("pdf_too_many_pages",)),
    HostilePdf("pages_10000", many_pages(10_000), refused="pdf_too_many_pages"),
    HostilePdf(
        "locked",
        document(
            {
                9: b"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O (%s) /U (%s) >>"
                % (b"o" * 32, b"u" * 32)
            },
            trailer=b"/Encrypt 9 0 R /ID [<00> <00>]",
        ),
        refused="pdf_encrypted",
    ),
    unreadable(
        "locked_by_nobody_knows_whom",
        document({9: b"<< /Filter /Nobody /V 99 >>"}, trailer=b"/Encrypt 9 0 R /ID [<00> <00>]"),
    ),
    unreadable("locked_by_itself", document({9: b"9 0 R"}, trailer=b"/Encrypt 9 0 R")),
)

STREAMS = (
    HostilePdf(
        "bomb_of_blanks", bomb(b" ", 100 * MEBIBYTE), text="", errors=("pdf_page_unreadable",)
    ),
    HostilePdf(
        "bomb_in_a_bomb",
        bomb(b" ", 100 * MEBIBYTE, packings=3),
        text="",
        errors=("pdf_page_unreadable",),
    ),
    partly("bomb_of_operators", bomb(b"0 0 m 1 1 l S\n", 700_000)),
    partly("bomb_of_text", bomb(TEXT, 200_000)),
    partly("bomb_of_states", bomb(b"q ", 3_000_000)),
    HostilePdf(
        "one_stream_1000_times",
        document({3: PAGE.replace(b"4 0 R", b"[%s]" % (b"4 0 R " * 1000))}),
        text=None,
    ),
    HostilePdf(
        "contents_of_contents",
        document({3: PAGE.replace(b"4 0 R", b"10 0 R"), 10: b"[10 0 R 4 0 R]"}),
        text=None,
    ),
    HostilePdf("contents_in_a_circle", contents(b"10 0 R", o10=b"4 0 R"), text=""),
    partly(
        "length_is_itself",
        contents(stream(TEXT).replace(b"/Length %d" % len(TEXT), b"/Length 4 0 R")),
    ),
    HostilePdf(
        "length_below_nothing",
        contents(stream(TEXT).replace(b"/Length %d" % len(TEXT), b"/Length -7")),
    ),
    partly(
        "length_of_a_billion",
        contents(stream(TEXT).replace(b"/Length %d" % len(TEXT), b"/Length 999999999")),
    ),
    partly(
        "damaged_flate",
        contents(stream(zlib.compress(TEXT)[:-20] + b"x" * 20, b"/Filter /FlateDecode")),
    ),
    partly("filter_nobody_knows", contents(stream(TEXT, b"/Filter /Nobody"))),
    partly("filters_2000", contents(stream(TEXT, b"/Filter [%s]" % (b"/ASCIIHexDecode " * 2000)))),
    HostilePdf("lzw_without_end", contents(stream(LZW_ENDLESS, b"/Filter /LZWDecode")), text=""),
    partly("run_lengths", contents(stream(b"\x81 " * 200_000, b"/Filter /RunLengthDecode"))),
    partly(
        "predictor_of_a_billion",
        contents(packed(TEXT, b"/DecodeParms << /Predictor 12 /Columns 1000000000 >>")),
    ),
    HostilePdf("form_in_itself", formed(10)),
    HostilePdf("forms_in_a_circle", formed(11)),
    HostilePdf("forms_that_laugh", laughing(12), text=None),
    partly("arrays_100000_deep", contents(stream(TEXT + b"[" * 100_000))),
    HostilePdf("dictionaries_100000_deep", document({10: b"<< /A " * 100_000})),
    HostilePdf(
        "strings_in_strings",
        contents(stream(TEXT + b" BT " + b"(" * 100_000 + b")" * 100_000 + b" Tj ET")),
        text=None,
    ),
    partly("number_of_100000_digits", contents(stream(b"9" * 100_000 + b" Tc " + TEXT))),
    partly("name_of_1_mb", contents(stream(b"/" + b"n" * MEBIBYTE + b" gs " + TEXT))),
    partly(
        "inline_picture_without_end", contents(stream(TEXT + b" BI /W 9 /H 9 ID " + b"x" * 100_000))
    ),
    HostilePdf(
        "text_of_3_million",
        contents(packed(b"BT /F1 12 Tf 72 720 Td (" + b"word " * 600_000 + b") Tj ET")),
        text=None,
    ),
    HostilePdf("picture_of_a_million_squared", pictured(GREY % (10**6, 10**6))),
    HostilePdf("picture_below_nothing", pictured(GREY % (-5, -5))),
    partly("picture_without_size", pictured(b"/ColorSpace /DeviceGray"), SEEN),
    HostilePdf(
        "picture_that_is_a_bomb",
        lambda _: pictured(GREY % (10_000, 10_000), bytes(100 * MEBIBYTE)),
    ),
    HostilePdf(
        "picture_of_noise",
        pictured(
            GREY % (500, 500) + b" /Filter /DCTDecode", b"\xff\xd8" + b"noise" * 99, flate=False
        ),
    ),
    HostilePdf(
        "picture_for_another_program",
        pictured(GREY % (500, 500) + b" /Filter /JBIG2Decode", b"noise" * 99, flate=False),
    ),
    HostilePdf(
        "font_that_is_missing", document({3: PAGE.replace(b"/F1 5 0 R", b"/F1 99 0 R")}), text=None
    ),
    HostilePdf("font_that_is_a_number", fonted(b"42"), text=None),
    HostilePdf(
        "font_that_is_itself",
        fonted(b"<< /Type /Font /Subtype /Type0 /DescendantFonts [5 0 R] >>"),
        text=None,
    ),
    partly(
        "font_of_a_million_widths",
        fonted(
            b"<< /Type /Font /Subtype /TrueType /FirstChar 0 /LastChar 1000000 /Widths [%s] >>"
            % (b"9 " * 1_000_000)
        ),
    ),
    partly(
        "font_that_maps_everything",
        mapped(b"1 beginbfrange\n<00000000> <ffffffff> <0041>\nendbfrange"),
    ),
    partly(
        "font_that_maps_to_much",
        mapped(b"1 beginbfchar\n<53> <%s>\nendbfchar" % (b"0041" * 100_000)),
    ),
    HostilePdf("page_of_no_size", document({3: page(b"/MediaBox [0 0 0 0]")})),
    HostilePdf(
        "page_of_nonsense",
        document({3: page(b"/MediaBox [(a) null true] /Rotate 45 /UserUnit -1")}),
        text=None,
    ),
)
