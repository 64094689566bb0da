"""The job and the engine: one real audit of a small repository, and what happens when it goes wrong."""

import threading
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django_scopes import scope

from grading.core.async_stream import THREAD_NAME
from grading.core.enums import AuditState
from grading.core.errors import InputRefused
from grading.engine import audits as engine_audits
from grading.engine.events import Beat, OpinionRow, RunEvent, Stage, Verdict
from grading.engine.stored_sources import unpack_sources
from grading.jobs import run_audit
from grading.models import Audit, AuditContents, CriterionVerdict, EvidenceRecord, OpinionRecord
from grading.rubrics.actions import adopt_shipped_rubric
from tests.factories.people import OrganizationFactory, everywhere
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AuditFactory, OpinionRecordFactory, claimed, rubric_document
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.django_db
FILES = {"README.md": "# Work\n", "main.py": "print('work')\n"}


@pytest.fixture
def repository(tmp_path: Path) -> str:
    make_repository(
        tmp_path / "work.git", [Commit(message=f"Step {n}", files=FILES) for n in range(4)]
    )
    return str(tmp_path / "work.git")


def waiting(repo_url: str, **fields) -> Audit:
    document = rubric_document()
    return AuditFactory(
        submission__repo_url=repo_url,
        submission__assignment__rubric_version__document=document,
        **fields,
    )


def after(audit: Audit) -> Any:
    with everywhere():
        return Audit.objects.select_related("submission").get(pk=audit.pk)


def held(audit: Audit) -> list[RunEvent]:
    with everywhere():
        return list(engine_audits.hold_audit(after(audit), beat_seconds=60))


def test_an_audit_that_is_gone_is_no_error():
    run_audit(str(uuid4()), 1)


def test_a_second_start_of_the_same_job_finds_nothing_to_do(repository):
    audit = waiting(repository)
    lease = claimed(audit)
    run_audit(str(audit.pk), 1)
    assert (after(audit).state, after(audit).lease_token) == (AuditState.RUNNING, lease.token)


def test_a_repository_that_is_refused_fails_with_its_sentence_and_uses_up_no_attempt(tmp_path):
    make_repository(tmp_path / "empty.git", [])
    audit = waiting(str(tmp_path / "empty.git"))
    run_audit(str(audit.pk), 1)
    ended = after(audit)
    assert (ended.state, ended.failure_code, ended.submission.counts) == (
        AuditState.FAILED,
        "repository_empty",
        False,
    )
    assert ended.failure_message.startswith("No commits were found")


def test_an_engine_that_breaks_gives_the_audit_back_and_is_heard_of(repository):
    audit = AuditFactory(
        submission__repo_url=repository,
        submission__assignment__rubric_version__document={"criteria": [], "not": "a rubric"},
    )
    for attempt in (1, 2, 3):
        with pytest.raises(ValueError, match="rubric"):
            run_audit(str(audit.pk), attempt)
    ended = after(audit)
    assert (ended.state, ended.failure_code, ended.run_attempt) == (
        AuditState.FAILED,
        "engine_failed",
        3,
    )


def test_an_audit_ends_with_its_report_and_its_rows(repository):
    audit = waiting(repository)
    run_audit(str(audit.pk), 1)
    ended = after(audit)
    assert (ended.state, ended.failure_code, ended.stage, ended.lease_token) == (
        AuditState.DONE,
        "",
        "",
        None,
    )
    assert (ended.opinions_done, ended.opinions_expected) == (6, 6)
    assert ended.overall_score == ended.report["overall_score"]
    assert ended.report_digest == ended.report["digest"]
    assert ended.submission.resolved_commit == ended.report["commit"]
    with everywhere():
        verdicts = list(CriterionVerdict.objects.values_list("criterion_id", "score"))
        evidence = list(EvidenceRecord.objects.order_by("key").values_list("key", flat=True))
        opinions = set(OpinionRecord.objects.values_list("key", flat=True))
    assert verdicts == [(c["id"], c["final_score"]) for c in ended.report["criteria"]]
    assert evidence == sorted(e["id"] for e in ended.report["evidence"])
    assert opinions == {o["key"] for c in ended.report["criteria"] for o in c["opinions"]}


