"""Traces of submissions as a collector gets them: what was done and how long it took, no contents."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import reverse
from django_rq import get_queue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.trace import get_tracer

from grading.core.audit_queue import JOB
from grading.core.enums import AuditState, Bench
from grading.engine import trace_export
from grading.engine.tracing import audit_span, start_export
from grading.jobs import run_audit
from grading.models import Assignment, Audit, Enrollment
from tests.factories.model_server import REASONING, Desk, model_endpoint
from tests.factories.pdfs import Page, make_pdf
from tests.factories.people import everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.trace_collector import (
    Collector,
    Tree,
    attributes_of,
    events_of,
    trace_collector,
    tree_of,
)
from tests.factories.work import AssignmentFactory, claimed, rubric_document

pytestmark = pytest.mark.django_db
MODELS = {
    "OPENAI_API_KEY": "sk-of-the-models",
    "PROSECUTOR_MODEL": "busy",
    "DEFENSE_MODEL": "good",
    "TECH_LEAD_MODEL": "unauthorised",
    "MODEL_PRICES": {"good": {"input": 1, "cached_input": 0.5, "output": 1000}},
}
SECOND = 10**9
NOBODY = "http://127.0.0.1:1"
HEADER_SECRET = "secret-of-the-collector"
IN_CODE, IN_COMMIT, IN_PDF, IN_PATH = (
    f"planted-in-{place}" for place in ("code", "commit", "pdf", "path")
)
COURTROOM: Tree = {
    "exhibits": {},
    "context_builder": {},
    "repo_investigator": {},
    "doc_analyst": {},
    "vision_inspector": {},
    "evidence_aggregator": {},
    "prosecutor": {},
    "prosecutor 2": {},
    "defense": {},
    "defense 2": {},
    "tech_lead": {},
    "tech_lead 2": {},
    "judge_collector": {},
    "chief_justice": {},
}
AUDIT = {"auditor.audit.id", "auditor.audit.kind", "auditor.audit.attempt", "auditor.audit.state"}
JUDGE = {"auditor.judge", "auditor.criteria", "auditor.round"}
CALL = {
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.request.max_tokens",
    "gen_ai.response.model",
    "gen_ai.response.finish_reasons",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.output_tokens",
    "auditor.cost_usd",
}


@contextmanager
def exporting_to(url: str) -> Iterator[None]:
    """Send this process's spans to the address, as a process of the site does."""
    headers = f"Authorization=Basic%20{HEADER_SECRET}"
    with override_settings(OTEL_EXPORTER_OTLP_ENDPOINT=url, OTEL_EXPORTER_OTLP_HEADERS=headers):
        end = start_export()
        try:
            yield
        finally:
            end()


def work_in(folder: Path) -> Path:
    """A repository and a report with words that no span may hold."""
    path = folder / IN_PATH / "work.git"
    path.parent.mkdir()
    files = {"README.md": f"# {IN_CODE}", "main.py": f"print('{IN_CODE}')\n"}
    make_repository(path, [Commit(message=IN_COMMIT, files=files)])
    make_pdf(folder / "report.pdf", [Page([f"We wrote {IN_PDF}."])])
    return path


def rubric_on_report() -> dict[str, Any]:
    document = rubric_document()
    check = {"kind": "pdf_concept", "id": "tested.pdf", "goal": "It says so", "term": IN_PDF}
    document["criteria"][1]["checks"].append(check)
    return document


def handed_in(assignment: Assignment, ada: Enrollment, repo_url: object, pdf: bytes = b"") -> int:
    """Hand in by the page; return the status of its answer."""
    assert ada.user
    client = Client()
    client.force_login(ada.user)
    place = (assignment.organization.slug, assignment.cohort.slug, assignment.slug)
    upload = {"pdf": SimpleUploadedFile("r.pdf", pdf, "application/pdf")} if pdf else {}
    answer = client.post(reverse("submit", args=place), {"repo_url": str(repo_url), **upload})
    return answer.status_code


