"""A model that looks at a report's pictures, over real HTTP: what is sent, what is taken, and every way to fail."""

from __future__ import annotations

import base64
import itertools
import json
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from courtroom.case import BenchSettings, Limits, Price
from courtroom.detectives.looking import Look
from courtroom.detectives.vision_inspector import inspect
from courtroom.detectives.vision_model import ModelEyes, VisionModel, eyes_for
from courtroom.errors import InputRefused
from courtroom.facts import GraphFact
from courtroom.forensics.diagrams import diagram_of, pages_to_look_at
from courtroom.forensics.page_pictures import PagePicture, page_pictures, png
from courtroom.forensics.pdf import read_pdf
from courtroom.forensics.pdf_reading import PdfImage, PdfReading, SeenPicture
from courtroom.record import Usage
from tests.factories.pdfs import Image, Page, make_pdf, parallel_graph_page

LAYERS = (("START",), ("repo", "doc"), ("aggregator",), ("prosecutor", "defense"), ("chief",), ("END",))
NODES = [name for layer in LAYERS for name in layer]
ARROWS = [(a, b) for before, after in itertools.pairwise(LAYERS) for a in before for b in after]
GRAPH = GraphFact(
    path="g.py", state_graph_line=1, nodes=tuple(NODES[1:-1]), edges=tuple(ARROWS), conditional=()
)
DIAGRAM = {
    "is_diagram": True,
    "nodes": NODES,
    "arrows": [{"source": source, "target": target} for source, target in ARROWS],
}
NO_DIAGRAM = {"is_diagram": False, "nodes": [], "arrows": []}