def test_an_audit_stores_what_it_read_once(repository):
    audit = waiting(repository)
    run_audit(str(audit.pk), 1)
    with everywhere():
        contents = AuditContents.objects.get()
    lines = dict.fromkeys(FILES, 1)
    assert (contents.audit_id, contents.files, contents.pages) == (audit.pk, lines, None)
    kept = unpack_sources(contents.sources) or {}
    assert {path: file.text for path, file in kept.items()} == FILES


def test_the_stored_report_is_the_sealed_one(repository):
    from courtroom import AuditReport

    audit = waiting(repository)
    run_audit(str(audit.pk), 1)
    report = AuditReport.model_validate(after(audit).report)
    assert report.sealed().digest == after(audit).report_digest
    assert f"{after(audit).report_digest}" in engine_audits.render_markdown(
        after(audit).report, date="20 November 2026"
    )


def test_opinions_given_before_are_known_to_the_next_attempt(repository):
    audit = waiting(repository)
    run_audit(str(audit.pk), 1)
    first = after(audit).report
    again = waiting(
        repository,
        submission__assignment=audit.submission.assignment,
        submission__student=audit.submission.student,
        submission__attempt=2,
    )
    run_audit(str(again.pk), 1)
    second = after(again).report
    assert second["digest"] == first["digest"]
    assert (first["usage"]["reused"], second["usage"]["reused"]) == (0, 6)


def test_records_of_an_older_courtroom_are_worked_out_anew(repository):
    audit = waiting(repository)
    OpinionRecordFactory(audit=audit, document={"score": "of another time"})
    earlier = {
        "submission__assignment": audit.submission.assignment,
        "submission__student": audit.submission.student,
    }
    AuditFactory(done=True, submission__attempt=2, report={"schema": "older"}, **earlier)
    run_audit(str(audit.pk), 1)
    assert (after(audit).state, after(audit).report["usage"]["reused"]) == (AuditState.DONE, 0)


def test_what_an_audit_tells_begins_with_a_stage_and_ends_with_the_verdict(repository):
    held_events = held(waiting(repository))
    assert isinstance(held_events[0], Stage)
    assert not held_events[0].ended
    assert [type(event) for event in held_events].count(OpinionRow) == 6
    assert [event for event in held_events if isinstance(event, Verdict)] == held_events[-1:]


def test_a_silent_audit_is_still_heard_of(repository):
    audit = waiting(repository)
    with everywhere():
        assert any(
            isinstance(e, Beat) for e in engine_audits.hold_audit(after(audit), beat_seconds=0.001)
        )


def test_a_closed_audit_leaves_no_thread_behind(repository):
    audit = waiting(repository)
    # The audit of an earlier test may still be ending.
    before = threading.enumerate()
    with everywhere():
        events = engine_audits.hold_audit(after(audit), beat_seconds=60)
        next(events)
        begun = [thread for thread in threading.enumerate() if thread not in before]
        (court,) = [thread for thread in begun if thread.name == THREAD_NAME]
        events.close()
    court.join(timeout=PATIENCE_SECONDS)
    assert not court.is_alive()


def test_a_refusal_is_the_sites_own_error(tmp_path):
    with pytest.raises(InputRefused) as refused:
        held(waiting(str(tmp_path / "nowhere.git")))
    assert refused.value.code == "repository_not_found"


@pytest.mark.parametrize("name", engine_audits.SHIPPED_RUBRICS)
def test_every_shipped_rubric_is_adopted_once_and_as_it_ships(name):
    organization = OrganizationFactory()
    version = adopt_shipped_rubric(organization=organization, name=name, by=None)
    assert adopt_shipped_rubric(organization=organization, name=name, by=None) == version
    with scope(organization=organization):
        version.refresh_from_db()
    assert version.digest == engine_audits.shipped_rubric(name).digest
    assert version.document == engine_audits.shipped_rubric(name).document