def audit_of(assignment: Assignment) -> Audit:
    with everywhere():
        return Audit.objects.get(submission__assignment=assignment)


@dataclass(frozen=True, slots=True)
class Evening:
    """Two institutions' audits, one by models, and all that was sent to collector and models."""

    by_models: Audit
    offline: Audit
    email: str
    collector: Collector
    endpoint: Desk

    def trace_of(self, audit: Audit) -> list[Span]:
        trace_id = bytes.fromhex(audit.traceparent.split("-")[1])
        return [span for span in self.collector.spans if span.trace_id == trace_id]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return work_in(tmp_path_factory.mktemp("work"))


@pytest.fixture(scope="module")
def evening(kept: Path, work: Path) -> Iterator[Evening]:
    rubric = {"rubric_version__document": rubric_on_report()}
    pdf = (work.parents[1] / "report.pdf").read_bytes()
    assignments = [AssignmentFactory.create(bench=bench, **rubric) for bench in Bench.values[::-1]]
    students = [student(assignment.cohort) for assignment in assignments]

    with trace_collector() as collector, model_endpoint() as endpoint:
        with (
            override_settings(OPENAI_BASE_URL=endpoint.base_url, **MODELS),
            exporting_to(collector.url),
        ):
            for assignment, ada, upload in zip(assignments, students, (pdf, b""), strict=True):
                assert handed_in(assignment, ada, work, upload) == 302
            audits = [audit_of(assignment) for assignment in assignments]
            for audit in audits:
                run_audit(str(audit.pk), 1)
        by_models, offline = (audit_of(assignment) for assignment in assignments)
        yield Evening(by_models, offline, str(students[0].email), collector, endpoint)


def calls_in(spans: list[Span]) -> dict[tuple[str, str], Span]:
    """Return the spans of calls by judge and criterion; the screening has neither."""
    return {
        (attributes.get("auditor.judge", ""), *attributes.get("auditor.criteria", [""])): span
        for span in spans
        if span.name.startswith("chat ")
        for attributes in [attributes_of(span)]
    }


def test_submission_is_one_trace_from_its_hand_in_to_its_verdict(evening: Evening) -> None:
    tree = tree_of(evening.trace_of(evening.offline))
    assert tree == {"hand_in": {"queue": {"audit": COURTROOM}}}

    audit = next(s for s in evening.trace_of(evening.offline) if s.name == "audit")
    assert attributes_of(audit) == {
        "auditor.audit.id": str(evening.offline.pk),
        "auditor.audit.kind": "self",
        "auditor.audit.attempt": 1,
        "auditor.audit.state": "done",
        "auditor.organization.id": evening.offline.organization_id,
    }


def test_wait_in_the_queue_ends_with_the_claim(evening: Evening) -> None:
    spans = {span.name: span for span in evening.trace_of(evening.offline)}
    assert evening.offline.started_at
    claimed = int(evening.offline.started_at.timestamp() * 1e9)

    assert abs(spans["queue"].end_time_unix_nano - claimed) < 1000
    # Within what a clock may step back.
    assert spans["hand_in"].start_time_unix_nano < spans["queue"].start_time_unix_nano + SECOND
    assert spans["queue"].end_time_unix_nano < spans["audit"].start_time_unix_nano + SECOND


def test_each_call_of_a_model_is_below_its_judge(evening: Evening) -> None:
    tree = tree_of(evening.trace_of(evening.by_models))["hand_in"]["queue"]["audit"]
    calls = {
        stage: list(below) for stage, below in tree.items() if any(n[:5] == "chat " for n in below)
    }
    assert calls == {
        "screening": ["chat unauthorised"],
        "prosecutor": ["chat busy"],
        "prosecutor 2": ["chat busy"],
        "defense": ["chat good"],
        "defense 2": ["chat good"],
        "tech_lead": ["chat unauthorised"],
        "tech_lead 2": ["chat unauthorised"],
    }


