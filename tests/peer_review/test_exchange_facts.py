"""Facts of a student's peer exchange that an audit gets: counts without names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from grading.core.enums import (
    AuditKind,
    AuditState,
    EntryKind,
    FeedbackKind,
    FindingState,
    Renewal,
    ResponseKind,
)
from grading.engine import audits as engine_audits
from grading.engine.events import Verdict
from grading.engine.exchange_facts import (
    CONTENTS,
    EntryCounts,
    ExchangeCounts,
    Relevance,
    exchange_of,
    exchanges_in,
)
from tests.factories.peers import (
    CommunicationEntryFactory,
    FeedbackReportFactory,
    FindingFactory,
    FindingResponseFactory,
    FindingSightingFactory,
    PairingFactory,
)
from tests.factories.people import EnrollmentFactory, everywhere
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def pairing():
    return PairingFactory.create()


def counts(pairing: Any, student: Any) -> ExchangeCounts:
    with everywhere():
        return exchange_of(assignment=pairing.round.assignment, student=student)


def work_of(pairing: Any, attempt: int = 1) -> Any:
    assignment = pairing.round.assignment
    return SubmissionFactory.create(assignment=assignment, student=pairing.auditee, attempt=attempt)


def seen_by_a_peer(pairing: Any, work: Any, **fields: Any) -> Any:
    finding = FindingFactory.create(first_submission=work, **fields)
    audit = AuditFactory.create(submission=work, kind=AuditKind.PEER, done=True)
    FeedbackReportFactory.create(pairing=pairing, platform=True, submission=work, audit=audit)
    FindingSightingFactory.create(finding=finding, audit=audit)
    return finding


def answered(finding: Any, kind: str = ResponseKind.FIXED, **fields: Any) -> None:
    answer_fields = (
        {"reason": "Later."} if kind in (ResponseKind.DEFERRED, ResponseKind.CONTESTED) else {}
    )
    commit = {"commit": "c" * 40} if kind == ResponseKind.FIXED else {}
    FindingResponseFactory.create(
        finding=finding, kind=kind, **{"reason": "", **answer_fields, **commit, **fields}
    )


def test_of_somebody_who_took_no_part_nothing_is_counted(pairing):
    assert counts(pairing, pairing.auditee) == ExchangeCounts()


def test_a_report_counts_for_both_sides_of_its_pairing_once_however_often_it_was_made(pairing):
    for _ in range(2):
        FeedbackReportFactory.create(pairing=pairing)
    FeedbackReportFactory.create(pairing=pairing, platform=True)
    assert counts(pairing, pairing.auditor) == ExchangeCounts(
        generated=1, scored=1, placed=1, argued=1, planned=1
    )
    assert counts(pairing, pairing.auditee) == ExchangeCounts(received=1)


CRITERION: dict[str, Any] = {"name": "Graph", "score": None, "opinions": []}
SCORE = {"value": 3.0, "maximum": 5.0, "level": None, "written": "3/5"}


@pytest.mark.parametrize(
    ("reading", "held"),
    [
        ({"criteria": [CRITERION], "findings": []}, ()),
        ({"criteria": [CRITERION | {"score": SCORE}], "findings": []}, ("scored",)),
        ({"criteria": [CRITERION | {"opinions": [{}, {}]}], "findings": []}, ("argued",)),
        ({"criteria": [CRITERION | {"opinions": [{}]}], "findings": []}, ()),
        ({"criteria": [], "findings": [{"path": "a.py", "action": None}]}, ("placed",)),
        ({"criteria": [], "findings": [{"path": None, "action": "Add it."}]}, ("planned",)),
    ],
)
def test_what_an_imported_report_on_a_peer_holds_is_counted(pairing, reading, held):
    FeedbackReportFactory.create(pairing=pairing, reading=reading)
    of_auditor = counts(pairing, pairing.auditor)
    assert [name for name in CONTENTS if getattr(of_auditor, name)] == list(held)


def test_the_newest_report_of_a_pairing_says_what_it_holds(pairing):
    FeedbackReportFactory.create(pairing=pairing, platform=True)
    FeedbackReportFactory.create(pairing=pairing, reading={"criteria": [], "findings": []})
    assert counts(pairing, pairing.auditor) == ExchangeCounts(generated=1)


@pytest.mark.parametrize("state", [{"audit__state": AuditState.QUEUED}, {"audit__failed": True}])
def test_an_audit_that_has_told_nothing_yet_or_failed_is_no_report(pairing, state):
    FeedbackReportFactory.create(pairing=pairing, platform=True, audit__done=False, **state)
    assert counts(pairing, pairing.auditor) == ExchangeCounts()


def test_a_report_that_no_pairing_stands_behind_is_no_exchange_and_one_on_oneself_is_told_apart(
    pairing,
):
    unmatched = {
        "pairing": None,
        "assignment": pairing.round.assignment,
        "subject": pairing.auditee,
    }
    at_home = {"organization": pairing.organization, "brought_by": pairing.auditee}
    FeedbackReportFactory.create(author=None, **unmatched, **at_home)
    FeedbackReportFactory.create(
        author=pairing.auditee, kind=FeedbackKind.SELF, **unmatched, **at_home
    )
    assert counts(pairing, pairing.auditee) == ExchangeCounts(own=1)


def test_a_flagged_report_counts_so_that_nobody_learns_by_a_count_whose_work_they_audit(pairing):
    FeedbackReportFactory.create(
        pairing=pairing, misfits=[{"code": "repository_differs", "sentence": "Another repository."}]
    )
    assert counts(pairing, pairing.auditor).generated == 1


def test_what_became_of_the_findings_that_peers_saw(pairing):
    work, later = work_of(pairing), work_of(pairing, 2)
    gone: dict[str, Any] = {
        "state": FindingState.FIXED,
        "fixed_submission": later,
        "fixed_commit": "d" * 40,
    }
    seen_by_a_peer(pairing, work)
    seen_by_a_peer(pairing, work, **gone)
    answered(seen_by_a_peer(pairing, work, **gone), verified=True)
    answered(seen_by_a_peer(pairing, work), verified=True, created_at=timezone.now())
    answered(seen_by_a_peer(pairing, work), verified=False)
    answered(seen_by_a_peer(pairing, work), ResponseKind.WILL_FIX)
    answered(seen_by_a_peer(pairing, work), ResponseKind.DEFERRED)
    answered(seen_by_a_peer(pairing, work), ResponseKind.DEFERRED, replaced_at=timezone.now())
    answered(seen_by_a_peer(pairing, work), ResponseKind.CONTESTED)
    FindingSightingFactory.create(finding=FindingFactory.create(first_submission=work))
    # A promise to fix is no answer: it says nothing of what was done.
    assert counts(pairing, pairing.auditee) == ExchangeCounts(
        received=1,
        findings_received=9,
        answered=6,
        fixed=3,
        fixes_verified=1,
        deferred=1,
        contested=1,
    )


def test_a_fix_that_a_later_attempt_shows_to_be_none_is_no_longer_one(pairing):
    work = work_of(pairing)
    finding = seen_by_a_peer(pairing, work)
    answered(finding, verified=True)
    assert counts(pairing, pairing.auditee).fixed == 1
    again = AuditFactory.create(submission=work_of(pairing, 2), done=True)
    FindingSightingFactory.create(finding=finding, audit=again, submission=again.submission)
    assert counts(pairing, pairing.auditee).fixed == 0


def test_findings_of_an_imported_report_are_received_like_those_of_an_audit(pairing):
    work = work_of(pairing)
    finding = FindingFactory.create(first_submission=work)
    report = FeedbackReportFactory.create(pairing=pairing, submission=work)
    FindingSightingFactory.create(finding=finding, audit=None, report=report, submission=work)
    assert counts(pairing, pairing.auditee).findings_received == 1


def test_relevance_is_of_what_ones_own_auditor_said_each_finding_once_and_the_newest_report(
    pairing,
):
    work = work_of(pairing)
    there, elsewhere, placeless = (
        FindingFactory.create(first_submission=work, place=place) for place in ("a.py", "b.py", "")
    )
    older = FeedbackReportFactory.create(
        pairing=pairing, submission=work, reading={"findings": [{}]}
    )
    newer = FeedbackReportFactory.create(
        pairing=pairing, submission=work, reading={"findings": [{}, {}, {}, {}, {}]}
    )
    FindingSightingFactory.create(
        finding=FindingFactory.create(first_submission=work),
        audit=None,
        report=older,
        submission=work,
    )
    for finding in (there, elsewhere, placeless):
        FindingSightingFactory.create(finding=finding, audit=None, report=newer, submission=work)
    FindingSightingFactory.create(finding=there)
    FindingSightingFactory.create(finding=elsewhere, present=False)
    assert counts(pairing, pairing.auditor).relevance == Relevance(
        stated=3, with_place=2, confirmed=1, duplicates=2
    )


def test_the_sites_own_audits_of_peers_say_nothing_of_relevance(pairing):
    report = FeedbackReportFactory.create(pairing=pairing, platform=True)
    finding = FindingFactory.create(first_submission=report.submission)
    FindingSightingFactory.create(finding=finding, audit=report.audit)
    assert counts(pairing, pairing.auditor).relevance is None


def test_entries_are_counted_by_what_they_tell_of(pairing):
    for kind in (EntryKind.PROGRESS, EntryKind.PROGRESS, EntryKind.DESIGN):
        CommunicationEntryFactory.create(
            assignment=pairing.round.assignment, student=pairing.auditor, kind=kind
        )
    assert counts(pairing, pairing.auditor).entries == EntryCounts(progress=2, design=1)
    assert counts(pairing, pairing.auditee) == ExchangeCounts()


def test_another_assignments_exchange_is_not_counted(pairing):
    other = AssignmentFactory.create(cohort=pairing.round.assignment.cohort)
    FeedbackReportFactory.create(
        pairing=PairingFactory.create(
            round__assignment=other, auditor=pairing.auditor, auditee=pairing.auditee
        )
    )
    CommunicationEntryFactory.create(assignment=other, student=pairing.auditor)
    assert counts(pairing, pairing.auditor) == ExchangeCounts()


def test_everybodys_counts_cost_as_many_queries_as_ones_own(pairing, django_assert_num_queries):
    assignment = pairing.round.assignment
    work = work_of(pairing)
    answered(seen_by_a_peer(pairing, work), verified=True)
    imported = FeedbackReportFactory.create(pairing=pairing, submission=work)
    FindingSightingFactory.create(
        finding=FindingFactory.create(first_submission=work),
        audit=None,
        report=imported,
        submission=work,
    )
    for _ in range(3):
        other = EnrollmentFactory.create(cohort=assignment.cohort)
        theirs = PairingFactory.create(round=pairing.round, auditor=other, auditee=pairing.auditee)
        FeedbackReportFactory.create(pairing=theirs)
        CommunicationEntryFactory.create(assignment=assignment, student=other)
    with everywhere():
        with django_assert_num_queries(7):
            all_of_them = exchanges_in(assignment)
        with django_assert_num_queries(7):
            own = exchange_of(assignment=assignment, student=pairing.auditee)
    assert all_of_them[pairing.auditee.pk] == own
    assert (own.findings_received, own.received, len(all_of_them)) == (2, 4, 5)


# -- at the door of the courtroom -----------------------------------------------------------------


@pytest.fixture
def audit(pairing, tmp_path: Path, settings):
    settings.ALLOW_LOCAL_REPOSITORIES = True
    make_repository(
        tmp_path / "work.git",
        [Commit("Begin", {"README.md": "# A course project\n", "main.py": "print()\n"})],
    )
    work = SubmissionFactory.create(
        assignment=pairing.round.assignment,
        student=pairing.auditee,
        repo_url=str(tmp_path / "work.git"),
    )
    return AuditFactory.create(submission=work)


def held(audit: Any) -> dict[str, Any]:
    with everywhere():
        *_, last = engine_audits.hold_audit(audit, beat_seconds=60)
    assert isinstance(last, Verdict)
    return last.report


def test_an_audit_is_told_what_the_site_knows(audit, pairing):
    FeedbackReportFactory.create(pairing=pairing)
    CommunicationEntryFactory.create(assignment=pairing.round.assignment, student=pairing.auditee)
    exchange = held(audit)["facts"]["exchange"]
    assert (exchange["received"], exchange["entries"]["progress"], exchange["self"]) == (1, 1, 0)


def test_a_work_that_is_judged_again_is_judged_on_what_was_known_then(audit, pairing):
    audit.report = held(audit)
    audit.state, audit.finished_at = AuditState.DONE, timezone.now()
    with everywhere():
        audit.save()
    FeedbackReportFactory.create(pairing=pairing)
    again = AuditFactory.create(submission=audit.submission, renewal=Renewal.OPINIONS)
    assert held(again)["facts"]["exchange"]["received"] == 0