class Endpoint(ThreadingHTTPServer):
    """Answers every request with `message`, or with the status of `refuses`; keeps what it was sent."""

    daemon_threads = True

    def __init__(self, message: dict[str, Any], refuses: int | None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.message, self.refuses = message, refuses
        self.requests: list[dict[str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        self.server.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
        choice = {
            "index": 0,
            "message": {"role": "assistant", **self.server.message},
            "finish_reason": "stop",
        }
        whole = {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": "eye",
            "choices": [choice],
            "usage": usage,
        }
        failed = {"error": {"message": "bad key sk-secret", "code": "invalid_api_key"}}
        payload = json.dumps(failed if self.server.refuses else whole).encode()
        self.send_response(self.server.refuses or 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def _endpoint(message: dict[str, Any], refuses: int | None = None) -> Iterator[Endpoint]:
    server = Endpoint(message, refuses)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _settings(server: Endpoint | None, **more: Any) -> BenchSettings:
    url = f"http://127.0.0.1:{server.server_port}/v1" if server else None
    return BenchSettings.model_validate(
        {"kind": "llm", "vision_model": "eye", "api_key": "sk-secret", "base_url": url, **more}
    )


def _said(*transcripts: dict[str, Any]) -> dict[str, Any]:
    return {"content": json.dumps({"pictures": transcripts})}


PICTURES = (PagePicture(3, "image/png", base64.b64encode(png(2, 1, 1, b"\x00\xff")).decode()),)


def _look(
    message: dict[str, Any], *, refuses: int | None = None, **more: Any
) -> tuple[Look, list[dict[str, Any]]]:
    with _endpoint(message, refuses) as server:
        return VisionModel(_settings(server, **more)).look(PICTURES), server.requests


def test_without_a_key_nobody_is_asked() -> None:
    with pytest.raises(InputRefused, match="API key"):
        VisionModel(_settings(None, api_key=None))


@pytest.mark.parametrize(
    "settings",
    [{"kind": "heuristic"}, {"vision_model": None}],
)
def test_no_model_looks_unless_one_is_set_and_models_are_asked_for(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    assert eyes_for(_settings(None, **settings), tmp_path / "report.pdf", Limits()) is None
    assert eyes_for(_settings(None), None, Limits()) is None


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ({"content": None, "refusal": "I cannot see."}, "The vision model refused: I cannot see."),
        ({"content": "A nice picture."}, "The vision model's answer does not fit: JSON: Invalid JSON"),
        (_said(), "The vision model's answer does not fit: pictures: List should have at least 1 item"),
        (_said(DIAGRAM, DIAGRAM), "The vision model's answer does not fit: 2 pictures described, 1 shown"),
        (
            _said({**DIAGRAM, "mood": "good"}),
            "The vision model's answer does not fit: pictures.0.mood: Extra inputs",
        ),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_failure_that_was_paid_for(
    message: dict[str, Any], sentence: str
) -> None:
    look, _ = _look(message)
    assert (look.seen, (look.failure or "")[: len(sentence)]) == ((), sentence)
    assert (look.usage.calls, look.usage.prompt_tokens) == (1, 1000)


def test_a_refused_key_is_a_failure_that_does_not_print_it() -> None:
    look, _ = _look({}, refuses=401)
    assert look.failure == "The vision model could not be asked: The endpoint refused the API key."


@pytest.mark.parametrize(
    ("prices", "failure"),
    [
        ({}, "The audit has a budget, and eye has no price: no model looked at the pictures."),
        (
            {"eye": Price(input=10, cached_input=1, output=40)},
            "The audit's budget does not cover a look at the pictures.",
        ),
    ],
)
def test_a_look_that_could_break_the_budget_is_not_bought(prices: dict[str, Price], failure: str) -> None:
    look, requests = _look(_said(DIAGRAM), budget_usd=0.01, prices=prices)
    assert (look.failure, look.usage, requests) == (failure, Usage(), [])


def test_names_and_arrows_come_back_and_the_price_is_reckoned() -> None:
    look, _ = _look(_said(DIAGRAM), prices={"eye": Price(input=1, cached_input=1, output=2)})
    (seen,) = look.seen
    assert (seen.page, list(seen.labels)) == (3, NODES)
    assert [(seen.labels[a], seen.labels[b]) for a, b in seen.edges] == ARROWS
    assert look.usage == Usage(calls=1, prompt_tokens=1000, completion_tokens=50, cost_usd=0.0011)


def test_an_arrow_to_a_box_that_was_not_listed_and_invisible_characters_are_left_out() -> None:
    told = {"is_diagram": True, "nodes": ["A\u200b ", "B", "B"], "arrows": [
        {"source": "A", "target": "B"}, {"source": "A", "target": "B"}, {"source": "A", "target": "Z"},
    ]}  # fmt: skip
    look, _ = _look(_said(told))
    assert look.seen == (SeenPicture(3, ("A", "B"), ((0, 1),)),)


def test_the_picture_is_sent_as_data_under_a_strict_schema() -> None:
    _, (request,) = _look(_said(DIAGRAM))
    form = request["response_format"]["json_schema"]
    assert (request["model"], form["strict"], form["schema"]["required"]) == ("eye", True, ["pictures"])
    content = request["messages"][1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url"]
    assert content[1]["image_url"]["url"] == f"data:image/png;base64,{PICTURES[0].base64}"


def test_the_larger_images_of_the_pages_asked_for_are_taken_as_png(tmp_path: Path) -> None:
    pages = [Page(["One"], images=[Image(400, 300)]), Page(["Two"], images=[Image(50, 50)]), Page(["Three"])]
    pdf = make_pdf(tmp_path / "report.pdf", pages)
    (picture,) = page_pictures(pdf, [1, 2, 3], Limits())
    data = base64.b64decode(picture.base64)
    assert (picture.page, picture.media_type, data[:8]) == (1, "image/png", b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (400, 300)


def test_a_png_holds_its_samples_row_by_row() -> None:
    data = png(2, 2, 3, bytes(range(12)))
    start = data.index(b"IDAT") + 4
    length = struct.unpack(">I", data[start - 8 : start - 4])[0]
    assert zlib.decompress(data[start : start + length]) == b"\x00" + bytes(range(6)) + b"\x00" + bytes(
        range(6, 12)
    )


def _report(tmp_path: Path, *pages: Page) -> tuple[Path, PdfReading]:
    path = make_pdf(tmp_path / "report.pdf", pages)
    return path, read_pdf(path, Limits())


def test_what_the_model_sees_decides_where_geometry_cannot(tmp_path: Path) -> None:
    path, reading = _report(tmp_path, Page(["Text."]), Page(["Figure"], images=[Image(400, 300)]))
    assert (diagram_of(reading, GRAPH).kind, pages_to_look_at(reading)) == (None, [2])
    with _endpoint(_said(DIAGRAM)) as server:
        eyes = ModelEyes(VisionModel(_settings(server)), path, Limits())
        testimony = inspect(reading, (), eyes)
    assert testimony.usage.calls == 1
    assert testimony.seen is not None
    (seen,) = testimony.seen
    known = PdfReading(
        pages=reading.pages, images=reading.images, seen=(SeenPicture(seen.page, seen.labels, seen.edges),)
    )
    assert (diagram_of(known, GRAPH).kind, diagram_of(known, GRAPH).page) == ("accurate", 2)


def test_a_picture_that_is_no_diagram_leaves_the_report_without_one() -> None:
    looked = PdfReading(pages=("Text.",), images=(PdfImage(1, 400, 300),), seen=(SeenPicture(1, (), ()),))
    assert diagram_of(looked, GRAPH).kind == "none"


def test_pictures_that_were_not_looked_at_stay_unknown() -> None:
    images = (PdfImage(1, 400, 300), PdfImage(2, 400, 300))
    looked = PdfReading(pages=("Text.", ""), images=images, seen=(SeenPicture(1, (), ()),))
    assert (diagram_of(looked, GRAPH).kind, diagram_of(looked, GRAPH).page) == (None, 2)


def test_a_failed_look_is_an_error_on_the_record_and_the_diagram_stays_unknown(tmp_path: Path) -> None:
    path, reading = _report(tmp_path, Page(["Figure"], images=[Image(400, 300)]))
    with _endpoint({}, refuses=401) as server:
        testimony = inspect(reading, (), ModelEyes(VisionModel(_settings(server)), path, Limits()))
    assert (testimony.seen, [error.code for error in testimony.errors]) == (None, ["vision_failed"])


def test_nobody_is_asked_about_a_report_whose_drawings_speak_for_themselves(tmp_path: Path) -> None:
    path, reading = _report(tmp_path, parallel_graph_page(), Page(images=[Image(400, 300)]))
    with _endpoint(_said(NO_DIAGRAM)) as server:
        testimony = inspect(reading, (), ModelEyes(VisionModel(_settings(server)), path, Limits()))
        assert (testimony.usage, server.requests) == (Usage(), [])
