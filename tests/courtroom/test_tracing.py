"""Spans of the courtroom: names of the conventions, typed codes, and no words of an exception."""

import asyncio
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from courtroom.graph.guarded_nodes import guarded, record_failure
from courtroom.judges.call_spans import call_span
from courtroom.judges.llm import LlmBench
from courtroom.judges.provider_call import Call
from courtroom.judges.providers import ModelClients
from courtroom.models.case import BenchSettings
from courtroom.models.errors import PdfRefused
from courtroom.models.judge_answer import PERSONAS
from courtroom.tracing import code_of, span, use_tracer
from tests.courtroom.judges.questions import make_question
from tests.factories.model_server import model_endpoint

WORDS = "words of a student"
FAILED = "ERROR"


@pytest.fixture
def exported() -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    use_tracer(provider.get_tracer("test"))
    yield exporter
    use_tracer(None)


def state_of(written: ReadableSpan) -> tuple[object, ...]:
    """Return all of a span in which words could be."""
    status = written.status
    return (
        dict(written.attributes or {}),
        status.status_code.name,
        status.description,
        len(written.events),
    )


@pytest.mark.parametrize("is_async", [True, False])
def test_span_of_a_broken_node_has_the_code_of_the_report(
    exported: InMemorySpanExporter, is_async: bool
) -> None:
    def broken(_: object) -> dict[str, object]:
        raise OSError(WORDS)

    async def broken_later(_: object) -> dict[str, object]:
        raise OSError(WORDS)

    node = guarded(
        "doc_analyst", broken_later if is_async else broken, record_failure("doc_analyst")
    )
    update = asyncio.run(node({})) if is_async else node({})

    [written] = exported.get_finished_spans()
    assert [error["code"] for error in update["errors"]] == ["node_failed"]
    assert state_of(written) == ({"error.type": "node_failed"}, FAILED, None, 0)


def test_span_of_a_refused_submission_has_its_code(exported: InMemorySpanExporter) -> None:
    with pytest.raises(PdfRefused), span("exhibits"):
        raise PdfRefused("pdf_encrypted", WORDS)
    [written] = exported.get_finished_spans()
    assert state_of(written) == ({"error.type": "pdf_encrypted"}, FAILED, None, 0)


def test_call_that_the_deadline_ends_has_the_code_of_a_timeout(
    exported: InMemorySpanExporter,
) -> None:
    with model_endpoint() as endpoint:
        settings = BenchSettings(
            kind="llm",
            models=dict.fromkeys(PERSONAS, "dripping"),
            api_key="k",
            base_url=endpoint.base_url,
            deadline_seconds=0.3,
        )

        async def ask() -> None:
            bench = LlmBench(settings)
            await bench.answer([make_question("Defense", met=["a"])])
            await bench.close()

        asyncio.run(ask())

    [written] = exported.get_finished_spans()
    assert written.attributes
    assert (written.name, written.attributes["error.type"]) == ("chat dripping", "timeout")


@pytest.mark.parametrize(
    ("model", "provider", "name"),
    [
        ("gpt-9", "openai", "gpt-9"),
        ("openai:gpt-9", "openai", "gpt-9"),
        ("org/model:free", "openai", "org/model:free"),
        ("anthropic:claude", "anthropic", "claude"),
        ("azure_openai:gpt-9", "azure.ai.openai", "gpt-9"),
        ("mistralai:large", "mistral_ai", "large"),
    ],
)
def test_call_names_provider_and_model_as_the_conventions_do(
    exported: InMemorySpanExporter, model: str, provider: str, name: str
) -> None:
    client = ModelClients(BenchSettings(api_key="k")).client_for("gpt-9")
    call = Call(model, client, [("human", WORDS)], {}, max_tokens=7, temperature=0.5)
    with call_span(call, code_of):
        """The call itself."""

    [written] = exported.get_finished_spans()
    assert (written.name, dict(written.attributes or {})) == (
        f"chat {name}",
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": name,
            "gen_ai.request.max_tokens": 7,
            "gen_ai.request.temperature": 0.5,
        },
    )


def with_code(code: object) -> Exception:
    error = OSError(WORDS)
    error.code = code  # type: ignore[attr-defined]  # -- as libraries do
    return error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(WORDS), "OSError"),
        (with_code(WORDS), "OSError"),
        (with_code(404), "OSError"),
        (with_code("rate_limited"), "rate_limited"),
        (asyncio.CancelledError(), "cancelled"),
    ],
)
def test_code_of_an_error_never_holds_its_words(error: BaseException, code: str) -> None:
    assert code_of(error) == code
