"""A model that looks at a report's pages, over real HTTP: what is sent, what is taken, and every way to fail."""

from __future__ import annotations

import asyncio
import base64
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from courtroom.analysis.diagrams.diagram_kind import diagram_of, pages_to_look_at
from courtroom.analysis.pdf.page_rendering import PagePicture, png
from courtroom.analysis.pdf.pdf_content import Layout, Level, PdfImage, PdfReading, VisionPicture
from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.detectives.image_analysis import ImageAnalysis
from courtroom.detectives.vision_inspector import analyse_images, inspect
from courtroom.detectives.vision_model import VisionModel, make_vision_model
from courtroom.judges.budget import Budget
from courtroom.judges.rate_limit import NO_LIMIT
from courtroom.models.audit_report import Usage
from courtroom.models.case import BenchSettings, Limits, Price
from courtroom.models.errors import InputRefused
from courtroom.models.facts import GraphFact
from tests.factories.model_server import Desk, model_endpoint
from tests.factories.pdfs import Image, Page, make_pdf, parallel_graph_page

LAYERS = (
    ("START",),
    ("repo", "doc"),
    ("aggregator",),
    ("prosecutor", "defense"),
    ("chief",),
    ("END",),
)
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
PICTURES = (PagePicture(2, base64.b64encode(png(2, 1, bytes(6))).decode()),)
PRICE = Price(input=10, cached_input=1, output=40)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Desk]:
    with model_endpoint() as desk:
        yield desk


@pytest.fixture
def desk(endpoint: Desk) -> Desk:
    endpoint.requests.clear()
    endpoint.seen.clear()
    endpoint.transcripts = [DIAGRAM]
    return endpoint


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = [Page(["Text."]), Page(["Figure"], images=[Image(400, 300)])]
    return make_pdf(tmp_path_factory.mktemp("pictures") / "report.pdf", pages)


def _settings(desk: Desk | None, model: str = "good", **more: Any) -> BenchSettings:
    url = desk.base_url if desk else None
    return BenchSettings.model_validate(
        {"kind": "llm", "vision_model": model, "api_key": "sk-secret", "base_url": url, **more}
    )


def _eyes(
    settings: BenchSettings, pdf: Path | None, purse: Budget | None = None
) -> VisionModel | None:
    purse = purse or Budget(settings.budget_usd, settings.prices)
    return make_vision_model(settings, pdf, Limits(), rate_limit=NO_LIMIT, budget=purse)


def _look(
    desk: Desk, pdf: Path, model: str = "good", purse: Budget | None = None, **more: Any
) -> ImageAnalysis:
    """At a picture that stands for page 2."""

    async def once() -> ImageAnalysis:
        eyes = _eyes(_settings(desk, model, **more), pdf, purse)
        assert eyes
        seen = await eyes.transcribe(PICTURES)
        await eyes.close()
        return seen

    return asyncio.run(once())


def test_without_a_key_nobody_is_asked(report: Path) -> None:
    with pytest.raises(InputRefused, match="API key"):
        _eyes(_settings(None, api_key=None), report)


@pytest.mark.parametrize("settings", [{"kind": "heuristic"}, {"vision_model": None}])
def test_no_model_looks_unless_one_is_set_and_models_are_asked_for(
    settings: dict[str, Any], report: Path
) -> None:
    assert _eyes(_settings(None, **settings), report) is None
    assert _eyes(_settings(None), None) is None