def test_answered_call_has_the_conventions_names_and_its_cost(evening: Evening) -> None:
    call = calls_in(evening.trace_of(evening.by_models))["Defense", "tidy"]
    assert (call.kind, attributes_of(call), events_of(call)) == (
        Span.SPAN_KIND_CLIENT,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "good",
            "gen_ai.request.max_tokens": 1200,
            "gen_ai.response.model": "good",
            "gen_ai.response.finish_reasons": ["stop"],
            "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.cache_read.input_tokens": 64,
            "gen_ai.usage.output_tokens": 20,
            "auditor.cost_usd": 0.020068,
            "auditor.judge": "Defense",
            "auditor.criteria": ["tidy"],
        },
        [("send", {})],
    )


def test_retry_is_an_event_with_its_reason(evening: Evening) -> None:
    calls = calls_in(evening.trace_of(evening.by_models))
    busy = [events_of(calls["Prosecutor", criterion]) for criterion in ("tidy", "tested")]
    retried = ("retry", {"error.type": "rate_limited", "auditor.pause_seconds": 0.0})
    assert sorted(busy, key=len) == [[("send", {})], [("send", {}), retried, ("send", {})]]


def test_failed_call_and_its_judge_have_the_typed_code(evening: Evening) -> None:
    failed = {
        (span.name, attributes_of(span)["error.type"], span.status.message)
        for span in evening.trace_of(evening.by_models)
        if span.status.code == span.status.STATUS_CODE_ERROR
    }
    assert failed == {
        ("chat unauthorised", "auth", ""),
        ("screening", "screening_auth", ""),
        ("tech_lead", "auth", ""),
    }


def test_two_institutions_have_traces_of_their_own(evening: Evening) -> None:
    audits = (evening.by_models, evening.offline)
    owners = [
        {
            (attributes[key], span.trace_id.hex())
            for span in evening.collector.spans
            for attributes in [attributes_of(span)]
            for key in ("auditor.organization.id",)
            if key in attributes and attributes["auditor.audit.id"] == str(audit.pk)
        }
        for audit in audits
    ]
    assert owners == [{(a.organization_id, a.traceparent.split("-")[1])} for a in audits]
    assert len({span.trace_id for span in evening.collector.spans}) == 2


def test_no_word_of_a_submission_prompt_or_key_leaves(evening: Evening) -> None:
    prompts = json.dumps(evening.endpoint.requests)
    assert [word for word in (IN_CODE, IN_COMMIT, IN_PDF) if word not in prompts] == []

    organization = evening.by_models.organization
    secrets = (MODELS["OPENAI_API_KEY"], HEADER_SECRET, REASONING, evening.email)
    words = (IN_CODE, IN_COMMIT, IN_PDF, IN_PATH, *secrets, organization.slug, organization.name)
    sent = b"\n".join(evening.collector.bodies)
    assert [word for word in words if str(word).encode() in sent] == []


def test_spans_have_these_attributes_and_no_others(evening: Evening) -> None:
    keys = {key for span in evening.collector.spans for key in attributes_of(span)}
    assert keys == {"auditor.organization.id", "error.type"} | AUDIT | JUDGE | CALL

    resources = [
        r.resource for request in evening.collector.requests for r in request.resource_spans
    ]
    assert {name for resource in resources for name in attributes_of(resource)} == {
        "service.name",
        "service.instance.id",
        "telemetry.sdk.language",
        "telemetry.sdk.name",
        "telemetry.sdk.version",
    }


def test_collector_gets_the_headers_of_the_operator(evening: Evening) -> None:
    sent = {(path, h["authorization"]) for path, h in evening.collector.received}
    assert sent == {("/v1/traces", f"Basic {HEADER_SECRET}")}


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(rubric_version__document=rubric_on_report())
    return made


