"""Production logs of sign-in, submission and judging: ids to follow, and no secrets."""

from __future__ import annotations

import json
import logging
import logging.config
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import structlog
from django.conf import settings as configuration
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import format_span_id, format_trace_id
from structlog.testing import capture_logs

from auditor_site import logs
from courtroom.tracing import span, use_tracer
from grading.core.enums import AuditState, Bench
from grading.jobs import run_audit
from grading.models import Audit
from tests.factories.model_server import model_endpoint
from tests.factories.people import PASSWORD, everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory, rubric_document

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis", "empty_cache")]
IN_THE_ADDRESS, WRONG_PASSWORD, MODEL_KEY, IN_THE_PDF = (
    f"{prefix}-5f2c9d"
    for prefix in ("ghp_token", "wrong-password", "sk-model-key", "in-the-upload")
)
SECRETS = (IN_THE_ADDRESS, WRONG_PASSWORD, MODEL_KEY, IN_THE_PDF, PASSWORD)


@contextmanager
def production_log() -> Iterator[StringIO]:
    """Redirect the production log, from DEBUG on: an operator may set that level."""
    written = StringIO()
    production = logs.configuration("json", level=logging.DEBUG)
    production["handlers"]["stderr"]["stream"] = written
    logging.config.dictConfig(production)
    yield written
    logging.config.dictConfig(configuration.LOGGING)


@pytest.fixture
def stream() -> Iterator[StringIO]:
    with production_log() as written:
        yield written


def lines_of(stream: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def assert_keeps_secrets(stream: StringIO, client: Client | None = None) -> None:
    keys = [client.session.session_key] if client and client.session.session_key else []
    assert [secret for secret in (*SECRETS, *keys) if secret in stream.getvalue()] == []


def test_signing_in_and_handing_in_are_logged_by_request_without_a_secret(
    stream, client: Client
) -> None:
    assignment = AssignmentFactory.create()
    ada = student(assignment.cohort)
    for password, status in ((WRONG_PASSWORD, 200), (PASSWORD, 302)):
        sent = {"login": ada.email, "password": password}
        assert client.post(reverse("account_login"), sent).status_code == status

    place = (assignment.organization.slug, assignment.cohort.slug, assignment.slug)
    pdf = SimpleUploadedFile("report.pdf", f"%PDF-1.7 {IN_THE_PDF}".encode(), "application/pdf")
    typed = {"repo_url": f"https://ada:{IN_THE_ADDRESS}@git.example/work.git", "pdf": pdf}
    answer = client.post(reverse("submit", args=place), typed)

    assert (answer.status_code, list(answer.context["form"].errors)) == (200, ["pdf"])

    logging.getLogger("grading").warning("after the request")
    missing = client.get("/o/nowhere/")
    assert_keeps_secrets(stream, client)
    logged = [line for line in lines_of(stream) if line["event"] == "Not Found: /o/nowhere/"]

    assert [line["request_id"] for line in logged] == [missing.headers["X-Request-Id"]]
    assert [
        line
        for line in lines_of(stream)
        if line["event"] == "after the request" and "request_id" in line
    ] == []


def test_an_audit_whose_model_key_is_refused_is_logged_by_its_id_without_the_key(
    stream, settings: Any, tmp_path: Path
) -> None:
    make_repository(tmp_path / "work.git", [Commit(files={"main.py": "print()"})])
    audit = AuditFactory.create(
        submission__repo_url=str(tmp_path / "work.git"),
        submission__assignment__bench=Bench.LLM,
        submission__assignment__rubric_version__document=rubric_document(),
    )

    with model_endpoint() as endpoint:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = endpoint.base_url, MODEL_KEY
        settings.PROSECUTOR_MODEL = settings.DEFENSE_MODEL = settings.TECH_LEAD_MODEL = (
            "unauthorised"
        )
        run_audit(str(audit.pk), 1)

    with everywhere():
        assert Audit.objects.get(pk=audit.pk).state == AuditState.DEGRADED

    assert set(endpoint.keys) == {f"Bearer {MODEL_KEY}"}

    assert_keeps_secrets(stream)
    calls = [line for line in lines_of(stream) if "401 Unauthorized" in line["event"]]

    assert {line.get("audit") for line in calls if line["level"] == "info"} == {str(audit.pk)}


def test_line_within_a_span_has_its_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.example:4318")
    use_tracer(TracerProvider().get_tracer("test"))
    with production_log() as stream:
        with span("audit") as opened:
            logging.getLogger("courtroom").warning("within")
        use_tracer(None)
        logging.getLogger("courtroom").warning("outside")

    context = opened.get_span_context()
    lines = {
        line["event"]: (line.get("trace_id"), line.get("span_id")) for line in lines_of(stream)
    }
    assert lines == {
        "within": (format_trace_id(context.trace_id), format_span_id(context.span_id)),
        "outside": (None, None),
    }


def test_address_of_a_calendar_is_masked_in_every_line(stream) -> None:
    secret = "a-secret-of-a-calendar"
    assert Client().get(f"/calendar/{secret}.ics").status_code == 404
    logging.getLogger("gunicorn.error").warning("slow request: %s", f"/calendar/{secret}.ics")
    assert secret not in stream.getvalue()
    assert stream.getvalue().count("/calendar/…") == 2


def test_logger_in_use_follows_a_later_configuration() -> None:
    log = structlog.get_logger("in_use")
    log.info("before")
    logs.configuration("json")
    with capture_logs() as lines:
        log.info("after")
    assert [line["event"] for line in lines] == ["after"]