@pytest.mark.parametrize(
    ("model", "kind", "sentence"),
    [
        ("refusing", "refusal", "I will not judge this."),
        ("malformed", "invalid", "not the JSON that was asked for"),
        ("truncated", "truncated", "The answer was cut short."),
        ("answer-filtered", "filtered", "The provider withheld the answer."),
        ("extra-key", "out_of_schema", "bonus: Extra inputs"),
        ("unauthorised", "auth", "The endpoint refused the API key."),
        ("out-of-quota", "budget", "The quota of this API key is used up."),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_failure_of_its_kind(
    model: str, kind: str, sentence: str, desk: Desk, report: Path
) -> None:
    seen = _look(desk, report, model)
    assert (seen.pictures, seen.kind, (seen.failure or "")[: len(sentence)]) == ((), kind, sentence)
    assert (seen.usage.calls, seen.model) == (len(desk.requests), model)


def test_an_answer_about_other_pictures_than_were_shown_is_not_taken(
    desk: Desk, report: Path
) -> None:
    desk.transcripts = [DIAGRAM, DIAGRAM]
    seen = _look(desk, report)
    assert (seen.kind, seen.failure) == ("out_of_schema", "2 pictures described, 1 shown")


def test_a_model_that_never_finishes_is_left_at_the_deadline(desk: Desk, report: Path) -> None:
    seen = _look(desk, report, "dripping", deadline_seconds=0.3)
    assert (seen.kind, seen.failure) == ("timeout", "No answer within 0.3 s.")


def test_a_provider_that_is_busy_once_is_asked_again_by_the_one_layer_that_retries(
    desk: Desk, report: Path
) -> None:
    seen = _look(desk, report, "busy")
    assert (seen.failure, seen.usage.calls, len(desk.requests)) == (None, 2, 2)


@pytest.mark.parametrize(
    ("prices", "failure"),
    [
        ({}, "The audit has a budget, and good has no price."),
        ({"good": PRICE}, "The budget of this audit is spent: $0.0100 left, $0.1772 needed."),
    ],
)
def test_a_look_that_could_break_the_budget_is_not_bought(
    prices: dict[str, Price], failure: str, desk: Desk, report: Path
) -> None:
    seen = _look(desk, report, budget_usd=0.01, prices=prices)
    assert (seen.kind, seen.failure, seen.usage, desk.requests) == ("budget", failure, Usage(), [])


def test_a_look_is_paid_from_the_purse_of_the_judges(desk: Desk, report: Path) -> None:
    purse = Budget(0.2, {"good": PRICE})
    seen = _look(desk, report, budget_usd=0.2, prices={"good": PRICE}, purse=purse)
    assert seen.usage == Usage(
        calls=1,
        prompt_tokens=100,
        cached_tokens=64,
        completion_tokens=20,
        cost_usd=0.001224,
        answer_forms={"good": "json_schema"},
    )
    assert _look(desk, report, budget_usd=0.2, prices={"good": PRICE}, purse=purse).failure is None
    assert asyncio.run(_fits(purse, 0.2 - 2 * 0.001224 + 1e-6)) is False
    assert asyncio.run(_fits(purse, 0.2 - 2 * 0.001224 - 1e-6)) is True


async def _fits(purse: Budget, dollars: float) -> bool:
    from courtroom.judges.provider_failures import CallFailed

    try:
        await purse.reserve(dollars)
    except CallFailed:
        return False
    await purse.settle(dollars, 0.0)
    return True


def test_names_and_arrows_come_back(desk: Desk, report: Path) -> None:
    (seen,) = _look(desk, report).pictures
    assert (seen.page, list(seen.labels)) == (2, NODES)
    assert [(seen.labels[a], seen.labels[b]) for a, b in seen.edges] == ARROWS


def test_an_arrow_to_a_box_that_was_not_listed_and_invisible_characters_are_left_out(
    desk: Desk, report: Path
) -> None:
    desk.transcripts = [
        {
            "is_diagram": True,
            "nodes": ["A\u200b ", "B", "B"],
            "arrows": [
                {"source": "A", "target": "B"},
                {"source": "A", "target": "B"},
                {"source": "A", "target": "Z"},
            ],
        }
    ]
    assert _look(desk, report).pictures == (VisionPicture(2, ("A", "B"), ((0, 1),)),)


def test_the_page_is_sent_as_a_picture_under_a_strict_schema(desk: Desk, report: Path) -> None:
    _look(desk, report)
    (request,) = desk.requests
    form = request["response_format"]["json_schema"]
    assert (request["model"], form["strict"], form["schema"]["required"]) == (
        "good",
        True,
        ["pictures"],
    )
    content = request["messages"][1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url"]
    assert content[1]["image_url"]["url"] == f"data:image/png;base64,{PICTURES[0].base64}"


def test_a_report_that_cannot_be_drawn_is_not_sent(desk: Desk, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7")
    eyes = _eyes(_settings(desk), broken)
    assert eyes
    seen = asyncio.run(eyes.look_at([1]))
    assert (seen.kind, seen.usage, desk.requests) == ("unexamined", Usage(), [])


def test_what_the_model_sees_decides_where_geometry_cannot(desk: Desk, report: Path) -> None:
    reading = read_pdf(report, Limits())
    assert (diagram_of(reading, GRAPH).kind, pages_to_look_at(reading)) == (None, [2])
    result = inspect(
        reading, (), asyncio.run(analyse_images(reading, _eyes(_settings(desk), report)))
    )
    (request,) = desk.requests
    kind, _, data = request["messages"][1]["content"][1]["image_url"]["url"].partition(";base64,")
    assert (kind, base64.b64decode(data)[:8]) == ("data:image/png", b"\x89PNG\r\n\x1a\n")
    assert (result.usage.calls, result.model) == (1, "good")
    assert result.pictures is not None
    (seen,) = result.pictures
    known_reading = PdfReading(
        pages=reading.pages,
        images=reading.images,
        vision_pictures=(VisionPicture(seen.page, seen.labels, seen.edges),),
    )
    assert (diagram_of(known_reading, GRAPH).kind, diagram_of(known_reading, GRAPH).page) == (
        "accurate",
        2,
    )


def test_a_picture_that_is_no_diagram_leaves_the_report_without_one() -> None:
    looked = PdfReading(
        pages=("Text.",),
        images=(PdfImage(1, 400, 300),),
        vision_pictures=(VisionPicture(1, (), ()),),
    )
    assert diagram_of(looked, GRAPH).kind == "none"


def test_pictures_that_were_not_looked_at_stay_unknown() -> None:
    images = (PdfImage(1, 400, 300), PdfImage(2, 400, 300))
    looked = PdfReading(
        pages=("Text.", ""), images=images, vision_pictures=(VisionPicture(1, (), ()),)
    )
    assert (diagram_of(looked, GRAPH).kind, diagram_of(looked, GRAPH).page) == (None, 2)


def test_pages_whose_picture_has_boxes_are_looked_at_first_then_those_with_a_caption() -> None:
    images = tuple(PdfImage(page, 400, 300) for page in (1, 2, 3))
    boxes = Layout(3, (Level(1, 1, 0, 1, 0, 0), Level(2, 2, 2, 2, 2, 0), Level(1, 1, 1, 0, 0, 0)))
    reading = PdfReading(
        pages=("A photograph.", "Figure 1.", "Words."), images=images, layouts=(boxes,)
    )
    assert pages_to_look_at(reading) == [3, 2, 1]


def test_of_a_report_without_a_text_layer_every_page_is_looked_at() -> None:
    assert pages_to_look_at(PdfReading(pages=("", ""), text_layer="none")) == [1, 2]


def test_a_failed_look_is_an_error_on_the_record_and_the_fact_says_why_it_is_null(
    desk: Desk, report: Path
) -> None:
    result = inspect(None, (), _look(desk, report, "unauthorised"))
    failure_text = (
        "The report's pictures were not looked at (auth): The endpoint refused the API key."
    )
    assert (result.pictures, [error.code for error in result.errors]) == (
        None,
        ["vision_auth"],
    )
    assert result.reasons == {"pdf_diagram": failure_text}


def test_nobody_is_asked_about_a_report_whose_drawings_speak_for_themselves(
    desk: Desk, tmp_path: Path
) -> None:
    path = make_pdf(
        tmp_path / "report.pdf", [parallel_graph_page(), Page(images=[Image(400, 300)])]
    )
    eyes = _eyes(_settings(desk), path)
    assert (asyncio.run(analyse_images(read_pdf(path, Limits()), eyes)), desk.requests) == (
        None,
        [],
    )
