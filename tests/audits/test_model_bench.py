"""The engine with language models: a real endpoint, what is bought, and what odd models send."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from grading.audits.presenters.progress import criteria_judged
from grading.core.enums import AuditState, Bench
from grading.jobs import run_audit
from grading.models import Audit, ModelUsage, OpinionRecord
from tests.factories.model_server import Desk, Handler, _completion, model_endpoint
from tests.factories.people import everywhere
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AuditFactory, rubric_document

pytestmark = pytest.mark.django_db
REST = "works, as the items that are cited here show to everybody."
ODD, STORED = f"It \x00 {REST}", f"It \ufffd {REST}"


class OddHandler(Handler):
    """A model that says what no database column can hold."""

    def do_POST(self):  # noqa: N802 -- the library's own name
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        completion = _completion(body, self.server.transcripts)
        message = completion["choices"][0]["message"]
        message["content"] = json.dumps(json.loads(message["content"]) | {"reasoning": ODD})
        self._send(200, completion)


@pytest.fixture
def desk(settings) -> Iterator[Desk]:
    with model_endpoint() as desk:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = desk.base_url, "a-key"
        settings.PROSECUTOR_MODEL = settings.DEFENSE_MODEL = settings.TECH_LEAD_MODEL = "good"
        settings.JUDGES_SCREEN = False
        yield desk


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    make_repository(
        tmp_path / "work.git", [Commit(files={"README.md": "# Work", "main.py": "print()"})]
    )
    return AuditFactory(
        submission__repo_url=str(tmp_path / "work.git"),
        submission__assignment__bench=Bench.LLM,
        submission__assignment__rubric_version__document=rubric_document(),
    )


def after(audit: Audit):
    with everywhere():
        return Audit.objects.get(pk=audit.pk)


def test_every_answer_is_stored_as_it_was_bought(audit, desk):
    run_audit(str(audit.pk), 1)
    ended = after(audit)
    assert (ended.state, ended.report["judges"]["Defense"]["model"]) == (AuditState.DONE, "good")
    assert len(desk.requests) == ended.report["usage"]["calls"] == 6
    with everywhere():
        assert list(OpinionRecord.objects.values_list("score", flat=True)) == [4] * 6


def test_what_was_bought_is_not_bought_again(audit, desk):
    run_audit(str(audit.pk), 1)
    with everywhere():
        again = AuditFactory(submission=audit.submission)
    desk.requests.clear()
    run_audit(str(again.pk), 1)
    assert (after(again).state, len(desk.requests)) == (AuditState.DONE, 0)


def test_a_screening_is_stored_with_its_cost_and_not_bought_again(audit, desk, settings):
    settings.JUDGES_SCREEN = True
    settings.SCREENING_MODEL = "screener"
    run_audit(str(audit.pk), 1)
    ended = after(audit)
    assert (len(desk.requests), desk.seen["screener"]) == (7, 1)
    assert ended.report["screening"]["model"] == "screener"
    assert ended.screening == ended.report["screening"]
    with everywhere():
        usage = ModelUsage.objects.get(judge=ModelUsage.SCREENING)
        again = AuditFactory(submission=audit.submission)
    assert (usage.model, usage.calls, usage.prompt_tokens) == ("screener", 1, 100)

    # As after a crash: the report is lost, and what was stored as it came is left.
    with everywhere():
        lost = {"report": None, "overall_score": None, "report_digest": ""}
        Audit.objects.filter(pk=audit.pk).update(
            **lost, state=AuditState.FAILED, failure_code="stopped"
        )
    desk.requests.clear()
    run_audit(str(again.pk), 1)
    assert (desk.requests, after(again).screening) == ([], ended.screening)


def test_a_judge_that_fails_is_no_score_and_is_asked_again_next_time(audit, desk, settings):
    settings.DEFENSE_MODEL = settings.TECH_LEAD_MODEL = "refusing"
    run_audit(str(audit.pk), 1)
    ended = after(audit)
    assert (ended.state, ended.overall_score, ended.opinions_done) == (AuditState.DEGRADED, None, 6)
    with everywhere():
        scored = OpinionRecord.objects.exclude(score=None).values_list("judge", flat=True)
        assert (set(scored), criteria_judged(ended)) == ({"Prosecutor"}, 2)
        again = AuditFactory(submission=audit.submission)
    desk.requests.clear()
    run_audit(str(again.pk), 1)
    assert len(desk.requests) == 4


def test_what_no_database_can_hold_is_replaced_and_the_digest_is_of_what_is_stored(audit, desk):
    from courtroom import AuditReport

    desk.RequestHandlerClass = OddHandler
    run_audit(str(audit.pk), 1)
    ended = after(audit)
    assert ended.state == AuditState.DONE
    assert {o["argument"] for c in ended.report["criteria"] for o in c["opinions"]} == {STORED}
    assert AuditReport.model_validate(ended.report).sealed().digest == ended.report_digest
