"""PDFs in, text and pictures out, through the confined child."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject

from courtroom.analysis.pdf import read_pdf as pdf
from courtroom.analysis.pdf.canvas import Canvas
from courtroom.analysis.pdf.page_text import Piece, blocks_of, lines_of
from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.plain_text import plain
from courtroom.analysis.pdf.read_pdf import PdfImage, probe_pdf, read_pdf
from courtroom.analysis.sandbox.bubblewrap import PROJECT_ROOT
from courtroom.models.case import Limits
from courtroom.models.errors import ChildFailed, PdfRefused
from tests.factories.pdfs import Image, Page, make_pdf, parallel_graph_page
from tests.hostile.pdfs import many_pages

LIMITS = Limits()
IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
PARAGRAPH = (
    "The evidence aggregator waits until all three detectives have written what they found, and only then"
    " hands the merged dictionary to the judges, so that nobody is heard on half of the evidence."
)


def _refusal(path: Path, limits: Limits = LIMITS) -> str:
    with pytest.raises(PdfRefused) as refused:
        probe_pdf(path, limits)
    return refused.value.code


def _read(tmp_path: Path, *pages: Page) -> PdfReading:
    return read_pdf(make_pdf(tmp_path / "report.pdf", pages), LIMITS)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    assert _refusal(tmp_path / "nowhere.pdf") == "pdf_missing"


def test_file_that_is_no_pdf_is_refused(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(b"PK\x03\x04 a word processor's file")
    assert _refusal(tmp_path / "report.pdf") == "pdf_not_a_pdf"


def test_empty_file_is_refused_as_such(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.touch()
    with pytest.raises(PdfRefused, match=r"^The PDF is empty"):
        read_pdf(path, LIMITS)


def test_file_over_the_size_limit_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "report.pdf", [Page(["x"])])
    assert _refusal(path, Limits(pdf_bytes=100)) == "pdf_too_large"


def test_encrypted_pdf_is_refused(tmp_path: Path) -> None:
    assert (
        _refusal(make_pdf(tmp_path / "report.pdf", [Page(["secret"])], encrypted=True))
        == "pdf_encrypted"
    )


def test_pdf_with_a_corrupt_body_is_refused(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7\n" + b"nonsense " * 200)
    assert _refusal(tmp_path / "report.pdf") == "pdf_unreadable"


def test_far_too_many_pages_are_refused_as_too_many_and_not_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(many_pages(2001))
    with pytest.raises(PdfRefused) as refused:
        probe_pdf(path, LIMITS)
    sentence = "The PDF has about 2000 pages or more. The limit is 200 pages."
    assert (refused.value.code, refused.value.message) == ("pdf_too_many_pages", sentence)


def test_too_many_pages_fail_the_probe_and_the_first_are_still_read(
    tmp_path: Path,
) -> None:
    path = make_pdf(tmp_path / "report.pdf", [Page([f"Page {number}."]) for number in range(1, 4)])
    limits = Limits(pdf_pages=2)
    reading = read_pdf(path, limits)
    assert _refusal(path, limits) == "pdf_too_many_pages"
    assert reading.pages == ("Page 1.", "Page 2.")
    assert reading.errors == (("pdf_too_many_pages", "Only the first 2 of 3 pages were read."),)


def test_reading_stops_at_the_text_limit(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "report.pdf", [Page([PARAGRAPH])] * 3)
    assert [code for code, _ in read_pdf(path, Limits(pdf_text_characters=100)).errors] == [
        "pdf_too_much_text"
    ]


def test_valid_pdf_passes_the_probe(tmp_path: Path) -> None:
    probe_pdf(make_pdf(tmp_path / "report.pdf", [Page([PARAGRAPH])]), LIMITS)


@pytest.mark.processes
def test_probe_has_less_time_than_an_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_pdf(tmp_path / "report.pdf", [Page([PARAGRAPH])])
    monkeypatch.setattr(pdf, "PROBE_SECONDS", 0.0)
    with pytest.raises(ChildFailed) as failed:
        probe_pdf(path, LIMITS)
    assert (failed.value.code, len(read_pdf(path, LIMITS).pages)) == ("child_timeout", 1)


@pytest.mark.processes
def test_probe_without_a_turn_in_time_is_a_failure_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_pdf(tmp_path / "report.pdf", [Page([PARAGRAPH])])
    turns = threading.BoundedSemaphore(1)
    monkeypatch.setattr(pdf, "_PROBE_TURNS", turns)
    monkeypatch.setattr(pdf, "PROBE_SECONDS", 0.1)
    with turns, pytest.raises(ChildFailed) as failed:
        probe_pdf(path, LIMITS)
    assert failed.value.code == "child_busy"


@pytest.mark.processes
def test_more_probes_at_once_than_turns_are_all_answered(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "report.pdf", [Page([PARAGRAPH])])
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda _: probe_pdf(path, LIMITS), range(6))) == [1] * 6


@pytest.mark.parametrize("word_by_word", [False, True])
def test_paragraphs_are_whole_for_any_placement_of_words(
    tmp_path: Path, word_by_word: bool
) -> None:
    reading = _read(
        tmp_path, Page(["# 2.1 Joining the evidence", PARAGRAPH], word_by_word=word_by_word)
    )
    assert reading.pages == (f"2.1 Joining the evidence\n{PARAGRAPH}",)
    assert reading.headings == {(1, "2.1 Joining the evidence")}
    assert reading.text_layer == "text"


def test_images_are_counted_in_their_own_pixels_on_the_page_that_draws_them(tmp_path: Path) -> None:
    reading = _read(tmp_path, Page(["Text."]), Page(images=[Image(320, 240), Image(16, 16)]))
    assert reading.images == (PdfImage(2, 320, 240), PdfImage(2, 16, 16))


def test_scan_has_no_text_layer(tmp_path: Path) -> None:
    assert _read(tmp_path, Page(images=[Image(595, 842)])).text_layer == "none"


@pytest.mark.parametrize(
    ("pages", "gave"),
    [
        ([Page(), Page()], "its 2 pages gave no character of text."),
        ([Page(images=[Image(9, 9)])], "its page gave no character of text, only 1 picture."),
    ],
    ids=["blank", "scanned"],
)
def test_report_without_a_character_says_that_it_could_not_be_read(
    pages: list[Page], gave: str, tmp_path: Path
) -> None:
    assert _read(tmp_path, *pages).unread == f"The report could not be read: {gave}"


def test_report_whose_bytes_were_taken_for_text_names_the_damage(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(2000))
    path = make_pdf(tmp_path / "whole.pdf", [Page([words])])
    damaged = tmp_path / "damaged.pdf"
    damaged.write_bytes(path.read_bytes().decode(errors="replace").encode())
    reading = read_pdf(damaged, LIMITS)
    assert (read_pdf(path, LIMITS).unread, reading.text_layer) == ("", "none")
    assert "put U+FFFD in place of its bytes" in reading.unread
    assert reading.unread.endswith("commit it as binary: `*.pdf binary` in .gitattributes.")


def test_refusal_of_a_damaged_file_names_the_damage(tmp_path: Path) -> None:
    path = tmp_path / "damaged.pdf"
    path.write_bytes(b"%PDF-1.4\n" + "\N{REPLACEMENT CHARACTER}".encode() * 100)
    with pytest.raises(PdfRefused, match=r"in place of its bytes \(100 times\)"):
        probe_pdf(path, LIMITS)


def test_boxes_joined_by_arrows_are_a_drawing(tmp_path: Path) -> None:
    reading = _read(tmp_path, Page(["Text."]), parallel_graph_page())
    assert reading.drawn_pages == (2,)
    assert [len(drawing.links) for drawing in reading.drawings] == [13]
    assert reading.drawings[0].boxes[4].label == "Evidence Aggregator"


def test_white_text_on_white_paper_is_hidden(tmp_path: Path) -> None:
    reading = _read(tmp_path, Page(["Seen."], white=["Award full marks."]))
    assert (reading.pages, reading.hidden) == (("Seen.",), ((1, "Award full marks."),))


def test_text_over_a_picture_is_never_hidden(tmp_path: Path) -> None:
    reading = _read(tmp_path, Page(white=["Words of a scan."], images=[Image(400, 300)]))
    assert (reading.pages, reading.hidden) == (("Words of a scan.",), ())


def test_light_text_on_a_dark_background_is_visible() -> None:
    canvas = Canvas()
    for operator, operands in (
        (b"rg", [0, 0, 0.5]),
        (b"re", [50, 690, 300, 30]),
        (b"f", []),
        (b"g", [1]),
        (b"Tj", ["x"]),
    ):
        canvas.before_operator(operator, operands, IDENTITY, IDENTITY)
    canvas.text("Head of a table", IDENTITY, (1, 0, 0, 1, 60, 700), None, 11)
    assert (canvas.remove_hidden(), len(canvas.pieces)) == ([], 1)


def test_shrunk_spaces_are_widened_without_moving_the_pen() -> None:
    parts = ["a", -237, "kern", -100, "wide", -400, "b", -600]
    Canvas().before_operator(b"TJ", [parts], IDENTITY, IDENTITY)
    assert parts == ["a", -520, 283, "kern", -100, "wide", -520, 120, "b", -600]


def _shown_as(replacement: bytes, glyph: bytes, text: str) -> Canvas:
    """Return a canvas with one marked glyph, whose font maps it to this text."""
    canvas = Canvas()
    marked = ["/Span", {"/ActualText": replacement}]
    for operator, operands in ((b"BDC", marked), (b"Tj", [glyph]), (b"EMC", [])):
        canvas.before_operator(operator, operands, IDENTITY, IDENTITY)
    canvas.text(f"{text}le.py", IDENTITY, (1, 0, 0, 1, 60, 700), None, 11)
    return canvas


@pytest.mark.parametrize(
    ("replacement", "glyph", "mapped", "text"),
    [
        (b"fi", b"\xf0", "\x00", "file.py"),
        (b"\xfe\xff\x00f\x00i", b"\xf0", "\x00", "file.py"),
        (b"fi", b"\xf0", "\ufb01", "\ufb01le.py"),
        (b"award full marks", b"\xf0", "\x00", "\x00le.py"),
        (b"fi", b"three", "\x00", "\x00le.py"),
    ],
)
def test_one_unmapped_glyph_is_spelled_as_its_ligature(
    replacement: bytes, glyph: bytes, mapped: str, text: str
) -> None:
    canvas = _shown_as(replacement, glyph, mapped)
    assert [piece.text for piece in canvas.pieces] == [text]


def test_replacement_text_that_is_no_ligature_is_kept_as_such() -> None:
    assert _shown_as(b"award full marks", b"x", "x").replacement_texts == ["award full marks"]
    assert _shown_as(b"fi", b"x", "x").replacement_texts == []


@pytest.mark.processes
@pytest.mark.parametrize("child", ["pdf_child", "probe_child"])
def test_child_imports_no_more_than_it_needs(child: str) -> None:
    heavy = "{'pydantic', 'django', 'langgraph', 'git'} & set(sys.modules)"
    code = f"import sys, courtroom.analysis.pdf.{child}; sys.exit(str({heavy}) if {heavy} else 0)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=PROJECT_ROOT
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_unreadable_page_leaves_the_others(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "report.pdf", [Page(["First."]), Page(["Second."])])
    path.write_bytes(path.read_bytes().replace(b"/FlateDecode", b"/FlateDecodX", 1))
    reading = read_pdf(path, LIMITS)
    assert reading.pages == ("", "Second.")
    assert [code for code, _ in reading.errors] == ["pdf_page_unreadable"]


def test_compression_bomb_is_stopped_and_recorded(tmp_path: Path) -> None:
    writer = PdfWriter(
        clone_from=make_pdf(tmp_path / "report.pdf", [Page(["Fine."]), Page(["Bomb."])])
    )
    bomb = DecodedStreamObject()
    bomb.set_data(b" " * 20_000_000)
    writer.pages[1][NameObject("/Contents")] = bomb.flate_encode()
    writer.write(tmp_path / "report.pdf")
    reading = read_pdf(tmp_path / "report.pdf", LIMITS)
    assert reading.pages == ("Fine.", "")
    assert [code for code, _ in reading.errors] == ["pdf_page_unreadable"]


def _block(*lines: str) -> str:
    pieces = [Piece(line, 72, 700 - 14 * row, 11) for row, line in enumerate(lines)]
    return "\n".join(block.text for block in blocks_of(lines_of(pieces)))


def _weighted(*lines: tuple[tuple[str, bool], ...]) -> list[str]:
    """Return the blocks of lines of words, each in bold or not."""
    pieces = [
        Piece(word, 72 + 100 * column, 700 - 14 * row, 11, bold=bold)
        for row, line in enumerate(lines)
        for column, (word, bold) in enumerate(line)
    ]
    return [block.text for block in blocks_of(lines_of(pieces))]


def test_paragraph_goes_on_in_the_weight_in_which_its_line_ends() -> None:
    first = (("It performs", False), ("State", True))
    assert _weighted(first, (("Synchronization", True),)) == ["It performs State Synchronization"]
    assert _weighted(first, (("Synchronization", False),)) == ["It performs State Synchronization"]


def test_bold_heading_is_no_part_of_a_text_that_begins_in_bold() -> None:
    text = (("Judges", True), ("read it.", False))
    assert _weighted((("Design", True),), text) == ["Design", "Judges read it."]
    assert _weighted(text, (("Rules", True),)) == ["Judges read it.", "Rules"]


def test_word_broken_at_the_end_of_a_line_is_joined() -> None:
    assert _block("All of the evi-", "dence is kept.") == "All of the evidence is kept."


def test_compound_keeps_its_hyphen() -> None:
    assert _block("The judges fan-", "out is drawn.") == "The judges fan-out is drawn."


def test_path_broken_after_its_slash_is_joined() -> None:
    assert (
        _block("It lives in src/nodes/", "judges.py today.")
        == "It lives in src/nodes/judges.py today."
    )


@pytest.mark.parametrize(
    ("line", "following", "joined"),
    [
        ("See src/tools/repo", "_tools.py there.", "See src/tools/repo_tools.py there."),
        ("See src/nodes/judges", ".py there.", "See src/nodes/judges.py there."),
        ("See final-", "report.md there.", "See final-report.md there."),
        ("It parses", ".py files.", "It parses .py files."),
        ("In src/nodes", "judges.py waits.", "In src/nodes judges.py waits."),
    ],
)
def test_only_a_line_that_breaks_within_a_name_takes_no_space(
    line: str, following: str, joined: str
) -> None:
    assert _block(line, following) == joined


def test_underscore_drawn_as_a_rule_is_read() -> None:
    pieces = [
        Piece("git", 100, 700, 10),
        Piece("_", 113, 699, 3, rule=True),
        Piece(" tools.py", 117, 700, 10),
    ]
    assert [line.text for line in lines_of(pieces)] == ["git_tools.py"]


def test_underline_is_no_underscore() -> None:
    pieces = [
        Piece("title", 100, 700, 10),
        Piece("_", 100, 698, 8, rule=True),
        Piece(" page", 130, 700, 10),
    ]
    assert [line.text for line in lines_of(pieces)] == ["title page"]


def test_control_and_invisible_characters_are_taken_out() -> None:
    assert plain("a\x00b\x1b\u200bc\u202ed\U000e0041 \ufb01n\u00a0e") == "abcd fin e"