def test_refused_hand_in_is_a_trace_with_the_refusals_code(
    assignment: Assignment, tmp_path: Path
) -> None:
    with trace_collector() as collector:
        with exporting_to(collector.url):
            status = handed_in(assignment, student(assignment.cohort), tmp_path / "gone.git")
        [span] = collector.spans

    assert status == 200
    assert (span.name, attributes_of(span)) == (
        "hand_in",
        {
            "auditor.organization.id": assignment.organization_id,
            "error.type": "repository_not_found",
        },
    )
    assert b"gone.git" not in collector.bodies[0]


@pytest.mark.usefixtures("redis")
def test_failed_second_attempt_stands_below_the_same_hand_in(
    assignment: Assignment, tmp_path: Path
) -> None:
    path = tmp_path / "work.git"
    make_repository(path, [Commit(files={"main.py": "print()"})])
    with trace_collector() as collector:
        with exporting_to(collector.url):
            assert handed_in(assignment, student(assignment.cohort), path) == 302
            path.rename(tmp_path / "elsewhere.git")
            audit = audit_of(assignment)
            with everywhere():
                Audit.objects.filter(pk=audit.pk).update(run_attempt=1)
            queue = get_queue("submissions", is_async=False, commit_mode="auto")
            job = queue.enqueue_call(JOB, args=(str(audit.pk), 2))
        spans = {span.name: span for span in collector.spans}

    assert tree_of(collector.spans) == {"hand_in": {"queue": {"audit": {"exhibits": {}}}}}
    attempt = attributes_of(spans["audit"])
    assert (attempt["auditor.audit.attempt"], attempt["error.type"]) == (2, "repository_not_found")
    # It waited from its own job on, or no time at all if the clock stepped back.
    claimed = audit_of(assignment).started_at
    assert job.enqueued_at is not None
    assert claimed is not None
    waited_from = spans["queue"].start_time_unix_nano / 1e9
    expected = min(job.enqueued_at, claimed).timestamp()
    assert waited_from == pytest.approx(expected, rel=0, abs=1e-6)


@pytest.mark.parametrize("is_listening", [True, False])
def test_collector_without_an_answer_changes_no_page_and_no_report(
    is_listening: bool,
    evening: Evening,
    work: Path,
    assignment: Assignment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trace_export, "FLUSH_SECONDS", 0.2)
    with trace_collector() as collector:
        collector.answers.clear()
        with exporting_to(collector.url if is_listening else NOBODY):
            assert handed_in(assignment, student(assignment.cohort), work) == 302
            run_audit(str(audit_of(assignment).pk), 1)
        # Everything above went on without an answer.
        assert not collector.answers.is_set()

    audit = audit_of(assignment)
    assert (audit.state, audit.report_digest) == (AuditState.DONE, evening.offline.report_digest)
    # A slow machine sends the spans in several messages.
    assert bool(collector.bodies) == is_listening


def test_trace_that_is_not_sampled_is_sent_by_neither_process(
    assignment: Assignment, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0")
    with trace_collector() as collector:
        with exporting_to(collector.url):
            assert handed_in(assignment, student(assignment.cohort), work) == 302
        monkeypatch.delenv("OTEL_TRACES_SAMPLER")
        claimed(audit_of(assignment))
        with exporting_to(collector.url), audit_span(audit_of(assignment)):
            """The worker's part of the trace."""

    assert audit_of(assignment).traceparent.endswith("-02")
    assert collector.bodies == []


def test_spans_of_other_packages_are_not_sent() -> None:
    with trace_collector() as collector, exporting_to(collector.url):
        foreign = get_tracer("a-provider").start_span("chat", attributes={"prompt": IN_CODE})
        foreign.end()
    assert collector.bodies == []


def test_endpoint_without_the_packages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "grading.engine.trace_export")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with (
        pytest.raises(ImproperlyConfigured, match=r"requirements/telemetry\.txt"),
        exporting_to("http://collector.example:4318"),
    ):
        """Nothing is sent."""


def test_without_an_endpoint_no_trace_is_begun(assignment: Assignment, work: Path) -> None:
    with exporting_to(""):
        assert handed_in(assignment, student(assignment.cohort), work) == 302
    assert audit_of(assignment).traceparent == ""
